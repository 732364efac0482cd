// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatPreferences
import Conversations
import Glibc
import Platform
import StyledText

/// Opens the store, person, settings and shell that the command line asks for.
@MainActor
package struct Launch {
  package let options: LaunchOptions
  package let environment: [String: String]
  /// The program's name and version.
  let version: String

  package init(
    options: LaunchOptions, environment: [String: String] = Launch.environment(),
    version: String = ""
  ) {
    (self.options, self.environment, self.version) = (options, environment, version)
  }

  /// The variables that hobnob uses; reading the whole environment would delay the first prompt.
  private static let variables = [
    "HOME", "LOGNAME", "USER", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS",
    "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOBNOB_STORE", "HOBNOB_ACCESSIBLE", "HOBNOB_SHARE",
    "TERM", "TERM_PROGRAM",
    "TMUX", "XTERM_VERSION",
    "COLORTERM", "COLORFGBG", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION", "NO_COLOR", "VISUAL",
    "EDITOR",
    "PAGER", "BROWSER", "TMPDIR",
  ]

  /// The variables of this process's environment that hobnob uses.
  package static func environment() -> [String: String] {
    var result = [String: String](minimumCapacity: variables.count)
    for name in variables {
      if let value = getenv(name) { result[name] = String(cString: value) }
    }
    return result
  }

  /// Runs `body`; turns an error into a sentence on standard error and status 1, or 64 if the
  /// command line is wrong (rule 11.4).
  package static func report(_ body: () throws -> Int32) -> Int32 {
    // A reader that goes away is not an error; writes notice it and stop.
    signal(SIGPIPE, SIG_IGN)
    // At a file-size limit, the write must fail instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    LocaleOrder.followEnvironment()
    // Set only character types and names of days: each other category costs five system calls.
    chooseCharacters()
    setlocale(LC_TIME, "")
    do {
      return try body()
    } catch {
      StandardError.say(sentence(for: error))
      return error is WrongUsage || error is SearchError ? 64 : 1
    }
  }

  /// Takes the character types of the user's locale. If it is a UTF-8 locale that is not installed,
  /// this process and the programs that it starts, such as the pager, use C.UTF-8; LANGUAGE then
  /// still names the language.
  private static func chooseCharacters() {
    guard setlocale(LC_CTYPE, "") == nil else { return }
    let variables: [String] = ["LC_ALL", "LC_CTYPE", "LANG"]
    let locales = variables.compactMap { name in getenv(name).map { String(cString: $0) } }
    guard let locale = locales.first(where: { !$0.isEmpty })?.lowercased(),
      locale.contains("utf-8") || locale.contains("utf8")
    else { return }
    unsetenv("LC_ALL")
    for name in ["LC_CTYPE", "LANG"] { setenv(name, "C.UTF-8", 1) }
    setlocale(LC_CTYPE, "C.UTF-8")
  }

  // MARK: Parts

  /// Opens the store for a script.
  ///
  /// - Parameter shared: whether the store must be shared, or is created as a shared one; nil to
  ///   use the command line.
  package func openStore(create: Bool = true, shared: Bool? = nil) throws -> Store {
    let store = try openedWhenFree {
      try openStore(create: create, patience: $0, shared: shared ?? options.shared)
    }
    store.patience = 10_000
    return store
  }

  /// Opens the store by `open`, whose argument is how long to wait for a lock, in milliseconds.
  /// While another process has locked the store, prints that and waits.
  ///
  /// - Parameter isLimited: whether it gives up after ten seconds. At a terminal, C-c gives up.
  ///   Text typed meanwhile stays with the terminal: it belongs to the first prompt (rule 5.2), and
  ///   C-c drops it. Giving up by itself would leave that text to the shell that started this one.
  package func openedWhenFree<Opened>(
    isLimited: Bool = true, _ open: (_ patience: Int32) throws -> Opened
  ) throws -> Opened {
    do {
      return try open(300)
    } catch StoreError.locked {
      StandardError.say(
        say(
          "The store %1 is locked by another process; waiting for it.",
          SafeText(line: try storePath)))
    }
    while true {
      do {
        return try open(10_000)
      } catch StoreError.locked where !isLimited {}
    }
  }

  package func openStore(create: Bool, patience: Int32, shared: Bool) throws -> Store {
    try Store(
      path: try storePath,
      options: .init(shared: shared, createIfMissing: create, patience: patience))
  }

  /// The path of the store, whether it exists or not.
  package var storePath: String {
    get throws {
      if let path = options.store {
        guard !path.isEmpty else { throw WrongUsage(say("--store takes the path of a file.")) }
        return path
      }
      if let path = environment["HOBNOB_STORE"], !path.isEmpty { return path }
      guard OwnFolder.data.path(environment) != nil else {
        throw Refusal(
          say(
            "HOME is not set, so there is no place for a store; name one with --store or HOBNOB_STORE."
          ))
      }
      return StoreOptions.defaultPath(environment: environment)
    }
  }

  /// Settings from the rc file; its errors are reported, and the rest applies.
  package func loadRc(complain: (SafeText) -> Void) throws -> RcFile {
    var rc = RcFile(environment: environment, reserved: Command.names)
    guard !options.noRc else { return rc }
    let path = options.rc ?? RcFile.defaultPath(environment: environment)
    try rc.read(path, mustExist: options.rc != nil, complain: complain)
    return rc
  }

  /// The person (rule 11.1): the one that `--as NAME` names, else `set nick`, else the login name.
  package func participant(in store: Store, rc: RcFile) throws -> Participant {
    try named { try store.writeDurablyIfNeeded { try $0.participant(identity: identity(rc)) } }
  }

  /// Turns the error for an invalid name into a wrong command line, if the name is from there.
  private func named<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as RuleError {
      guard case .badName = error, options.as != nil else { throw error }
      throw WrongUsage(sentence(for: error))
    }
  }

  /// Finds the person for a command that only reads, and so creates nobody: a new or mistyped name
  /// means somebody who is in no conversation and has read nothing.
  func reader(in store: Store, rc: RcFile) throws -> Participant {
    let identity = try identity(rc)
    return try named { try store.read { try $0.participant(ifKnown: identity) } }
      ?? Participant(id: Script.nobody, identity: identity, name: identity)
  }

  /// - Throws: ``Refusal`` if no source gives the person's name (rule 11.8).
  func identity(_ rc: RcFile) throws -> String {
    if let name = options.as ?? ownName(rc) { return name }
    throw Refusal(
      say("Your user id %1 has no name here; use --as NAME.", SafeText(Int(getuid()))))
  }

  /// The name without `--as`.
  func ownName(_ rc: RcFile) -> String? { rc.settings.nick ?? Login.name(environment) }

  /// Whether a terminal gets no escape sequences (rule 11.5).
  package func isPlain(_ settings: Settings) -> Bool {
    let term = environment["TERM"] ?? ""
    return options.plain || settings.accessible || environment["HOBNOB_ACCESSIBLE"] == "1"
      || term.isEmpty || term == "dumb" || isatty(1) == 0
  }

  package var glyphs: Glyphs {
    let codeset = nl_langinfo(Int32(CODESET)).map { String(cString: $0) } ?? ""
    return codeset == "UTF-8" ? .unicode : .ascii
  }
}
