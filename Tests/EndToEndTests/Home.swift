// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

/// A home folder for one test, with its own store, settings and history. It is removed with the
/// test.
final class Home {
  let path: String
  let store: String

  init() throws {
    path = try temporaryFolder()
    store = path + "/.local/share/hobnob/store.sqlite"
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The built program, beside the test bundle, or the one that `HOBNOB_PROGRAM` names: one that
  /// was built with `--sanitize=address`, for instance.
  static let program: String = {
    ProcessInfo.processInfo.environment["HOBNOB_PROGRAM"] ?? built("hobnob")
  }()

  /// The path of a program beside the test bundle.
  static func built(_ name: String) -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name).path
  }

  var environment: [String: String] {
    [
      "HOME": path, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
      "TERM": "xterm-256color", "TZ": "UTC",
      // A fault found by AddressSanitizer ends the program as a crash does; what it has not freed
      // when it ends is not a fault. Any other build takes no notice.
      "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
    ]
  }

  var accounts: AccountFiles { AccountFiles(environment: environment) }

  /// Lists an account in the person's own file, as `/account add` does.
  func list(_ account: Account, _ values: [String: String] = [:], isWanted: Bool = true) throws {
    try accounts.set(
      AccountSettings(isWanted: isWanted, values: values), of: account, inStoreAt: store)
  }

  /// Writes a file below the home, folders included.
  func write(_ text: String, to name: String) throws {
    let url = URL(fileURLWithPath: path).appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: false, encoding: .utf8)
  }

  /// Expects that the one process of a network's program that serves an account here is confined.
  func expectConfined(
    _ program: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc")
    let serving = processes.filter { process in
      let command = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
      let words = command?.split(separator: "\0").map(String.init) ?? []
      return words.first?.hasSuffix("/" + program) == true && words.contains(store)
        && !words.contains("--helper")
    }
    try #require(serving.count == 1, sourceLocation: sourceLocation)
    let state = try String(contentsOfFile: "/proc/\(serving[0])/status", encoding: .utf8)
    #expect(
      state.contains("\nNoNewPrivs:\t1\n") && state.contains("\nSeccomp:\t2\n"),
      sourceLocation: sourceLocation)
  }

  /// Expects that `hobnob check` finds nothing wrong with the store.
  func expectSound(_ place: String = "", sourceLocation: SourceLocation = #_sourceLocation) throws {
    let check = try run(["check"])
    #expect(
      check.status == 0, "\(place): \(check.output)\(check.errors)", sourceLocation: sourceLocation)
  }

  /// Opens the shell on a terminal.
  func shell(
    as name: String, _ arguments: [String] = [], rows: Int = 24, columns: Int = 80,
    environment changes: [String: String?] = [:], marksPastes: Bool = true
  ) throws -> PseudoTerminal {
    let shell = try PseudoTerminal(
      command: [Home.program, "--as", name] + arguments, environment: changed(changes),
      rows: rows, columns: columns)
    shell.marksPastes = marksPastes
    return shell
  }

  /// Opens the shell and waits for the prompt of the lobby.
  ///
  /// - Parameters:
  ///   - inputrc: the person's inputrc; nil leaves it unchanged.
  ///   - marksPastes: whether the terminal does, so that several lines typed at once are lines.
  func shellInLobby(
    as name: String, _ arguments: [String] = [], inputrc: String? = nil, rows: Int = 24,
    columns: Int = 80, environment changes: [String: String?] = [:], marksPastes: Bool = true
  ) throws -> PseudoTerminal {
    if let inputrc { try write(inputrc, to: ".inputrc") }
    let shell = try shell(
      as: name, arguments + ["lobby"], rows: rows, columns: columns, environment: changes,
      marksPastes: marksPastes)
    try shell.expect("#lobby> |")
    return shell
  }

  /// Opens the shell with an account, and waits until that is connected.
  func shell(as name: String, at server: LocalServer) throws -> PseudoTerminal {
    let shell = try shellInLobby(as: name)
    shell.send("/account add xmpp:\(name)@\(LocalServer.domain) \(server.options)\r")
    try shell.expect("Password of \(name)@\(LocalServer.domain): |")
    shell.send("secret\r")
    // What is typed before the prompt is back is typed to whoever asked.
    try shell.expect("#lobby> |")
    try shell.expectGone("xmpp:", for: 20)
    return shell
  }

  /// Opens the shell without what root may do; the home is then another user's.
  func unprivilegedShell(as name: String) throws -> PseudoTerminal {
    try PseudoTerminal(
      command: try unprivileged([Home.program, "--as", name, "lobby"]), environment: environment)
  }

  /// What runs a command without what root may do; the home is then another user's.
  func unprivileged(_ command: [String]) throws -> [String] {
    guard getuid() == 0 else { return command }
    let user = "54321"
    _ = try Program(["chown", "-R", user, path], environment: environment).finish()
    return ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + command
  }

  /// Opens two people's shells in the lobby.
  func annaAndBen() throws -> (anna: PseudoTerminal, ben: PseudoTerminal) {
    (try shellInLobby(as: "anna"), try shellInLobby(as: "ben"))
  }

  /// The store, with anna and ben in the lobby.
  func storeWithAnnaAndBen() throws -> (
    store: Store, anna: ID<Participant>, ben: ID<Participant>, lobby: ID<Conversation>
  ) {
    let store = try Store(path: self.store)
    return try store.writeDurably {
      let (anna, ben) = try (
        $0.participant(identity: "anna").id, $0.participant(identity: "ben").id
      )
      let lobby = try $0.makeRoom("lobby").id
      try $0.join(anna, lobby)
      try $0.join(ben, lobby)
      return (store, anna, ben, lobby)
    }
  }

  /// Runs the program without a terminal, to its end.
  func run(
    _ arguments: [String], input: String = "", environment changes: [String: String?] = [:]
  ) throws -> Program.Finished {
    try start(arguments, input: input, environment: changes).finish()
  }

  /// Starts the program without a terminal; `input` nil leaves its standard input open.
  func start(
    _ arguments: [String], input: String? = "", environment changes: [String: String?] = [:]
  ) throws -> Program {
    try Program([Home.program] + arguments, input: input, environment: changed(changes))
  }

  /// Sends a message as a script does.
  func say(_ text: String, as name: String, in conversation: String = "lobby") throws {
    let finished = try run(["send", conversation, "--as", name], input: text)
    guard finished.status == 0 else { throw SayFailed(errors: finished.errors) }
  }

  struct SayFailed: Error {
    var errors: String
  }

  /// An export of so many messages by ben.
  static func export(_ count: Int, in room: String = "lobby", from first: Int = 1) -> String {
    var text = #"{"hobnob":"export","version":1,"exported":"2026-11-21T10:00:00.000Z"}"# + "\n"
    for number in first..<first + count {
      let digits = String(number, radix: 16)
      text +=
        #"{"type":"message","uid":"\#(String(repeating: "0", count: 32 - digits.count))\#(digits)","#
        + ##""conversation":"#\##(room)","number":\##(number),"##
        + #""time":"2026-11-21T10:00:00Z","sender":"ben","text":"imported \#(number)"}"# + "\n"
    }
    return text + #"{"type":"end"}"# + "\n"
  }

  private func changed(_ changes: [String: String?]) -> [String: String] {
    environment.mapValues { Optional($0) }.merging(changes) { _, new in new }
      .compactMapValues { $0 }
  }
}

