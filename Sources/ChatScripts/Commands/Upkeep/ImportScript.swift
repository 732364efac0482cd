// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Exchange
import Glibc
import StyledText

/// `hobnob import` (rule 11.3): imports exports and logs, and prints a summary. It imports all
/// files or, if anything fails, none.
struct ImportScript: Subcommand {
  static let name = "import"
  static let abstract: StaticString = "Import an export, or the logs of irssi or WeeChat."
  static var parameters: [Parameter<Self>] {
    [
      Parameter("FILE", \.file, completes: .files, "The files; - or no file means standard input."),
      Parameter(
        "--format", \.format, value: "format", completes: .words(["json", "irssi", "weechat"]),
        "The format: json, irssi or weechat. Needed only if hobnob cannot tell it from the content."
      ),
      Parameter(
        "--conversation", \.conversation, value: "name", completes: .conversations,
        "The room that a log is from, or @name. Needed only if hobnob cannot tell it from the file's name."
      ),
    ]
  }

  var file: [String] = []
  var format: String?
  var conversation: String?

  /// The maximum number of complaints about single lines; further ones are only counted.
  private static let mostComplaints = 20

  /// - Returns: 1 if it skipped lines.
  func run(_ launch: Launch) throws -> Int32 {
    let rc = try launch.loadRc { StandardError.say($0) }
    // Open the files before creating the store, so that a wrong name leaves no store.
    var files = try file.map { path in
      if path == "-" { return (path: "", file: Int32(0)) }
      var found = stat()
      let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      // open(2) accepts a folder, but read(2) does not.
      if file >= 0, fstat(file, &found) == 0, found.st_mode & S_IFMT == S_IFDIR { errno = EISDIR }
      guard file >= 0, found.st_mode & S_IFMT != S_IFDIR else {
        throw Refusal(say("%1 cannot be read: %2.", SafeText(line: path), systemReason()))
      }
      return (path: path, file: file)
    }
    if files.isEmpty { files = [(path: "", file: 0)] }
    let store = try launch.openStore()
    defer { store.close() }
    let me = try launch.identity(rc)
    let format = format.flatMap(ImportFormat.init)
    let report: ImportReport
    var complaints = 0
    func complain(_ fault: ImportFault) {
      complaints += 1
      if complaints <= Self.mostComplaints { StandardError.say(sentence(for: fault)) }
    }
    do {
      // Read this before locking the store: a pipe or a person may take any amount of time.
      for index in files.indices {
        let (path, file) = files[index]
        if let copy = try InputBuffer.copy(of: file, name: path, beside: store) {
          files[index].file = copy
        }
      }
      report = try Import.run(into: store, as: me, complain: complain) { work in
        for entry in files {
          try work.read(
            entry.file, name: entry.path, format: format, conversation: conversation)
        }
      }
    } catch let fault as ImportFault {
      throw Refusal(say("%1 Nothing was imported.", sentence(for: fault)))
    }
    if complaints > Self.mostComplaints {
      StandardError.say(say("And %1 more.", SafeText(complaints - Self.mostComplaints)))
    }
    let output = StandardOutput()
    for line in summary(of: report) { output.write(line) }
    try output.finish()
    return report.leftOut > 0 ? 1 : 0
  }

  /// `FILE:LINE: reason`, as compilers write it, so that editors find the line.
  private func sentence(for fault: ImportFault) -> SafeText {
    let file = fault.file.isEmpty ? say("standard input") : SafeText(line: fault.file)
    let reason = say(fault.sentence)
    guard fault.line > 0 else { return say("%1: %2.", file, reason) }
    return say("%1:%2: %3.", file, SafeText(fault.line), reason)
  }

  private func summary(of report: ImportReport) -> [SafeText] {
    var lines = [
      say(
        "Messages: %1 new, %2 updated, %3 already here", SafeText(report.messages),
        SafeText(report.changed), SafeText(report.known)),
      say(
        "New: %1, %2, %3",
        say("1 conversation", "%1 conversations", count: report.conversations),
        say("1 person", "%1 people", count: report.people),
        say("1 file", "%1 files", count: report.files)),
    ]
    if report.tooOld > 0 {
      lines.append(
        say(
          "Messages not imported because they are too old (/set keep): %1",
          SafeText(report.tooOld)))
    }
    for (former, name) in report.renamedRooms.sorted(by: { $0.key < $1.key }) {
      lines.append(
        say(
          "%1 is now called %2, because a room on this machine cannot have @ in its name.",
          SafeText(name: former), SafeText(name: name)))
    }
    if report.events > 0 {
      lines.append(say("Joins, leaves and other events, not imported: %1", SafeText(report.events)))
    }
    if report.leftOut > 0 { lines.append(say("Lines left out: %1", SafeText(report.leftOut))) }
    return lines
  }
}
