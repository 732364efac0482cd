// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import LineEditing
import StyledText

/// Where candidates come from: commands, people, rooms, and what a command's argument can be
/// (rules 2.1, 2.5, 2.8).
extension Shell {
  private static let finder = WordFinder(prefixes: ["/", "@", "#"])

  /// What can stand for the word at `caret` (bytes).
  func completions(in text: String, caret: Int) -> Completions? {
    if let found = Self.finder.find(in: text, caret: caret) {
      let all: [Candidate]
      switch found.prefix {
      case "/":
        // Only the first word of a line is a command.
        all =
          editing == nil
          ? Command.table.map { Candidate($0.name, hint: $0.usage) }
          : [
            Candidate("cancel"), Candidate("edit"),
          ]
      case "@": all = people()
      default: all = rooms()
      }
      return answer(all, to: found, in: text)
    }
    return argumentCompletions(in: text, caret: caret)
  }

  private func answer(_ all: [Candidate], to found: FoundWord, in text: String) -> Completions? {
    let ranked = Ranking.candidates(all, matching: found.word)
    let matching = ranked.beginning.isEmpty ? ranked.containing : ranked.beginning
    guard let first = matching.first else { return nil }
    // A command typed in full is meant, though longer ones begin with it.
    let exact = found.prefix == "/" ? matching.first { $0.text == found.word } : nil
    if matching.count == 1 || exact != nil {
      let accepted = Acceptance.replacement(for: exact ?? first, word: found, in: text)
      return Completions(
        word: accepted.range,
        choices: [.init(text: accepted.insert, label: SafeText(name: first.text))],
        common: accepted.insert, suffix: "")
    }
    return Completions(
      word: found.range,
      choices: matching.map {
        .init(
          text: found.prefix + $0.text,
          label: SafeText(line: found.prefix) + SafeText(name: $0.text))
      },
      common: found.prefix + Ranking.commonPart(of: matching, typed: found.word), suffix: "")
  }

  // MARK: Sources

  /// People of the conversation, then everyone known; those who spoke last here first.
  private func people() -> [Candidate] {
    var recency: [ID<Participant>: Int] = [:]
    if let conversation {
      for message in (try? store.messages(in: conversation.id, limit: 200, for: me.id)) ?? [] {
        recency[message.sender] = message.number
      }
    }
    let members = Set(conversation.flatMap { try? store.members(of: $0.id).map(\.id) } ?? [])
    return ((try? store.participants()) ?? []).filter { $0.id != me.id }.map { person in
      // Members stand before everyone else, whoever spoke last.
      let base = members.contains(person.id) ? 1 : 0
      return Candidate(
        person.name, identity: person.identity, recency: recency[person.id].map { $0 + 1 } ?? base)
    }
  }

  private func rooms() -> [Candidate] {
    ((try? store.rooms()) ?? []).map { Candidate(String($0.name.dropFirst())) }
  }

  // MARK: Arguments of commands

  private func argumentCompletions(in text: String, caret: Int) -> Completions? {
    guard editing == nil, LineRules.isCommand(text), !text.contains("\n") else { return nil }
    let utf8 = Array(text.utf8)
    guard caret <= utf8.count else { return nil }
    let start = utf8[..<caret].lastIndex { $0 == 0x20 || $0 == 0x09 }.map { $0 + 1 }
    guard let start else { return nil }
    let end = utf8[caret...].firstIndex { $0 == 0x20 || $0 == 0x09 } ?? utf8.count
    let word = String(decoding: utf8[start..<end], as: UTF8.self)
    let before = String(decoding: utf8[..<start], as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).map(String.init)
    guard let name = before.first, let command = Command.named(String(name.dropFirst())) else {
      return nil
    }
    let candidates = arguments(of: command, after: Array(before.dropFirst()))
    let ranked = Ranking.candidates(candidates, matching: word)
    let bare = ranked.beginning.isEmpty ? ranked.containing : ranked.beginning
    guard !bare.isEmpty else { return nil }
    let space = end < utf8.count ? "" : " "
    return Completions(
      word: start..<end,
      choices: bare.map { .init(text: $0.text, label: SafeText(line: $0.text)) },
      common: Ranking.commonPart(of: bare, typed: word), suffix: space)
  }

  private func arguments(of command: Command, after before: [String]) -> [Candidate] {
    if command.argument == .setting, before.count == 1 {
      return Settings.entry(before[0])?.values.map { Candidate($0) } ?? []
    }
    guard before.isEmpty else { return [] }
    switch command.argument {
    case .room: return rooms()
    case .person: return people()
    case .conversation:
      return ((try? store.listing(for: me.id)) ?? []).map { Candidate($0.conversation.name) }
    case .command: return Command.table.map { Candidate($0.name) }
    case .setting: return Settings.table.map { Candidate($0.name) } + [Candidate("nick")]
    case .drafts: return [Candidate("clear")]
    case .number:
      guard let conversation,
        let newest = try? store.messages(in: conversation.id, limit: 20, for: me.id)
      else { return [] }
      return newest.reversed().filter { $0.sender == me.id && $0.deletedAt == nil }
        .map { Candidate(String($0.number), recency: $0.number) }
    case .text, nil: return []
    }
  }
}
