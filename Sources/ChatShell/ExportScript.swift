// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Exchange
import StyledText

/// `hobnob export` (rule 11.3).
extension Launch {
  /// Writes the store, or some conversations, as JSON Lines.
  ///
  /// - Parameters:
  ///   - names: the conversations; none for everything.
  ///   - path: a new file, or nil for standard output.
  ///   - files: whether the bytes of attachments come with it.
  public func export(_ names: [String], to path: String?, files: Bool) throws -> Int32 {
    let rc = try loadRc { StandardError.say($0) }
    // Whoever only reads makes no store where there is none.
    let store = try openStore(create: false)
    defer { store.close() }
    let wanted = try names.map { try known($0, in: store, rc: rc).id }
    let places = names.isEmpty ? nil : wanted
    let report: ExportReport
    if let path {
      report = try store.export(places, files: files, to: path)
    } else {
      let output = StandardOutput()
      let isTerminal = StandardOutput.isTerminal
      report = try store.export(places, files: files) { piece in
        if isTerminal {
          for line in piece.split(separator: UInt8(ascii: "\n")) {
            output.write(JSONLine.safe(String(decoding: line, as: UTF8.self)))
          }
        } else {
          output.write(data: piece)
        }
        return !output.isClosed
      }
      try output.finish()
    }
    for name in report.missingFiles {
      StandardError.say(
        say(
          "The file %1 is gone or damaged; its message is exported without.", SafeText(name: name)))
    }
    return report.missingFiles.isEmpty ? 0 : 1
  }

  /// A conversation that is there: reading makes none, nor a person.
  private func known(_ name: String, in store: Store, rc: RcFile) throws -> Conversation {
    guard name.hasPrefix("@") else {
      guard let room = try store.room(name, create: false) else {
        throw Refusal(say("There is no room %1, so nothing was exported.", SafeText(line: name)))
      }
      return room
    }
    guard let other = try store.find(participant: name) else {
      throw Script.nobody(called: name)
    }
    guard let me = try store.find(participant: identity(rc)),
      let chat = try store.directChats(of: me.id).first(where: { $0.with == other.id })
    else { throw Refusal(say("You have no direct chat with %1.", SafeText(name: other.name))) }
    return chat.conversation
  }
}
