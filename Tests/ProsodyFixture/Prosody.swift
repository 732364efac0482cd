// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation

/// A Prosody on loopback.
///
/// ```swift
/// let prosody = try Prosody()   // anna and ben are there, at Prosody.domain
/// ```
public final class Prosody: LoopbackServer, @unchecked Sendable {
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
  public var port: UInt16 { ports[0] }
  public var directPort: UInt16 { ports[1] }
  public var filesPort: UInt16 { ports[2] }

  private let otherPort: UInt16?

  /// Starts it and waits until it answers.
  ///
  /// - Parameters:
  ///   - people: who has an account at each of the domains.
  ///   - settings: lines for the global section of the configuration.
  ///   - otherPort: a second port for STARTTLS, for clients that do not take every port.
  public init(
    people: [String] = ["anna", "ben"], settings: String = "", otherPort: UInt16? = nil
  ) throws {
    self.otherPort = otherPort
    try super.init("prosody", ports: 3)
    command = ["prosody", "-F", "--config", folder + "/prosody.cfg.lua"]
    try writeConfiguration(settings)
    for domain in [Self.domain, Self.openDomain, Self.expiredDomain, Self.foreignDomain] {
      for name in people {
        try write(
          "return { password = \"\(Self.password)\" };\n",
          to: "data/\(domain.replacing(".", with: "%2e"))/accounts/\(name).dat")
      }
    }
    try start()
  }

  /// What it has logged.
  public var log: String { read("prosody.log") }

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
      pidfile = "\(folder)/prosody.pid"
      log = { { to = "file", filename = "\(folder)/prosody.log", levels = { min = "info" } } }
      modules_enabled = {
        "roster", "saslauth", "tls", "disco", "carbons", "pep", "private", "blocklist", "vcard4",
        "vcard_legacy", "version", "time", "ping", "register", "mam", "smacks", "csi_simple",
        "bookmarks", "offline", "posix", "presence", "message", "iq",
      }
      modules_disabled = { "s2s" }
      interfaces = { "127.0.0.1" }
      c2s_ports = { \(port)\(otherPort.map { ", \($0)" } ?? "") }
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
    try write(text + "\n", to: "prosody.cfg.lua")
  }
}
