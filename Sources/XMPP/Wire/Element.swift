// SPDX-License-Identifier: GPL-3.0-or-later

/// An XML element as XMPP uses it: without comments, processing instructions, or prefixes other
/// than `xml:` (RFC 6120, 11).
///
/// ```swift
/// var message = Element("message", ["to": "ben@example.org", "type": "chat"])
/// message.add(Element("body", text: "hello"))
/// ```
struct Element: Hashable, Sendable {
  enum Node: Hashable, Sendable {
    case element(Element)
    case text(String)
  }

  var name: String
  /// The namespace, own or inherited; empty for the stream's own (`jabber:client`).
  var namespace: String
  /// The attributes by name. Those in a namespace have its prefix; `xml:` is the only one.
  var attributes: [String: String]
  var nodes: [Node]

  init(
    _ name: String, namespace: String = "", _ attributes: [String: String] = [:],
    text: String = "", children: [Element] = []
  ) {
    self.name = name
    self.namespace = namespace
    self.attributes = attributes
    nodes = (text.isEmpty ? [] : [.text(text)]) + children.map(Node.element)
  }

  /// Its approximate size in bytes of memory: many small elements take much more than on the wire.
  var weight: Int {
    let words = attributes.reduce(name.utf8.count) {
      $0 + 64 + $1.key.utf8.count + $1.value.utf8.count
    }
    return nodes.reduce(64 + words) { sum, node in
      switch node {
      case .element(let child): sum + child.weight
      case .text(let text): sum + 64 + text.utf8.count
      }
    }
  }

  mutating func add(_ child: Element) { nodes.append(.element(child)) }

  var children: [Element] {
    nodes.compactMap { if case .element(let child) = $0 { child } else { nil } }
  }

  /// The text that is directly in it, not in a child.
  var text: String {
    nodes.reduce(into: "") { if case .text(let part) = $1 { $0 += part } }
  }

  subscript(_ attribute: String) -> String? {
    get { attributes[attribute] }
    set { attributes[attribute] = newValue }
  }

  /// The first child with that name and namespace.
  func first(_ name: String, _ namespace: String = "") -> Element? {
    for case .element(let child) in nodes where child.name == name && child.namespace == namespace {
      return child
    }
    return nil
  }

  func has(_ name: String, _ namespace: String = "") -> Bool {
    first(name, namespace) != nil
  }

  /// The element as it is written on the wire.
  func xml() -> String {
    var out = ""
    write(to: &out, in: "")
    return out
  }

  private func write(to out: inout String, in outer: String) {
    out += "<" + name
    if namespace != outer {
      // This is a stanza in another element, such as a forwarded message.
      let written = namespace.isEmpty ? Namespace.client : namespace
      out += " xmlns='" + Element.escaped(written) + "'"
    }
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      out += " " + name + "='" + Element.escaped(value) + "'"
    }
    if nodes.isEmpty {
      out += "/>"
      return
    }
    out += ">"
    for node in nodes {
      switch node {
      case .text(let text): out += Element.escaped(text)
      case .element(let child): child.write(to: &out, in: namespace)
      }
    }
    out += "</" + name + ">"
  }

  /// Text for an element or an attribute; characters that XML 1.0 (2.2) does not allow become
  /// U+FFFD.
  static func escaped(_ text: String) -> String {
    var out = ""
    out.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: out += "&amp;"
      case 0x3C: out += "&lt;"
      case 0x3E: out += "&gt;"
      case 0x22: out += "&quot;"
      case 0x27: out += "&apos;"
      case 0x0D: out += "&#13;"
      case 0x09, 0x0A: out.unicodeScalars.append(scalar)
      case 0..<0x20, 0xFFFE, 0xFFFF: out += "\u{FFFD}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
