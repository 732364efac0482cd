// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation

/// The tables of members in a page of the manual, to compare them with those in the code. A row is
/// `conversation: object, always`.
package struct ManualTables {
  package let page: String

  /// - Parameter path: the page, from the root of the repository.
  package init(of path: String) throws {
    page = try String(contentsOf: SchemaCheck.root.appending(path: path), encoding: .utf8)
  }

  /// The text of the sections below a heading, by the title of each.
  ///
  /// - Returns: nil if there is no such heading, or a title is there twice.
  package func sections(below heading: String) -> [String: String]? {
    let parts = page.components(separatedBy: "\n.Sh \(heading)\n")
    guard parts.count == 2, let whole = parts[1].components(separatedBy: "\n.Sh ").first else {
      return nil
    }
    let sections = ("\n" + whole).components(separatedBy: "\n.Ss ").dropFirst().map { part in
      (String(part.prefix { $0 != "\n" }), String(part.drop { $0 != "\n" }))
    }
    let found = Dictionary(sections) { first, _ in first }
    return found.count == sections.count ? found : nil
  }

  /// The rows of the table in a section.
  package static func rows(of section: String) -> [String] {
    section.matches(of: /\n\.It (Sy|Li) ([a-z_]+) Ta ([A-Za-z0-9, ]+) Ta/).map {
      "\($0.2): \($0.3)\($0.1 == "Sy" ? ", always" : "")"
    }
  }

  /// The rows that a table of these members has.
  package static func rows(of members: [JSONMember]) -> [String] {
    members.map {
      "\($0.name.rawValue): \(word(for: $0.form))\($0.isAlways ? ", always" : "")"
    }
  }

  private static func word(for form: JSONForm) -> String {
    switch form {
    case .text: "text"
    case .number: "number"
    case .flag: "true or false"
    case .flagOrNumber: "true, or number"
    case .map: "texts by name"
    case .one: "1"
    case .time: "time"
    case .person: "person"
    case .conversation: "conversation"
    case .sentence: "sentence"
    case .word, .growingWord: "word"
    case .list: "list"
    case .object: "object"
    }
  }
}
