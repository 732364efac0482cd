// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// A request that was sent and has no answer yet (RFC 6120, 8.2.3).
struct IQRequest: Sendable {
  enum Purpose: Hashable, Sendable {
    case roster, carbons, bookmarks
    /// What the server, the account, and something at the server can do.
    case serverInfo, accountInfo, items
    case itemInfo(Address)
    case bookmark(Address, isPlain: Bool)
    case roomInfo(Address)
    /// The form of a new room.
    case roomForm(Address)
    /// Whether the owner is still in a room (XEP-0410).
    case roomPing(Address)
    /// A page of an archive; the id of the query.
    case page(String)
    /// A shell's request that only needs a yes.
    case request(NetworkRequest)
    /// What a server, a room or a person's program can do.
    case abilities(NetworkRequest)
    /// Whom the owner has blocked.
    case blocked(NetworkRequest)
    /// A message to a room that only answers when it refuses.
    case unlessRefused(NetworkRequest)
    /// A new topic, which the room repeats.
    case topic(NetworkRequest)
    /// A new contact's entry in the roster.
    case contact(NetworkRequest)
    /// An upload address for a file of this entry.
    case slot(OutboxEntry.ID)

    /// Whether it asks what services the server has.
    var isAboutServices: Bool {
      if case .itemInfo = self { true } else { self == .items }
    }
  }

  enum Answer: Sendable {
    case result(Element)
    case error(StanzaError)
    case silence

    /// Why something was not done, as a sentence; empty if it was.
    func failure(at address: String, isRoom: Bool = false) -> String {
      switch self {
      case .result: ""
      case .error(let error): error.sentence(for: address, isRoom: isRoom)
      case .silence: filled(("%1 does not answer.", [address]))
      }
    }
  }

  var purpose: Purpose
  /// Who is asked; nil for the owner's account.
  var to: Address?
  var limit: Milliseconds
  /// When it was sent, or a part of the answer arrived.
  var lastHeard: Milliseconds
}

extension NetworkRequest {
  /// What a shell reads about a success that it does not see otherwise; empty for nothing.
  var successSentence: String {
    let sentence: Sentence? =
      switch verb {
      case .block: ("%1 is blocked.", [target])
      case .unblock: ("%1 is no longer blocked.", [target])
      case .unsubscribe: ("%1 is no longer a contact.", [target])
      case .invite: ("You invited %1.", [text])
      default: nil
      }
    return sentence.map { filled($0) } ?? ""
  }
}
