// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Sentences

extension Remark {
  /// A string for a quotation, an object for a sentence, an array for several of them.
  package var json: JSON {
    if isEmpty { return .text("") }
    return parts.count == 1 ? Self.json(of: parts[0]) : .array(parts.map(Self.json))
  }

  private static func json(of part: Part) -> JSON {
    switch part {
    case .quotation(let text): return .text(text)
    case .sentence(let key, let arguments):
      var members: [JSONName: JSON] = [.say: .text(key.other)]
      if let one = key.one {
        members[.one] = .text(one)
        members[.count] = .integer(Int64(key.count))
      }
      if !arguments.isEmpty { members[.with] = .array(arguments.map(\.json)) }
      return .members(members)
    }
  }

  /// How deep sentences are in others, how many arguments one has, and how many bytes: many times
  /// what hobnob writes. Without limits, a few bytes of another program could fill the memory.
  private static let (deepest, mostArguments, longest) = (4, 9, 1_000)

  /// Empty for anything else.
  package init(_ json: JSON) { self.init(json, depth: 0) }

  private init(_ json: JSON, depth: Int) {
    switch json {
    case .text(let text): self.init(text)
    case .array(let items) where depth < Self.deepest:
      self.init(items.flatMap { Remark($0, depth: depth + 1).parts })
    case .object where depth < Self.deepest:
      guard let say = json[.say].text, say.utf8.count <= Self.longest,
        json[.one].text?.utf8.count ?? 0 <= Self.longest
      else { fallthrough }
      let key = Key(
        other: say, one: json[.one].text,
        count: json[.count].integer.map { Int(truncatingIfNeeded: $0) } ?? 0)
      let arguments = json[.with].items.prefix(Self.mostArguments)
      self.init([.sentence(key, arguments.map { Remark($0, depth: depth + 1) })])
    default: self.init("")
    }
  }
}

extension Remark: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    (isEmpty ? "" : json.line).bind(to: statement, at: index)
  }
}

extension Row {
  /// Empty if the column has none.
  package func remark(_ name: StaticString) -> Remark { Remark(json(name)) }

  package func optionalRemark(_ name: StaticString) -> Remark? {
    isNull(name) ? nil : remark(name)
  }
}
