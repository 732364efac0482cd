// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Synchronization
import Testing

/// An XMPP server for one suite or test, on this machine alone, as the README starts one.
final class LocalServer: @unchecked Sendable {
  /// The server that the tests of a suite share; each test has its own accounts.
  @TaskLocal static var shared: LocalServer?
  static let domain = "chat.localhost"
  let folder: String
  let port: Int
  private var server: Program?
  private let names: [String]

  /// - Parameters:
  ///   - names: the people with accounts; their password is `secret`.
  ///   - gateway: the address of a component, whose secret is `secret` too.
  init(_ names: [String] = ["anna", "ben", "cem"], gateway: String? = nil) throws {
    folder = try temporaryFolder()
    port = Self.freePorts()
    self.names = names
    let settings = gateway.map { gateway in
      """
      component_ports = { \(componentPort) }
      Component "\(gateway)"
        component_secret = "secret"
      """
    }
    try (settings ?? "").write(toFile: folder + "/more.lua", atomically: false, encoding: .utf8)
    // As prosodyctl does, which takes longer for each of them than the server for all.
    let accounts = folder + "/data/" + Self.domain.replacing(".", with: "%2e") + "/accounts"
    try FileManager.default.createDirectory(atPath: accounts, withIntermediateDirectories: true)
    for name in names {
      try "return { password = \"secret\" };\n".write(
        toFile: "\(accounts)/\(name).dat", atomically: false, encoding: .utf8)
    }
    try start()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The arguments of `/account add` after an address.
  var options: String { "--host 127.0.0.1 --port \(port) --ca \(folder)/certs/ca.crt" }

  /// The port for components.
  var componentPort: Int { port + 3 }

  func start() throws {
    let script = Repository.root.appendingPathComponent("share/hobnob/local-xmpp").path
    try run([
      "sh", script, "-d", folder, "-p", String(port), "-s", folder + "/more.lua", names[0],
      "secret",
    ])
  }

  private func run(_ command: [String]) throws {
    let server = try Program(
      command, environment: ["HOME": folder, "PATH": "/usr/sbin:/usr/bin:/bin"])
    self.server = server
    try #require(
      server.wait(for: 30) { $0.hasEnded || Self.answers(port) } && !server.hasEnded,
      "\(server.output)\(server.errors)")
  }

  /// Restarts it with other settings.
  ///
  /// - Parameter change: returns the new text of its settings.
  func restart(_ change: (String) -> String) throws {
    stop()
    let path = folder + "/prosody.cfg.lua"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try change(text).write(toFile: path, atomically: false, encoding: .utf8)
    try run(["prosody", "-F", "--config", path])
  }

  /// Gives it another certificate of the same authority, valid for so many days from now.
  func certify(_ name: String, days: Int) throws {
    stop()
    let script = """
      cd "$0/certs" && echo "subjectAltName=DNS:$1" >names && openssl x509 -req -days "$2" \\
        -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile names -out server.crt
      """
    let made = try Program(
      ["sh", "-c", script, folder, name, String(days)], environment: ["PATH": "/usr/bin:/bin"]
    ).finish()
    try #require(made.status == 0, "\(made.errors)")
    try start()
  }

  /// Waits until it is idle.
  func rest() {
    guard let server else { return }
    var (former, same) = ("", 0)
    _ = server.wait(for: 10) { server in
      let text = try? String(
        contentsOfFile: "/proc/\(server.processIdentifier)/stat", encoding: .utf8)
      // Behind the name: its state, and from the twelfth on the time it has used.
      let words = (text ?? "").split(separator: ")").last?.split(separator: " ") ?? []
      guard words.count > 12, words[0] == "S" else { return server.hasEnded }
      let used = words[11...12].joined(separator: " ")
      same = used == former ? same + 1 : 0
      former = used
      return same > 3
    }
  }

  /// Ends it; `signal` may be SIGKILL.
  func stop(_ signal: Int32 = SIGTERM) {
    guard let server else { return }
    server.kill(signal)
    _ = server.finish()
    self.server = nil
  }

  /// The next ports to try, so that servers that start together get different ones.
  private static let nextPort = Mutex(Int.random(in: 20_000..<30_000))

  /// The first of four free ports in a row.
  private static func freePorts() -> Int {
    while true {
      let first = nextPort.withLock { port in
        port = port < 30_000 ? port + 4 : 20_000
        return port
      }
      if (first...first + 3).allSatisfy({ !answers($0) }) { return first }
    }
  }

  private static func answers(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}

/// A server for all tests of a suite. It ends with the suite.
struct OnASharedServer: SuiteTrait, TestScoping {
  let names: [String]

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await OnWaitingThreads().provideScope(for: test, testCase: testCase) {
      let server = try LocalServer(names)
      try await LocalServer.$shared.withValue(server) { try await function() }
      server.stop()
    }
  }
}

extension Trait where Self == OnASharedServer {
  /// - Parameter names: the people with accounts; their password is `secret`.
  static func onASharedServer(_ names: String...) -> Self { Self(names: names) }
}

/// A client of another project; see `foreign.py`. One that encrypts is in `EncryptingClient.swift`.
final class ForeignClient {
  let program: Program

  convenience init(_ name: String, at server: LocalServer) throws {
    try self.init(
      script: "foreign.py", "\(name)@\(LocalServer.domain)", "secret", "127.0.0.1",
      String(server.port), server.folder + "/certs/ca.crt")
  }

  /// A gateway, that is a component of the server; see `gateway.py`.
  convenience init(gateway address: String, at server: LocalServer) throws {
    try self.init(
      script: "gateway.py", address, "secret", "127.0.0.1", String(server.componentPort))
  }

  /// - Parameter packages: a folder with Python's packages, before those of the system.
  init(script: String, _ arguments: String..., packages: String? = nil) throws {
    let folder = Repository.root.appendingPathComponent("Tests/EndToEndTests")
    var environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
    environment["PYTHONPATH"] = packages
    program = try Program(
      ["/usr/bin/python3", "-B", folder.appendingPathComponent(script).path] + arguments,
      input: nil, environment: environment)
    try expect("[\"up\"]")
  }

  /// Ends it, as a crash does.
  func kill() {
    program.kill(SIGKILL)
    _ = program.finish()
  }

  func tell(_ words: String...) throws {
    let data = try JSONSerialization.data(withJSONObject: words)
    program.type(String(decoding: data, as: UTF8.self) + "\n")
  }

  /// Waits until it has received a line with this text.
  @discardableResult
  func expect(
    _ part: String, for seconds: Double = 20, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let isThere = program.wait(for: seconds) { _ in line(with: part) != nil }
    try #require(
      isThere, "no \(part) in:\n\(program.output.suffix(3000))\(program.errors.suffix(500))",
      sourceLocation: sourceLocation)
    return line(with: part) ?? ""
  }

  /// Waits until it has heard a text, and tells the id that its stanza had.
  func id(of text: String) throws -> String {
    let line = try expect("\"\(text)\"]")
    let words = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String]
    return try #require(words?[3])
  }

  private func line(with part: String) -> String? {
    lines.first { $0.contains(part) }
  }

  /// What it has received: a list of words in JSON for each.
  var lines: [String] { program.output.split(separator: "\n").map(String.init) }
}
