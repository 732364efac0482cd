// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Conversations
import StyledText

/// `/verify` and `/device`: whose devices can read what one sends encrypted (rule 14.17). The
/// account's process answers, since only it has the keys.
@MainActor
struct DeviceCommands {
  let context: CommandContext
  private var networks: NetworkCommands { NetworkCommands(context: context) }

  // MARK: /verify

  func verify(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    if context.accounts.list.isEmpty { throw Self.nothingToVerify }
    if argument.isEmpty { return ask(.verify, "", of: try ownAccount()) }
    let (name, words) = networks.personFirst(of: argument, snapshot)
    if name.isDeviceLink { return try verify(personNamed: name, argument, snapshot) }
    if Self.isDecision(argument), !networks.isKnown(name, snapshot) {
      return try verifyPartner(argument)
    }
    guard words.isEmpty || Self.isDecision(words) else { throw usage("verify") }
    return try verify(personNamed: name, words, snapshot)
  }

  private static let nothingToVerify = Refusal(
    say("Nothing leaves this machine here, so there is nothing to verify."))

  /// Whether words mean a device, with or without a `no` for it, or a person's new devices.
  private static func isDecision(_ words: String) -> Bool {
    if ["yes", "no"].contains(words) { return true }
    let device = words.hasSuffix(" no") ? String(words.dropLast(3)).trimmingBlanks : words
    return Int(written: device, in: 1...Int.max) != nil || device.isDeviceLink
      || isFingerprint(device)
  }

  /// Whether it can be a fingerprint or a part of one, which programs group in different ways.
  private static func isFingerprint(_ words: String) -> Bool {
    let digits = words.filter { !$0.isWhitespace && $0 != ":" && $0 != "-" }
    return digits.count >= 8 && digits.allSatisfy(\.isHexDigit)
  }

  /// A decision about the other person in the open direct chat.
  private func verifyPartner(_ words: String) throws -> Step {
    let chat = try context.open.required()
    if chat.network == nil { throw Self.nothingToVerify }
    guard chat.kind == .direct, networks.carries(chat) else { throw usage("verify") }
    return Step { try networks.ask(.verify, in: chat, text: words, $0) }
  }

  private func verify(
    personNamed name: String, _ words: String, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    // Only the account's process knows the addresses of the people in a room.
    if let room = context.open.conversation, room.kind == .room, networks.carries(room),
      let known = try networks.known(name, snapshot), known.isOccupant,
      known.network == room.network
    {
      return Step { try networks.ask(.verify, in: room, person: known.name, text: words, $0) }
    }
    let (account, address) = try person(named: name, snapshot)
    return ask(.verify, address, words, of: account)
  }

  private func person(
    named name: String, _ snapshot: borrowing Snapshot
  ) throws -> (account: Account, address: String) {
    if let found = try networks.personOnNetwork(name, snapshot) { return found }
    guard let known = try networks.known(name, snapshot) else {
      return try networks.contactAddress(named: name, snapshot)
    }
    let shown = SafeText(name: known.name)
    guard let account = context.accounts.list.first(where: { $0.network == known.network }) else {
      throw Refusal(
        say("%1 is on this machine; /%2 asks a network about its own people.", shown, "verify"))
    }
    if known.isOccupant {
      throw Refusal(
        say(
          "You know %1 only from a room; type their address, as in /verify %1@%2.", shown,
          SafeText(line: account.server)))
    }
    return (account, known.identity)
  }

  // MARK: /device

  /// `/device`, `/device name N NAME`, `/device remove N`.
  func manage(_ argument: String) throws -> Step {
    let account = try ownAccount()
    if argument.isEmpty { return ask(.device, "", of: account) }
    let (verb, rest) = argument.firstWord
    let (word, name) = rest.firstWord
    guard let number = Int(written: word, in: 1...Int.max) else { throw usage("device") }
    switch verb {
    case "name" where !name.isEmpty: return ask(.device, "", "name \(number) \(name)", of: account)
    case "remove" where name.isEmpty:
      try context.requireTerminal("/device remove")
      return .ask(
        Question(
          say("Remove your device %1? It can then read nothing new.", SafeText(number)),
          [("y", say("remove it"), .deviceRemoval(number, of: account))],
          otherwise: say("any other key: keep it")))
    default: throw usage("device")
    }
  }

  func remove(_ number: Int, of account: Account) -> Step {
    ask(.device, "", "remove \(number)", of: account)
  }

  // MARK: Asking

  private func ownAccount() throws -> Account {
    try context.accounts.named("", from: context.network)
  }

  private func ask(
    _ verb: NetworkRequest.Verb, _ target: String, _ text: String = "", of account: Account
  ) -> Step {
    Step { try networks.ask(verb, target, text: text, of: account, $0) }
  }
}
