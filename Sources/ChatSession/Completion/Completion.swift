// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// The prefixes that begin a word to complete (rule 2.1).
package enum CompletionPrefix: String, CaseIterable {
  case command = "/"
  case person = "@"
  case room = "#"
  case emoji = ":"
  case reaction = "+:"
}

/// The sources of candidates: commands, people, rooms, emoji, and possible arguments of commands
/// (rules 2.1, 2.5, 2.8).
@MainActor
struct Completion {
  /// A word to complete: where it is, in bytes, and what it can become.
  typealias Word = (range: Range<Int>, word: String, candidates: [Candidate])

  var people: PeopleCandidates
  var emoji = EmojiUse()

  init(me: ID<Participant>, glyphs: Glyphs) {
    people = PeopleCandidates(me: me, glyphs: glyphs)
  }

  mutating func candidates(
    after prefix: CompletionPrefix, _ context: CommandContext, _ snapshot: borrowing Snapshot
  ) -> [Candidate] {
    switch prefix {
    case .command:
      // Only the first word of a line is a command.
      if context.composing.mode.isEditing { return [Candidate("cancel"), Candidate("edit")] }
      let idle = CanCommand.commandsThatDoNotWork(in: context.open.conversation, snapshot)
      return Command.table.filter { !idle.contains($0.name) }
        .map { Candidate($0.name, hint: $0.help.string) }
        + context.preferences.aliases.map { Candidate($0.key, hint: $0.value) }
    case .person: return people.candidates(in: context.open.id, snapshot)
    case .room:
      // On a network a room may have another sign.
      return context.roomNames(snapshot).filter { $0.hasPrefix("#") }.map {
        Candidate(Naming.bare($0))
      }
    case .reaction where abilitiesHere(context, snapshot).reactionLimit == .no: return []
    case .emoji, .reaction:
      return emoji.candidates(
        of: context.me.id, context.scene.shell, context.preferences.emoji, snapshot)
    }
  }

  private func abilitiesHere(_ context: CommandContext, _ snapshot: borrowing Snapshot) -> Abilities
  {
    guard let here = context.open.id else { return Abilities() }
    return (try? snapshot.knownAbilities(of: here)) ?? Abilities()
  }

  // MARK: Arguments of commands

  /// The command argument that the caret, in bytes, is in.
  mutating func commandArgument(
    in text: String, caret: Int, _ context: CommandContext, _ snapshot: borrowing Snapshot
  ) -> (command: Command, range: Range<Int>, word: String, candidates: [Candidate])? {
    guard !context.composing.mode.isEditing, LineRules.isCommand(text), !text.contains("\n"),
      let (range, word) = Self.stretch(around: caret, in: text), range.lowerBound > 0
    else { return nil }
    let before = String(decoding: text.utf8.prefix(range.lowerBound), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).map(String.init)
    guard let name = before.first,
      let command = Self.command(meantBy: String(name.dropFirst()), context)
    else {
      return nil
    }
    // Two owners of the names would copy them all at the next change.
    var known = PeopleCandidates(me: people.me, glyphs: people.glyphs)
    swap(&known, &people)
    var query = ArgumentQuery(word, after: Array(before.dropFirst()), context, consume known)
    defer { people = query.people }
    return (command, range, word, command.arguments?.candidates(&query, snapshot) ?? [])
  }

  /// The text between the blanks around the caret, in bytes.
  private static func stretch(
    around caret: Int, in text: String
  ) -> (range: Range<Int>, word: String)? {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0A }
    let utf8 = Array(text.utf8)
    guard caret <= utf8.count else { return nil }
    let start = utf8[..<caret].lastIndex(where: isBlank).map { $0 + 1 } ?? 0
    let end = utf8[caret...].firstIndex(where: isBlank) ?? utf8.count
    return (start..<end, String(decoding: utf8[start..<end], as: UTF8.self))
  }

  /// A name without `@` before or around the caret, in bytes, in text for others (rule 2.12); nil
  /// if nobody here has the name.
  mutating func bareName(
    in text: String, caret: Int, _ context: CommandContext, _ snapshot: borrowing Snapshot
  ) -> Word? {
    guard context.preferences.settings.bareNames,
      var (range, word) = Self.stretch(around: caret, in: text)
    else { return nil }
    if LineRules.isCommand(text), !context.composing.mode.isEditing {
      guard let said = Command.message(in: context.preferences.unaliased(text)),
        range.lowerBound >= text.utf8.count - said.utf8.count
      else { return nil }
    }
    while let first = word.first, "([{\"'".contains(first) {
      word.removeFirst()
      range = (range.lowerBound + 1)..<range.upperBound
    }
    guard range.lowerBound < caret, !word.isEmpty else { return nil }
    let found = people.here(named: word, in: context.open.id, snapshot)
    return found.isEmpty ? nil : (range, word, found)
  }

  /// The command with a name; an alias that is only another name for a command has its arguments.
  private static func command(
    meantBy name: String, _ context: CommandContext
  ) -> Command? {
    Command.named(name)
      ?? context.preferences.aliases[name].flatMap { Command.named(String($0.dropFirst())) }
  }
}
