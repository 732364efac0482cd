// SPDX-License-Identifier: GPL-3.0-or-later
@testable import XMPP

extension Element {
  /// Reads the stanzas of these tests: elements, attributes in single quotes, text, five entities.
  init(xml: String) {
    var reader = Reader(rest: xml[...])
    self = reader.element(in: "")
  }

  private struct Reader {
    var rest: Substring

    mutating func element(in outer: String) -> Element {
      skipSpace()
      precondition(rest.first == "<", "\(rest)")
      rest.removeFirst()
      let name = take { !" />".contains($0) }
      var attributes: [String: String] = [:]
      var namespace = outer
      while true {
        skipSpace()
        if rest.hasPrefix("/>") {
          rest.removeFirst(2)
          return Element(name, namespace: namespace, attributes)
        }
        if rest.first == ">" { break }
        let key = take { $0 != "=" }
        rest.removeFirst(2)
        let value = Reader.plain(take { $0 != "'" })
        rest.removeFirst()
        if key == "xmlns" {
          namespace = value == "jabber:client" ? "" : value
        } else {
          attributes[key] = value
        }
      }
      rest.removeFirst()
      var result = Element(name, namespace: namespace, attributes)
      while !rest.hasPrefix("</") {
        if rest.first == "<" {
          result.add(element(in: namespace))
        } else {
          result.nodes.append(.text(Reader.plain(take { $0 != "<" })))
        }
      }
      _ = take { $0 != ">" }
      rest.removeFirst()
      return result
    }

    mutating func skipSpace() { rest = rest.drop { $0.isWhitespace } }

    mutating func take(_ isPart: (Character) -> Bool) -> String {
      let part = rest.prefix(while: isPart)
      rest = rest.dropFirst(part.count)
      return String(part)
    }

    static func plain(_ text: String) -> String {
      var text = text
      for (entity, letter) in [
        ("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"), ("&quot;", "\""), ("&amp;", "&"),
      ] {
        text = text.split(separator: entity, omittingEmptySubsequences: false)
          .joined(separator: letter)
      }
      return text
    }
  }
}
