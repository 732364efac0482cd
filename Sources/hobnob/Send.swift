// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatShell
import Conversations

struct Send: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send a message: TEXT, or standard input.")
  @OptionGroup var every: EveryCommand
  @OptionGroup var named: NamedConversation
  @Argument(help: "The text; without it, standard input.")
  var text: [String] = []
  @Option(
    name: .customLong("attach"), parsing: .singleValue,
    help: ArgumentHelp("A file that goes with it; may be given again.", valueName: "path"))
  var files: [String] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The number of the message it answers; -1 is the newest.", valueName: "n"))
  var reply: Int?
  @Flag(name: .customLong("create"), help: "Make the room if there is none.")
  var creates = false
  @Option(help: ArgumentHelp("Wait until it is sent, delivered or seen.", valueName: "state"))
  var wait: String?
  @Option(help: ArgumentHelp("How long to wait: seconds, or 90m, 12h.", valueName: "time"))
  var timeout = TimeLimit(seconds: 60)

  func validate() throws {
    if let wait, state == nil {
      throw ValidationError("--wait takes sent, delivered or seen, not \(wait).")
    }
    if let reply { try validNumber(reply, "--reply") }
  }

  private var state: DeliveryState? {
    switch wait {
    case "sent": .sent
    case "delivered": .delivered
    case "seen": .seen
    default: nil
    }
  }

  func run() {
    var options = SendOptions()
    options.text = text.isEmpty ? nil : text.joined(separator: " ")
    options.files = files
    options.reply = reply
    options.creates = creates
    options.state = state
    options.seconds = timeout.seconds
    finish(every) { try $0.send(to: named.conversation, options) }
  }
}
