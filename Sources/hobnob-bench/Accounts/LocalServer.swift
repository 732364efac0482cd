// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// A Prosody on this machine alone, as the README starts one, for as long as it is measured with.
final class LocalServer {
  static let domain = "chat.localhost"
  /// Everybody's.
  static let password = "secret"
  /// Where the room is that `Crowd` plays.
  static let crowd = "throng.chat.localhost"

  let folder: String
  let port: Int
  let process: pid_t

  var authorities: String { "\(folder)/certs/ca.crt" }
  var directPort: Int { port + 1 }
  var componentPort: Int { port + 3 }

  /// What has to be installed and is not; nil when all is there.
  static var missing: String? {
    ["prosody", "prosodyctl", "openssl"].first { !isInstalled($0) }
  }

  static func isInstalled(_ program: String) -> Bool {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  /// - Parameters:
  ///   - names: who has an account.
  ///   - settings: lines for the server's settings.
  ///   - prepare: puts something into the folder of its data before it starts.
  init(
    in scratch: ScratchFolder, named name: String, names: [String], settings: String = "",
    prepare: (_ data: String) throws -> Void = { _ in }
  ) throws {
    folder = "\(scratch.path)/\(name)"
    port = try Self.freePorts(4)
    let whole =
      """
      component_ports = { \(port + 3) }
      component_interfaces = { "127.0.0.1" }
      \(settings)
      Component "\(Self.crowd)"
        component_secret = "\(Self.password)"

      """
    for path in [folder, folder + "/data"] { mkdir(path, 0o700) }
    try write(whole, to: "\(folder)/settings.lua")
    try prepare("\(folder)/data/chat%2elocalhost")
    let script = try Program.folders.package + "/share/hobnob/local-xmpp"
    let command =
      ["sh", script, "-d", folder, "-p", String(port), "-s", "\(folder)/settings.lua"]
      + names.flatMap { [$0, Self.password] }
    guard
      let process = ChildProcess.start(command, input: .null, output: .null, errors: .null)
    else { throw MeasuringError("\(script) cannot be started") }
    self.process = process
    let end = now() + 120_000_000_000
    while ![port, directPort, componentPort].allSatisfy(Self.answers) {
      guard now() < end, waitpid(process, nil, WNOHANG) == 0 else {
        throw MeasuringError("\(script) does not start a server; see \(folder)/prosody.log")
      }
      poll(nil, 0, 20)
    }
  }

  deinit {
    kill(process, SIGTERM)
    waitpid(process, nil, 0)
  }

  /// The first of so many in a row that nobody listens at.
  private static func freePorts(_ count: Int) throws -> Int {
    for _ in 0..<100 {
      let first = Int.random(in: 20_000..<30_000)
      if (first..<first + count).allSatisfy({ !answers($0) }) { return first }
    }
    throw MeasuringError("no ports are free")
  }

  private static func answers(_ port: Int) -> Bool {
    let descriptor = loopback(port)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
  }

  /// A connection to a port of this machine; -1 where nobody listens.
  static func loopback(_ port: Int) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result == 0 { return descriptor }
    close(descriptor)
    return -1
  }
}

/// Makes a file.
func write(_ text: String, to path: String) throws {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  defer { close(file) }
  let bytes = Array(text.utf8)
  guard file >= 0, (try? bytes.withUnsafeBytes { try writeAll(file, $0) }) != nil else {
    throw MeasuringError("\(path) cannot be written")
  }
}
