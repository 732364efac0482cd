// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform

/// A Prosody on loopback with its own folder, ports and certificate authority. It ends, and its
/// folder is removed, with this object or with the test process, even after a crash.
///
/// ```swift
/// let prosody = try Prosody()   // anna and ben are there, at Prosody.domain
/// ```
public final class Prosody: @unchecked Sendable {
  public static let domain = "hobnob.test"
  /// The service for rooms, which has archives.
  public static let rooms = "rooms.hobnob.test"
  /// A domain where everybody can make an account.
  public static let openDomain = "open.test"
  /// A domain whose certificate has expired, and one whose certificate is for another.
  public static let expiredDomain = "expired.test"
  public static let foreignDomain = "foreign.test"
  /// Everybody's.
  public static let password = "pencil & <paper>"

  /// The ports for STARTTLS, for TLS from the first byte, and for files.
  public let port: UInt16
  public let directPort: UInt16
  public let filesPort: UInt16
  public let certificates: Certificates
  public let folder: String

  /// The shell that runs it, and the input for its commands.
  private var keeper: pid_t?
  private var orders: Int32 = -1

  /// Starts it and waits until it answers.
  ///
  /// - Parameters:
  ///   - people: who has an account at each of the domains.
  ///   - settings: lines for the global section of the configuration.
  ///   - plugins: modules of the test's own by name, in Lua.
  public init(
    people: [String] = ["anna", "ben"], settings: String = "", plugins: [String: String] = [:]
  ) throws {
    let ports = try Self.freePorts(3)
    (port, directPort, filesPort) = (ports[0], ports[1], ports[2])
    folder =
      FileManager.default.temporaryDirectory.path + "/hobnob-prosody-"
      + String(UInt64.random(in: .min ... .max), radix: 36)
    try FileManager.default.createDirectory(
      atPath: folder + "/certificates", withIntermediateDirectories: true)
    certificates = try Certificates(in: folder + "/certificates")
    try FileManager.default.createDirectory(
      atPath: folder + "/plugins", withIntermediateDirectories: true)
    for (name, text) in plugins {
      try text.write(
        toFile: "\(folder)/plugins/mod_\(name).lua", atomically: false, encoding: .utf8)
    }
    try writeConfiguration(settings)
    for domain in [Self.domain, Self.openDomain, Self.expiredDomain, Self.foreignDomain] {
      let accounts = folder + "/data/" + domain.replacing(".", with: "%2e") + "/accounts"
      try FileManager.default.createDirectory(
        atPath: accounts, withIntermediateDirectories: true)
      for name in people {
        try "return { password = \"\(Self.password)\" };\n".write(
          toFile: "\(accounts)/\(name).dat", atomically: false, encoding: .utf8)
      }
    }
    if getuid() == 0 { try Self.run(["chown", "-R", Self.user, folder]) }
    try start()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: - Starting and stopping

  /// Starts it (again), and waits until it answers.
  public func start() throws {
    var command = ["prosody", "-F", "--config", folder + "/prosody.cfg.lua"]
    if getuid() == 0 {
      command =
        ["setpriv", "--reuid=" + Self.user, "--regid=" + Self.user, "--clear-groups"] + command
    }
    // Other programs that the tests start must not hold it open.
    guard let ends = ChildProcess.pipe() else { throw ProsodyFailure("no pipe") }
    orders = ends.writing
    // At the end of the tests the shell reads the end of its input, and cleans up.
    let script = """
      cd "$0" || exit
      "$@" >>"$0/output" 2>&1 & server=$!
      echo $server >"$0/process"
      read -r signal || { kill -s KILL $server; wait; rm -rf "$0"; exit; }
      kill -s $signal $server; wait
      """
    // Reset the signals: most are blocked in the threads of tests.
    keeper = ChildProcess.start(
      ["/bin/sh", "-c", script, folder] + command, input: .descriptor(ends.reading), output: .null,
      errors: .null, group: .own)
    close(ends.reading)
    guard let keeper else { throw ProsodyFailure("no /bin/sh") }
    let limit = Date(timeIntervalSinceNow: 30)
    while !Self.answers(port) || !Self.answers(directPort) {
      let isGone = waitpid(keeper, nil, WNOHANG) != 0
      if isGone || limit.timeIntervalSinceNow < 0 {
        let output = try? String(contentsOfFile: folder + "/output", encoding: .utf8)
        if isGone {
          self.keeper = nil
          close(orders)
        } else {
          kill()
        }
        throw ProsodyFailure("prosody does not start (make test-deps?): \(output ?? "")")
      }
      usleep(5_000)
    }
  }

  /// Stops it as its own script does, and waits for its end.
  public func stop() { order("TERM") }

  /// Kills it as a power cut would, and waits for its end.
  public func kill() { order("KILL") }

  private func order(_ signal: String) {
    guard let keeper else { return }
    thaw()
    let line = Array((signal + "\n").utf8)
    write(orders, line, line.count)
    close(orders)
    var status: Int32 = 0
    while waitpid(keeper, &status, 0) < 0, errno == EINTR {}
    self.keeper = nil
  }

  /// Stops it until `thaw`; its connections stay open.
  public func freeze() { send(SIGSTOP) }
  public func thaw() { send(SIGCONT) }

  private func send(_ signal: Int32) {
    let text = try? String(contentsOfFile: folder + "/process", encoding: .utf8)
    guard let process = text.flatMap({ Int32($0.trimmingCharacters(in: .newlines)) }) else {
      return
    }
    Glibc.kill(process, signal)
  }

  /// What it has logged.
  public var log: String {
    (try? String(contentsOfFile: folder + "/prosody.log", encoding: .utf8)) ?? ""
  }

  // MARK: -

  /// Prosody refuses to be root's.
  private static let user = "54321"

  private func writeConfiguration(_ settings: String) throws {
    let good = try certificates.sign(
      "good",
      for: [
        "DNS:" + Self.domain, "DNS:*." + Self.domain, "DNS:" + Self.openDomain, "DNS:localhost",
        "IP:127.0.0.1",
      ])
    let expired = try certificates.sign("expired", for: ["DNS:" + Self.expiredDomain], days: -1)
    func ssl(_ pair: Certificates.Pair) -> String {
      "{ certificate = \"\(pair.certificate)\", key = \"\(pair.key)\" }"
    }
    let text = """
      data_path = "\(folder)/data"
      plugin_paths = { "\(folder)/plugins" }
      pidfile = "\(folder)/prosody.pid"
      log = { { to = "file", filename = "\(folder)/prosody.log", levels = { min = "info" } } }
      modules_enabled = {
        "roster", "saslauth", "tls", "disco", "carbons", "pep", "private", "blocklist", "vcard4",
        "vcard_legacy", "version", "time", "ping", "register", "mam", "smacks", "csi_simple",
        "bookmarks", "offline", "posix", "presence", "message", "iq",
      }
      modules_disabled = { "s2s" }
      interfaces = { "127.0.0.1" }
      c2s_ports = { \(port) }
      c2s_direct_tls_ports = { \(directPort) }
      s2s_ports = {}
      http_ports = {}
      https_ports = { \(filesPort) }
      https_ssl = \(ssl(good))
      authentication = "internal_hashed"
      storage = "internal"
      archive_expires_after = "never"
      c2s_require_encryption = true
      allow_registration = false
      ssl = \(ssl(good))
      \(settings)
      VirtualHost "\(Self.domain)"
      VirtualHost "\(Self.openDomain)"
        allow_registration = true
      VirtualHost "\(Self.foreignDomain)"
      VirtualHost "\(Self.expiredDomain)"
        ssl = \(ssl(expired))
      Component "\(Self.rooms)" "muc"
        modules_enabled = { "muc_mam" }
        muc_log_by_default = true
        restrict_room_creation = false
      Component "files.\(Self.domain)" "http_file_share"
        http_external_url = "https://localhost:\(filesPort)/"
      """
    try (text + "\n").write(
      toFile: folder + "/prosody.cfg.lua", atomically: false, encoding: .utf8)
  }

  static func run(_ command: [String]) throws {
    var status: Int32 = -1
    if let process = ChildProcess.start(command, output: .null, errors: .null) {
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
    if status != 0 { throw ProsodyFailure("\(command.joined(separator: " ")) failed") }
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Free ports. It holds each until all are found.
  private static func freePorts(_ count: Int) throws -> [UInt16] {
    var held: [Int32] = []
    defer { for descriptor in held { close(descriptor) } }
    return try (0..<count).map { _ in
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      held.append(descriptor)
      var address = loopback(0)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
        }
      }
      guard result else { throw ProsodyFailure("no free port on loopback") }
      return UInt16(bigEndian: address.sin_port)
    }
  }

  private static func answers(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
