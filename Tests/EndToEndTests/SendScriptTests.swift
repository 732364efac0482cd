// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

@testable import NetworkInbox

extension EndToEnd {
  @Suite("11.3: hobnob send")
  struct SendScriptTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    private func log(_ arguments: String...) throws -> String {
      try home.run(["log", "lobby", "--as", "anna"] + arguments).output
    }

    @Test("11.2: what a bare name means does not change because of what others do")
    func bareNames() throws {
      let store = try Store(path: home.store, options: .init(createIfMissing: true))
      let (anna, ben, account) = try store.writeDurably {
        let anna = try $0.participant(identity: "anna").id
        let account = try $0.addAccount(owner: anna, network: "irc:anna@irc.x.org")
        return (anna, try $0.participant(identity: "ben").id, account)
      }
      try store.inbox.apply(
        [.rules(AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network))],
        of: account)
      func enter() throws {
        _ = try store.writeDurably {
          try $0.join(anna, try $0.networkRoom("#tea", network: account.network).id)
        }
        try store.inbox.apply([.joined(room: "#tea", nick: "anna")], of: account)
      }
      func send(_ name: String) throws -> (status: Int32, errors: String) {
        let finished = try home.run(["send", name, "hi", "--as", "anna"])
        return (finished.status, finished.errors)
      }
      func sent() throws -> [ConversationAddress] {
        try store.read { try $0.outbox(of: account.network) }.map(\.conversation)
      }
      try enter()
      #expect(try send("tea").status == 0)
      #expect(try home.run(["send", "--create", "tea@", "mine", "--as", "ben"]).status == 0)
      #expect(try send("tea").status == 0)
      #expect(try sent() == [.room("#tea"), .room("#tea")])
      #expect(!(try home.run(["log", "tea@", "--as", "ben"]).output.contains("hi")))
      // After a kick, the script fails with the reason.
      try store.inbox.apply([.left(room: "#tea", reason: "ben removed you: spam")], of: account)
      var refused = try send("tea")
      #expect(refused.status == 1)
      #expect(
        refused.errors.contains("You are no longer in #tea@irc.x.org (ben removed you: spam);"),
        "\(refused.errors)")
      // In two rooms of the name, it names both.
      try enter()
      try store.writeDurably {
        try $0.join(anna, try $0.makeRoomHere("tea").id)
        _ = try $0.directChat(anna, with: ben)
        _ = try $0.networkChat(with: "ben", of: account)
      }
      for (name, both) in [
        ("tea", "tea could mean #tea@, #tea@irc.x.org"),
        ("@ben", "ben could mean ben@, ben@irc.x.org"),
      ] {
        refused = try send(name)
        #expect(refused.status == 1 && refused.errors.contains(both), "\(refused.errors)")
      }
      #expect(try sent().count == 2)
      #expect(try send("#tea@irc.x.org").status == 0 && send("tea@").status == 0)
      #expect(try sent().count == 3)
      #expect(try home.run(["log", "#tea@", "--as", "ben"]).output.contains("anna: hi"))
    }

    @Test("several lines of standard input are one message, without the trailing newlines")
    func linesAreOneMessage() throws {
      #expect(try home.run(["send", "lobby", "--as", "ben"], input: "a\n\nb\n\n").status == 0)
      #expect(try log().hasSuffix("[1] ben: a\n    \n    b\n"))
    }

    @Test("8.1: --attach sends files in order, with a text or without")
    func attaches() throws {
      try home.write("one", to: "first file.txt")
      try home.write("two", to: "second.txt")
      let files = [
        "--attach", home.path + "/first file.txt", "--attach", home.path + "/second.txt",
      ]
      #expect(try home.run(["send", "lobby", "--as", "ben"] + files).status == 0)
      #expect(try home.run(["send", "lobby", "see", "--as", "ben"] + files).status == 0)
      #expect(
        try home.run(["send", "lobby", "--as", "ben"] + files, input: "piped\n").status == 0)
      let lines = try log().split(separator: "\n")
      try #require(lines.count == 8, "\(lines)")
      #expect(lines[0].hasSuffix("[1] ben: [file 1: first file.txt, text/plain, 3 B]"))
      #expect(lines[1] == "    [file 2: second.txt, text/plain, 3 B]")
      #expect(lines[2].hasSuffix("[2] ben: see"))
      #expect(lines[5].hasSuffix("[3] ben: piped"))
    }

    @Test(
      "8.1: a file that cannot be sent is refused, and nothing is sent",
      arguments: ["missing.txt", ".", "large.bin"])
    func refusesFiles(name: String) throws {
      try home.write("/set attachment-limit 1\n", to: ".config/hobnob/hobnobrc")
      try home.write(String(repeating: "x", count: 1_000_001), to: "large.bin")
      try home.write("fine", to: "fine.txt")
      let finished = try home.run(
        [
          "send", "lobby", "look", "--as", "ben", "--attach", home.path + "/fine.txt", "--attach",
          home.path + "/" + name,
        ])
      #expect(finished.status == 1)
      #expect(finished.errors.contains(home.path + "/" + name), "\(finished.errors)")
      #expect(finished.errors.split(separator: "\n").count == 1)
      #expect(try log() == "")
    }

    @Test("1.7: the limit applies to scripts: a text that is too long is not sent, nor its files")
    func limit() throws {
      let rc = home.path + "/rc"
      try "/set message-limit 5\n".write(toFile: rc, atomically: true, encoding: .utf8)
      let own = ["send", "lobby", "--as", "anna", "--rc", rc]
      let refused = try home.run(own + ["abcdef"])
      #expect(refused.status == 1 && refused.errors.contains("6 characters; at most 5 are allowed"))
      #expect(try home.run(own + ["//2345"]).status == 1)
      try home.say("hi", as: "ben")
      let said = try home.run(
        ["lobby", "--as", "anna", "--rc", rc],
        input: "/me 123456\n/reply 1 123456\n/msg ben 123456\n/me 12345\n")
      #expect(
        said.status == 1 && count(of: "6 characters; at most 5 are allowed", in: said.errors) == 3)
      #expect(count(of: "12345", in: try home.run(["log", "lobby"]).output) == 1)
      #expect(try home.run(own, input: "  e\u{301}bcde \n\n").status == 0)
      #expect(try home.run(["log", "lobby"]).output.contains("abcdef") == false)
    }

    @Test("7.5, 7.8: --reply answers message N, or -N from the newest")
    func replies() throws {
      try home.say("tea?\nor coffee", as: "anna")
      try home.say("hm", as: "ben")
      for number in ["1", "-2"] {
        #expect(
          try home.run(["send", "lobby", "--reply", number, "yes " + number, "--as", "ben"])
            == Program.Finished(status: 0, output: "", errors: ""))
        // The next one counts from one more.
        if number == "1" { try home.say("well", as: "ben") }
      }
      let lines = try log("--from", "3").split(separator: "\n")
      try #require(lines.count == 5, "\(lines)")
      #expect(lines[0] == "  > [1] anna: tea?")
      #expect(lines[1].hasSuffix("[3] ben: yes 1"))
      #expect(lines[3] == "  > [3] ben: yes 1")
      #expect(lines[4].hasSuffix("[5] ben: yes -2"))
    }

    @Test(
      "--reply to anything but a message sends nothing",
      arguments: [("9", 1), ("-9", 1), ("9223372036854775807", 1), ("0", 64), ("one", 64)])
    func refusesReplies(number: String, status: Int32) throws {
      try home.say("tea?", as: "anna")
      let finished = try home.run(["send", "lobby", "yes", "--reply", number, "--as", "ben"])
      #expect(finished.status == status)
      #expect(finished.errors.contains(status == 64 ? "--reply" : number), "\(finished.errors)")
      #expect(try !log().contains("yes"))
    }

    @Test("11.2: an unknown room is refused with what a script can do; --create makes it")
    func missingRooms() throws {
      let refused = try home.run(["send", "room2", "hi", "--as", "ben"])
      #expect(refused.status == 1)
      #expect(refused.errors.contains("hobnob open room2") && refused.errors.contains("--create"))
      #expect(!refused.errors.contains("/join"))
      #expect(try home.run(["send", "room2", "hi", "--create", "--as", "ben"]).status == 0)
      #expect(try home.run(["log", "room2", "--as", "anna"]).output.contains("ben: hi"))
      // The other way of the sentence needs no terminal either.
      #expect(try home.run(["open", "room3", "--as", "ben"]).status == 0)
      #expect(try home.run(["send", "room3", "hi", "--as", "ben"]).status == 0)
      let nobody = try home.run(["send", "@zed", "hi", "--as", "ben"])
      #expect(nobody.status == 1 && nobody.errors.contains("@zed"))
      #expect(!nobody.errors.contains("/who"))
      #expect(try home.run(["send", "--create", "@zed", "hi", "--as", "ben"]).status == 0)
      #expect(try home.run(["unread", "--as", "zed"]).output == "@ben: 1 unread\n")
    }

    @Test("11.2: a near room is suggested; a removed one is reported, with where to find it")
    func nearAndRemovedRooms() throws {
      let store = try Store(path: home.store)
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      for name in ["lobby", "milk"] {
        let room = try store.writeDurablyIfNeeded { try $0.makeRoom(name, for: anna) }
          .id
        try store.writeDurablyIfNeeded { try $0.join(anna, room) }
        if name == "milk" { try store.writeDurably { try $0.remove(room, by: anna) } }
      }
      for words in [["send", "lobyb", "hi"], ["log", "lobyb"], ["lobyb"]] {
        let refused = try home.run(words + ["--as", "anna"])
        #expect(refused.status == 1)
        #expect(
          refused.errors.lowercased().contains(/no room #lobyb[;.] did you mean #lobby\?/),
          "\(refused)")
      }
      for words in [
        ["send", "milk.removed", "hi"], ["send", "--create", "#milk.removed", "hi"],
        ["log", "milk.removed"], ["milk.removed"], ["open", "milk.removed"],
      ] {
        let refused = try home.run(words + ["--as", "anna"])
        #expect(refused.status == 1)
        #expect(
          refused.errors
            == "hobnob: #milk.removed was removed; hobnob search still finds its messages.\n",
          "\(refused)")
      }
      let shell = try home.shell(as: "anna", ["milk.removed"])
      try shell.expect("#milk.removed was removed; hobnob search still finds its messages.")
    }

    @Test("11.7: --create makes people and rooms of networks known, where an account reaches them")
    func createsOnNetworks() throws {
      let unreachable = try home.run([
        "send", "--create", "@dora@one.example", "hi", "--as", "anna",
      ])
      #expect(unreachable.status == 1 && unreachable.errors.contains("/account add"))
      let store = try Store(path: home.store)
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "xmpp:anna@one.example")
      }
      for name in ["@dora@one.example", "tea@rooms.one.example"] {
        let unknown = try home.run(["send", name, "hi", "--as", "anna"])
        #expect(
          unknown.status == 1 && unknown.errors.contains("hobnob send --create \(name) "),
          "\(unknown)")
        let sent = try home.run(["send", "--create", name, "hi", "--as", "anna"])
        #expect(sent.status == 0 && sent.output == "", "\(sent)")
        #expect(try home.run(["send", name, "again", "--as", "anna"]).status == 0)
      }
      #expect(
        try store.read { try $0.outbox(of: account.network) }.map(\.message.body) == [
          "hi", "again", "hi", "again",
        ])
      #expect(
        try store.read { try $0.requests(of: account) }.map(\.target) == ["tea@rooms.one.example"])
      for name in ["@", "@a@b@c", "a@@", "@dora@one.example/phone", "@do ra@one.example"] {
        let refused = try home.run(["send", "--create", name, "hi", "--as", "anna"])
        #expect(refused.status == 1 && refused.errors != "", "\(name): \(refused)")
      }
    }

    @Test("7.5: where the network has no replies, --reply is refused under that name")
    func refusesReplies() throws {
      let store = try Store(path: home.store, options: .init(createIfMissing: true))
      let account = try store.writeDurably {
        try $0.addAccount(owner: $0.participant(identity: "anna").id, network: "irc:anna@irc.x.org")
      }
      var abilities = Abilities()
      abilities.replies = false
      let ben = NetworkUser(identity: "ben", name: "ben")
      try store.inbox.apply(
        [
          .rules(AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network)),
          .abilities(NetworkAbilities(rooms: abilities)), .joined(room: "#tea", nick: "anna"),
          .messageReceived(
            NetworkMessage(name: MessageIDs(archive: "1"), speaker: ben, body: "tea?"),
            in: .room("#tea")),
        ], of: account)
      let refused = try home.run(["send", "#tea", "--reply", "1", "yes", "--as", "anna"])
      #expect(
        refused.errors
          == "hobnob: The network of #tea cannot show which message you answer; send it without --reply.\n"
      )
    }

    @Test("11.3: a message that nothing sends now is reported as waiting, at once with --wait, too")
    func saysThatItWaits() throws {
      let store = try Store(path: home.store)
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "xmpp:anna@one.example")
      }
      let send = ["send", "--create", "@dora@one.example", "hi", "--as", "anna"]
      func said() throws -> String {
        let finished = try home.run(send)
        #expect(finished.status == 0 && finished.output == "")
        return finished.errors
      }
      let unlisted = try said()
      #expect(unlisted.contains("type /account add xmpp:anna@one.example in hobnob"), "\(unlisted)")
      #expect(!unlisted.contains("hobnob connect"))
      try home.list(account, isWanted: false)
      let unwanted = try said()
      #expect(unwanted.contains("anna@one.example is not connected"), "\(unwanted)")
      #expect(unwanted.hasSuffix("hobnob connect anna@one.example sends it.\n"))
      try home.list(account)
      let wanted = try said()
      #expect(
        wanted.hasSuffix("run hobnob connect anna@one.example or start hobnob.\n"), "\(wanted)")
      let waiting = try home.start(send + ["--wait", "sent", "--timeout", "60"])
      #expect(waiting.wait(for: 10) { $0.errors.contains("is not connected") })
      #expect(!waiting.hasEnded)
      for entry in try store.read({ try $0.outbox(of: account.network) }) {
        try store.writeDurably { try $0.finish(entry, as: .sent) }
      }
      #expect(waiting.finish().status == 0)
      let lease = try #require(try AccountLease.acquire(account, in: store))
      defer { withExtendedLifetime(lease) {} }
      #expect(try home.run(send) == .init(status: 0, output: "", errors: ""))
    }

    @Test(
      "11.3: what follows the conversation is text, whatever it begins with",
      arguments: [
        ["-h is broken"], ["-hello"], ["fails", "-h"], ["fails -h"],
        ["-h"], ["-1", "degrees"], ["-", "item"], ["- item"], ["--bogus"], ["use", "--wait"],
        ["a", "--wait", "sent", "b"], ["a", "--", "b"], ["--bogus=x"],
        ["one", "--as", "--create=", "x"],
      ])
    func textIsText(words: [String]) throws {
      let finished = try home.run(["send", "--as", "ben", "lobby"] + words)
      #expect(finished == Program.Finished(status: 0, output: "", errors: ""))
      #expect(try log().hasSuffix("[1] ben: \(words.joined(separator: " "))\n"))
    }

    @Test("11.3: options stand before the text or at the end of the line; behind -- all is text")
    func optionsAroundTheText() throws {
      let lines: [(words: [String], text: String)] = [
        (["--as", "ben", "lobby", "--wait", "sent", "one"], "one"),
        (["lobby", "two", "--as", "ben", "--wait=sent"], "two"),
        (["--create", "lobby", "--as", "ben", "three", "-h", "--timeout", "1"], "three -h"),
        (["lobby", "--as", "ben", "--", "four", "--wait", "sent"], "four --wait sent"),
        (["lobby", "--as", "ben", "--", "--create"], "--create"),
      ]
      for (number, line) in lines.enumerated() {
        let finished = try home.run(["send"] + line.words)
        #expect(finished == Program.Finished(status: 0, output: "", errors: ""))
        #expect(try log("--lines", "1").hasSuffix("[\(number + 1)] ben: \(line.text)\n"))
      }
    }

    @Test(
      "--help and --version at the end of a line are answered; behind -- they are text",
      arguments: [
        ["lobby", "--help"], ["lobby", "--version"], ["lobby", "how", "is", "it", "--help"],
        ["--as", "ben", "lobby", "--wait", "sent", "--help"],
        ["lobby", "x", "--help", "--as", "ben"],
      ])
    func helpAtTheEnd(words: [String]) throws {
      let answered = try home.run(["send"] + words)
      let isHelp = words.contains("--help")
      #expect(answered.status == 0 && answered.errors == "", "\(answered)")
      #expect(answered.output.contains(isHelp ? "USAGE: hobnob send" : "hobnob 0."), "\(answered)")
      #expect(try log() == "")
      for text in [["--", "--help"], ["--", "x", "--version"], ["--help", "me"]] {
        #expect(try home.run(["send", "--as", "ben", "lobby"] + text).output == "")
      }
      #expect(try log("--lines", "1").hasSuffix("[3] ben: --help me\n"))
      #expect(try log("--from", "2", "--to", "2").hasSuffix("[2] ben: x --version\n"))
    }

    @Test("send knows all of its options beside a text")
    func allOptions() throws {
      let help = try home.run(["send", "--help"]).output
      let options = help.split(separator: "\n").compactMap { line -> (String, Bool)? in
        guard let start = line.firstRange(of: "  --") else { return nil }
        let words = line[start.lowerBound...].split(separator: " ")
        return (String(words[0]), words.count > 1 && words[1].hasPrefix("<"))
      }.filter { !["--version", "--help"].contains($0.0) }
      #expect(options.count == 13, "\(options)")
      for (option, takesValue) in options {
        // One that was taken for text would be sent.
        _ = try home.run(["send", "lobby", option] + (takesValue ? ["/dev/null/none"] : []))
      }
      #expect(try log() == "")
    }

    @Test("11.3: a word with - is not an option of a search, and a hint says how to search for it")
    func searchWords() throws {
      try home.say("about -kettles", as: "ben")
      for words in [["-kettles"], ["tea", "-kettles"], ["--lines", "2", "-k"]] {
        let finished = try home.run(["search", "--as", "ben"] + words)
        #expect(finished.status == 64 && finished.output == "")
        #expect(finished.errors.contains("hobnob search -- \(words.last ?? "")"))
      }
      let found = try home.run(["search", "--as", "ben", "--", "-kettles"])
      #expect(found.status == 0 && found.output.contains("about -kettles"))
      #expect(try home.run(["search", "-h"]).status == 0)
    }

    @Test("nothing to send is a failure", arguments: ["", " \n\n"])
    func nothing(input: String) throws {
      let finished = try home.run(["send", "lobby", "--as", "ben"], input: input)
      #expect(finished.status == 1 && finished.errors != "")
    }
  }
}
