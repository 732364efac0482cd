// SPDX-License-Identifier: GPL-3.0-or-later

// What the helper and the network process write to each other.

extension PasswordFailure {
  /// Parses the form that an answer contains.
  init(written: Substring) {
    let words = written.split(separator: " ", maxSplits: 2).map(String.init)
    switch words.first {
    case "command" where words.count == 3:
      self = .command(words[2], status: Int32(words[1]) ?? 127)
    case "slow" where words.count > 1: self = .tooSlow(words.dropFirst().joined(separator: " "))
    case "settings": self = .settings(words.dropFirst().joined(separator: " "))
    default: self = .none
    }
  }

  var written: String {
    switch self {
    case .none: "none"
    case .command(let name, let status): "command \(status) \(name)"
    case .tooSlow(let name): "slow \(name)"
    case .settings(let sentence): "settings \(sentence)"
    }
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
