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
          "%1 is not a file that waits; /attach lists them by number.", SafeText(line: argument)))
    }
    tell(
      files.waiting.isEmpty
        ? say("No files wait any more.")
        : files.waiting.count == 1
          ? say("1 file waits.") : say("%1 files wait.", SafeText(files.waiting.count)))
  }
  /// `/save N [PATH]` (rule 8.2): names come from elsewhere and never choose the place (rule 12.4).
  func save(_ argument: String) throws {
    let words = argument.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
    guard let number = words.first else { throw usage("save") }
    let message = try session.message(named: number)
    guard !message.attachments.isEmpty else {
      throw Refusal(say("No files came with message %1.", SafeText(message.number)))
    }
    let here = WorkingFolder.path ?? "."
    var place = words.count > 1 ? RcFile.expanded(words[1], session.preferences.environment) : here
    if !place.hasPrefix("/") { place = here + "/" + place }
    for file in message.attachments {
      tell(say("Saved as %1", SafeText(line: try store.save(file, to: place))))
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
    let report = try store.export([conversation.id], to: path)
    tell(
      say("Wrote %1 messages to %2", SafeText(report.messages), SafeText(line: path)))
    for name in report.missingFiles {
      tell(
        say(
          "The file %1 is gone or damaged; its message is exported without.", SafeText(name: name)))
    }
  }

  /// `lobby-2026-11-21.jsonl`
  private func usualName(for conversation: Conversation) -> String {
    let day = LocalTime.stamp(Store.wallClock()).string.prefix { $0 != " " }
    return Store.safeName(conversation.name.dropFirst() + "-\(day).jsonl")
  }
}
