// SPDX-License-Identifier: GPL-3.0-or-later

/// Where to upload a file, and where others can fetch it afterwards (XEP-0363, 5).
struct UploadSlot: Hashable, Sendable {
  var put: String
  var get: String
  /// Lines of the HTTP request that uploads it.
  var headers: [String]

  /// The headers that the service may set; hobnob ignores all others (XEP-0363, 5).
  private static let allowed = ["authorization", "cookie", "expires"]
  private static let mostHeaders = 10
  private static let longestHeader = 8_192

  /// - Parameter answer: the iq. The slot is nil if one of the two addresses is not HTTPS.
  init?(_ answer: Element) {
    guard let slot = answer.first("slot", Feature.upload),
      let put = slot.first("put", Feature.upload),
      let putAddress = Self.safeAddress(put["url"]),
      let getAddress = Self.safeAddress(slot.first("get", Feature.upload)?["url"])
    else { return nil }
    (self.put, get) = (putAddress, getAddress)
    headers = put.children.filter { $0.name == "header" && $0.namespace == Feature.upload }
      .prefix(Self.mostHeaders).compactMap(Self.safeHeader)
  }

  /// The address, if it is safe in a line of text and in a request; nil otherwise.
  private static func safeAddress(_ text: String?) -> String? {
    guard let text, text.utf8.count <= 4_096, text.lowercased().hasPrefix("https://"),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    return text
  }

  private static func safeHeader(_ element: Element) -> String? {
    guard let name = element["name"], allowed.contains(name.lowercased()),
      element.text.utf8.count <= longestHeader
    else { return nil }
    // A new line would begin a header of its own.
    let value = element.text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
    return "\(name): \(String(String.UnicodeScalarView(value)))"
  }
}
