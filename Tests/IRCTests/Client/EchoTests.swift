// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// Rules 14.1 and 14.2: what counts as the server's answer to a message.
@Suite("answers to messages on IRC")
struct EchoTests {
  private static let labels = ["labeled-response", "echo-message", "message-tags", "batch"]
  private static let tags = ["echo-message", "message-tags"]

  private func talk(_ capabilities: [String]) -> IRCTalk {
    var talk = IRCTalk(capabilities)
    talk.enter("#tea")
    _ = (talk.takeSent(), talk.takeEvents())
    return talk
  }

  // MARK: Echoes without labels

  @Test("of several messages, the echo with the same text counts; else the first")
  func sameText() {
    var talk = talk(["echo-message"])
    for text in ["one", "two", "three"] { talk.write(text) }
    talk.receive(":anna!~a@h PRIVMSG #tea :two", ":anna!~a@h PRIVMSG #tea :ONE")
    #expect(talk.results == ["2 sent", "1 sent"])
    talk.receive(":anna!~a@h PRIVMSG #Tea :three")
    #expect(talk.results == ["2 sent", "1 sent", "3 sent"])
    #expect(talk.said.isEmpty)
  }

  private func changes(_ talk: IRCTalk) -> [String] {
    talk.events.compactMap {
      if case .edited(let ids, let user, _, let body, _, _, _, _) = $0, user.isOwner {
        "\(ids.origin ?? "") \(ids.archive ?? ""): \(body)"
      } else {
        nil
      }
    }
  }

  @Test("the text that the server sends back is what was said", arguments: [true, false])
  func changedText(hasLabels: Bool) {
    var talk = talk(hasLabels ? Self.labels : Self.tags)
    talk.write("\u{03}04red\u{03} tea")
    talk.write("plain ")
    talk.write("\u{02}waves\u{02}", kind: .action)
    let tags = (1...3).map { (hasLabels ? "@label=h\($0);" : "@") + "msgid=m\($0) " }
    talk.receive(
      tags[0] + ":anna!~a@h PRIVMSG #tea :red tea", tags[1] + ":anna!~a@h PRIVMSG #tea :plain",
      tags[2] + ":anna!~a@h PRIVMSG #tea :\u{01}ACTION waves\u{01}")
    #expect(talk.results == ["1 sent m1", "2 sent m2", "3 sent m3"])
    #expect(changes(talk) == ["u1 m1: red tea", "u3 m3: waves"])
  }

  @Test("of a long text, the parts that the server changed are changed in the whole")
  func changedParts() {
    var talk = talk(Self.labels)
    let (first, second) = (String(repeating: "tea ", count: 90), "and \u{02}milk\u{02} with it")
    talk.write(first + first + second + "\n\nlast")
    let parts = talk.takeSent().compactMap { IRCLine($0) }
    #expect(parts.count > 2)
    for (index, part) in parts.enumerated() {
      let text = part[1].filter { $0 != "\u{02}" }
      // A blank at the end of a line may be gone.
      let end = index == 0 ? String(text.dropLast()) : text
      talk.receive("@label=\(part.tags["label"] ?? "") :anna!~a@h PRIVMSG #tea :\(end)")
    }
    #expect(changes(talk) == ["u1 : \(first)\(first)and milk with it\n\nlast"])
    talk.forget()
    talk.write(first + first)
    for part in talk.takeSent().compactMap({ IRCLine($0) }) {
      talk.receive("@label=\(part.tags["label"] ?? "") :anna!~a@h PRIVMSG #tea :\(part[1])")
    }
    #expect(talk.results == ["2 sent"] && changes(talk).isEmpty)
  }

  @Test("an echo for another target, and one of a signal or a question, do not count")
  func otherEchoes() {
    var talk = talk(Self.tags)
    talk.write("one", to: .direct("ben"))
    talk.receive(
      "@+typing=active :anna!~a@h TAGMSG ben", ":anna!~a@h PRIVMSG ben :\u{01}VERSION\u{01}",
      ":anna!~a@h PRIVMSG #tea :one", "@msgid=1 :anna!~a@h REDACT ben 5")
    #expect(talk.results.isEmpty)
    #expect(talk.said == ["anna: one"])
    talk.receive("@msgid=m1 :anna!~a@h PRIVMSG ben :one")
    #expect(talk.results == ["1 sent m1"])
  }

