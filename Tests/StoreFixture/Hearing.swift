// SPDX-License-Identifier: GPL-3.0-or-later
// A release, which also builds this fixture, is not built for testing.
#if DEBUG
  import Conversations
  @testable import NetworkInbox

  extension Store {
    /// Stores a message from a network, as the process that serves the account does.
    ///
    /// - Returns: the newest message of the conversation after that.
    @discardableResult
    package func hear(
      _ body: String, from identity: String, name: String = "", in place: ConversationAddress,
      of account: Account, at time: Milliseconds? = nil, origin: String? = nil,
      answers: String? = nil
    ) throws -> Message {
      let message = NetworkMessage(
        name: MessageIDs(origin: origin), speaker: NetworkUser(identity: identity, name: name),
        body: body, time: time, answers: answers.map { MessageIDs(origin: $0) })
      try inbox.apply([.messageReceived(message, in: place)], of: account)
      let newest: ID<Message>? = try read {
        try $0.database.first("SELECT max(id) FROM message") { $0.id() }
      }
      guard let newest, let found = try self.read({ try $0.message(newest, for: account.owner) })
      else {
        throw RuleError.noSuchMessage(0)
      }
      return found
    }
  }
#endif
