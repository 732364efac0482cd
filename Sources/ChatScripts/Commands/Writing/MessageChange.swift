// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Exchange
import StyledText

/// The options of commands that change something about a message.
struct MessageChange {
  /// Whether to wait until the message's network has carried it out.
  var wait = false
  var timeout = TimeLimit(seconds: 60)
  var json = false

  static var parameters: [Parameter<Self>] {
    [
      Parameter("--wait", \.wait, "Wait until the network has carried it out."),
      Parameter(
        "--timeout", \.timeout, value: "time", usual: Self().timeout.description,
        "How long to wait: seconds, or 90m, 12h."),
      Parameter("--json", \.json, "Print the change as a JSON object, with its position."),
    ]
  }
}

extension Script {
  /// Changes something about a message and, if wanted, waits for its network.
  ///
  /// - Returns: the exit status 0.
  func change(
    _ message: Message, in conversation: Conversation, _ options: MessageChange, _ launch: Launch,
    _ body: (borrowing DurableTransaction) throws -> Void
  ) throws -> Int32 {
    let bell = options.wait ? try BellWait(store, seconds: options.timeout.seconds) : nil
    let start = try store.writeDurably {
      try body($0)
      return try $0.position
    }
    if options.json { try printChange(of: message, after: start) }
    if let waiting = try waiting(message, in: conversation, launch.environment) {
      StandardError.say(waiting)
    }
    guard let bell else { return 0 }
    repeat {
      let (isWaiting, refusal) = try store.read {
        (try $0.waits(message.id), try $0.refusal(about: message.id, by: me.id, since: start))
      }
      if let refusal { throw Refusal(say("The network refused it: %1", SafeText(line: refusal))) }
      if !isWaiting { return 0 }
    } while bell.next() == .rang
    throw Refusal(
      say(
        "The change is stored, but the network has not carried it out within %1 s.",
        SafeText(options.timeout.seconds)))
  }

  /// Prints what `hobnob watch` prints for the change; only the position if nothing has changed.
  private func printChange(of message: Message, after start: Int64) throws {
    let line = try store.read { snapshot in
      let changes = try snapshot.orderedChanges(
        after: start, for: me.id, in: [message.conversation], limit: Self.page
      ).changes
      let own = changes.first { $0.message == message.id && $0.person == me.id }
      return try own.flatMap { try snapshot.jsonLine(of: $0) }
    }
    if let line { output.write(JSONLine.safe(line)) } else { printPosition(start) }
    output.flush()
  }

  /// Prints a position of the store as JSON.
  func printPosition(_ position: Int64) {
    output.write(JSONLine.safe(JSONTable.position.line([.position: .integer(position)])))
  }

  /// Returns a warning if something about the message waits because no process serves its network;
  /// a script does not start one. Otherwise nil.
  func waiting(
    _ message: Message, in conversation: Conversation, _ environment: [String: String]
  ) throws -> SafeText? {
    guard let network = conversation.network, try store.read({ try $0.waits(message.id) }),
      let account = try store.read({ try $0.account(network: network) }),
      try !store.read({ try $0.hasProcess(of: account) })
    else { return nil }
    let address = SafeText(line: account.name)
    // An unreadable file is not a failure here: the message is already stored.
    let settings = try? AccountFiles(environment: environment).settings(
      of: account, inStoreAt: store.path)
    guard let settings else {
      return say(
        "The message waits: %1 is not set up here. To set it up and send the message, type /account add %1 in hobnob.",
        SafeText(line: account.network))
    }
    return settings.isWanted
      ? say(
        "The message waits: %1 is not connected. To send it, run hobnob connect %1 or start hobnob.",
        address)
      : say("The message waits: %1 is not connected. hobnob connect %1 sends it.", address)
  }
}
