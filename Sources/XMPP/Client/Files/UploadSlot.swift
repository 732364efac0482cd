// SPDX-License-Identifier: GPL-3.0-or-later

/// Where a file may be put, and where it can be fetched from then on (XEP-0363, 5).
struct UploadSlot: Hashable, Sendable {
  var put: String
  var get: String
  /// Lines for the request that puts it.
  var headers: [String]

  /// What may be said to the web server beside the file; whatever else a service asks for is not
  /// said (XEP-0363, 5).
  private static let allowed = ["authorization", "cookie", "expires"]
  private static let mostHeaders = 10
  private static let longestHeader = 8_192

  /// - Parameter answer: the iq; nil for one that gives no two addresses of HTTPS.
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

  /// An address that can stand in a line of text and in a request.
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

  /// The bytes of the largest file, in what a service tells of itself (XEP-0363, 4); nil where it
  /// does not say.
  static func longest(in answer: Element) -> Int? {
    let forms = answer.first("query", Feature.info)?.children.filter {
      $0.name == "x" && $0.namespace == Feature.forms
    }
    for form in forms ?? [] {
      let fields = form.children.filter { $0.name == "field" }
      func value(_ name: String) -> String? {
        fields.first { $0["var"] == name }?.first("value", Feature.forms)?.text
      }
      if value("FORM_TYPE") == Feature.upload {
        return value("max-file-size").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
      }
    }
    return nil
  }
}
