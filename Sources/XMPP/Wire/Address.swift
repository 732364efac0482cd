// SPDX-License-Identifier: GPL-3.0-or-later

/// An XMPP address (RFC 7622): `local@domain/resource`.
struct Address: Hashable, Sendable, CustomStringConvertible {
  var local = ""
  var domain: String
  var resource = ""

  /// The address without the resource.
  var bare: Address { Address(local: local, domain: domain) }

  /// The address of the same account or room with a resource, which in a room is a nickname.
  func withResource(_ resource: String) -> Address {
    Address(local: local, domain: domain, resource: resource)
  }

  var description: String {
    (local.isEmpty ? "" : local + "@") + domain + (resource.isEmpty ? "" : "/" + resource)
  }
}

extension Address {
  /// nil if the text is not an address. Local part and domain ignore case, so they are kept in
  /// lower case.
  init?(_ text: String) {
    let slash = text.firstIndex(of: "/")
    let bare = text[..<(slash ?? text.endIndex)]
    resource = slash.map { String(text[text.index(after: $0)...]) } ?? ""
    if slash != nil, resource.isEmpty { return nil }
    if let at = bare.firstIndex(of: "@") {
      local = bare[..<at].lowercased()
      domain = bare[bare.index(after: at)...].lowercased()
      if local.isEmpty { return nil }
    } else {
      local = ""
      domain = bare.lowercased()
    }
    if domain.hasSuffix(".") { domain.removeLast() }
    let parts = [local, domain, resource]
    guard !domain.isEmpty, parts.allSatisfy({ $0.utf8.count <= 1023 }),
      !domain.contains("@"),
      parts.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }),
      !(local + domain).unicodeScalars.contains(where: { " \"&'<>".unicodeScalars.contains($0) })
    else { return nil }
  }
}
