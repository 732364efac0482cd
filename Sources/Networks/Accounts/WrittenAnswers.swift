// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

// What the helper and the network process write to each other.

extension PasswordFailure {
  /// Parses the form that an answer contains.
  init(written: Substring) {
    let words = written.split(separator: " ", maxSplits: 2).map(String.init)
    switch words.first {
    case "command" where words.count == 3:
      self = .command(words[2], status: Int32(words[1]) ?? 127)
    case "slow" where words.count > 1: self = .tooSlow(words.dropFirst().joined(separator: " "))
    case "settings" where words.count > 1:
      let fields = words.dropFirst().joined(separator: " ")
        .split(separator: Remark.separator, omittingEmptySubsequences: false).map(String.init)
      self = .settings(
        Remark([.sentence(Remark.Key(other: fields[0]), fields.dropFirst().map { Remark($0) })]))
    default: self = .none
    }
  }

  var written: String {
    switch self {
    case .none: "none"
    case .command(let name, let status): "command \(status) \(name)"
    case .tooSlow(let name): "slow \(name)"
    // The network process stores it, and each shell translates it.
    case .settings(let reason): "settings \(reason.written)"
    }
  }
}

extension Remark {
  /// ASCII's unit separator, which no path has for a reason.
  fileprivate static let separator: Character = "\u{1F}"

  /// The key of a sentence and its arguments.
  fileprivate var written: String {
    guard case .sentence(let key, let arguments) = parts.first else { return text }
    let fields = arguments.map { $0.text.filter { $0 != Self.separator } }
    return ([key.other] + fields).joined(separator: String(Self.separator))
  }
}

extension ServiceRecord {
  var written: String { "\(priority) \(weight) \(port) \(target)" }

  init?(written: String) {
    let words = written.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 4, let priority = UInt16(words[0]), let weight = UInt16(words[1]),
      let port = UInt16(words[2])
    else { return nil }
    self.init(priority: priority, weight: weight, port: port, target: String(words[3]))
  }
}
