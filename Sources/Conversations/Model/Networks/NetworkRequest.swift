// SPDX-License-Identifier: GPL-3.0-or-later

/// A request of an owner's shell to a network, other than messages. The process reads it from the
/// store and answers it there.
package struct NetworkRequest: Identifiable, Hashable, Sendable {
  /// The kind of request; the store holds the raw values.
  package enum Verb: String, Hashable, Sendable, CaseIterable {
    /// Connect again, with the current settings of the account.
    case reconnect
    /// Read the account's settings again, and disconnect if the owner no longer wants a connection.
    case readSettings = "settings"
    /// Enter a room: `target` is its address, `text` the nickname or empty.
    case join
    /// Leave a room for good; `text` is the reason, or empty.
    case leave
    /// Change a room's topic to `text`.
    case topic
    /// Invite `person` into the room `target`.
    case invite
    /// Fetch `count` messages of the conversation `target` from its archive: those before the one
    /// with the archive id `text`, or the newest if it is empty.
    case history
    /// Ask `target` to be a contact; let them see this owner; undo both.
    case subscribe, approve, unsubscribe
    case block, unblock
    /// Decline everybody who asks to be a contact.
    case decline
    /// The owner's presence: `text` is the away message, `target` "away" or "".
    case presence
    /// Encrypt what the owner sends in the conversation `target` from now on, or stop that: `text`
    /// is "on" or "off".
    case encrypt
    /// List the encrypting devices of the person `target`, of the occupant `person` of the room
    /// `target`, or of the owner if both are empty; or
    /// decide about them, with the words in `text` that `/verify` takes.
    case verify
    /// Show the owner's devices that encrypt, or change them, with the words in `text` that
    /// `/device` takes.
    case device
    /// Ask what the server and the conversation `target` can do.
    case abilities
    /// Ask who `target` is.
    case whois
    /// Remove `person` from the room `target`; `text` is the reason, or empty.
    case kick
    /// Keep `person`, who may be a mask, out of the room `target`; undo that.
    case ban, unban
    /// Make `person` an operator of the room `target`; undo that.
    case promote = "op"
    case demote = "deop"
    /// Show or change the modes of the room `target`, or the owner's if it is empty: `text` has the
    /// network's own words, or is empty.
    case mode
    /// Ask `target`'s program the question `text`, such as VERSION.
    case ctcp
    /// Send the line `text` in the network's own language.
    case line
    /// Fetch the file at the address `text`, for the message with the id `target`; `fetchUnasked`
    /// does so only if the file is small, and reports no error.
    case fetch, fetchUnasked
  }

  package var id: Int64
  package var verb: Verb
  /// The conversation, the person or the message that it is about.
  package var target: String
  /// The address of a person whom it names beside its target.
  package var person: String
  package var text: String
  package var count: Int
  /// The password of a room; empty for none.
  package var secret: String
  /// Whether an earlier process of the account has handed it to the network.
  package var wasTried: Bool

  package init(
    id: Int64, verb: Verb, target: String, person: String = "", text: String = "", count: Int = 0,
    secret: String = "", wasTried: Bool = false
  ) {
    (self.id, self.verb, self.target, self.person) = (id, verb, target, person)
    (self.text, self.count, self.secret, self.wasTried) = (text, count, secret, wasTried)
  }
}

extension NetworkRequest.Verb {
  /// The command that asks for it, without the slash.
  package var command: String {
    switch self {
    case .line: "irc"
    default: rawValue
    }
  }

  /// Whether others would notice if the network got the request twice.
  package var speaks: Bool { [.line, .ctcp, .kick, .invite].contains(self) }
}

/// An activity of the owner that a network passes on while it lasts, and stores nowhere.
package enum NetworkSignal: Hashable, Sendable {
  /// The owner started or stopped typing there.
  case typing(ConversationAddress, Bool)
  /// The owner's shell has received or shown the messages of this conversation up to this one,
  /// which has that author.
  case receipt(ConversationAddress, MessageIDs, by: NetworkUser, DeliveryState)
  /// The conversations that the owner's shells show.
  case open([ConversationAddress])
}

/// A network's answer to a request of its account's owner.
package struct NetworkAnswer: Hashable, Sendable {
  package var request: NetworkRequest
  package var network: String
  /// The answer; empty if the request is done and there is nothing to add.
  package var text: Remark
}
