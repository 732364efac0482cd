// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatPreferences
import ChatRendering
import ChatSession
import Conversations
import Exchange
import Glibc
import StyledText

/// `hobnob unread` (rule 11.3): prints the conversations with unread messages, the one with the
/// newest message first.
struct UnreadScript: JSONSubcommand {
  static let name = "unread"
  static let abstract: StaticString = "Print the conversations with unread messages."
  static var parameters: [Parameter<Self>] {
    [
      Parameter("--count", \.count, "Print only how many messages are unread."),
      Parameter("--json", \.json, "Print one JSON object per line."),
      Parameter(
        "--format", \.format, value: "format", takesDash: true,
        "Print one line for a shell prompt from a format, in which %t, %f, %!, %c, %n, %N and %% are filled in (see man hobnob); print nothing if nothing is unread."
      ),
    ]
  }

  var count = false
  var json = false
  var format: String?

  func validate() throws {
    if count, json { throw WrongUsage(say("Give either --count or --json, not both.")) }
    guard let format else { return }
    if count || json {
      throw WrongUsage(
        say("Give either --format or one of --count and --json, not both."))
    }
    if let wrong = UnreadFormat.wrongPlace(in: format) {
      throw WrongUsage(
        say("--format takes %%t, %%f, %%!, %%c, %%n, %%N and %%%%, not %1.", wrong))
    }
  }

  func run(_ launch: Launch) throws -> Int32 {
    if let format { return try launch.printUnread(as: format) }
    return try launch.script { script in
      let found = try script.unread()
      if count {
        script.output.write(SafeText(found.reduce(0) { $0 + $1.count }))
        return 0
      }
      for entry in found {
        if json {
          let line = try script.store.read { try $0.jsonLine(of: entry) }
          if let line { script.output.write(JSONLine.safe(line)) }
        } else {
          script.output.write(entry.sentence)
        }
      }
      return 0
    }
  }
}

extension Script {
  /// The person's unread messages, the most urgent first.
  fileprivate func unread() throws -> [Unread] {
    guard !isNobody else { return [] }
    return try store.read { try $0.unread(mentioning: me, settings.highlights) }
      .sorted()
  }
}

extension Launch {
  /// Prints a line for a prompt or a status bar, and nothing if nothing is unread or the store is
  /// missing or locked: a prompt must not wait, or print an error each time.
  fileprivate func printUnread(as format: String) throws -> Int32 {
    guard try access(storePath, F_OK) == 0 || errno != ENOENT else { return 0 }
    do {
      return try readWithoutWaiting { script in
        let found = try script.unread()
        if !found.isEmpty { script.output.write(UnreadFormat.line(format, with: found)) }
        try script.output.finish()
        return 0
      }
    } catch StoreError.locked {
      return 1
    }
  }
}

/// The line of `hobnob unread --format`.
enum UnreadFormat {
  /// The first `%` before an unknown character, with that character; nil if all are known.
  static func wrongPlace(in format: String) -> SafeText? {
    parts(of: format).lazy.compactMap { part in
      if case .place(let name) = part, !"tf!cnN%".contains(name ?? " ") {
        return SafeText(line: "%" + (name.map(String.init) ?? ""))
      }
      return nil
    }.first
  }

  /// - Parameter found: the unread conversations, the most urgent first; not empty.
  static func line(_ format: String, with found: [Unread]) -> SafeText {
    let urgent = found.filter(\.isForMe)
    return parts(of: format).reduce(into: SafeText()) { line, part in
      switch part {
      case .text(let text): line += SafeText(line: text)
      case .place("t"): line += SafeText(found.reduce(0) { $0 + $1.count })
      case .place("f"): line += SafeText(urgent.reduce(0) { $0 + $1.forMe })
      case .place("!"): line += urgent.isEmpty ? "" : "!"
      case .place("c"): line += SafeText(found.count)
      case .place("n"): line += SafeText(name: found[0].conversation.name)
      // tmux(1) expands the output of a program like a format of its own.
      case .place("N"):
        let name = SafeText(name: found[0].conversation.name)
        line += SafeText(line: name.string.replacing("#", with: "##"))
      case .place: line += "%"
      }
    }
  }

  private enum Piece {
    case text(String)
    /// `%` and the character after it, if any.
    case place(Character?)
  }

  private static func parts(of format: String) -> [Piece] {
    var parts: [Piece] = []
    var rest = Substring(format)
    while !rest.isEmpty {
      let text = rest.prefix { $0 != "%" }
      if !text.isEmpty { parts.append(.text(String(text))) }
      rest = rest.dropFirst(text.count)
      if rest.popFirst() != nil { parts.append(.place(rest.popFirst())) }
    }
    return parts
  }
}

extension Unread {
  /// How many of the messages are to the person alone or mention them.
  fileprivate var forMe: Int { conversation.kind == .direct ? count : mentions }
}
