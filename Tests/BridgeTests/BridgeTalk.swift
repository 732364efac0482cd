// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences
import Storage

@testable import Bridge

/// A client, and the lines that a program writes to it.
struct BridgeTalk {
  static let hello = """
    {"type":"hello","version":1,"network":"Test","secret":false,"window":3,\
    "can":{"edit":true,"delete":true,"react":"several","typing":true,"requests":["topic"]}}
    """
  static let tea = #""conversation":{"room":"tea"}"#

  var client: BridgeClient
  var now: Milliseconds = 1_000_000
  /// What the client wanted since the last ``take()``.
  private var effects: [NetworkEffect<BridgeAct>] = []
  private var outbox: [OutboxEntry] = []
  private let parser: JSONParser

  /// - Parameter lines: what the program says first; by default it introduces itself and logs in.
  init(_ lines: [String] = [hello, #"{"type":"up"}"#]) throws {
    parser = try JSONParser()
    client = BridgeClient(
      Account(id: ID(rawValue: 1), owner: ID(rawValue: 1), network: "test:anna")
    ) { "/files/" + $0 }
    for line in lines { hear(line) }
    _ = take()
  }

  mutating func handle(_ event: BridgeEvent) { effects += client.handle(event, at: now) }

  mutating func hear(_ lines: String...) { for line in lines { hear(Array(line.utf8)) } }

  mutating func hear(_ bytes: [UInt8]) {
    do throws(BridgeFault) {
      guard let line = try BridgeLine(bytes, with: parser) else { return }
      if line.type == "hello" {
        handle(.hello(try BridgeHello(line)))
      } else {
        handle(.line(line, bytes: bytes.count, files: []))
      }
    } catch {
      handle(.fault(error))
    }
  }

  mutating func take() -> [NetworkEffect<BridgeAct>] {
    defer { effects = [] }
    return effects
  }

  // MARK: What it wants

  var events: [NetworkEvent] {
    effects.flatMap { effect -> [NetworkEvent] in
      if case .store(let events) = effect { events } else { [] }
    }
  }

  var bodies: [String] {
    events.compactMap { event in
      if case .messageReceived(let message, _) = event { message.body } else { nil }
    }
  }

  var written: [String] {
    effects.compactMap { effect in
      if case .act(.write(let line)) = effect { line } else { nil }
    }
  }

  var notices: [String] {
    events.compactMap { event in
      if case .notice(let remark) = event { remark.text } else { nil }
    }
  }

  /// What is asked of the owner.
  var questions: [String] {
    effects.compactMap { effect in
      if case .act(.ask(let question)) = effect { question.text } else { nil }
    }
  }

  /// For how long it lets the program wait, in milliseconds.
  var rests: [Milliseconds] {
    effects.compactMap { effect in
      if case .act(.rest(let pause)) = effect { pause } else { nil }
    }
  }

  /// What the owner sees of the connection.
  var statuses: [AccountStatus] {
    effects.compactMap { effect in
      if case .status(let status) = effect { status } else { nil }
    }
  }

  /// Why it ends the program.
  var hangUps: [String] {
    effects.compactMap { effect in
      if case .act(.hangUp(let reason, _, _)) = effect { reason.text } else { nil }
    }
  }

  // MARK: The outbox

  /// - Returns: the number of the entry.
  @discardableResult
  mutating func write(
    _ operation: OutboxEntry.Operation = .send, _ text: String = "x", id: String? = nil,
    message: Int64? = nil
  ) -> Int64 {
    let number = Int64(outbox.count + 1)
    outbox.append(
      OutboxEntry(
        id: number,
        message: Message(
          id: ID(rawValue: message ?? number), uid: "m\(number)", conversation: ID(rawValue: 1),
          number: 1, sender: ID(rawValue: 1), senderName: "anna", senderIdentity: "anna",
          body: text, createdAt: now),
        operation: operation, conversation: .room("tea"),
        name: MessageIDs(origin: "m\(message ?? number)", archive: id)))
    deliver()
    return number
  }

  /// Hands over what waits, as the process does at each change of the store.
  mutating func deliver() {
    let ids = client.admit(outbox, at: now)
    for index in outbox.indices where ids.contains(outbox[index].id) {
      outbox[index].wasTried = true
    }
    handle(.tried(ids))
  }
}
