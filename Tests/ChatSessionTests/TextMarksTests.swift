// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText
import Testing

@testable import ChatRendering
@testable import ChatSession

@Suite("7.9: names in a text") struct TextMarksTests {
  private let marks = TextMarks(
    naming: Participant(id: .init(rawValue: 1), identity: "anna", name: "anna"))

  @Test(
    "a mention is a word of its own",
    arguments: [
      ("hi @anna", true), ("@anna: tea?", true), ("(@ANNA)", true), ("@anna's tea", true),
      ("@Änna!", true), ("*@anna*", true), ("@annabel", false), ("x@anna", false), ("anna", false),
      ("@@anna", false), ("@anna-lena", false), ("mail anna@example.org", false),
      // 2.12: the name at the start, with a colon or a comma.
      ("anna: tea?", true), ("Ännä, tea?", true), ("anna:", true), ("anna:\ntea", true),
      ("anna:8080", false), ("so anna: tea?", false), ("anna tea", false), ("annabel: tea", false),
      ("ben, anna: tea", false), (" anna: tea", false), (":", false),
    ])
  func mentions(text: String, isMe: Bool) {
    #expect(marks.mentionsMe(in: text) == isMe)
  }

  @Test(
    "7.10: highlight words match whole words, in any case and with any accents",
    arguments: [
      ("the deploy, now", true), ("DÉPLOY!", true), ("deploys", false), ("re-deploy", true),
      ("deplo", false), ("c++ please", true), ("nothing", false),
    ])
  func highlighted(text: String, calls: Bool) {
    let marks = TextMarks(Highlights(words: ["Deploy", "c++"]))
    #expect(marks.mentionsMe(in: text) == calls)
    #expect(marks.highlighted(in: text).isEmpty != calls)
  }

  @Test(
    "people and rooms are marked, other uses of the signs are not",
    arguments: [
      ("@ben and #tea.", ["@ben", "#tea"]), ("#1 # ## @ #! C#", []), ("#tea-2", ["#tea-2"]),
      ("\"@ben\", #чай", ["@ben", "#чай"]),
    ])
  func words(text: String, marked: [String]) {
    let bytes = Array(text.utf8)
    let found = marks.overlays(in: SafeText(line: text)).map {
      String(decoding: bytes[$0.range], as: UTF8.self)
    }
    #expect(found == marked)
  }

  @Test("a name inside an address is part of the address")
  func namesInAddresses() {
    let found = marks.overlays(in: "https://a.b/@anna mailto:x@anna")
    #expect(found.allSatisfy { $0.link != nil } && found.count == 2)
  }

  @Test(
    "2.12: a nick in a room on a network is a mention as a word of its own",
    arguments: [
      ("so anna, tea?", true), ("tea for Anna", true), ("ANNA!", true), ("anna's tea", true),
      ("(anna)", true), ("<ben> anna: tea?", true), ("<ben> tea, anna", true), ("[anna] hi", true),
      // 2.12: people and bots put invisible characters into a nick in order not to call its owner.
      ("so an\u{200B}na, tea?", false), ("so \u{2060}anna, tea?", false),
      ("so anna\u{200B}", false),
      ("<anna> hello", false), ("joanna", false), ("annabel", false), ("anna-lena", false),
      ("anna_", false), ("_anna", false), ("anna[m]", false), ("anna|away", false),
      ("so a\u{301}nna", false), ("anna1", false), ("@@anna", false), ("anna@example.org", false),
      ("see https://example.org/anna/x", false), ("", false), ("ann", false),
    ])
  func nicks(text: String, isMe: Bool) {
    let room = ID<Conversation>(rawValue: 7)
    var me = Participant(id: .init(rawValue: 1), identity: "mary", name: "mary")
    me.nicknames = [room: "anna"]
    #expect(TextMarks(naming: me).mentionsMe(in: text, of: room) == isMe)
    // The nick is another person's in another room.
    let other = TextMarks(naming: me).mentionsMe(in: text, of: ID<Conversation>(rawValue: 8))
    let without = TextMarks(naming: me, Highlights(includesNick: false))
      .mentionsMe(in: text, of: room)
    #expect(other == without)
    #expect(!without || text.hasPrefix("anna:"))
  }

  @Test(
    "14.9: in a room on a network only the nick there means me",
    arguments: [
      ("anna: tea?", true), ("@anna", true), ("mary: tea?", false), ("so @mary, tea?", false),
    ])
  func othersNames(text: String, isMe: Bool) {
    let room = ID<Conversation>(rawValue: 7)
    var me = Participant(id: .init(rawValue: 1), identity: "mary", name: "mary")
    me.nicknames = [room: "anna"]
    let marks = TextMarks(naming: me)
    #expect(marks.mentionsMe(in: text, of: room) == isMe)
    #expect(marks.mentionsMe(in: text))
    let styles = marks.overlays(in: SafeText(line: text), of: room).map(\.style)
    #expect(styles.contains(marks.me) == (isMe && text.hasPrefix("@")))
  }

  @Test("2.12: the place of a nick with signs, in bytes")
  func places() throws {
    let room = ID<Conversation>(rawValue: 7)
    var me = Participant(id: .init(rawValue: 1), identity: "mary", name: "mary")
    me.nicknames = [room: "änna[m]"]
    let text = "日 Änna[m], änna and änna[m]"
    let message = Message(
      id: .init(rawValue: 1), uid: "u", conversation: room, number: 1,
      sender: .init(rawValue: 2), senderName: "ben", senderIdentity: "ben", body: text,
      kind: .text, createdAt: 0, state: .sent)
    let bytes = Array(text.utf8)
    let found = TextMarks(naming: me).mentionsOfMe(in: SafeText(line: text), of: message)
    #expect(
      found.map { String(decoding: bytes[$0], as: UTF8.self) } == ["Änna[m]", "änna[m]"])
  }

  @Test(
    "2.12: a text eight times as long takes about eight times as long",
    arguments: ["anna http://a.b/c ", "anna\nhttp://a.b/anna\n"])
  func linear(part: String) {
    let room = ID<Conversation>(rawValue: 7)
    var me = Participant(id: .init(rawValue: 1), identity: "mary", name: "mary")
    me.nicknames = [room: "anna"]
    var options = MessagePrinter.Options()
    options.textMarks = TextMarks(naming: me)
    options.folding = BodyPreview(mostBytes: .max, mostLines: 0)
    func time(_ count: Int) -> Duration {
      let message = Message(
        id: .init(rawValue: 1), uid: "u", conversation: room, number: 1,
        sender: .init(rawValue: 2), senderName: "ben", senderIdentity: "ben",
        body: String(repeating: part, count: count), kind: .text, createdAt: 0, state: .sent)
      return ContinuousClock().measure {
        var printer = MessagePrinter(options: options, me: me.id)
        #expect(!printer.lines(for: message).isEmpty)
      }
    }
    let short = (0..<3).map { _ in time(1000) }.min() ?? .zero
    #expect(time(8000) < short * 30)
  }
}
