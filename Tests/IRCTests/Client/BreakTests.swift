// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Testing

@testable import IRC

/// Rule 14.1: after a break or a kill nothing is sent twice, and nothing is lost in silence.
@Suite("messages that a break left in doubt on IRC")
struct BreakTests {
  private static let doubt =
    "The connection broke, and the message may have arrived. /retry sends it again."
  private static let history = [
    "labeled-response", "echo-message", "message-tags", "batch", "server-time", "draft/chathistory",
  ]

  /// The label of the last question about a conversation's history.
  private func label(of target: String, in talk: inout IRCTalk) -> String {
    let line = talk.takeSent().last { $0.contains("CHATHISTORY") && $0.contains(" \(target) ") }
    return line.map { String($0.dropFirst().prefix { $0 != " " }) } ?? "label=none"
  }

  @Test("a connection of a bouncer's network knows only about the presence there")
  func scope() {
    for scope in ["", "/net"] {
      var talk = IRCTalk(scope: scope)
      talk.disconnect()
      #expect(talk.events.last == .offline(scope: scope))
    }
  }

  @Test("what another process tried and never finished fails, if nothing can tell")
  func killed() {
    var talk = IRCTalk(["echo-message"])
    talk.enter("#tea")
    _ = talk.takeSent()
    talk.write("one", wasTried: true)
    talk.write("two", to: .direct("ben"), wasTried: true)
    talk.write("three")
    #expect(talk.results == ["1 failed: \(Self.doubt)", "2 failed: \(Self.doubt)"])
    #expect(talk.doubtful == [1, 2])
    #expect(talk.takeSent() == ["PRIVMSG #tea :three"])
  }

  @Test("a reaction that another process tried is sent again")
  func killedReaction() {
    var talk = IRCTalk(["message-tags"])
    talk.enter("#tea")
    talk.post(.react, of: "m1")
    #expect(talk.takeSent().contains { $0.contains("TAGMSG #tea") })
  }

  @Test("the history of a direct chat is asked as well, even if the process is new")
  func killedDirect() {
    var talk = IRCTalk(Self.history)
    talk.write("one", to: .direct("ben"), wasTried: true)
    talk.write("two", to: .direct("ben"), wasTried: true)
    #expect(talk.results.isEmpty)
    let label = label(of: "ben", in: &talk)
    talk.receive(
      "@\(label) :srv BATCH +1 chathistory ben",
      "@batch=1;msgid=m1;time=2023-11-14T22:13:19.000Z :anna!~a@h PRIVMSG ben :one",
      ":srv BATCH -1")
    #expect(talk.results == ["1 sent m1"])
    #expect(talk.takeSent().contains { $0.hasSuffix("PRIVMSG ben :two") })
  }

  @Test("an equal text from long ago is another message")
  func oldText() {
    var talk = IRCTalk(Self.history)
    talk.write("one", to: .direct("ben"), wasTried: true)
    let label = label(of: "ben", in: &talk)
    talk.receive(
      "@\(label) :srv BATCH +1 chathistory ben",
      "@batch=1;msgid=m0;time=2023-11-14T22:00:00.000Z :anna!~a@h PRIVMSG ben :one",
      ":srv BATCH -1")
    #expect(talk.takeSent().contains { $0.hasSuffix("PRIVMSG ben :one") })
  }

  @Test("of a text of several messages, only the missing ones are sent again")
  func parts() {
    var talk = IRCTalk(Self.history)
    talk.write("one\ntwo\nthree", to: .direct("ben"), wasTried: true)
    let label = label(of: "ben", in: &talk)
    talk.receive(
      "@\(label) :srv BATCH +1 chathistory ben",
      "@batch=1;msgid=m1;time=2023-11-14T22:13:19.000Z :anna!~a@h PRIVMSG ben :one",
      "@batch=1;msgid=m3;time=2023-11-14T22:13:19.000Z :anna!~a@h PRIVMSG ben :three",
      ":srv BATCH -1")
    let again = talk.takeSent().filter { $0.contains("PRIVMSG") }
    #expect(again.map { $0.split(separator: " ").last.map(String.init) } == [":two"])
    let number = again[0].dropFirst("@label=".count).prefix { $0 != " " }
    talk.receive("@label=\(number);msgid=m2 :anna!~a@h PRIVMSG ben :two")
    #expect(talk.results == ["1 sent m1"])
  }

