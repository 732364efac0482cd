// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import Composer
import Conversations

/// What the words after a command can be, for completion (rule 2.8). Those of one command lie
/// beside it.
package struct Arguments: Sendable {
  package typealias Candidates =
    @MainActor @Sendable (inout ArgumentQuery, borrowing Snapshot) -> [Candidate]

  package let candidates: Candidates

  init(_ candidates: @escaping Candidates) { self.candidates = candidates }

  /// Only the first word after the command can be one of these.
  static func first(_ candidates: @escaping Candidates) -> Arguments {
    Arguments { $0.before.isEmpty ? candidates(&$0, $1) : [] }
  }

  static func words(_ words: String...) -> Arguments {
    first { _, _ in words.map { Candidate($0) } }
  }

  static let room = Arguments { $0.continuing($0.rooms($1)) }
  static let person = Arguments { $0.mayContinue ? $0.continuing($0.names($1)) : [] }
  static let roomOrPerson = Arguments {
    $0.mayContinue ? $0.continuing($0.rooms($1) + $0.names($1)) : []
  }
  static let conversation = Arguments { $0.continuing($0.conversations($1)) }
  static let anyNumber = first { $0.numbers($1) { _ in true } }
}

/// A word after a command, to complete.
@MainActor
package struct ArgumentQuery {
  let context: CommandContext
  /// The words between the command and this one.
  let before: [String]
  let word: String
  package private(set) var people: PeopleCandidates

  package init(
    _ word: String, after before: [String], _ context: CommandContext, _ people: PeopleCandidates
  ) {
    (self.context, self.before, self.word, self.people) = (context, before, word, people)
  }

  /// A bare name means the room with one `#`, so only that room is offered without its sign.
  func rooms(_ snapshot: borrowing Snapshot) -> [Candidate] {
    if let found = addresses({ snapshot.roomAddresses(on: $0) }) { return found }
    return context.roomNames(snapshot).map { Candidate($0.hasPrefix("##") ? $0 : Naming.bare($0)) }
  }

  /// Whether a name can go on after a blank. Otherwise a key in the text after it must not read all
  /// people.
  var mayContinue: Bool {
    before.isEmpty || context.accounts.list.contains(where: \.rules.isOpaque)
  }

  /// Of names that may have blanks, those that begin with the words before this one, without these
  /// words.
  ///
  /// - Parameter skipped: how many of the words before this one are no part of the name.
  func continuing(_ names: [Candidate], skipping skipped: Int = 0) -> [Candidate] {
    let before = before.dropFirst(skipped)
    if before.isEmpty { return names }
    let start = before.joined(separator: " ") + " "
    return names.compactMap { name in
      guard name.text.utf8.contains(0x20) else { return nil }
      // A sign may be typed that the name does not have here.
      for whole in [name.text, "#" + name.text]
      where Naming.same(String(whole.prefix(start.count)), start) {
        return Candidate(String(whole.dropFirst(start.count)), hint: name.hint, mark: name.mark)
      }
      return nil
    }
  }

  mutating func names(_ snapshot: borrowing Snapshot) -> [Candidate] {
    if let found = addresses({ snapshot.personAddresses(on: $0) }) { return found }
    return people.candidates(in: context.open.id, snapshot)
  }

  mutating func conversations(_ snapshot: borrowing Snapshot) -> [Candidate] {
    if let found = addresses({
      snapshot.roomAddresses(on: $0) + snapshot.personAddresses(on: $0)
    }) {
      return found
    }
    let mark = people.markOfChats(snapshot)
    return ((try? snapshot.listing(for: context.me.id)) ?? []).map {
      Candidate($0.conversation.name, mark: mark($0.conversation))
    }
  }

  /// Once the kind of a network is typed, as in `matrix:@b`: the addresses on the accounts of that
  /// kind, each found by its beginning or by the beginning of the shown name.
  private func addresses(_ known: (Account) -> [(address: String, name: String)]) -> [Candidate]? {
    let (words, accounts) = (before + [word], context.accounts.list)
    let first = words.firstIndex { word in accounts.contains { $0.withoutKind(word) != nil } }
    guard let first else { return nil }
    let typed = words[first...].joined(separator: " ")
    let named = accounts.compactMap { account in
      account.withoutKind(typed).map { (account: account, start: $0) }
    }
    return named.flatMap { account, start in
      let prefix = String(typed.dropLast(start.count))
      return known(account).map { address, name in
        let isAddress = address.lowercased().hasPrefix(start.lowercased())
        return Candidate(
          named.count > 1
            ? Account.word(for: address, on: account.network) : prefix + address,
          hint: name, name: prefix + (isAddress ? address : name))
      }
    }
  }

  /// The numbers of the newest messages here.
  func numbers(
    _ snapshot: borrowing Snapshot, among most: Int = 20, _ isMeant: (Message) -> Bool
  ) -> [Candidate] {
    guard let conversation = context.open.id,
      let newest = try? snapshot.messages(in: conversation, limit: most, for: context.me.id)
    else { return [] }
    return newest.reversed().filter { $0.deletedAt == nil && isMeant($0) }.map {
      // With numbers off, only the text tells which message a number means.
      let text = $0.shownBody.isEmpty ? $0.attachments.map(\.name).joinedAsList() : $0.shownBody
      let hint = $0.sender == context.me.id ? text : "\($0.senderName): \(text)"
      return Candidate(String($0.number), recency: $0.isPast ? 0 : $0.number, hint: hint)
    }
  }
}

extension CommandContext {
  package func roomNames(_ snapshot: borrowing Snapshot) -> [String] {
    ((try? snapshot.rooms(for: me.id)) ?? []).map(\.name)
  }
}

extension Access {
  fileprivate func roomAddresses(on account: Account) -> [(address: String, name: String)] {
    let rooms = (try? rooms(for: account.owner))?.filter { $0.network == account.network } ?? []
    return rooms.compactMap { room in (try? networkAddress(of: room.id)).map { ($0, room.name) } }
  }

  fileprivate func personAddresses(on account: Account) -> [(address: String, name: String)] {
    ((try? participants(for: account.owner)) ?? [])
      .filter { $0.network == account.network && !$0.isOccupant }.map { ($0.identity, $0.name) }
  }
}
