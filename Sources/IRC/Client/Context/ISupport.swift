// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What the server says about itself in its lines 005 (modern.ircdocs.horse, RPL_ISUPPORT), with
/// the values of RFC 1459 until it does.
struct ISupport: Hashable, Sendable {
  /// The token with the address to upload files to.
  static let files = "soju.im/FILEHOST"

  private var tokens: [String: String] = [:]

  subscript(_ name: String) -> String? { tokens[name] }

  /// Notes the parameters of a line 005.
  mutating func note(_ parameters: [String]) {
    for token in parameters.dropFirst().dropLast() {
      if token.hasPrefix("-") {
        tokens[String(token.dropFirst())] = nil
      } else {
        tokens.note(Self.unescaped(token))
      }
    }
  }

  /// Replaces `\x20` and the like.
  private static func unescaped(_ value: String) -> String {
    guard value.contains("\\x") else { return value }
    let parts = value.split(separator: "\\", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts[0])) { result, part in
      guard part.hasPrefix("x"), let code = UInt8(part.dropFirst().prefix(2), radix: 16) else {
        return result + "\\" + part
      }
      return result + String(Character(Unicode.Scalar(code))) + part.dropFirst(3)
    }
  }

  func number(_ name: String) -> Int? { tokens[name].flatMap { Int($0) } }

  // MARK: Names

  var folding: AddressRules.CaseMapping {
    switch tokens["CASEMAPPING"] {
    case nil, "rfc1459": .rfc1459
    case "rfc1459-strict", "strict-rfc1459": .strict
    // Unknown mappings, such as rfc8265, treat at least ASCII in this way.
    default: .ascii
    }
  }

  var roomSigns: String {
    tokens["CHANTYPES"] ?? "#&"
  }

  var rules: AddressRules {
    AddressRules(
      roomSigns: roomSigns.isEmpty ? "#" : roomSigns, folding: folding, identityScope: .network)
  }

  /// The signs in front of the names of people with a rank, the highest first, and the modes for
  /// them: `(ov)@+`.
  var ranks: (modes: [Character], signs: [Character]) {
    let value = tokens["PREFIX"] ?? "(ov)@+"
    guard value.hasPrefix("("), let end = value.firstIndex(of: ")") else { return ([], []) }
    let modes = Array(value[value.index(after: value.startIndex)..<end])
    let signs = Array(value[value.index(after: end)...])
    return modes.count == signs.count ? (modes, signs) : ([], [])
  }

  /// Whether a mode of a room has a parameter (CHANMODES: lists, always, when set, never).
  func hasParameter(_ mode: Character, isSet: Bool) -> Bool {
    if ranks.modes.contains(mode) { return true }
    let kinds = (tokens["CHANMODES"] ?? "beI,k,l,imnpst").split(
      separator: ",", omittingEmptySubsequences: false)
    switch kinds.firstIndex(where: { $0.contains(mode) }) {
    case 0, 1: return true
    case 2: return isSet
    default: return false
    }
  }

  /// A target without the sign for the ranks that it reaches: `@#tea` is the operators of `#tea`.
  func withoutStatus(_ target: String) -> String {
    let signs = tokens["STATUSMSG"] ?? ""
    guard let first = target.first, signs.contains(first), target.count > 1,
      let second = target.dropFirst().first, roomSigns.contains(second)
    else { return target }
    return String(target.dropFirst())
  }

  // MARK: Limits

  /// Whether the server takes lines as fast as they come.
  var hasNoLimit: Bool { ["SAFERATE", "soju.im/SAFERATE"].contains { tokens[$0] != nil } }

  /// How many targets a command may have.
  func targets(of command: String) -> Int {
    if let most = tokens["TARGMAX"]?.value(of: command, ":") { return Int(most) ?? .max }
    // Servers without the token accept several rooms in a JOIN (RFC 1459, 4.2.1).
    return command == "JOIN" ? 20 : 1
  }

  /// Whether the server passes on this tag from clients (CLIENTTAGDENY).
  func passes(tag: String) -> Bool {
    var passes = true
    for item in (tokens["CLIENTTAGDENY"] ?? "").split(separator: ",") {
      if item == "*" { passes = false }
      if item == tag { passes = false }
      if item == "-" + tag { passes = true }
    }
    return passes
  }

  /// The most messages in one answer from the history.
  var historyLimit: Int {
    let number = number("CHATHISTORY") ?? number("draft/CHATHISTORY") ?? 0
    return number > 0 ? min(number, 200) : 100
  }

  /// Whether one can ask the history by message id, not only by time.
  var historyTakesIDs: Bool {
    guard let types = tokens["MSGREFTYPES"] else { return true }
    return types.split(separator: ",").contains("msgid")
  }
}