extension PseudoTerminal {
  /// Types keys and waits for what they show.
  func type(
    _ keys: String, seeing part: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    send(keys)
    try expect(part, sourceLocation: sourceLocation)
  }

  /// Waits for a part of the picture (`Emulator.picture`, with its `|` for the caret); ends the
  /// test, with the screen as it was, when it does not come.
  func expect(
    _ part: String, for seconds: Double = 10, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try require(shows(part, within: seconds), "no \"\(part)\"", sourceLocation)
  }

  /// Waits until a part of the picture is gone; ends the test when it stays.
  func expectGone(
    _ part: String, for seconds: Double = 10, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let isGone = wait(for: seconds) { !$0.picture.contains(part) }
    try require(isGone, "still \"\(part)\"", sourceLocation)
  }

  /// Ends the test when a part is on the screen once the program has nothing to do any more.
  ///
  /// - Parameter others: the shells that might make it appear; they settle first.
  func expectNever(
    _ part: String, from others: PseudoTerminal...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for other in others { other.settle() }
    settle()
    try require(!emulator.picture.contains(part), "\"\(part)\"", sourceLocation)
  }

  private func shows(_ part: String, within seconds: Double) -> Bool {
    wait(for: seconds) { $0.picture.contains(part) }
  }

  private func require(_ holds: Bool, _ what: String, _ sourceLocation: SourceLocation) throws {
    try #require(
      holds, "\(what) on the screen:\n\(emulator.picture)\n", sourceLocation: sourceLocation)
  }

  /// The row the caret stands in.
  var caretRow: String { emulator.text(ofRow: emulator.cursor.row) }
}

/// How often a text contains `part`.
func count(of part: String, in text: String) -> Int {
  text.components(separatedBy: part).count - 1
}