  @Test("an action's echo counts, and so does that of a notice")
  func kinds() {
    var talk = talk(["echo-message"])
    talk.write("waves", kind: .action)
    talk.write("psst", kind: .notice)
    #expect(
      talk.takeSent() == ["PRIVMSG #tea :\u{01}ACTION waves\u{01}", "NOTICE #tea :psst"])
    talk.receive(":anna!~a@h NOTICE #tea :psst")
    talk.receive(":anna!~a@h PRIVMSG #tea :\u{01}ACTION waves\u{01}")
    #expect(talk.results == ["2 sent", "1 sent"])
  }

  @Test(
    "without an answer for 15 seconds, the client asks, and a PONG is not the message's answer",
    arguments: [["echo-message"], Self.labels])
  func missingEcho(capabilities: [String]) {
    var talk = talk(capabilities)
    talk.write("one")
    talk.write("two")
    _ = talk.takeSent()
    for _ in 0..<20 {
      talk.receive(":ben!b@h PRIVMSG #tea :tea?")
      talk.wait(1_000)
    }
    #expect(talk.takeSent() == ["PING hobnob-1"])
    #expect(talk.results.isEmpty)
    talk.receive(":srv PONG srv hobnob-1")
    #expect(talk.results.isEmpty)
    // Behind a bouncer, the echo comes later.
    let label = capabilities == Self.labels ? "@label=h1 " : ""
    talk.wait(20_000)
    talk.receive(label + ":anna!~a@h PRIVMSG #tea :one")
    // The others have as much time again.
    talk.wait(29_000)
    #expect(talk.results == ["1 sent"])
    talk.wait(15_000)
    #expect(
      talk.results == [
        "1 sent",
        "2 failed: The server has not confirmed the message, so it has probably not passed it on. /retry sends it again.",
      ])
    #expect(talk.doubtful == [2])
    // Nothing is left to ask for.
    _ = talk.takeSent()
    talk.wait(60_000)
    #expect(talk.takeSent().isEmpty)
  }

  // MARK: The owner's own nick

  @Test("what the owner sends to themselves is there once", arguments: [true, false])
  func selfMessages(hasEcho: Bool) {
    var talk = talk(hasEcho ? ["echo-message"] : [])
    talk.write("note", to: .direct("anna"))
    talk.receive(":anna!~a@h PRIVMSG anna :note")
    #expect(talk.results == ["1 sent"])
    if hasEcho { talk.receive(":anna!~a@h PRIVMSG anna :note") }
    #expect(talk.said.isEmpty)
  }

  @Test("with labels, the message to the owner has the id of its echo, and does not come again")
  func labelledSelfMessages() {
    var talk = talk(Self.labels)
    talk.write("note", to: .direct("anna"))
    talk.receive(
      "@label=h1;msgid=m1 :anna!~a@h PRIVMSG anna :note", "@msgid=m1 :anna!~a@h PRIVMSG anna :note")
    #expect(talk.results == ["1 sent m1"])
    #expect(talk.said.isEmpty)
  }

  // MARK: Refusals

  @Test("a refusal with a label, or one for the target, is that of the message")
  func refusals() {
    var talk = talk(Self.labels)
    for text in ["one", "two", "three"] { talk.write(text) }
    talk.write("four", to: .direct("ben"))
    talk.receive(
      "@label=h2 :srv 404 anna #tea :Cannot send to channel",
      "@label=x9 :srv 404 anna #tea :Cannot send to channel",
      ":srv 401 anna ben :No such nick", "@label=h3 FAIL PRIVMSG TOO_FAST #tea :Slow down")
    #expect(
      talk.results == [
        "2 failed: #tea: Cannot send to channel", "4 failed: ben: No such nick",
        "3 failed: Slow down",
      ])
    talk.receive("@label=h1;msgid=m :anna!~a@h PRIVMSG #tea :one")
    #expect(talk.results.last == "1 sent m")
  }

  @Test("a refusal that names only the command is that of the first line with it")
  func withoutTarget() {
    var talk = talk([])
    talk.write("one")
    talk.receive(":srv FAIL PRIVMSG NO_MONEY :Pay first", ":srv PONG srv hobnob-1")
    #expect(talk.results == ["1 failed: Pay first"])
  }

  @Test("a refusal that names its command is not about another one")
  func namedCommand() {
    var talk = talk(["echo-message", "draft/message-redaction"])
    talk.write("one")
    talk.post(.delete, of: "m9")
    talk.receive(":srv FAIL REDACT REDACT_FORBIDDEN #tea m9 :Not yours")
    #expect(talk.results == ["2 failed: Not yours"])
  }

  @Test("refusals without a target are about the first line")
  func refusalsWithoutTarget() {
    for line in [
      ":srv 412 anna :No text to send", ":srv 417 anna :Input line was too long",
      ":srv 411 anna :No recipient given",
    ] {
      var talk = talk([])
      talk.write("one")
      talk.receive(line, ":srv PONG srv hobnob-1")
      #expect(talk.results.count == 1)
      #expect(talk.results[0].hasPrefix("1 failed"), "\(line)")
    }
  }

  @Test("who accepts only some messages has not got this one")
  func callerID() {
    var talk = talk([])
    talk.write("one", to: .direct("ben"))
    talk.receive(":srv 716 anna ben :is in +g mode", ":srv PONG srv hobnob-1")
    #expect(talk.results == ["1 failed: ben: is in +g mode"])
  }

  @Test("another number with the room's name is not about the message")
  func otherNumbers() {
    var talk = talk([])
    talk.write("one")
    talk.receive(
      ":srv 482 anna #tea :You're not a channel operator", ":srv 333 anna #tea ben 1",
      ":srv PONG srv hobnob-1")
    #expect(talk.results == ["1 sent"])
  }

  // MARK: Labels

  @Test("an ACK, and a batch without an echo, answer for a message")
  func acknowledgements() {
    var talk = talk(["labeled-response", "batch", "message-tags"])
    talk.write("one")
    talk.write("two", to: .direct("ben"))
    talk.receive("@label=h1 :srv ACK")
    #expect(talk.results == ["1 sent"])
    talk.receive(
      "@label=h2 :srv BATCH +b labeled-response", "@batch=b :srv 301 anna ben :at lunch")
    #expect(talk.results == ["1 sent"])
    talk.receive(":srv BATCH -b")
    #expect(talk.results == ["1 sent", "2 sent"])
  }

  @Test("a refusal or an echo inside a batch with a label counts")
  func labelledBatches() {
    var talk = talk(Self.labels)
    talk.write("one")
    talk.write("two")
    talk.receive(
      "@label=h1 :srv BATCH +b labeled-response", "@batch=b :srv 404 anna #tea :no",
      ":srv BATCH -b", "@label=h2 :srv BATCH +c labeled-response",
      "@batch=c;msgid=m2 :anna!~a@h PRIVMSG #tea :two", "@batch=c :srv 301 anna x :y",
      ":srv BATCH -c")
    #expect(talk.results == ["1 failed: #tea: no", "2 sent m2"])
    #expect(talk.said.isEmpty)
  }

  // MARK: Reactions and deletions

  @Test("a reaction that the server drops in silence is refused, and one with an echo is not")
  func droppedReactions() {
    let reason = "The server did not pass on the reaction."
    var labelled = talk(Self.labels)
    labelled.post(.react, of: "m1")
    labelled.post(.react, of: "m1")
    #expect(
      labelled.takeSent().first == "@+draft/react=👍;+draft/reply=m1;+reply=m1;label=h1 TAGMSG #tea")
    labelled.receive("@label=h1 :srv ACK", "@label=h2;+draft/react=👍 :anna!~a@h TAGMSG #tea")
    #expect(labelled.results == ["1 failed: \(reason)", "2 sent"])

    var echoed = talk(Self.tags)
    echoed.post(.react, of: "m1")
    #expect(echoed.takeSent().last == "PING hobnob-1")
    echoed.receive("@+typing=active :anna!~a@h TAGMSG #tea", ":srv PONG srv hobnob-1")
    #expect(echoed.results == ["1 failed: \(reason)"])
    echoed.post(.react, of: "m1", isRemoved: true)
    #expect(echoed.takeSent().first?.hasPrefix("@+draft/reply=m1;+draft/unreact=👍;") == true)
    echoed.receive(
      "@+draft/unreact=👍;+reply=m1 :anna!~a@h TAGMSG #tea", ":srv PONG srv hobnob-2")
    #expect(echoed.results.last == "2 sent")

    // Without echoes nobody can know.
    var silent = talk(["message-tags"])
    silent.post(.react, of: "m1")
    silent.receive(":srv PONG srv hobnob-1")
    #expect(silent.results == ["1 sent"])
  }

  @Test("what the server cannot pass on is refused at once, with the reason")
  func impossible() {
    var talk = talk([])
    talk.post(.react, of: "m1")
    talk.post(.delete, of: "m1")
    talk.post(.edit, of: "m1")
    #expect(
      talk.results == [
        "1 failed: This server does not pass on reactions.",
        "2 failed: This server cannot delete messages.",
        "3 failed: On IRC nobody can edit a sent message; others still see the old text.",
      ])
    #expect(talk.takeSent().isEmpty)
    var denied = IRCTalk(["message-tags"], support: "CLIENTTAGDENY=*,-typing,-reply")
    denied.enter("#tea")
    denied.post(.react, of: "m1")
    #expect(denied.results == ["1 failed: This server does not pass on reactions."])
    var nameless = self.talk(["draft/message-redaction", "message-tags"])
    nameless.post(.delete, of: nil)
    #expect(nameless.results[0].hasPrefix("1 failed: The message has no id on the network"))
  }

  @Test("a deletion is sent, and the server's refusal of it counts")
  func deletions() {
    var talk = talk(["draft/message-redaction", "echo-message", "message-tags"])
    talk.post(.delete, of: "m1")
    talk.post(.delete, of: "m2")
    #expect(
      talk.takeSent() == [
        "REDACT #tea m1", "PING hobnob-1", "REDACT #tea m2", "PING hobnob-2",
      ])
    talk.receive(
      ":anna!~a@h REDACT #tea m1", ":srv PONG srv hobnob-1",
      ":srv FAIL REDACT REDACT_WINDOW_EXPIRED #tea m2 60 :Too late", ":srv PONG srv hobnob-2")
    #expect(talk.results == ["1 sent", "2 failed: Too late"])
  }

  @Test("a reaction in flight at a break is sent again: twice is the same as once")
  func reactionAtABreak() {
    var talk = talk(Self.labels)
    talk.post(.react, of: "m1")
    _ = talk.takeSent()
    talk.reconnect(Self.labels)
    talk.enter("#tea")
    talk.deliver()
    #expect(talk.takeSent().contains { $0.hasSuffix("TAGMSG #tea") })
    #expect(talk.results.isEmpty)
  }

  @Test("14.2: what the server refuses has not arrived, unless a part of it has")
  func refusedForSure() {
    var talk = talk(["echo-message"])
    for text in ["one", "two\nthree"] { talk.write(text) }
    talk.receive(":srv 404 anna #tea :Cannot send", ":anna!~a@h PRIVMSG #tea :two")
    talk.receive(":srv 404 anna #tea :Cannot send")
    #expect(talk.results.count == 2 && talk.doubtful == [2])
  }

  @Test(
    "14.1: a service that is not echoed has the message if it answers",
    arguments: ["NOTICE", "PRIVMSG"])
  func services(command: String) {
    var labelled = IRCTalk(["echo-message", "labeled-response"])
    labelled.write("help", to: .direct("nickserv"))
    labelled.receive("@label=h1 :NickServ!n@services \(command) anna :Commands: …")
    #expect(labelled.results == ["1 sent"])
    for isFirst in [true, false] {
      var talk = IRCTalk(["echo-message"])
      talk.write("help", to: .direct("nickserv"))
      talk.wait(15_000)
      let pong = ":srv PONG srv hobnob-1"
      let answer = ":NickServ!n@services \(command) anna :Commands: …"
      talk.receive(isFirst ? answer : pong)
      #expect(talk.results.isEmpty)
      talk.receive(isFirst ? pong : answer)
      #expect(talk.results == ["1 sent"])
    }
    // Somebody else's notice says nothing.
    var talk = IRCTalk(["echo-message"])
    talk.write("help", to: .direct("nickserv"))
    talk.wait(15_000)
    talk.receive(
      ":srv PONG srv hobnob-1", ":ben!n@h \(command) anna :Hi", ":NickServ!n@h \(command) #x :Hi")
    talk.wait(60_000)
    #expect(talk.results.count == 1 && talk.results.first != "1 sent")
  }

  @Test("14.1: where the server echoes what is for somebody, their words are no answer")
  func echoedPeople() {
    var talk = IRCTalk(["echo-message"])
    talk.write("tea?", to: .direct("ben"))
    talk.receive(":anna!~a@h PRIVMSG ben :tea?")
    talk.write("or coffee?", to: .direct("ben"))
    talk.wait(15_000)
    talk.receive(":srv PONG srv hobnob-1", ":ben!b@h PRIVMSG anna :yes")
    #expect(talk.results == ["1 sent"])
    talk.wait(60_000)
    #expect(talk.results.count == 2 && talk.doubtful == [2])
  }
}