  @Test(
    "14.2: what was deleted on its way is found in the history, to be deleted there, or forgotten")
  func deletedOnItsWay() {
    for hasArrived in [true, false] {
      var talk = IRCTalk(Self.history)
      talk.write("one", to: .direct("ben"))
      talk.change(1, to: nil)
      talk.reconnect(Self.history)
      let label = label(of: "ben", in: &talk)
      talk.receive("@\(label) :srv BATCH +1 chathistory ben")
      if hasArrived {
        talk.receive(
          "@batch=1;msgid=m1;time=2023-11-14T22:13:19.000Z :anna!~a@h PRIVMSG ben :one")
      }
      talk.receive(":srv BATCH -1")
      #expect(talk.results == (hasArrived ? ["1 sent m1"] : ["1 never sent"]))
      #expect(talk.said.isEmpty)
      #expect(!talk.takeSent().contains { $0.contains("PRIVMSG") })
    }
  }

  @Test("14.2: of a long text that is deleted on its way, nothing more is sent")
  func deletedInParts() {
    var talk = IRCTalk(["labeled-response", "echo-message"], settings: ["flood": "1/2"])
    talk.wait(10_000)
    _ = talk.takeSent()
    talk.write("one\ntwo\nthree", to: .direct("ben"))
    let sent = talk.takeSent().filter { $0.contains("PRIVMSG") }
    #expect(sent.count == 1)
    talk.change(1, to: nil)
    talk.receive(
      "\(sent[0].prefix { $0 != " " });msgid=m1 :anna!~a@h PRIVMSG ben :one")
    talk.wait(10_000)
    #expect(talk.results == ["1 sent m1"])
    #expect(!talk.takeSent().contains { $0.contains("PRIVMSG") })
  }

  @Test(
    "14.2: a long text that is deleted while its beginning waits for the room's new name ends well",
    arguments: [["1", "2"], ["2", "1"]])
  func deletedWhileRenamed(answered: [String]) {
    var talk = IRCTalk(["labeled-response", "echo-message"], settings: ["flood": "3/2"])
    talk.enter("#tea")
    talk.wait(10_000)
    _ = talk.takeSent()
    talk.write("0\n1\n2")
    let sent = talk.takeSent().filter { $0.contains("PRIVMSG") }
    let labels = sent.map { String($0.prefix { $0 != " " }) }
    #expect(labels.count == 3)
    // Its turn comes only later.
    talk.receive(":srv RENAME #tea #water :x", "\(labels[0]) :srv 403 anna #tea :No such channel")
    talk.change(1, to: nil)
    for part in answered {
      let label = labels[Int(part)!]
      talk.receive("\(label);msgid=m\(part) :anna!~a@h PRIVMSG #water :\(part)")
    }
    talk.wait(10_000)
    // The id of the first part that others have, for the deletion.
    #expect(talk.results == ["1 sent m1"])
    #expect(!talk.takeSent().contains { $0.contains("PRIVMSG") })
  }

  @Test("14.2: what was deleted and then refused under the room's former name is not sent again")
  func deletedThenRefused() {
    var talk = IRCTalk(["labeled-response", "echo-message"])
    talk.enter("#tea")
    talk.write("one")
    let label = talk.takeSent().last.map { $0.prefix { $0 != " " } } ?? ""
    talk.change(1, to: nil)
    talk.receive(":srv RENAME #tea #water :x", "\(label) :srv 403 anna #tea :No such channel")
    #expect(talk.results.map { $0.prefix(8) } == ["1 failed"] && talk.doubtful.isEmpty)
    #expect(!talk.takeSent().contains { $0.contains("PRIVMSG") })
  }

