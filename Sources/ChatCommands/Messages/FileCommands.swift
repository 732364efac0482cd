// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import Exchange
import Platform
import StyledText

/// `/attach`, `/detach`, `/save` (rule 8) and `/export` (rule 10).
@MainActor
struct FileCommands {
  let context: CommandContext
  private var files: WaitingFiles { context.waitingFiles }
  private var environment: [String: String] { context.preferences.environment }

  package func attach(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard !argument.isEmpty else {
      guard !files.isEmpty else { return .tell(say("No files are attached.")) }
      return .answer(files.listing(context.widths, gap: context.glyphs.isSpoken ? ", " : nil))
    }
    return Step([.attach(argument)])
  }

  func detach(_ argument: String) throws -> Step {
    guard !files.isEmpty else { throw Refusal(say("No files are attached.")) }
    let number = Int(written: argument, in: 1...files.count)
    guard argument == "all" || number != nil else {
      throw Refusal(
        say(
          "%1 is not the number of an attached file; /attach lists them.", SafeText(line: argument))
      )
    }
    let left = number == nil ? 0 : files.count - 1
    return Step([
      .detach(number),
      .tell(
        left == 0
          ? say("No files are attached now.")
          : say("1 file is attached.", "%1 files are attached.", count: left)),
    ])
  }

  /// `/save N [PATH]` (rule 8.2): a name that somebody else chose never decides the folder (rule
  /// 12.4).
  func save(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let words = argument.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
    guard let number = words.first else { throw usage("save") }
    let message = try context.message(named: number, snapshot)
    let here = WorkingFolder.path ?? "."
    var path = words.count > 1 ? RcFile.expanded(words[1], environment) : here
    if !path.hasPrefix("/") { path = here + "/" + path }
    if message.attachments.isEmpty, let step = try fetch(message, path) { return step }
    guard !message.attachments.isEmpty else {
      throw Refusal(say("Message %1 has no files.", SafeText(message.number)))
    }
    return try begin(.save(message.attachments, to: path, from: snapshot.attachmentFolder))
  }

  // MARK: Out of the store

  private func begin(_ chore: FileChore) throws -> Step {
    try chore.check()
    return Step([.startChore(chore)])
  }

  // MARK: Files on a network

  /// Fetches the files of a message that has only their addresses, and saves them when they arrive.
  ///
  /// - Returns: nil if the message has no such files, or is not from a network.
  /// - Throws: ``Refusal`` if its addresses cannot be trusted.
  private func fetch(_ message: Message, _ path: String) throws -> Step? {
    let body = SafeText(body: message.body)
    let addresses = WebAddresses.ranges(in: body.string).map { body.bytes($0).string }
    let links =
      addresses.filter { $0.hasPrefix("https://") } + SealedLink.links(in: message.body)
    guard let network = context.network,
      let account = context.accounts.list.first(where: { $0.network == network })
    else { return nil }
    if links.isEmpty {
      guard addresses.contains(where: { $0.hasPrefix("http://") }) else { return nil }
      throw Refusal(
        say(
          "hobnob fetches files only from https:// links; message %1 has none.",
          SafeText(message.number)))
    }
    let said =
      context.accounts.isWanted(account)
      ? say(
        "hobnob is fetching the files of message %1, and will save them when they arrive.",
        SafeText(message.number))
      : say("%1 is disconnected; type /connect to continue.", SafeText(line: account.name))
    return Step { transaction in
      let requests = try links.map {
        try transaction.ask(
          .fetch, target: String(message.id.rawValue), text: $0, of: account)
      }
      return requests.map {
        .saveLater($0.id, PendingSave(message: message.id, path: path))
      } + [.tell(said)]
    }
  }

  // MARK: Exporting

  /// Writes the open conversation to a new file.
  func export(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let conversation = try context.open.required()
    let here = WorkingFolder.path ?? "."
    var path =
      argument.isEmpty
      ? usualName(for: conversation) : RcFile.expanded(argument, environment)
    if !path.hasPrefix("/") { path = here + "/" + path }
    return try begin(.export(conversation.id, of: snapshot.path, to: path))
  }

  /// `lobby-2026-11-21.jsonl`
  private func usualName(for conversation: Conversation) -> String {
    let day = LocalTime.stamp(Clock.wall()).string.prefix { $0 != " " }
    return FileName.safe(conversation.name.dropFirst() + "-\(day).jsonl")
  }
}

extension Arguments {
  static let file = first { query, _ in
    WorkingFolder.candidates(
      for: query.word, home: query.context.preferences.environment["HOME"])
  }
  static let waitingFile = first { query, _ in
    query.context.waitingFiles.files.enumerated().map {
      Candidate(String($0 + 1), hint: $1.name)
    } + [Candidate("all")]
  }
  static let numberWithFile = first { $0.numbers($1, among: 100) { !$0.attachments.isEmpty } }
}
