// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import Composer
import Conversations
import Sentences
import StyledText

/// The prefixes that begin a word to complete (rule 2.1).
package enum Prefix: String, CaseIterable {
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

  /// All candidates after a prefix.
  mutating func candidates(
    after prefix: Prefix, _ context: CommandContext, _ snapshot: borrowing Snapshot
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
      return roomNames(context, snapshot).filter { $0.hasPrefix("#") }.map {
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

  // MARK: Sources

  private func roomNames(_ context: CommandContext, _ snapshot: borrowing Snapshot) -> [String] {
    ((try? snapshot.rooms(for: context.me.id)) ?? []).map(\.name)
  }

  /// A bare name means the room with one `#`, so only that room is offered without its sign.
  private func roomArguments(_ context: CommandContext, _ snapshot: borrowing Snapshot)
    -> [Candidate]
  {
    roomNames(context, snapshot).map { Candidate($0.hasPrefix("##") ? $0 : Naming.bare($0)) }
  }

  private mutating func conversationCandidates(
    _ context: CommandContext, _ snapshot: borrowing Snapshot
  ) -> [Candidate] {
    let mark = people.markOfChats(snapshot)
    return ((try? snapshot.listing(for: context.me.id)) ?? []).map {
      Candidate($0.conversation.name, mark: mark($0.conversation))
    }
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
    return (
      command, range, word,
      argumentCandidates(
        of: command, after: Array(before.dropFirst()), word, context, snapshot)
    )
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

  /// The filters of `/search`, and their values.
  private mutating func searchFilters(
    for word: String, _ context: CommandContext, _ snapshot: borrowing Snapshot
  ) -> [Candidate] {
    if word.hasPrefix("from:") {
      return [Candidate("from:" + (context.open.nick ?? context.me.name))]
        + people.candidates(in: context.open.id, snapshot).map {
          Candidate("from:" + $0.text, mark: $0.mark)
        }
    }
    if word.hasPrefix("in:") {
      return conversationCandidates(context, snapshot).map {
        // Only a quoted value may have blanks.
        let isQuoted = word.hasPrefix("in:\"") || $0.text.contains(where: \.isWhitespace)
        return Candidate(isQuoted ? "in:\"\($0.text)\"" : "in:" + $0.text, mark: $0.mark)
      }
    }
    for filter in ["since:", "until:"] where word.hasPrefix(filter) {
      return ["today", "yesterday", "7d", "1mo", "1y"].map { Candidate(filter + $0) }
    }
    guard !word.isEmpty else { return [] }
    return ["from:", "in:", "since:", "until:", "has:file"].filter { $0.hasPrefix(word) }
      .map { Candidate($0) }
  }

  private mutating func argumentCandidates(
    of command: Command, after before: [String], _ word: String,
    _ context: CommandContext, _ snapshot: borrowing Snapshot
  ) -> [Candidate] {
    if command.argument == .setting, before.count == 1 {
      let values =
        switch before[0] {
        case Keep.name: Keep.values
        case NotifySetting.name: NotifySetting.values
        default: Settings.entry(before[0])?.values ?? []
        }
      return values.map { Candidate($0) }
    }
    if command.argument == .search { return searchFilters(for: word, context, snapshot) }
    if command.argument == .account || command.argument == .contact {
      return accountArguments(of: command, after: before, context, snapshot)
    }
    guard before.isEmpty else { return [] }
    switch command.argument {
    case .room: return roomArguments(context, snapshot)
    case .person: return people.candidates(in: context.open.id, snapshot)
    case .roomVerb: return [Candidate("rename"), Candidate("remove")]
    case .roomOrPerson:
      return roomArguments(context, snapshot) + people.candidates(in: context.open.id, snapshot)
    case .muted, .ignored:
      return AttentionCommands.names(
        command.argument == .muted ? .muted : .ignored, in: context.attention, for: context.me.id,
        snapshot
      ).map { Candidate($0) }
    case .conversation: return conversationCandidates(context, snapshot)
    case .command: return Command.table.map { Candidate($0.name, hint: $0.help.string) }
    case .setting:
      return Settings.table.map { Candidate($0.name, hint: $0.help.string) }
        + [
          Candidate(Keep.name, hint: Keep.help.string),
          Candidate(NotifySetting.name, hint: NotifySetting.help.string),
        ]
    case .drafts: return [Candidate("clear")]
    case .file:
      return WorkingFolder.candidates(for: word, home: context.preferences.environment["HOME"])
    case .waitingFile:
      return context.composing.files.waiting.files.indices.map {
        Candidate(String($0 + 1), hint: context.composing.files.waiting.files[$0].name)
      }
        + [Candidate("all")]
    case .theme:
      return SharedFiles.themes(environment: context.preferences.environment).map { Candidate($0) }
    case .function:
      return context.composing.line.bindings.filter { !$0.keys.isEmpty }
        .map { Candidate($0.function, hint: KeyNames.list($0.keys)) }
        + OtherClientHint.Program.allCases.map { Candidate($0.rawValue) }
    case .alias: return context.preferences.aliases.map { Candidate($0.key, hint: $0.value) }
    case .number: return messageNumbers(context, snapshot) { $0.sender == context.me.id }
    case .anyNumber: return messageNumbers(context, snapshot) { _ in true }
    case .openable:
      return messageNumbers(context, snapshot, among: 100) { QuoteCopyOpenCommands.opens($0) }
    case .numberWithFile:
      return messageNumbers(context, snapshot, among: 100) { !$0.attachments.isEmpty }
    case .failedNumber:
      let failed =
        (try? context.open.id.map { try snapshot.unsent(by: context.me.id, in: $0) } ?? []) ?? []
      return failed.filter { $0.state == .failed }
        .map { Candidate(String($0.number), hint: $0.failure?.text ?? "") } + [Candidate("all")]
    case .tutorial: return [Candidate("next"), Candidate("stop")]
    case .onOff: return [Candidate("on"), Candidate("off")]
    case .text, .search, .account, .contact, nil: return []
    }
  }

  /// The possible arguments of `/account`, `/connect`, `/disconnect` and `/contact`.
  private mutating func accountArguments(
    of command: Command, after before: [String], _ context: CommandContext,
    _ snapshot: borrowing Snapshot
  ) -> [Candidate] {
    let mine = { context.accounts.list.map { Candidate($0.address) } }
    switch (command.name, before.count) {
    case ("contact", 0): return NetworkCommands.verbs.map { Candidate($0.name) }
    case ("contact", 1): return people.candidates(in: context.open.id, snapshot)
    case ("account", 0): return ["add", "list", "remove", "set"].map { Candidate($0) }
    case ("account", 1) where before[0] == "add": return []
    case ("account", 2) where before[0] == "set":
      return AccountCommands.options.map { Candidate($0.name, hint: $0.help.string) }
    case ("account", 2...) where before[0] == "add" && before.count.isMultiple(of: 2):
      return AccountCommands.options.map { Candidate("--" + $0.name, hint: $0.help.string) }
    case ("account", 1), ("connect", 0), ("disconnect", 0): return mine()
    default: return []
    }
  }

  /// The numbers of the newest messages here.
  private func messageNumbers(
    _ context: CommandContext, _ snapshot: borrowing Snapshot, among most: Int = 20,
    _ isMeant: (Message) -> Bool
  ) -> [Candidate] {
    guard let conversation = context.open.conversation,
      let newest = try? snapshot.messages(in: conversation.id, limit: most, for: context.me.id)
    else { return [] }
    return newest.reversed().filter { $0.deletedAt == nil && isMeant($0) }.map {
      // With numbers off, only the text tells which message a number means.
      let text = $0.shownBody.isEmpty ? $0.attachments.map(\.name).joinedAsList() : $0.shownBody
      let hint = $0.sender == context.me.id ? text : "\($0.senderName): \(text)"
      return Candidate(String($0.number), recency: $0.isPast ? 0 : $0.number, hint: hint)
    }
  }
}
