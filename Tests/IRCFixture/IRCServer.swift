// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import ProsodyFixture

/// A package that `make test-deps` has unpacked.
///
/// ```swift
/// @Suite("with ngIRCd", .enabled(if: IRCPackage.ngircd.isOffered, "Debian has no ngircd"))
/// ```
public enum IRCPackage: String, Sendable {
  case anope, bitlbee, inspircd, ngircd, znc
  case hybrid = "ircd-hybrid"
  case irc2 = "ircd-irc2"
  /// Packages from PyPI.
  case python

  public var folder: String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return root.path + "/.build/irc/" + rawValue
  }

  /// False if Debian has no such package, which leaves an empty folder. If there is no folder,
  /// its tests fail.
  public var isOffered: Bool {
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty != true
  }
}

/// A server of IRC on loopback.
open class IRCServer: LoopbackServer, @unchecked Sendable {
  /// What it calls itself. Its certificate is for this name and for `localhost`.
  public static let name = "irc.hobnob.test"
  /// Everybody's.
  public static let password = "pencil & <paper>"
  /// The name and the password for OPER.
  public static let operatorName = "root"

  /// The port for plain text.
  public final var port: UInt16 { ports[0] }
  /// The port for TLS, where there is one.
  public final var securePort: UInt16 { ports[1] }
  public final private(set) var certificate = Certificates.Pair(certificate: "", key: "")

  override public init(_ name: String, ports: Int, certificates: Certificates? = nil) throws {
    try super.init(name, ports: ports, certificates: certificates)
    certificate = try self.certificates.sign(
      name, for: ["DNS:" + Self.name, "DNS:localhost", "IP:127.0.0.1"])
  }

  /// What it has written to its output.
  open var log: String { read("output") }
}
