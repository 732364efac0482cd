// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import Synchronization

/// A server on loopback with its own folder, ports and certificate authority. It ends, and its
/// folder is removed, with this object or with the test process, even after a crash.
open class LoopbackServer: @unchecked Sendable {
  public let ports: [UInt16]
  public let certificates: Certificates
  public let folder: String
  /// The program and its arguments: a subclass sets it.
  public final var command: [String] = []
  /// Where it runs; its own folder unless a subclass sets another.
  public final var workingFolder: String

  /// The shell that runs it, and the input for its commands.
  private var keeper: pid_t?
  private var orders: Int32 = -1

  /// Makes its folder.
  ///
  /// - Parameters:
  ///   - certificates: another server's, to have one authority for both.
  public init(_ name: String, ports count: Int, certificates: Certificates? = nil) throws {
    ports = try Self.freePorts(count)
    folder =
      FileManager.default.temporaryDirectory.path + "/hobnob-\(name)-"
      + String(UInt64.random(in: .min ... .max), radix: 36)
    workingFolder = folder
    try FileManager.default.createDirectory(
      atPath: folder + "/certificates", withIntermediateDirectories: true)
    self.certificates = try certificates ?? Certificates(in: folder + "/certificates")
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Writes a file in its folder.
  public final func write(_ text: String, to name: String) throws {
    let path = folder + "/" + name
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  // MARK: - Starting and stopping

  /// Starts it (again), and waits until it answers.
  open func start() throws {
    var command = command
    if getuid() == 0 {
      // Servers refuse to be root's. The capability lets it read a checkout that only root may.
      try Self.run(["chown", "-R", Self.user, folder])
      command =
        [
          "setpriv", "--reuid=" + Self.user, "--regid=" + Self.user, "--clear-groups",
          "--inh-caps=+dac_override", "--ambient-caps=+dac_override",
        ] + command
    }
    // Other programs that the tests start must not hold it open.
    guard let ends = ChildProcess.pipe() else { throw ServerFailure("no pipe") }
    orders = ends.writing
    // At the end of the tests the shell reads the end of its input, and cleans up.
    let script = """
      cd "$1" || exit
      folder=$0; shift
      "$@" >>"$folder/output" 2>&1 & server=$!
      echo $server >"$folder/process"
      read -r signal || { kill -s KILL $server; wait; rm -rf "$folder"; exit; }
      kill -s $signal $server; wait
      """
    // Reset the signals: most are blocked in the threads of tests.
    keeper = ChildProcess.start(
      ["/bin/sh", "-c", script, folder, workingFolder] + command,
      input: .descriptor(ends.reading), output: .null, errors: .null, group: .own)
    close(ends.reading)
    guard let keeper else { throw ServerFailure("no /bin/sh") }
    let limit = Date(timeIntervalSinceNow: 30)
    while !ports.allSatisfy(Self.answers) {
      let isGone = waitpid(keeper, nil, WNOHANG) != 0
      if isGone || limit.timeIntervalSinceNow < 0 {
        if isGone {
          self.keeper = nil
          close(orders)
        } else {
          kill()
        }
        throw ServerFailure(
          "\(self.command[0]) does not start (make test-deps?): \(read("output"))")
      }
      usleep(5_000)
    }
  }

  /// Stops it as its own script does, and waits for its end.
  open func stop() { order("TERM") }

  /// Kills it as a power cut would, and waits for its end.
  open func kill() { order("KILL") }

  private func order(_ signal: String) {
    guard let keeper else { return }
    thaw()
    let line = Array((signal + "\n").utf8)
    Glibc.write(orders, line, line.count)
    close(orders)
    var status: Int32 = 0
    while waitpid(keeper, &status, 0) < 0, errno == EINTR {}
    self.keeper = nil
  }

  /// Stops it until `thaw`; its connections stay open.
  public final func freeze() { send(SIGSTOP) }
  public final func thaw() { send(SIGCONT) }

  private func send(_ signal: Int32) {
    guard let process = Int32(read("process").trimmingCharacters(in: .newlines)) else { return }
    Glibc.kill(process, signal)
  }

  /// The text of a file in its folder; empty if there is none.
  public final func read(_ name: String) -> String {
    let data = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: -

  private static let user = "54321"

  static func run(_ command: [String]) throws {
    var status: Int32 = -1
    if let process = ChildProcess.start(command, output: .null, errors: .null) {
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
    if status != 0 { throw ServerFailure("\(command.joined(separator: " ")) failed") }
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// The ports that servers of this process have or had.
  private static let taken = Mutex<Set<UInt16>>([])

  /// Free ports, each for one server only: they start at the same time.
  private static func freePorts(_ count: Int) throws -> [UInt16] {
    // Outgoing connections get ports from 32768 on: one of them could take a port from there before
    // the server has it. Those of `LocalServer` are between 20,000 and 30,000.
    var ports: [UInt16] = []
    for _ in 0..<1_000 where ports.count < count {
      let port = UInt16.random(in: 10_000..<20_000)
      guard taken.withLock({ $0.insert(port).inserted }) else { continue }
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = loopback(port)
      let isFree = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      if isFree { ports.append(port) }
    }
    guard ports.count == count else { throw ServerFailure("no free port on loopback") }
    return ports
  }

  /// A connection to a port on loopback; nil if nobody listens there.
  public static func connect(to port: UInt16) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if !isConnected { close(descriptor) }
    return isConnected ? descriptor : nil
  }

  public static func answers(_ port: UInt16) -> Bool {
    guard let descriptor = connect(to: port) else { return false }
    close(descriptor)
    return true
  }
}

/// Why there is no server to test with.
public struct ServerFailure: Error, CustomStringConvertible {
  public var description: String
  public init(_ description: String) { self.description = description }
}
