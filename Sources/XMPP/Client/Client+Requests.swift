// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// What the owner's shells ask for, and which signals of the owner others get.
extension Client {
  mutating func runRequests() {
    guard server.isKnown else { return }
    while let request = context.requests.next() {
      if !runUntargeted(request) { runTargeted(request) }
    }
  }

  /// Runs a request about the account itself.
  ///
  /// - Returns: whether it is such a request.
  private mutating func runUntargeted(_ request: NetworkRequest) -> Bool {
    switch request.verb {
    case .presence:
      context.owner.away = request.target.isEmpty ? nil : request.text
      sendPresence()
      context.answer(request, "")
    case .abilities where request.target.isEmpty: context.answer(request, serverAbilities)
    case .approve where request.target.isEmpty: context.answer(request, roster.askersSentence)
    case .verify where request.target.isEmpty, .device: inspect(request, context.owner.account)
    case .decline:
      roster.declineAll(in: &context)
      context.answer(request, "")
    case .block where !server.hasBlocking, .unblock where !server.hasBlocking:
      context.answer(request, translated("The server cannot block anybody."))
    case .block where request.target.isEmpty:
      context.sendIQ("get", Element("blocklist", namespace: Feature.blocking), .blocked(request))
    default: return false
    }
    return true
  }

  private mutating func runTargeted(_ request: NetworkRequest) {
    guard let target = Address(request.target) else {
      return context.answer(request, filled(("%1 is not an address.", [request.target])))
    }
    switch request.verb {
    case .join: rooms.join(request, target, in: &context)
    case .leave:
      bookmarks.drop(target, in: &context)
      apply(rooms.leave(target, saying: request.text, in: &context))
      context.answer(request, "")
    case .topic, .invite: rooms.send(request, to: target, in: &context)
    case .history:
      archives.fetchHistory(
        request, of: target.bare, isRoom: rooms[target.bare] != nil, in: &context)
    case .subscribe, .approve, .unsubscribe: roster.run(request, for: target.bare, in: &context)
    case .block, .unblock:
      let item = Element("item", namespace: Feature.blocking, ["jid": target.description])
      context.sendIQ(
        "set",
        Element(request.verb.rawValue, namespace: Feature.blocking, children: [item]),
        .request(request))
    case .abilities:
      // For a person, one of their online clients answers; a room answers itself.
      let device = roster.contacts[target]?.devices.keys.min() ?? ""
      context.sendIQ(
        "get", Element("query", namespace: Feature.info),
        to: Address(local: target.local, domain: target.domain, resource: device),
        .abilities(request))
    case .encrypt: setEncryption(request, with: target.bare)
    case .verify: inspect(request, target.bare)
    // The process itself carries out the others.
    case .presence, .reconnect, .readSettings, .fetch, .fetchUnasked, .decline: break
    case .whois, .device, .kick, .ban, .unban, .promote, .demote, .mode, .ctcp, .line:
      context.answer(
        request, filled(("XMPP has no /%1 in hobnob.", [request.verb.command])))
    }
  }

  /// Lets the lines to somebody go out encrypted from now on, or not.
  private mutating func setEncryption(_ request: NetworkRequest, with account: Address) {
    guard encryption != nil else {
      return context.answer(request, cannotEncrypt)
    }
    let sentence = encryption?.set(
      request.text == "on", with: rooms[account] == nil ? .person(account) : .room(account),
      in: &context)
    context.answer(request, sentence ?? "")
  }

  /// - Parameter target: a person, or a room in which the request names somebody by their nickname.
  private mutating func inspect(_ request: NetworkRequest, _ target: Address) {
    guard encryption != nil else {
      return context.answer(request, cannotEncrypt)
    }
    var account = target
    if let room = rooms[target] {
      guard let shown = room.occupants[request.person]?.account else {
        return context.answer(
          request,
          filled(("%1 does not show the address of %2.", [request.target, request.person])))
      }
      account = shown
    }
    encryption?.inspect(request, account, in: &context)
  }

  // MARK: Signals

  mutating func handle(_ signal: NetworkSignal) {
    switch signal {
    case .typing(let conversation, let isTyping):
      guard let recipient = signalRecipient(in: conversation) else { return }
      typing.announce(isTyping, in: conversation, to: recipient, &context)
    case .receipt(let conversation, let ids, let sender, let state):
      if sender.isOwner || state < .delivered { return }
      if state == .seen, hasUnsentReadMarker(in: conversation) {
        return receipts.postpone(signal, of: conversation)
      }
      guard let recipient = signalRecipient(in: conversation) else { return }
      receipts.send(upTo: ids, in: conversation, state, to: recipient, &context)
    case .open(let conversations):
      encryption?.watch(
        open: Set(
          conversations.compactMap {
            switch $0 {
            case .direct(let name): (Address(name)?.bare).map { .person($0) }
            case .room(let name): (Address(name)?.bare).map { .room($0) }
            }
          }))
      context.needsPump = true
    }
  }

  /// Whether a read marker has to wait, because the client does not know yet who may see that the
  /// owner is online, or because the owner is not in the room yet.
  private func hasUnsentReadMarker(in conversation: ConversationAddress) -> Bool {
    switch conversation {
    case .room(let name): Address(name).flatMap { rooms[$0] }.map { !$0.isEntered } ?? false
    case .direct: !roster.isKnown
    }
  }

  /// Sends the read markers that no longer have to wait.
  mutating func sendPostponedMarkers() {
    for (conversation, signal) in receipts.unsentMarkers
    where !hasUnsentReadMarker(in: conversation) {
      receipts.removeMarker(of: conversation)
      handle(signal)
    }
  }

  /// Whom to send a signal to: a room that the owner is in, or a person who may see that the owner
  /// is online. Nil if the signal must not be sent.
  private func signalRecipient(in conversation: ConversationAddress) -> SignalRecipient? {
    switch conversation {
    case .room(let name):
      guard let address = Address(name), rooms[address]?.isEntered == true else { return nil }
      return SignalRecipient(address: address, isRoom: true)
    case .direct(let name):
      guard let address = Address(name)?.bare, roster.mayKnow(address) else { return nil }
      return SignalRecipient(address: address, isRoom: false)
    }
  }
}
