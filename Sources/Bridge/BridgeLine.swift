// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences
import Storage

/// A line of a program that is as the table says.
package struct BridgeLine: Hashable, Sendable {
  package let type: String
  package let members: JSON

  package subscript(_ name: JSONName) -> JSON { members[name] }

  /// Checks a line.
  ///
  /// - Parameter types: those that its writer may write.
  /// - Returns: nil for a type that only a later version knows, which everybody ignores.
  /// - Throws: ``BridgeFault``.
  package init?(
    _ bytes: [UInt8], of types: [JSONType] = BridgeTable.fromProgram, with parser: JSONParser
  ) throws(BridgeFault) {
    guard let text = String(validating: bytes, as: UTF8.self), let members = parser.parse(text),
      case .object = members
    else {
      let beginning = String(decoding: bytes.prefix(60), as: UTF8.self)
      throw BridgeFault(filled(("“%1” is not a line of JSON", [beginning])))
    }
    guard let type = members[.type].text else {
      throw BridgeFault(filled(("a line has no member “%1”", ["type"])))
    }
    guard let known = types.first(where: { $0.name == type }) else { return nil }
    (self.type, self.members) = (type, members)
    do throws(BridgeFault) {
      try known.members.check(members, in: type)
    } catch {
      throw BridgeFault(error.remark, entry: members[.entry].integer)
    }
  }
}

/// Says what is wrong with a line, in a sentence without a full stop.
package struct BridgeFault: Error, Hashable {
  package let remark: Remark
  /// The entry that the line was to answer; nil if it names none.
  package let entry: Int64?

  init(_ remark: Remark, entry: Int64? = nil) { (self.remark, self.entry) = (remark, entry) }

  static func missing(_ member: JSONName, in type: String) -> BridgeFault {
    BridgeFault(filled(("a line of type “%1” has no member “%2”", [type, member.rawValue])))
  }

  static func form(of member: JSONName, in line: BridgeLine) -> BridgeFault {
    form(line[member], of: member, in: line.type)
  }

  static func form(_ value: JSON, of member: JSONName, in type: String) -> BridgeFault {
    BridgeFault(
      filled(
        (
          "in a line of type “%1”, the member “%2” is %3, which it cannot be",
          [type, member.rawValue, String(value.line.prefix(60))]
        )))
  }
}

extension [JSONMember] {
  /// - Throws: ``BridgeFault`` if a member is missing that must be there, or has another form.
  fileprivate func check(_ object: JSON, in type: String) throws(BridgeFault) {
    for member in self {
      let value = object[member.name]
      if value == .null {
        guard member.isAlways else { continue }
        throw .missing(member.name, in: type)
      }
      guard try member.form.fits(value, in: type) else {
        throw .form(value, of: member.name, in: type)
      }
    }
  }
}

extension JSONForm {
  fileprivate func fits(_ value: JSON, in type: String) throws(BridgeFault) -> Bool {
    switch self {
    case .text, .person: return value.text != nil
    case .number(let least): return value.integer.map { $0 >= least ?? .min } ?? false
    case .flag, .one: return value.flag != nil
    case .flagOrNumber: return value.flag != nil || value.integer.map { $0 >= 0 } ?? false
    case .time: return value.text.flatMap { DateParser($0)?.exact } != nil
    case .word(let words): return value.text.flatMap(words.number(of:)) != nil
    case .growingWord: return value.text != nil
    case .map:
      guard case .object(let members) = value else { return false }
      return members.values.allSatisfy { $0.text != nil }
    case .list(let form):
      guard case .array(let items) = value else { return false }
      for item in items where try !form.fits(item, in: type) { return false }
      return true
    case .object(let members):
      guard case .object = value else { return false }
      try members.check(value, in: type)
      return true
    case .conversation, .sentence: return true
    }
  }
}