  @Test("14.2: what was deleted before its turn came again is known to have reached nobody")
  func deletedBeforeItsTurn() {
    for (isTried, result) in [(true, ["1 never sent"]), (false, [])] {
      var talk = IRCTalk(["labeled-response", "echo-message"], settings: ["flood": "1/2"])
      talk.enter("#tea")
      talk.wait(10_000)
      _ = talk.takeSent()
      if !isTried { talk.disconnect() }
      talk.write("one")
      let label = talk.takeSent().last.map { $0.prefix { $0 != " " } } ?? ""
      if isTried {
        talk.receive(
          ":srv RENAME #tea #water :x", "\(label) :srv 403 anna #tea :No such channel")
      }
      talk.change(1, to: nil)
      talk.wait(10_000)
      #expect(talk.results == result)
      #expect(!talk.takeSent().contains { $0.contains("PRIVMSG") })
    }
  }

  @Test("a message in doubt that the history has keeps its place there")
  func placeInTheHistory() {
    var talk = IRCTalk(Self.history, marks: ["": "2023-11-14T22:13:10.000Z"])
    talk.write("one", to: .direct("ben"), wasTried: true)
    let chats = talk.takeSent().first { $0.contains("TARGETS") }
    #expect(chats != nil)
    talk.receive(
      ":srv BATCH +0 draft/chathistory-targets",
      "@batch=0 :srv CHATHISTORY TARGETS ben 2023-11-14T22:13:19.000Z", ":srv BATCH -0")
    let label = label(of: "ben", in: &talk)
    talk.receive(
      "@\(label) :srv BATCH +1 chathistory ben",
      "@batch=1;msgid=m1;time=2023-11-14T22:13:19.000Z :anna!~a@h PRIVMSG ben :one",
      "@batch=1;msgid=m2;time=2023-11-14T22:13:19.000Z :ben!~b@h PRIVMSG anna :two",
      ":srv BATCH -1")
    #expect(talk.results == ["1 sent m1"])
    let names = talk.events.compactMap {
      if case .messageReceived(let message, _) = $0 { message.name } else { nil }
    }
    #expect(names == [MessageIDs(origin: "u1"), MessageIDs(archive: "m2")])
  }

  @Test("if the history does not answer, the message fails")
  func silentHistory() {
    var talk = IRCTalk(Self.history)
    talk.write("one", to: .direct("ben"), wasTried: true)
    talk.wait(30_000)
    #expect(talk.results == ["1 failed: \(Self.doubt)"])
  }

  @Test("what follows in the same conversation waits for the answer; others do not")
  func order() {
    var talk = IRCTalk(Self.history)
    talk.write("one", to: .direct("ben"), wasTried: true)
    talk.write("two", to: .direct("ben"))
    talk.write("three", to: .direct("dan"))
    #expect(talk.takeSent().count { $0.contains("PRIVMSG") } == 1)
  }

  @Test("twice the same text is twice the same message")
  func twice() {
    var talk = IRCTalk(Self.history)
    talk.write("yes", to: .direct("ben"), wasTried: true)
    talk.write("yes", to: .direct("ben"), wasTried: true)
    let label = label(of: "ben", in: &talk)
    talk.receive(
      "@\(label) :srv BATCH +1 chathistory ben",
      "@batch=1;msgid=m1;time=2023-11-14T22:13:19.000Z :anna!~a@h PRIVMSG ben :yes",
      ":srv BATCH -1")
    #expect(talk.results == ["1 sent m1"])
    #expect(talk.takeSent().count { $0.hasSuffix("PRIVMSG ben :yes") } == 1)
  }

  @Test("an equal text that arrived before is not the one in doubt")
  func known() {
    var talk = IRCTalk(Self.history)
    talk.write("yes", to: .direct("ben"))
    let first = talk.takeSent().first { $0.contains("PRIVMSG") } ?? ""
    let time = "time=2023-11-14T22:13:20.000Z"
    talk.receive("\(first.prefix { $0 != " " });msgid=m1;\(time) :anna!~a@h PRIVMSG ben :yes")
    talk.write("yes", to: .direct("ben"))
    talk.disconnect()
    talk.reconnect(Self.history)
    let label = label(of: "ben", in: &talk)
    talk.receive(
      "@\(label) :srv BATCH +1 chathistory ben",
      "@batch=1;msgid=m1;\(time) :anna!~a@h PRIVMSG ben :yes", ":srv BATCH -1")
    #expect(talk.results == ["1 sent m1"])
    #expect(talk.takeSent().count { $0.hasSuffix("PRIVMSG ben :yes") } == 1)
  }

