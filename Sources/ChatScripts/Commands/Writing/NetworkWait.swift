// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// The options by which a script waits until a network has carried out its change.
struct NetworkWait {
  var wait = false
  var timeout = TimeLimit(seconds: 60)

  static var parameters: [Parameter<Self>] {
    [
      Parameter("--wait", \.wait, "Wait until the network has carried it out."),
      Parameter(
        "--timeout", \.timeout, value: "time", usual: Self().timeout.description,
        "How long to wait: seconds, or 90m, 12h."),
    ]
  }
}

extension Script {
  /// Changes something about a message and, if wanted, waits for its network.
  ///
  /// - Returns: the exit status 0.
  func change(
    _ message: Message, in conversation: Conversation, _ network: NetworkWait, _ launch: Launch,
    _ body: (borrowing DurableTransaction) throws -> Void
  ) throws -> Int32 {
    let bell = network.wait ? try BellWait(store, seconds: network.timeout.seconds) : nil
    let start = try store.writeDurably {
      try body($0)
      return try $0.position
    }
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
        SafeText(network.timeout.seconds)))
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
    let address = SafeText(line: account.address)
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
