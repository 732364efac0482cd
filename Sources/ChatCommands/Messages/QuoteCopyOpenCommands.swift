// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Conversations
import Glibc
import Platform
import StyledText

/// `/quote`, `/copy`, `/open`: passes a message's text, or a link or file in it, to the line, the
/// clipboard or another program.
@MainActor
struct QuoteCopyOpenCommands {
  let context: CommandContext

  // MARK: The line

  func quote(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    // Elsewhere /quote sends a line to the server.
    if argument.first?.isLetter == true, let open = context.open.id,
      try snapshot.knownAbilities(of: open).serverCommands
    {
      throw Refusal(
        say(
          "/quote N quotes message N; to send this line to the server, type /irc %1",
          SafeText(line: argument)))
    }
    guard !argument.isEmpty, !argument.contains(where: \.isWhitespace) else { throw usage("quote") }
    let text = SealedLink.hidingKeys(in: try text(of: argument, snapshot))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return .effect(.fillLine(lines.map { $0.isEmpty ? ">\n" : "> \($0)\n" }.joined(), mentions: []))
  }

  func copy(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard !argument.isEmpty, !argument.contains(where: \.isWhitespace) else { throw usage("copy") }
    guard context.outputMode != .plain else {
      throw Refusal(
        say("hobnob cannot copy in plain mode, which sends no control sequences to the terminal."))
    }
    return .effect(.copy(SafeText(body: try text(of: argument, snapshot))))
  }

  private func text(of number: String, _ snapshot: borrowing Snapshot) throws -> String {
    let message = try context.message(named: number, snapshot)
    guard message.deletedAt == nil else { throw RuleError.deleted(message.number) }
    guard !message.body.isEmpty else {
      throw Refusal(say("Message %1 has no text.", SafeText(message.number)))
    }
    return message.body
  }

  // MARK: Other programs

  /// What `/open` can open.
  fileprivate enum Openable {
    case address(SafeText)
    case file(Attachment)

    var shown: SafeText {
      switch self {
      case .address(let text): text
      case .file(let file): SafeText(name: file.name)
      }
    }
  }

  func open(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let number = words.first, words.count <= 2 else { throw usage("open") }
    let message = try context.message(named: number, snapshot)
    guard message.deletedAt == nil else { throw RuleError.deleted(message.number) }
    let found = Self.openables(in: message)
    let shownNumber = SafeText(message.number)
    guard !found.isEmpty else {
      throw Refusal(say("Message %1 has neither a link nor a file.", shownNumber))
    }
    if words.count == 1, found.count > 1 {
      let gap: SafeText = context.glyphs.isSpoken ? " " : "  "
      return .answer(
        found.enumerated().map { StyledLine("  \($0 + 1)" + gap, .dim) + StyledLine($1.shown) }
          + [StyledLine(say("/open %1 2 opens the second of these.", shownNumber), .dim)])
    }
    let index = words.count == 2 ? Int(written: words[1], in: 1...found.count) : 1
    guard let index else {
      throw Refusal(
        say(
          "Message %1 has no link or file number %3; it has only %2.", shownNumber,
          SafeText(found.count),
          SafeText(line: words[1])))
    }
    return try open(found[index - 1], in: snapshot.attachmentFolder)
  }

  fileprivate static func openables(in message: Message) -> [Openable] {
    let body = SafeText(body: message.body)
    return WebAddresses.ranges(in: body.string).map { .address(body.bytes($0)) }
      + message.attachments.map { .file($0) }
  }

  private func open(_ target: Openable, in folder: AttachmentFolder) throws -> Step {
    let named: String
    switch target {
    // An address begins with a scheme, so no program takes it for an option.
    case .address(let text): named = text.string
    case .file(let file):
      named = folder.path(of: file.hash)
      guard access(named, R_OK) == 0 else { throw AttachmentError.gone(name: file.name) }
    }
    return .effect(.launch(opener(of: target) + [named], target: target.shown))
  }

  /// The program and its arguments: `open-command`, else for addresses `$BROWSER`, else `xdg-open`.
  private func opener(of target: Openable) -> [String] {
    let chosen = ChildProcess.words(context.settings.openCommand)
    if !chosen.isEmpty { return chosen }
    if case .address = target,
      let browser = context.preferences.environment["BROWSER"]?.split(separator: ":").first
    {
      let words = ChildProcess.words(String(browser))
      // The address is always the last argument.
      let program = words.filter { $0 != "%s" }
      if !program.isEmpty { return program }
    }
    return ["xdg-open"]
  }
}

extension Arguments {
  static let openable = first {
    $0.numbers($1, among: 100) { !QuoteCopyOpenCommands.openables(in: $0).isEmpty }
  }
}
