// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A shell's request for messages older than those in the store: pages of an archive, one after the
/// other, until there are enough.
package struct OlderMessages: Hashable, Sendable {
  /// The most pages for one request.
  private static let mostPages = 200

  package let request: NetworkRequest
  /// The message before which the next page ends, in the archive's words; empty for the last page.
  package private(set) var before: String
  /// How many messages have arrived.
  package private(set) var count = 0
  private var pages = 0

  package init(_ request: NetworkRequest) {
    (self.request, before) = (request, request.text)
  }

  /// Notes a page.
  ///
  /// - Parameters:
  ///   - new: how many messages it had.
  ///   - oldest: the first of them, in the archive's words; nil without one.
  ///   - isEnd: whether the archive has nothing before it.
  /// - Returns: whether to ask for the next page.
  package mutating func note(_ new: Int, from oldest: String?, isEnd: Bool) -> Bool {
    (count, pages) = (count + new, pages + 1)
    // An archive that promises more and sends nothing would be asked for ever.
    guard !isEnd, let oldest, oldest != before, count < request.count,
      pages < Self.mostPages
    else { return false }
    before = oldest
    return true
  }
}
