// SPDX-License-Identifier: GPL-3.0-or-later
import COpenSSL
import Foundation
import ProsodyFixture
import Synchronization

/// A server on loopback that runs a test's script with its first client, on its own thread.
final class ScriptedServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let isOver = DispatchSemaphore(value: 0)
  /// All that the client has written, in clear and out of TLS.
  private let heard = Mutex("")

  /// - Parameter script: when it returns or throws, the connection is closed.
  init(_ script: @escaping @Sendable (Peer) throws -> Void) throws {
    let pair = try Self.certificates.get().pair
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 1) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    Thread { [self] in
      let peer = Peer(accept(listener, nil, nil), pair) { [self] in note($0) }
      try? script(peer)
      peer.close()
      isOver.signal()
    }.start()
  }

  deinit { close(listener) }

  /// The certificate of all these servers and its authority, made once per process.
  private static let certificates = Result {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: ScriptedServer.folder) }
    let certificates = try Certificates(in: folder)
    return (
      certificates.authority, pair: try certificates.sign("server", for: ["DNS:example.test"])
    )
  }
  private static let folder =
    FileManager.default.temporaryDirectory.path + "/hobnob-server-"
    + String(UInt64.random(in: .min ... .max), radix: 36)

  /// What to trust: a file.
  static var authority: String { get throws { try certificates.get().0 } }

  private func note(_ text: String) { heard.withLock { $0 += text } }

  /// Waits for the script's end.
  func finish() -> String {
    isOver.wait()
    return heard.withLock { $0 }
  }

  struct Silent: Error {}

  /// The client, as the server sees it.
  final class Peer {
    private let descriptor: Int32
    private let pair: Certificates.Pair
    private let note: (String) -> Void
    private var session: OpaquePointer?
    private var unread = ""

    fileprivate init(
      _ descriptor: Int32, _ pair: Certificates.Pair, note: @escaping (String) -> Void
    ) {
      self.descriptor = descriptor
      self.pair = pair
      self.note = note
      // A client that fails must not block the tests.
      var limit = timeval(tv_sec: 20, tv_usec: 0)
      let size = socklen_t(MemoryLayout<timeval>.size)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
      setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    /// Reads until the client has written this text.
    ///
    /// - Returns: everything up to it since the last call.
    @discardableResult
    func expect(_ part: String) throws -> String {
      while true {
        if let range = unread.range(of: part) {
          defer { unread = String(unread[range.upperBound...]) }
          return String(unread[..<range.upperBound])
        }
        unread += try read()
      }
    }

    /// Reads until the client is gone.
    func expectEnd() {
      while let text = try? read(), !text.isEmpty {}
    }

    private func read() throws -> String {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count =
        session.map { Int(SSL_read($0, &bytes, Int32(bytes.count))) }
        ?? recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0 else { throw Silent() }
      let text = String(decoding: bytes[..<count], as: UTF8.self)
      note(text)
      return text
    }

    func write(_ text: String) throws {
      let bytes = Array(text.utf8)
      let count =
        session.map { Int(SSL_write($0, bytes, Int32(bytes.count))) }
        ?? send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      guard count == bytes.count else { throw Silent() }
    }

    func startTLS() throws {
      guard let context = SSL_CTX_new(TLS_server_method()) else { throw Silent() }
      defer { SSL_CTX_free(context) }
      SSL_CTX_use_certificate_file(context, pair.certificate, SSL_FILETYPE_PEM)
      SSL_CTX_use_PrivateKey_file(context, pair.key, SSL_FILETYPE_PEM)
      session = SSL_new(context)
      SSL_set_fd(session, descriptor)
      guard SSL_accept(session) == 1 else { throw Silent() }
    }

    /// Closes it with a reset instead of an end.
    func reset() {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    fileprivate func close() {
      if let session { SSL_free(session) }
      session = nil
      Glibc.close(descriptor)
    }

    // MARK: - what servers say

    /// Reads the client's header, and answers with a header and features.
    func greet(_ features: String) throws {
      try expect("<stream:stream")
      try expect(">")
      try write(
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' id='1' version='1.0' "
          + "xmlns:stream='http://etherx.jabber.org/streams' from='example.test'>"
          + "<stream:features>\(features)</stream:features>")
    }

    /// Continues to the features within TLS.
    func secure(_ features: String, behindProceed injected: String = "") throws {
      try greet("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>")
      try expect("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
      try write("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>" + injected)
      try startTLS()
      try greet(features)
    }

    /// Continues to the features that offer a session.
    func authenticate(_ features: String = Peer.binding) throws {
      try secure(Peer.mechanisms("PLAIN"))
      try expect("</auth>")
      try write("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
      try greet(features)
    }

    /// Completes the login.
    func logIn(_ features: String = Peer.binding) throws {
      try authenticate(features)
      try expect("</iq>")
      try write(
        "<iq id='bind' type='result'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
          + "<jid>anna@example.test/x</jid></bind></iq>")
      if features.contains("urn:xmpp:sm:3") {
        try expect("<enable")
        try write("<enabled xmlns='urn:xmpp:sm:3'/>")
      }
    }

    /// The client's first message of SCRAM.
    func scramOpening() throws -> String {
      try secure(Peer.mechanisms("SCRAM-SHA-1", "PLAIN"))
      let auth = try expect("</auth>")
      let letters = auth.dropLast("</auth>".count).split(separator: ">").last ?? ""
      return Data(base64Encoded: String(letters)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    static func mechanisms(_ names: String...) -> String {
      "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
        + names.map { "<mechanism>\($0)</mechanism>" }.joined() + "</mechanisms>"
    }

    static let binding = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
    static let counting = binding + "<sm xmlns='urn:xmpp:sm:3'/>"
  }
}

func letters(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
