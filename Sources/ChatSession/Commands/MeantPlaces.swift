// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What a person says they mean who was asked (rule 13.4).
package enum MeantPlace: Equatable, Sendable {
  /// This room, made if there is none.
  case room(String)
  /// This conversation, which is there.
  case conversation(String)
}

/// A name that is not there but is near one that is: at a prompt it is asked which is meant.
extension ConversationCommands {
  /// - Returns: false where nothing is asked: nobody sits there, or nothing is near.
  func asksWhoMeans(roomToJoin name: String) throws -> Bool {
    let rooms = try store.rooms().map(\.name)
    guard session.isInteractive, try store.room(name, create: false) == nil,
      let near = Self.nearest(to: name, among: rooms)
    else { return false }
    emit(
      .ask(
        say(
          "There is no room %1. y: join %2, n: make %1, any other key: neither",
          SafeText(name: Self.signed(name)), SafeText(name: near)),
        yes: .room(near), no: .room(name)))
    return true
  }

  /// Where several rooms are joined, nothing is asked of each.
  func refuseNearNames(_ names: [String]) throws {
    guard session.isInteractive else { return }
    let rooms = try store.rooms().map(\.name)
    for name in names where try store.room(name, create: false) == nil {
      guard let near = Self.nearest(to: name, among: rooms) else { continue }
      throw Refusal(
        say(
          "There is no room %1. Did you mean %2? /join %1 alone can make it.",
          SafeText(name: Self.signed(name)), SafeText(name: near)))
    }
  }

  /// The same for a conversation to go to, where it was looked for in vain.
  func asksWhoMeans(conversation name: String) throws -> Bool {
    guard session.isInteractive else { return false }
    let mine = try store.listing(for: me.id).map(\.conversation.name)
    let others = try store.participants().filter { $0.id != me.id }.map { "@" + $0.name }
    let all = mine + (try store.rooms().map(\.name)) + others
    guard let near = Self.nearest(to: name, among: all) else { return false }
    emit(
      .ask(
        say(
          "There is no %1. y: go to %2, any other key: stay", SafeText(name: Self.signed(name)),
          SafeText(name: near)), yes: .conversation(near), no: nil))
    return true
  }

  func go(to place: MeantPlace) throws {
    switch place {
    case .room(let name): try self.place.go(to: try joined(room: name))
    case .conversation(let name):
      try self.place.go(to: try store.conversation(meantBy: name, me: me.id))
    }
  }

  /// As a room, where it has no sign.
  private static func signed(_ name: String) -> String {
    name.hasPrefix("#") || name.hasPrefix("@") ? name : "#" + name
  }

  /// The conversation whose name is so few changes away that it was likely meant.
  ///
  /// - Parameter names: with their signs; without one in `name`, all are compared without.
  static func nearest(to name: String, among names: [String]) -> String? {
    let typed = Ranking.folded(name)
    let hasSign = typed.hasPrefix("#") || typed.hasPrefix("@")
    let letters = typed.count - (hasSign ? 1 : 0)
    // Of two letters each is a name of its own; of a long name two may be wrong.
    let most = letters < 3 ? 0 : letters < 6 ? 1 : 2
    var best: (name: String, distance: Int)?
    for candidate in names {
      let folded = Ranking.folded(candidate)
      let compared = hasSign ? folded : String(folded.dropFirst())
      guard abs(compared.count - typed.count) <= most, !differInNumber(compared, typed) else {
        continue
      }
      let distance = Command.distance(compared, typed)
      if distance <= most, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// `dev2` beside `dev` or `dev1` is hardly a slip.
  private static func differInNumber(_ one: String, _ other: String) -> Bool {
    one != other && one.filter { !$0.isNumber } == other.filter { !$0.isNumber }
  }
}
