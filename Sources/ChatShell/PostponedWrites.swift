// SPDX-License-Identifier: GPL-3.0-or-later

/// Writes that wait for a locked store, by a key: a later one takes the place of an earlier one of
/// the same key. They are tried in the order in which they were first asked for.
@MainActor
struct PostponedWrites {
  typealias Write = @MainActor () throws -> Void

  private(set) var keys: [String] = []
  private var writes: [String: Write] = [:]

  var isEmpty: Bool { keys.isEmpty }

  subscript(key: String) -> Write? {
    get { writes[key] }
    set {
      if let newValue {
        if writes.updateValue(newValue, forKey: key) == nil { keys.append(key) }
      } else if writes.removeValue(forKey: key) != nil {
        keys.removeAll { $0 == key }
      }
    }
  }
}