  @Test("an equal text that an earlier process sent is not the one in doubt")
  func knownBefore() {
    var talk = IRCTalk(Self.history, sent: ["m1"])
    talk.write("yes", to: .direct("ben"), wasTried: true)
    let label = label(of: "ben", in: &talk)
    talk.receive(
      "@\(label) :srv BATCH +1 chathistory ben",
      "@batch=1;msgid=m1;time=2023-11-14T22:13:20.000Z :anna!~a@h PRIVMSG ben :yes",
      ":srv BATCH -1")
    #expect(talk.results == [] && talk.said == [])
    #expect(talk.takeSent().count { $0.hasSuffix("PRIVMSG ben :yes") } == 1)
  }

  @Test("the parts of a long text that was sent do not come again as messages")
  func acceptedParts() {
    var talk = IRCTalk(Self.history, rooms: ["#tea"])
    talk.enter("#tea")
    talk.write("one\ntwo")
    let time = "time=2023-11-14T22:13:20.000Z"
    for (index, line) in talk.takeSent().filter({ $0.contains("PRIVMSG") }).enumerated() {
      let label = line.prefix { $0 != " " }
      talk.receive(
        "\(label);msgid=m\(index);\(time) :anna!~a@h PRIVMSG #tea :\(index == 0 ? "one" : "two")")
    }
    #expect(talk.results == ["1 sent m0"])
    let parts = talk.events.compactMap {
      if case .acceptedPart(let entry, let id) = $0 { "\(entry.id) \(id)" } else { nil }
    }
    #expect(parts == ["1 m1"])
    talk.reconnect(Self.history)
    talk.enter("#tea")
    let label = label(of: "#tea", in: &talk)
    talk.receive(
      "@\(label) :srv BATCH +1 chathistory #tea",
      "@batch=1;msgid=m0;\(time) :anna!~a@h PRIVMSG #tea :one",
      "@batch=1;msgid=m1;\(time) :anna!~a@h PRIVMSG #tea :two",
      "@batch=1;msgid=m2;\(time) :anna!~a@h PRIVMSG #tea :three", ":srv BATCH -1")
    #expect(talk.said == ["anna: three"])
  }

  @Test("a history that was read under another name does not make a message new")
  func readTwice() {
    var talk = IRCTalk(
      Self.history + ["account-tag"], marks: ["": "2023-11-14T22:13:00.000Z"], proven: ["ben"])
    talk.write("yes", to: .direct("ben"), wasTried: true)
    let time = "time=2023-11-14T22:13:20.000Z"
    talk.receive(
      ":srv BATCH +t draft/chathistory-targets",
      "@batch=t :srv CHATHISTORY TARGETS ben_away \(time)",
      ":srv BATCH -t")
    let own = "@batch=1;msgid=m1;account=anna;\(time) :anna!~a@h PRIVMSG ben_away :yes"
    func answer(_ lines: String...) {
      talk.receive("@\(label(of: "ben_away", in: &talk)) :srv BATCH +1 chathistory ben_away")
      for line in lines { talk.receive(line) }
      talk.receive(":srv BATCH -1")
    }
    answer(own)
    answer()
    #expect(talk.results == [])
    talk.receive("@account=ben;time=2023-11-14T22:13:21.000Z :ben_away!b@h PRIVMSG anna :hello")
    answer(own)
    #expect(talk.results == ["1 sent m1"])
    #expect(!talk.takeSent().contains { $0.contains("PRIVMSG") })
  }

  @Test("messages that wait for one room do not hold up others")
  func otherRoom() {
    var talk = IRCTalk(settings: ["flood": "4/2"], rooms: ["#slow"])
    talk.enter("#slow")
    for number in 1...4 { talk.write("slow \(number)", to: .room("#slow")) }
    talk.wait(10_000)
    talk.reconnect()
    talk.wait(10_000)
    _ = talk.takeSent()
    talk.write("hello", to: .direct("carla"))
    #expect(talk.takeSent().contains("PRIVMSG carla :hello"))
  }

