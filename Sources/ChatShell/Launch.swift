// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import LineEditing
import StyledText
import Terminal

/// What the command line says to every command (rule 11.3).
public struct LaunchOptions: Sendable {
  /// `--store PATH`; nil is the usual place.
  public var store: String?
  /// `--shared`: make the store for the group of its folder.
  public var isShared = false
  /// `--as NAME`.
  public var name: String?
  /// `--rc FILE`; nil is the usual place.
  public var rc: String?
  /// `--no-rc`.
  public var ignoresRc = false
  /// `--plain`.
  public var isPlain = false

  public init() {}
}

/// Opens what the command line asks for: store, person, settings, shell.
@MainActor
public struct Launch {
  let options: LaunchOptions
  let environment: [String: String]

  public init(options: LaunchOptions, environment: [String: String] = Launch.environment()) {
    self.options = options
    self.environment = environment
  }

  /// The environment of this process.
  public static func environment() -> [String: String] {
    var result: [String: String] = [:]
    var entry = environ
    while let line = entry.pointee {
      let text = String(cString: line)
      if let equals = text.firstIndex(of: "=") {
        result[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      entry += 1
    }
    return result
  }

  /// Runs `body` and turns what it throws into a sentence on standard error and status 1.
  public func report(_ body: () throws -> Int32) -> Int32 {
    // A reader that goes away is no error; writes see it and stop.
    signal(SIGPIPE, SIG_IGN)
    // A file-size limit shall be an error of the write, not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    setlocale(LC_ALL, "")
    do {
      return try body()
    } catch {
      StandardError.say(sentence(for: error))
      return 1
    }
  }

  // MARK: Parts

  func openStore(create: Bool = true) throws -> Store {
    let path = options.store ?? Store.defaultPath(environment: environment)
    func open(patience: Int32) throws -> Store {
      try Store(
        path: path,
        options: .init(shared: options.isShared, createIfMissing: create, patience: patience))
    }
    do {
      let store = try open(patience: 300)
      store.patience = 10_000
      return store
    } catch StoreError.locked {
      StandardError.say(
        say("The store %1 is locked by another process; waiting for it.", SafeText(line: path)))
      do {
        return try open(patience: 10_000)
      } catch {
        // What was typed meanwhile must not become a command of the shell outside.
        tcflush(0, TCIFLUSH)
        throw error
      }
    }
  }

  /// Settings from the rc file; what is wrong in it is said, and the rest applies.
  func loadRc(complain: (SafeText) -> Void) throws -> RcFile {
    guard !options.ignoresRc else { return RcFile() }
    let path = options.rc ?? RcFile.defaultPath(environment: environment)
    return try RcFile.load(path, mustExist: options.rc != nil, complain: complain)
  }

  /// Rule 11.1: `--as NAME`, else `set nick`, else the login name.
  func participant(in store: Store, rc: RcFile) throws -> Participant {
    try store.participant(identity: options.name ?? rc.nick ?? Self.loginName(environment))
  }

  static func loginName(_ environment: [String: String]) -> String {
    for variable in ["LOGNAME", "USER"] {
      if let name = environment[variable], !name.isEmpty { return name }
    }
    if let entry = getpwuid(getuid()) { return String(cString: entry.pointee.pw_name) }
    return "user\(getuid())"
  }

  var glyphs: Glyphs {
    let codeset = nl_langinfo(Int32(CODESET)).map { String(cString: $0) } ?? ""
    return codeset == "UTF-8" ? .unicode : .ascii
  }

  // MARK: The shell

  /// `hobnob [CONVERSATION]`. `isCertain`: the name was given with `open`.
  public func shell(_ name: String?, isCertain: Bool = false, subcommands: [String] = []) throws
    -> Int32
  {
    var complaints: [SafeText] = []
    let rc = try loadRc { complaints.append($0) }
    let store = try openStore()
    defer { store.close() }
    let me = try participant(in: store, rc: rc)
    let loop = EventLoop()
    let isTerminal = isatty(0) == 1
    let shell = Shell(
      store: store, me: me, settings: rc.settings, environment: environment, glyphs: glyphs,
      clock: { loop.now })
    if name?.isEmpty == true || name == "#" || name == "@" {
      throw Refusal(say("%1 names no conversation.", SafeText(line: name ?? "")))
    }
    let conversation = try opened(name, for: shell, isCertain: isCertain, subcommands: subcommands)
    guard isTerminal else {
      for complaint in complaints { StandardError.say(complaint) }
      return try BatchShell(shell: shell, output: StandardOutput()).run(opening: conversation)
    }
    let term = environment["TERM"] ?? ""
    let isPlain =
      options.isPlain || rc.settings.accessible || environment["HOBNOB_ACCESSIBLE"] == "1"
      || term.isEmpty || term == "dumb" || isatty(1) == 0
    let looks = Painter.Looks(environment: { environment[$0] })
    let editor = LineEditor(
      face: isPlain ? .plain : .tty, loop: loop, device: try TerminalDevice(),
      widths: rc.settings.widths(environment: environment), looks: looks)
    let interactive = InteractiveShell(
      shell: shell, editor: editor, loop: loop, environment: environment)
    let warnings = complaints.map { Shell.error($0) }
    return try interactive.run(
      opening: conversation, greeting: warnings + greeting(me, conversation))
  }

  /// Said where nothing has been said yet.
  private func greeting(_ me: Participant, _ conversation: Conversation) -> [StyledLine] {
    guard conversation.lastNumber == 0 else { return [] }
    return [
      StyledLine(
        say(
          "You are %1 in %2, a place of its own on this machine.", SafeText(name: me.name),
          SafeText(name: conversation.name))),
      StyledLine(
        say("Someone to talk to: hobnob --as NAME in a second terminal. /help lists the commands."),
        .dim),
    ]
  }

  /// The conversation that is opened: the named one, the last one, or #lobby.
  private func opened(
    _ name: String?, for shell: Shell, isCertain: Bool, subcommands: [String]
  ) throws -> Conversation {
    let store = shell.store
    let me = shell.me.id
    guard let name else {
      if let last = try store.lastConversation(of: me),
        let conversation = try store.conversation(last, for: me)
      {
        return conversation
      }
      return try joined("lobby", shell)
    }
    if name.hasPrefix("@") { return try shell.find(name) }
    if !isCertain, !name.hasPrefix("#"), try store.room(name, create: false) == nil,
      let near = subcommands.first(where: { Command.distance($0, name) <= 1 })
    {
      throw Refusal(
        say(
          "There is no room #%1. Did you mean hobnob %2? hobnob open %1 makes the room.",
          SafeText(line: name), SafeText(line: near)))
    }
    return try joined(name, shell)
  }

  private func joined(_ name: String, _ shell: Shell) throws -> Conversation {
    guard let room = try shell.store.room(name, create: true) else {
      throw RuleError.noSuchRoom(name)
    }
    if try !shell.store.isMember(shell.me.id, of: room.id) {
      try shell.store.join(shell.me.id, room.id)
    }
    return room
  }
}
