// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation

/// A certificate authority for tests, in a folder, with the certificates it signed.
public struct Certificates: Sendable {
  /// A certificate that it has signed, and its key: files.
  public struct Pair: Sendable {
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
      (self.certificate, self.key) = (certificate, key)
    }
  }

  public let folder: String
  /// The authority's certificate.
  public var authority: String { folder + "/authority.pem" }

  /// Makes the authority.
  public init(in folder: String) throws {
    self.folder = folder
    try Self.openssl(
      ["req", "-x509", "-subj", "/CN=Authority of hobnob's tests", "-days", "30"] + Self.newKey
        + ["-keyout", folder + "/authority.key", "-out", authority])
  }

  /// Makes a certificate for names such as `DNS:hobnob.test`, valid for `days` from now.
  public func sign(_ name: String, for names: [String], days: Int = 30) throws -> Pair {
    let pair = Pair(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
    let (request, extensions) = ("\(folder)/\(name).csr", "\(folder)/\(name).ext")
    try ("subjectAltName=" + names.joined(separator: ",") + "\n").write(
      toFile: extensions, atomically: false, encoding: .utf8)
    try Self.openssl(
      ["req", "-subj", "/CN=\(name)"] + Self.newKey + ["-keyout", pair.key, "-out", request])
    try Self.openssl([
      "x509", "-req", "-in", request, "-CA", authority, "-CAkey", folder + "/authority.key",
      "-CAcreateserial", "-days", String(days), "-extfile", extensions, "-out", pair.certificate,
    ])
    return pair
  }

  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

  private static func openssl(_ arguments: [String]) throws {
    try LoopbackServer.run(["openssl"] + arguments)
  }
}
