// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Exchange
import StyledText

/// `/attach`, `/detach`, `/save` (rule 8) and `/export` (rule 10).
@MainActor
struct FileCommands: SessionPart {
  let session: Session

  func attach(_ argument: String) throws {
    guard !argument.isEmpty else {
      guard !files.waiting.isEmpty else { return tell(say("No files wait to be sent.")) }
      return transcript.answer(files.waiting.listing(transcript.printer.options.widths))
    }
    try files.attach(fileAt: argument)
  }

  func detach(_ argument: String) throws {
    guard !files.waiting.isEmpty else { throw Refusal(say("No files wait to be sent.")) }
    let number = Int(written: argument, in: 1...files.waiting.count)
    guard argument == "all" || number != nil, files.detach(number) else {
      throw Refusal(
        say(
          "%1 is not the number of a waiting file; /attach lists them.", SafeText(line: argument)))
    }
    tell(
      files.waiting.isEmpty
        ? say("No files wait now.")
        : files.waiting.count == 1
          ? say("1 file waits.") : say("%1 files wait.", SafeText(files.waiting.count)))
  }
  /// `/save N [PATH]` (rule 8.2): names come from elsewhere and never choose the place (rule 12.4).
  func save(_ argument: String) throws {
    let words = argument.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
    guard let number = words.first else { throw usage("save") }
    let message = try session.message(named: number)
    let here = WorkingFolder.path ?? "."
    var place = words.count > 1 ? RcFile.expanded(words[1], session.preferences.environment) : here
    if !place.hasPrefix("/") { place = here + "/" + place }
    if message.attachments.isEmpty, try fetch(message, place) { return }
    guard !message.attachments.isEmpty else {
      throw Refusal(say("Message %1 has no files.", SafeText(message.number)))
    }
    try begin(.save(message.attachments, to: place, from: store.attachmentFolder))
  }

  // MARK: Out of the store

  private func begin(_ chore: FileChore) throws {
    try chore.check()
    if session.isInteractive { return emit(.write(chore)) }
    // Nobody types meanwhile.
    let outcome = chore.outcome()
    tellDone(chore, outcome)
    if let failure = outcome.failure { throw Refusal(failure) }
  }

  /// Files were written, in this process or another.
  func ended(_ chore: FileChore, _ outcome: FileChore.Outcome) {
    tellDone(chore, outcome)
    if let failure = outcome.failure { transcript.complain([failure]) }
  }

  private func tellDone(_ chore: FileChore, _ outcome: FileChore.Outcome) {
    switch chore {
    case .save:
      for path in outcome.done { tell(say("Saved as %1", SafeText(line: path))) }
    case .export(_, _, let path):
      guard let messages = outcome.done.first else { return }
      tell(say("Wrote %1 messages to %2", SafeText(line: messages), SafeText(line: path)))
      if let count = outcome.done.dropFirst().first, count != "0" {
        tell(
          say(
            "Import will skip %1 of the messages: each exceeds 16 MB with all that belongs to it.",
            SafeText(line: count)))
      }
      for name in outcome.done.dropFirst(2) {
        tell(
          say(
            "File %1 is gone or damaged; its message is exported without it.",
            SafeText(name: name)))
      }
    }
  }

  // MARK: Files on a network

  /// Has the files fetched that a message only has the addresses of; they are saved when they are
  /// there.
  ///
  /// - Returns: false where there are none, or it came over no network.
  /// - Throws: ``Refusal`` where its addresses cannot be trusted on the way.
  private func fetch(_ message: Message, _ place: String) throws -> Bool {
    let body = SafeText(body: message.body)
    let addresses = WebAddresses.ranges(in: body.string).map { body.bytes($0).string }
    let links = addresses.filter { $0.hasPrefix("https://") }
    guard let network = self.place.conversation?.network,
      let account = session.accounts.list.first(where: { $0.network == network })
    else { return false }
    if links.isEmpty {
      guard addresses.contains(where: { $0.hasPrefix("http://") }) else { return false }
      throw Refusal(
        say(
          "hobnob fetches files only from https:// addresses; message %1 has none.",
          SafeText(message.number)))
    }
    for link in links {
      let request = try store.writeDurably {
        try $0.ask(
          .fetch, target: String(message.id.rawValue), text: link, of: account)
      }
      session.accounts.saves[request.id] = Accounts.Save(message: message.id, place: place)
    }
    tell(
      session.accounts.isWanted(account)
        ? say("hobnob is fetching it, and will save it when it arrives.")
        : say("%1 is disconnected; type /connect to continue.", SafeText(line: account.address)))
    return true
  }

  /// A file was fetched, or was not, with the reason: once all of a message are done, what came is
  /// saved.
  func fetched(_ answer: NetworkAnswer) {
    guard let save = session.accounts.saves.removeValue(forKey: answer.request.id),
      !session.accounts.saves.values.contains(save)
    else { return }
    session.reportingErrors {
      if let message = try store.read({ try $0.message(save.message, for: me.id) }) {
        try begin(.save(message.attachments, to: save.place, from: store.attachmentFolder))
      }
    }
  }

  // MARK: Exporting

  /// Writes the open conversation to a new file.
  func export(_ argument: String) throws {
    let conversation = try place.required()
    let here = WorkingFolder.path ?? "."
    var path =
      argument.isEmpty
      ? usualName(for: conversation) : RcFile.expanded(argument, session.preferences.environment)
    if !path.hasPrefix("/") { path = here + "/" + path }
    try begin(.export(conversation.id, of: store.path, to: path))
  }

  /// `lobby-2026-11-21.jsonl`
  private func usualName(for conversation: Conversation) -> String {
    let day = LocalTime.stamp(Store.wallClock()).string.prefix { $0 != " " }
    return FileName.safe(conversation.name.dropFirst() + "-\(day).jsonl")
  }
}
