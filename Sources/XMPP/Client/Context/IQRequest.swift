// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import OMEMO
import Sentences

/// A request that was sent and has no answer yet (RFC 6120, 8.2.3).
struct IQRequest: Sendable {
  enum Purpose: Hashable, Sendable {
    case roster, carbons, bookmarks
    /// Asks what the server or the account can do, or which services the server has.
    case serverInfo, accountInfo, items
    case itemInfo(Address)
    case bookmark(Address, isPlain: Bool)
    case roomInfo(Address)
    /// Asks a room for its members with one affiliation.
    case roomMembers(Address, affiliation: String)
    /// Sends the form of a new room.
    case roomForm(Address)
    /// Asks whether the owner is still in a room (XEP-0410).
    case roomPing(Address)
    /// Asks for a page of an archive; the text is the id of the query.
    case page(String)
    /// A shell's request that only needs to be confirmed.
    case request(NetworkRequest)
    /// Asks what a server, a room or a person's client can do.
    case abilities(NetworkRequest)
    /// Asks whom the owner has blocked.
    case blocked(NetworkRequest)
    /// A message to a room, which answers only if it refuses.
    case unlessRefused(NetworkRequest)
    /// Sends a new topic, which the room repeats.
    case topic(NetworkRequest)
    /// Adds a new contact to the roster.
    case contact(NetworkRequest)
    /// Asks which devices of somebody encrypt, and for the keys of one.
    case keyList(Address, OMEMOVersion)
    case keyBundle(KeyBook.SessionName)
    /// Publishes this device or its keys; the element is published again if the node has to be
    /// opened first.
    case keysPublished(node: String, Element)
    /// Asks for an upload address for a file of this entry, encrypted or as it is.
    case slot(OutboxEntry.ID, isSealed: Bool)

    /// Whether it asks what services the server has.
    var isAboutServices: Bool {
      if case .itemInfo = self { true } else { self == .items }
    }
  }

  enum Answer: Sendable {
    case result(Element)
    case error(StanzaError)
    case silence

    /// Why the request failed, as a sentence; empty if it succeeded.
    func failure(at address: String, isRoom: Bool = false) -> Remark {
      switch self {
      case .result: ""
      case .error(let error): error.sentence(for: address, isRoom: isRoom)
      case .silence: filled(("%1 does not answer.", [address]))
      }
    }
  }

  var purpose: Purpose
  /// The address that is asked; nil for the owner's account.
  var to: Address?
  var limit: Milliseconds
  /// When it was sent, or when the last part of the answer arrived.
  var lastHeard: Milliseconds
}

extension NetworkRequest {
  /// What to tell a shell about a success that it would not notice otherwise; empty if there is
  /// nothing to tell.
  var successSentence: Remark {
    let sentence: Sentence? =
      switch verb {
      case .block: ("%1 is blocked.", [target])
      case .unblock: ("%1 is no longer blocked.", [target])
      case .unsubscribe: ("%1 is no longer a contact.", [target])
      case .invite: ("You invited %1.", [person])
      default: nil
      }
    return sentence.map { filled($0) } ?? ""
  }
}
