// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession
@testable import Conversations

/// A room of twenty people, as it stands on the screen under some themes: kept as text in
/// `share/hobnob/themes/pictures`. After a wanted change write them anew, and look at the difference:
/// `HOBNOB_WRITE_THEMES=1 swift test --filter BusyRoomTests`.
@MainActor
@Suite("A busy room")
struct BusyRoomTests {
  @Test(
    "13.7: it looks like the stored picture",
    arguments: ["default", "imessage", "messenger"], [60, 120])
  func looksAsKept(theme: String, columns: Int) throws {
    let picture = try picture(of: theme, columns: columns)
    let file = URL(
      fileURLWithPath: EmojiTableTests.share + "/themes/pictures/\(theme)-\(columns).txt")
    if ProcessInfo.processInfo.environment["HOBNOB_WRITE_THEMES"] != nil {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try picture.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == picture)
  }

  private func picture(of theme: String, columns: Int) throws -> String {
    let anna = try Town().person("anna")
    let path = EmojiTableTests.share + "/themes/\(theme).theme"
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    where line.hasPrefix("/") {
      anna.say(String(line))
    }
    anna.tell(.resized(rows: 50, columns: columns))
    var printer = anna.session.feed.renderer.printer
    let options = printer.options
    var lines: [StyledLine] = []
    let happenings = Self.happenings(me: anna.session.me.id)
    printer.fitColumns(
      to: happenings.compactMap { if case .said(let message) = $0 { message } else { nil } })
    for happening in happenings {
      switch happening {
      case .said(let message): lines += printer.lines(for: message)
      case .edited(let message): lines += printer.revision(of: message)
      case .reacted(let news):
        lines += printer.lines(for: news, by: SafeText(name: news.participant.name))
      }
    }
    let rows = lines.flatMap { $0.wrapped(at: columns, widths: options.widths) }
      .map(\.plain.string)
    return (["# A busy room with the theme \(theme), in \(columns) columns", ""] + rows)
      .joined(separator: "\n") + "\n"
  }

  // MARK: What happens

  private enum Happening {
    case said(Message)
    case edited(Message)
    case reacted(ReactionUpdate)
  }

  /// Minutes after ten, who, and what; `⏎` is a newline.
  private static let script = """
    0 ben: morning all
    0 dora: morning! is the build of last night done?
    1 maximiliana: it is, but two of the tests that wait for the network failed again, and I do \
    not want to raise their limits a third time
    1 jo: which ones?
    2 maximiliana: the same as ever
    2 maximiliana: PauseTests and FocusTests
    2 maximiliana: both only on the small machine
    2 maximiliana: the log is at \
    https://builds.example.org/hobnob/2026-11-21/nightly/small-machine/linux-aarch64/tests-that-failed.log.txt \
    if somebody wants to read along
    3 carl: 👀
    3 anna: I look at it
    3 zoe: thank you @anna!
    4 桜子: おはようございます。今日の会議は十時半からですか、それとも十一時からですか。
    4 li: half past ten, see #dev
    5 kim_the_builder: by the way: from Monday on the images are built with the new compiler; \
    who still has something that does not build with it should say so *today*, not on Monday
    5 Łukasz: the parser does not
    5 Łukasz: but that is two lines
    6 o'neill: /me pours tea for everybody who has been up since five, and for those who only \
    look like it
    6 rosalind: 🎉🎉🎉
    7 priya: > but that is two lines⏎famous last words
    8 anna: it is a race between the timer and the answer: whoever starts the shell on a slow \
    machine gives the timer 300 ms, of which the shell itself needs 280
    8 anna: I have a change
    9 Ahmed: so the limit was never the reason
    9 bartholomew: what about the other one?
    10 noor: the other one is mine, I took `sleep` for a clock
    10 quentin: ```⏎func wait() {⏎  sleep(1)  // long enough for \
    every machine that I know, which were two of them then⏎}⏎```
    10 noor: precisely
    11 tom: can we have both before the meeting?
    12 anna: yes
    12 eve: 👍🏽
    12 ben: then I merge at ten past, and write to the list
    """

  private struct Line {
    var minute: Int
    var who: String
    var text: String
  }

  private static let said = script.split(separator: "\n").map { line in
    let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
    return Line(
      minute: Int(parts[0]) ?? 0, who: String(parts[1].dropLast()),
      text: parts[2].replacing("⏎", with: "\n"))
  }

  private static func happenings(me: ID<Participant>) -> [Happening] {
    var found: [Happening] = []
    var start = DateComponents()
    (start.year, start.month, start.day, start.hour) = (2026, 11, 21, 10)
    let ten = Calendar(identifier: .gregorian).date(from: start).map {
      Milliseconds($0.timeIntervalSince1970 * 1000)
    }
    for (index, line) in said.enumerated() {
      let isAction = line.text.hasPrefix("/me ")
      let person = person(line.who, me: me)
      var message = Message(
        id: ID(rawValue: Int64(index + 1)), uid: "", conversation: ID(rawValue: 1),
        number: 4172 + index, sender: person.id, senderName: person.name,
        senderIdentity: person.identity,
        body: isAction ? String(line.text.dropFirst(4)) : line.text,
        kind: isAction ? .action : .text, createdAt: (ten ?? 0) + Int64(line.minute) * 60_000)
      switch line.text {
      case "so the limit was never the reason":
        let asked = said.firstIndex { $0.text.hasPrefix("it is a race") } ?? 0
        message.replyTo = Quote(
          number: 4172 + asked, senderName: "anna", line: said[asked].text.prefix(79) + "…")
      case "precisely":
        message.attachments = [
          Attachment(hash: "", name: "clock.patch", type: "text/x-diff", bytes: 1480)
        ]
      default: break
      }
      found.append(.said(message))
      switch line.text {
      case "the parser does not":
        message.body = "the parser does not, the *old* one"
        message.editedAt = message.createdAt
        found.append(.edited(message))
      case "I have a change":
        found.append(
          .reacted(
            ReactionUpdate(
              message: message, participant: Self.person("maximiliana", me: me), emoji: "🎉",
              at: message.createdAt)))
      default: break
      }
    }
    return found
  }

  private static func person(_ name: String, me: ID<Participant>) -> Participant {
    let place = said.firstIndex { $0.who == name } ?? 0
    return Participant(
      id: name == "anna" ? me : ID(rawValue: Int64(1000 + place)), identity: name.lowercased(),
      name: name)
  }
}
