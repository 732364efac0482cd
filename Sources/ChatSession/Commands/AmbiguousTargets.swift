// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What the person answered to a question.
package enum Intent: Equatable, Sendable {
  /// To go to this room, made if there is none (rule 13.4).
  case room(String)
  /// To make this room here and go to it (rule 11.7).
  case newRoom(String)
  /// To go to this conversation, which is there.
  case conversation(String)
  /// That a conversation forgets what is older than so many milliseconds (rule 7.12).
  case keep(ID<Conversation>, Milliseconds)
  /// That a room is removed (rule 13.10).
  case removal(ID<Conversation>)
}

/// A name that is not there but is near one that is: at a prompt it is asked which is meant.
extension ConversationCommands {
  /// - Returns: false where nothing is asked: nobody sits there, or nothing is near.
  func confirmsAmbiguousName(roomToJoin name: String) throws -> Bool {
    guard let near = try near(toRoom: name) else { return false }
    emit(
      .ask(
        say(
          "There is no room %1. y: join %2, m: make %1, any other key: neither",
          SafeText(name: Self.signed(name)), SafeText(name: near)),
        ["y": .room(near), "m": .room(name)]))
    return true
  }

  /// Asks whether to make the room that the command line names (rule 11.7).
  ///
  /// - Parameter subcommand: one with a similar name, which may be meant.
  func ask(aboutRoom name: String, subcommand: String?) throws {
    let shown = SafeText(name: Self.signed(name))
    if let subcommand {
      emit(
        .ask(
          say(
            "There is no room %1, but hobnob %2. y: make %1, any other key: stay here", shown,
            SafeText(line: subcommand)), ["y": .newRoom(name)]))
    } else if let near = Conversation.nearest(
      to: name, among: try store.read { try $0.rooms(for: me.id) }.map(\.name))
    {
      emit(
        .ask(
          say(
            "There is no room %1. y: join %2, m: make %1, any other key: neither", shown,
            SafeText(name: near)), ["y": .room(near), "m": .newRoom(name)]))
    } else {
      emit(
        .ask(
          say("There is no room %1. y: make it, any other key: stay here", shown),
          ["y": .newRoom(name)]))
    }
  }

  /// Where several rooms are joined, nothing is asked of each.
  ///
  /// - Throws: also where one of them cannot be a room's, so that all are joined or none.
  func refuseNearNames(_ names: [String]) throws {
    for name in names {
      guard let near = try near(toRoom: name) else { continue }
      throw Refusal(
        say(
          "There is no room %1. Did you mean %2? /join %1 alone can make it.",
          SafeText(name: Self.signed(name)), SafeText(name: near)))
    }
  }

  /// - Returns: nil for a room that is there, or would be on a network, where nobody knows them all.
  /// - Throws: where it cannot be a room's name.
  private func near(toRoom name: String) throws -> String? {
    guard try NetworkCommands(session: session).room(name) == nil,
      try store.read({ try $0.room(name, for: me.id) }) == nil, session.isInteractive
    else { return nil }
    return Conversation.nearest(
      to: name, among: try store.read { try $0.rooms(for: me.id) }.map(\.name))
  }

  /// What a name that was typed to go there stands for.
  enum Meant {
    case found(Conversation)
    /// The name of one that is near; to be asked about.
    case near(String)
  }

  /// By name, or by the number in `/list` where no room and nobody is called so.
  ///
  /// - Throws: where there is none, nor one that is near.
  func meant(by name: String) throws -> Meant {
    do {
      return .found(
        try store.writeDurablyIfNeeded { try $0.conversation(meantBy: name, me: me.id) })
    } catch let error as RuleError {
      switch error {
      case .noSuchRoom, .noSuchParticipant: break
      default: throw error
      }
      if name.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(name) {
        if let found = try switcher.conversation(number) { return .found(found) }
        throw Refusal(
          say("There is no room %1, and no conversation %1 in /list.", SafeText(number)))
      }
      let mine = try store.read { try $0.listing(for: me.id) }.map(\.conversation.name)
      let all = try mine + store.read { try $0.rooms(for: me.id) }.map(\.name) + others()
      guard session.isInteractive,
        let near = Conversation.nearest(to: name, among: all, beginning: true)
      else { throw error }
      return .near(near)
    }
  }

  /// Asks whether the near one is meant.
  func ask(_ near: String, for name: String) {
    drafts.keepKilledDraft()
    emit(
      .ask(
        say(
          "There is no %1. y: go to %2, any other key: stay", SafeText(name: Self.signed(name)),
          SafeText(name: near)), ["y": .conversation(near)]))
  }

  /// Everyone but me, with `@`.
  private func others() throws -> [String] {
    try store.read { try $0.participants(for: me.id) }.filter { $0.id != me.id }.map {
      "@" + $0.name
    }
  }

  /// Said where somebody is written to whom there is not: who or what may be meant.
  func nobody(called name: String) throws -> Refusal {
    if !name.hasPrefix("@"), let room = try store.read({ try $0.room(name, for: me.id) }) {
      let command: SafeText =
        try store.read { try $0.isMember(me.id, of: room.id) } ? "/switch" : "/join"
      return Refusal(
        say("%1 is a room; %2 %1 goes there.", SafeText(name: room.name), command))
    }
    let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
    let shown = SafeText(name: bare)
    if let near = Conversation.nearest(to: "@" + bare, among: try others(), beginning: true) {
      return Refusal(
        say(
          "There is no one named %1; did you mean /msg %2?", shown,
          SafeText(name: String(near.dropFirst()))))
    }
    if let account = session.accounts.present, !bare.isEmpty, !bare.contains("/") {
      return Refusal(
        say(
          "No one named %1 has used this store; for somebody on %2, type /msg %3.", shown,
          SafeText(line: account.domain), SafeText(line: account.address(of: bare))))
    }
    return Refusal(say("No one named %1 has used this store.", shown))
  }

  func carryOut(_ intent: Intent) throws {
    let (target, isNew): (Conversation, Bool)
    switch intent {
    case .room(let name): (target, isNew) = try joined(room: name)
    case .newRoom(let name): (target, isNew) = try made(room: name)
    case .conversation(let name):
      (target, isNew) = (
        try store.writeDurablyIfNeeded { try $0.conversation(meantBy: name, me: me.id) }, false
      )
    case .keep(let conversation, let age):
      return try KeepCommand(session: session).set(age, in: conversation)
    case .removal(let room): return try RoomCommands(session: session).remove(room)
    }
    // What stands in the line stays behind as the draft.
    if line.isEmpty { try place.go(to: target, isNew: isNew) } else { switcher.enter(target.id) }
  }

  /// As a room, where it has no sign.
  private static func signed(_ name: String) -> String {
    name.hasPrefix("#") || name.hasPrefix("@") ? name : "#" + name
  }
}
