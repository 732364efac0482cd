// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import ChatScripts
import ChatSession
import Composer
import LineEditing
import Platform
import StyledText

/// The menu, the mentions (rule 2) and the listeners (rule 9) of the line being typed.
typealias LiveCompletion = BarController<LineEditor>

extension BarController where Line == LineEditor {
  convenience init(session: Session, editor: LineEditor) {
    var registry = CompletionRegistry()
    registry.order = LocaleOrder.compare
    for prefix in CompletionPrefix.allCases {
      registry.register(
        prefix.rawValue, source: ShellSource(prefix, of: session), prefix.rules(in: session))
    }
    self.init(editor, registry: registry, argumentSource: ShellArguments(of: session))
    prepare = { [weak session] completion in
      guard let session else { return }
      // Prefixes mean nothing in the name of a conversation.
      completion.registry = session.mode.isChoosing ? CompletionRegistry() : registry
      completion.arrowsEnter = session.mode.isChoosing
      let settings = session.preferences.settings
      completion.isLive = settings.liveMenu
      completion.maxRows = max(1, settings.maxMenuRows)
    }
    ring = { [weak editor] in editor?.display.bell() }
    allowsSending = { [weak session] text in
      session.map {
        $0.preferences.settings.lineRules.allowsSending(
          text, hasAttachments: !$0.composing.files.waiting.isEmpty)
      } ?? false
    }
  }
}

extension CompletionPrefix {
  /// When the menu opens by itself, and how an accepted word is inserted (rules 2.4, 2.6).
  @MainActor
  func rules(in session: Session) -> PrefixRules {
    let asCharacter = { [weak session] in
      session?.preferences.settings.emojiIsCharacter ?? true
    }
    return switch self {
    case .command: PrefixRules(lineStartOnly: true)
    // On a network, addresses distinguish people.
    case .person: PrefixRules(namesMayContainPrefix: true, behindAtLineStart: ":")
    case .room: PrefixRules(opensAfter: 1, namesMayBeginWithPrefix: true)
    case .emoji: .emoji(opensAfter: 2, asCharacter: asCharacter)
    case .reaction: .emoji(opensAfter: 2, keeping: "+", asCharacter: asCharacter)
    }
  }
}

/// The candidates after one prefix, for the live menu.
@MainActor
final class ShellSource: @MainActor CompletionSource {
  private weak var session: Session?
  private let prefix: CompletionPrefix

  init(_ prefix: CompletionPrefix, of session: Session) {
    self.prefix = prefix
    self.session = session
  }

  func candidates(for question: CompletionQuestion) -> [Candidate] {
    session?.candidates(after: prefix) ?? []
  }
}

/// The arguments of commands, for the live menu (rule 2.8).
@MainActor
final class ShellArguments: @MainActor ArgumentSource {
  private weak var session: Session?

  init(of session: Session) { self.session = session }

  func argument(
    in text: String, caret: Int
  ) -> (range: Range<Int>, word: String, candidates: [Candidate], hint: SafeText?)? {
    if let (list, word) = session?.mode.choices?.candidates(for: text) {
      return (0..<text.utf8.count, word, list, nil)
    }
    guard let found = session?.commandArgument(in: text, caret: caret) else { return nil }
    return (
      found.range, found.word, found.candidates,
      SafeText(line: found.command.usage) + "  " + found.command.help
    )
  }

  func bareWord(
    in text: String, caret: Int
  ) -> (range: Range<Int>, word: String, candidates: [Candidate], behindAtLineStart: String)? {
    guard let session, !session.mode.isChoosing,
      let found = session.bareName(in: text, caret: caret)
    else { return nil }
    return (found.range, found.word, found.candidates, ":")
  }
}
