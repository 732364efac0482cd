// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Conversations
import StyledText

/// `/whois`, `/kick`, `/ban`, `/op`, `/mode`, `/ctcp`, `/irc` and the like: a network's server
/// carries them out or answers them, in its own words (rule 10).
@MainActor
struct ServerCommands {
  let context: CommandContext
  private var networks: NetworkCommands { NetworkCommands(context: context) }

  // MARK: About a person

  func whois(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard let name = networks.onlyPerson(argument, snapshot) else { throw usage("whois") }
    return try ask(.whois, personNamed: name, "", snapshot)
  }

  /// `/ctcp NAME QUESTION`.
  func askProgram(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let (name, words) = networks.personFirst(of: argument, snapshot)
    guard !words.isEmpty else { throw usage("ctcp") }
    return try ask(.ctcp, personNamed: name, words, snapshot)
  }

  private func ask(
    _ verb: NetworkRequest.Verb, personNamed name: String, _ text: String,
    _ snapshot: borrowing Snapshot
  ) throws -> Step {
    let (account, address) = try askedPerson(named: name, verb, snapshot)
    return Step { try networks.ask(verb, address, text: text, of: account, $0) }
  }

  private func askedPerson(
    named name: String, _ verb: NetworkRequest.Verb, _ snapshot: borrowing Snapshot
  ) throws -> (Account, String) {
    if let account = networks.account(of: context.open.conversation),
      account.rules.identityScope == .network, !name.contains("@")
    {
      return try networks.contactAddress(named: name, snapshot)
    }
    if let found = try networks.personOnNetwork(name, snapshot) { return found }
    let answering = try context.accounts.list.filter {
      try snapshot.knownAbilities(of: $0).rooms.serverCommands
    }
    let only = answering.count == 1 && !name.contains("@") ? answering[0] : nil
    let address = only?.address(ofPerson: name)
    guard let known = try networks.known(name, snapshot) else {
      if let only, let address { return (only, address) }
      return try networks.contactAddress(named: name, snapshot)
    }
    guard let account = context.accounts.list.first(where: { $0.network == known.network }) else {
      if let only, let address {
        throw Refusal(
          say(
            "%1 is on this machine; for somebody on %2, type /%3 %4.",
            SafeText(name: known.name), SafeText(line: only.server), SafeText(line: verb.command),
            SafeText(line: only.withServer(address))))
      }
      throw Refusal(
        say(
          "%1 is on this machine; /%2 asks a network about its own people.",
          SafeText(name: known.name), SafeText(line: verb.command)))
    }
    return (account, known.identity)
  }

  // MARK: In a room

  /// `/kick NAME [REASON]`.
  func kick(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let (name, reason) = networks.personFirst(of: argument, snapshot)
    guard !name.isEmpty else { throw usage("kick") }
    return try act(.kick, on: name, reason, snapshot)
  }

  /// `/ban NAME|MASK`, `/unban NAME|MASK`, `/op NAME`, `/deop NAME`.
  func act(
    _ verb: NetworkRequest.Verb, _ argument: String, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    guard let name = networks.onlyPerson(argument, snapshot) else { throw usage(verb.command) }
    return try act(verb, on: name, "", snapshot)
  }

  private func act(
    _ verb: NetworkRequest.Verb, on name: String, _ reason: String, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    let room = try context.open.requiredAsMember()
    guard room.kind == .room, let account = networks.account(of: room) else {
      throw Refusal(
        say(
          "/%1 works only in a room on a network, and %2 is not one.",
          SafeText(line: verb.command), SafeText(name: room.name)))
    }
    // A mask means many people, and its signs are the network's.
    let isMask = name.contains { "*?!$".contains($0) }
    let person = isMask ? nil : try snapshot.currentPerson(named: name, of: account, in: room.id)
    let whom = person?.identity ?? (isMask ? nil : account.address(ofPerson: name)) ?? name
    return Step { try networks.ask(verb, in: room, person: whom, text: reason, $0) }
  }

  // MARK: In the network's own words

  /// `/mode [WORDS]`, about the open room or another, or in a direct chat about the person.
  func mode(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let open = try context.open.required()
    guard let account = networks.account(of: open) else {
      throw Refusal(
        say("%1 is on this machine, where conversations have no modes.", SafeText(name: open.name)))
    }
    let (first, rest) = argument.firstWord
    if let room = (try? snapshot.room(first, for: context.me.id, in: open.id)) ?? nil,
      room.network == account.network
    {
      return Step { try networks.ask(.mode, in: room, text: rest, $0) }
    }
    if open.kind == .room { return Step { try networks.ask(.mode, in: open, text: argument, $0) } }
    return Step { try networks.ask(.mode, "", text: argument, of: account, $0) }
  }

  /// `/irc WORDS`.
  func sendLine(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard !argument.isEmpty else { throw usage("irc") }
    if let open = context.open.conversation, networks.carries(open) {
      return Step { try networks.ask(.line, in: open, text: argument, $0) }
    }
    let account = try context.accounts.named("", from: context.network)
    return Step { try networks.ask(.line, "", text: argument, of: account, $0) }
  }
}
