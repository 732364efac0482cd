// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// `/attach` and `/detach`: the files that wait to be sent (rule 8.1).
extension Shell {
  func attach(_ argument: String) throws {
    guard !argument.isEmpty else {
      guard !files.isEmpty else { return tell(say("No files wait to be sent.")) }
      return answer(files.listing(printer.options.widths))
    }
    try attach(fileAt: argument)
  }

  /// Adds a file that is named as people name files: with `~`, quotes, escaped blanks, or as a
  /// `file://` URL.
  func attach(fileAt argument: String) throws {
    _ = try requireMembership()
    let limit = settings.attachmentLimit * 1_000_000
    var path = absolute(argument)
    // A name that really has quotes or backslashes in it is that of its file.
    let unquoted = PastedContent.fileCandidate(in: argument, allowsRelative: true)
    if let unquoted, (try? Store.look(atFile: path, limit: limit)) == nil {
      path = absolute(unquoted)
    }
    let found = try Store.look(atFile: path, limit: limit)
    files.add(WaitingFiles.File(path: path, name: found.name, bytes: found.bytes))
    face?.refresh()
    face?.storeDraft()
    face?.notice(
      say(
        "%1 goes with the next message; /detach %2 lets it go.", SafeText(name: found.name),
        SafeText(files.count)))
  }

  private func absolute(_ named: String) -> String {
    let path = RcFile.expanded(named, environment)
    guard !path.hasPrefix("/"), !path.hasPrefix("file:///"), let folder = WorkingFolder.path else {
      return path
    }
    return folder + "/" + path
  }

  func detach(_ argument: String) throws {
    guard !files.isEmpty else { throw Refusal(say("No files wait to be sent.")) }
    if argument == "all" {
      files.removeAll()
    } else {
      guard let number = Int(written: argument, in: 1...files.count),
        files.remove(at: number) != nil
      else {
        throw Refusal(
          say(
            "%1 is not a file that waits; /attach lists them by number.", SafeText(line: argument)))
      }
    }
    face?.refresh()
    face?.storeDraft()
    tell(
      files.isEmpty
        ? say("No files wait any more.")
        : files.count == 1 ? say("1 file waits.") : say("%1 files wait.", SafeText(files.count)))
  }
}

extension Shell {
  /// `/save N [PATH]` (rule 8.2): names come from elsewhere and never choose the place (rule 12.4).
  func save(_ argument: String) throws {
    let words = argument.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
    guard let number = words.first else { throw usage("save") }
    let message = try anyone(number)
    guard !message.attachments.isEmpty else {
      throw Refusal(say("No files came with message %1.", SafeText(message.number)))
    }
    let here = WorkingFolder.path ?? "."
    var place = words.count > 1 ? RcFile.expanded(words[1], environment) : here
    if !place.hasPrefix("/") { place = here + "/" + place }
    for file in message.attachments {
      tell(say("Saved as %1", SafeText(line: try store.save(file, to: place))))
    }
  }
}
