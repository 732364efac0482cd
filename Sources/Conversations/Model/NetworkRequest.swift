// SPDX-License-Identifier: GPL-3.0-or-later

/// What an owner's shell asks a network for, beside messages. The process takes it from the store
/// and answers it there.
package struct NetworkRequest: Identifiable, Hashable, Sendable {
  /// What is asked for; raw values are stored.
  package enum Verb: String, Hashable, Sendable, CaseIterable {
    /// Connect anew, with the account's settings as they are now.
    case reconnect
    /// Read the account's settings again, and leave where the owner no longer wants it connected.
    case readSettings = "settings"
    /// Enter a room: `target` is its address, `text` the nickname or empty.
    case join
    /// Leave a room for good.
    case leave
    /// Change a room's topic to `text`.
    case topic
    /// Invite `text` into the room `target`.
    case invite
    /// Messages of the place `target` from its archive: `text` is what ``historyText(_:before:)``
    /// makes.
    case history
    /// Ask `target` to be a contact; grant that they see this owner; take both back.
    case subscribe, approve, unsubscribe
    case block, unblock
    /// Turn down everybody who asks to be a contact.
    case decline
    /// Presence of the owner: `text` is the word of being away, `target` "away" or "".
    case presence
    /// What the server and the place `target` can do.
    case abilities
    /// The file at the address `text`, for the message of the id `target`; unasked only if it is
    /// small, and without a word where it does not come.
    case fetch, fetchUnasked
  }

  package var id: Int64
  package var verb: Verb
  package var target: String
  package var text: String
  /// The password of a room; empty for none.
  package var secret: String

  package init(id: Int64, verb: Verb, target: String, text: String = "", secret: String = "") {
    self.id = id
    self.verb = verb
    self.target = target
    self.text = text
    self.secret = secret
  }
}

extension NetworkRequest {
  /// The text of a request for so many messages that are older than the one of an archive id, or for
  /// the newest where that is empty.
  package static func historyText(_ count: Int, before archiveID: String) -> String {
    "\(count) \(archiveID)"
  }

  /// What such a text asks for; an id alone, as older versions wrote, is one page.
  package var history: (count: Int, before: String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(parts[0]) else { return (1, text) }
    return (count, String(parts[1]))
  }
}

/// What the owner does that a network tells others while it lasts, and keeps nowhere.
package enum NetworkSignal: Hashable, Sendable {
  /// The owner types there, or no more.
  case typing(NetworkPlace, Bool)
  /// The owner's shell has, or has shown, the messages of this place up to the one of that name,
  /// which that speaker wrote.
  case reached(NetworkPlace, MessageIDs, by: NetworkUser, DeliveryState)
}

/// The answer of a network to what its account's owner asked for.
package struct NetworkAnswer: Hashable, Sendable {
  package var request: NetworkRequest
  /// On which account.
  package var network: String
  /// In the network's words; empty when it is done and there is nothing to say.
  package var text: String

  package init(request: NetworkRequest, network: String, text: String) {
    (self.request, self.network, self.text) = (request, network, text)
  }
}
