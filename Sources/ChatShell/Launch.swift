// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
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

  /// The variables that hobnob goes by; most of an environment is nobody's business here, and
  /// reading all of it shows in the time to the first prompt.
  private static let variables = [
    "HOME", "LOGNAME", "USER", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS",
    "XDG_STATE_HOME", "HOBNOB_ACCESSIBLE", "HOBNOB_SHARE", "TERM", "TERM_PROGRAM",
    "TMUX", "XTERM_VERSION",
    "COLORTERM", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION", "NO_COLOR", "VISUAL", "EDITOR",
    "PAGER", "BROWSER", "TMPDIR",
  ]

  /// What of the environment of this process is looked at.
  public static func environment() -> [String: String] {
    var result: [String: String] = [:]
    for name in variables {
      if let value = getenv(name) { result[name] = String(cString: value) }
    }
    return result
  }

  /// Runs `body` and turns what it throws into a sentence on standard error and status 1, or 64
  /// where the command line is wrong (rule 11.4).
  public func report(_ body: () throws -> Int32) -> Int32 {
    // A reader that goes away is no error; writes see it and stop.
    signal(SIGPIPE, SIG_IGN)
    // A file-size limit shall be an error of the write, not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    // Characters and the names of days; the other categories cost five system calls each.
    setlocale(LC_CTYPE, "")
    setlocale(LC_TIME, "")
    do {
      return try body()
    } catch {
      StandardError.say(sentence(for: error))
      return error is WrongUsage || error is SearchError ? 64 : 1
    }
  }

  /// What the parser of the command line has to say: help and the version on standard output, what
  /// is wrong on standard error. Returns the exit status.
  public nonisolated static func answer(
    _ text: String, to arguments: [String] = [], status: Int32
  ) -> Int32 {
    var text = text
    // What was given is shown in one line: nothing in it may begin one (rule 12.2).
    for argument in arguments {
      for part in [argument[...]] + argument.split(separator: "=", maxSplits: 1).dropFirst()
      where part.contains(where: \.isNewline) {
        text = text.replacing(part, with: SafeText(line: String(part)).string)
      }
    }
    // The parser runs commands on the main thread, without saying so in their types.
    return MainActor.assumeIsolated { [text] in
      Launch(options: LaunchOptions()).report {
        guard status == 0 else {
          // Each line may hold an argument of any length.
          StandardError.write(
            SafeText(body: text).lines.map { say("%1", $0) }.joined(separator: "\n"))
          return status
        }
        let output = StandardOutput()
        output.write(SafeText(body: text))
        try output.finish()
        return 0
      }
    }
  }

  // MARK: Parts

  /// Opens the store for a script. While somebody else has it locked, it says so and waits.
  ///
  /// - Parameter shared: whether it has to be a shared one, or is made so; nil for what the command
  ///   line says.
  func openStore(create: Bool = true, shared: Bool? = nil) throws -> Store {
    let shared = shared ?? options.isShared
    do {
      return try openStore(create: create, patience: 300, shared: shared)
    } catch StoreError.locked {
      StandardError.say(
        say(
          "The store %1 is locked by another process; waiting for it.",
          SafeText(line: try storePath)))
      return try openStore(create: create, patience: 10_000, shared: shared)
    }
  }

  private func openStore(create: Bool, patience: Int32, shared: Bool) throws -> Store {
    let store = try Store(
      path: try storePath,
      options: .init(shared: shared, createIfMissing: create, patience: patience))
    store.patience = 10_000
    return store
  }

  /// The store that is meant, whether it is there or not.
  var storePath: String {
    get throws {
      if let path = options.store { return path }
      let hasData = environment["XDG_DATA_HOME"]?.hasPrefix("/") == true
      guard hasData || Self.home(environment) != nil else {
        throw Refusal(
          say("HOME is not set, so there is no place for a store; name one with --store."))
      }
      return Store.defaultPath(environment: environment)
    }
  }

  /// This person's folder: `HOME`, which cron may not set, else what the system has on record.
  nonisolated static func home(_ environment: [String: String]) -> String? {
    if let home = environment["HOME"], !home.isEmpty { return home }
    guard let entry = getpwuid(getuid()), let folder = entry.pointee.pw_dir else { return nil }
    let home = String(cString: folder)
    return home.isEmpty ? nil : home
  }

  /// Settings from the rc file; what is wrong in it is said, and the rest applies.
  func loadRc(complain: (SafeText) -> Void) throws -> RcFile {
    var rc = RcFile(environment: environment)
    guard !options.ignoresRc else { return rc }
    let path = options.rc ?? RcFile.defaultPath(environment: environment)
    try rc.read(path, mustExist: options.rc != nil, complain: complain)
    return rc
  }

  /// Rule 11.1: `--as NAME`, else `set nick`, else the login name.
  func participant(in store: Store, rc: RcFile) throws -> Participant {
    try named { try store.participant(identity: identity(rc)) }
  }

  /// A name that cannot be one is a wrong command line, where it was given there.
  private func named<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as RuleError {
      guard case .badName = error, options.name != nil else { throw error }
      throw WrongUsage(sentence(for: error))
    }
  }

  /// The same for a command that only reads. Nobody is made by that: a name that is new here, or
  /// typed wrong, is somebody who is in no conversation and has read nothing.
  func reader(in store: Store, rc: RcFile) throws -> Participant {
    let identity = identity(rc)
    return try named { try store.participant(known: identity) }
      ?? Participant(id: Script.nobody, identity: identity, name: identity)
  }

  func identity(_ rc: RcFile) -> String {
    options.name ?? rc.settings.nick ?? Self.loginName(environment)
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
    if name?.isEmpty == true || name == "#" || name == "@" {
      throw Refusal(say("%1 names no conversation.", SafeText(line: name ?? "")))
    }
    let loop = EventLoop()
    let editor = isatty(0) == 1 ? try editor(rc.settings, loop) : nil
    // Everything that has to be in the store before the first prompt.
    let open = { @MainActor (patience: Int32?) in
      let store =
        if let patience {
          try openStore(create: true, patience: patience, shared: options.isShared)
        } else {
          try openStore()
        }
      store.patience = patience ?? store.patience
      let me = try participant(in: store, rc: rc)
      let shell = Shell(
        store: store, me: me, settings: rc.settings, environment: environment, glyphs: glyphs,
        clock: { loop.now })
      shell.aliases = rc.aliases
      return (
        shell,
        try opened(name, for: shell, isCertain: isCertain, subcommands: subcommands)
      )
    }
    let (shell, opening): (Shell, Opening)
    if let editor {
      do {
        (shell, opening) = try open(300)
      } catch StoreError.locked {
        // The editor holds its delegate weakly.
        let line = StartingLine<(Shell, Opening)>(
          editor: editor, loop: loop, path: try storePath, keep: Self.keep)
        (shell, opening) = try withExtendedLifetime(line) { try line.wait { try open(0) } }
      }
    } else {
      (shell, opening) = try open(nil)
    }
    defer { shell.store.close() }
    guard let editor else {
      for complaint in complaints { StandardError.say(complaint) }
      return try BatchShell(shell: shell, output: StandardOutput()).run(
        opening: opening.conversation)
    }
    let interactive = InteractiveShell(shell: shell, editor: editor, loop: loop)
    return try interactive.run(
      opening: opening.conversation, bindings: rc.bindings,
      greeting: greeting(shell.me, opening), complaints: complaints)
  }

  /// Stores what was typed before a shell could begin as the draft of what it would have opened.
  private static func keep(
    _ opened: (shell: Shell, opening: Opening), _ draft: Composer.Draft
  ) throws -> SafeText {
    let (store, me) = (opened.shell.store, opened.shell.me.id)
    let place = opened.opening.conversation
    let other = try store.draft(of: me, in: place.id)
    try store.setDraft(Conversations.Draft(draft).before(other), of: me, in: place.id)
    store.close()
    return say("Your line for %1 is the draft there.", SafeText(name: place.name))
  }

  /// The line of a shell at a terminal.
  private func editor(_ settings: Settings, _ loop: EventLoop) throws -> LineEditor {
    guard StandardDescriptors.outputIsWritable else {
      throw Refusal(say("Standard output is closed; a shell needs somewhere to print."))
    }
    let term = environment["TERM"] ?? ""
    let isPlain =
      options.isPlain || settings.accessible || environment["HOBNOB_ACCESSIBLE"] == "1"
      || term.isEmpty || term == "dumb" || isatty(1) == 0
    return LineEditor(
      face: isPlain ? .plain : .tty, loop: loop, device: try TerminalDevice(),
      widths: settings.widths(environment: environment),
      looks: Painter.Looks(environment: { environment[$0] }))
  }

  /// Said where nothing has been said yet.
  private func greeting(_ me: Participant, _ opening: Opening) -> [StyledLine] {
    guard opening.conversation.lastNumber == 0 else { return [] }
    let name = SafeText(name: opening.conversation.name)
    return [
      StyledLine(say("You are %1 in %2, on this machine.", SafeText(name: me.name), name))
    ] + (opening.isNew ? [StyledLine(say("%1 is new; nobody else is in it.", name))] : []) + [
      StyledLine(
        say("A second terminal with hobnob --as NAME is someone to talk to. /help helps."),
        .dim)
    ]
  }

  /// What a shell begins in.
  private struct Opening {
    var conversation: Conversation
    /// It was made just now, by its name: which may be a slip of the pen.
    var isNew = false
  }

  /// The conversation that is opened: the named one, else the last one, else the one where something
  /// was said last, else #lobby. Nobody is brought back to a room that they left.
  private func opened(
    _ name: String?, for shell: Shell, isCertain: Bool, subcommands: [String]
  ) throws -> Opening {
    let store = shell.store
    let me = shell.me.id
    guard let name else {
      guard let last = try store.lastConversation(of: me),
        let conversation = try store.conversation(last, for: me)
      else { return Opening(conversation: try joined("lobby", shell)) }
      if try store.isMember(me, of: last) { return Opening(conversation: conversation) }
      let recent = try store.listing(for: me).first?.conversation
      return Opening(conversation: try recent ?? joined("lobby", shell))
    }
    if name.hasPrefix("@") { return Opening(conversation: try shell.find(name)) }
    let isNew = try store.room(name, create: false) == nil
    if isNew, !isCertain, !name.hasPrefix("#"),
      let near = subcommands.first(where: { Command.distance($0, name) <= 1 })
    {
      throw Refusal(
        say(
          "There is no room #%1. Did you mean hobnob %2? hobnob open %1 makes the room.",
          SafeText(line: name), SafeText(line: near)))
    }
    return Opening(conversation: try joined(name, shell), isNew: isNew)
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