  @Test("a message that may have arrived says so, whatever else is in its way")
  func refusedRoom() {
    var talk = IRCTalk(rooms: ["#tea"])
    talk.write("one", wasTried: true)
    talk.write("two")
    talk.receive(":srv 474 anna #tea :Cannot join channel (+b)")
    #expect(talk.results == ["1 failed: \(Self.doubt)", "2 failed: #tea has banned you."])
    #expect(talk.doubtful == [1])
  }

  @Test("what was taken back after a break is not sent again")
  func takenBack() {
    var talk = IRCTalk(Self.history)
    talk.write("one", to: .direct("ben"), wasTried: true)
    let label = label(of: "ben", in: &talk)
    talk.change(1, to: nil)
    talk.receive("@\(label) :srv BATCH +1 chathistory ben", ":srv BATCH -1")
    #expect(!talk.takeSent().contains { $0.contains("PRIVMSG") })
    #expect(talk.results == ["1 never sent"])
  }

  @Test("what is taken back after the break in which it was under way is not sent again")
  func takenBackInDoubt() {
    var talk = IRCTalk(Self.history)
    talk.write("one", to: .direct("ben"))
    talk.disconnect()
    talk.reconnect(Self.history)
    let label = label(of: "ben", in: &talk)
    talk.change(1, to: nil)
    talk.receive("@\(label) :srv BATCH +1 chathistory ben", ":srv BATCH -1")
    #expect(!talk.takeSent().contains { $0.contains("PRIVMSG") })
    #expect(talk.results == ["1 never sent"])
  }

  @Test("a long text is found in the history wherever another process cut it", arguments: 0...2)
  func otherCuts(arrived: Int) {
    // Cut before the server has shown the owner's host, for a longer one.
    var talk = IRCTalk(Self.history, rooms: ["#tea"])
    let text = (1...150).map { "cup\($0)" }.joined(separator: " ")
    talk.write(text + "\nend", wasTried: true)
    let cuts = MessageParts.of(text, longest: 480).map(\.text)
    #expect(cuts.count == 2)
    talk.enter("#tea")
    let label = label(of: "#tea", in: &talk)
    talk.receive("@\(label) :srv BATCH +1 chathistory #tea")
    for (index, part) in cuts.prefix(arrived).enumerated() {
      let tags = "batch=1;msgid=m\(index);time=2023-11-14T22:13:20.000Z"
      talk.receive("@\(tags) :anna!~a@h PRIVMSG #tea :\(part)")
    }
    talk.receive(":srv BATCH -1")
    let again = talk.takeSent().compactMap { line in
      line.firstRange(of: "PRIVMSG #tea :").map { String(line[$0.upperBound...]) }
    }
    #expect(again.joined() == cuts.dropFirst(arrived).joined() + "end")
    #expect(again.last == "end")
    #expect(talk.said.isEmpty)
    if arrived > 0 { #expect(talk.client.outbox.entries[1]?.id == "m0") }
  }

  @Test("another text that only begins like the one in doubt is another message")
  func otherBeginning() {
    var talk = IRCTalk(Self.history)
    talk.write("one two", to: .direct("ben"), wasTried: true)
    let label = label(of: "ben", in: &talk)
    talk.receive(
      "@\(label) :srv BATCH +1 chathistory ben",
      "@batch=1;msgid=m1;time=2023-11-14T22:13:19.000Z :anna!~a@h PRIVMSG ben :one ",
      ":srv BATCH -1")
    #expect(talk.takeSent().contains { $0.hasSuffix("PRIVMSG ben :one two") })
  }

  @Test("nothing is cut or refused for a server that is not known yet")
  func unknownServer() {
    var talk = IRCTalk(["draft/message-redaction", "message-tags"], rooms: ["#tea"])
    talk.disconnect()
    talk.post(.delete, of: "m1")
    #expect(talk.results.isEmpty)
    talk.reconnect(["draft/message-redaction", "message-tags"])
    talk.enter("#tea")
    #expect(talk.takeSent().contains("REDACT #tea m1"))
  }
}
