// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("11: The command line")
  struct CommandLineTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    private func bash(
      _ script: String, environment: [String: String]? = nil
    ) throws -> Program.Finished {
      try Program(
        ["bash", "--norc", "-c", script, Home.program],
        environment: environment ?? home.environment
      ).finish()
    }

    @Test("12.1: a wrong option shows the usage of that command, safe to print")
    func usages() throws {
      let bare = try home.run(["--bogus"])
      #expect(bare.status == 64 && bare.output == "")
      #expect(try !home.run(["--nope"]).errors.contains("Did you mean"))
      #expect(bare.errors.hasPrefix("hobnob: Unknown option '--bogus'\nUsage: hobnob [OPTIONS]"))
      #expect(bare.errors.contains("hobnob search") && !bare.errors.contains("hobnob open ["))
      let send = try home.run(["send", "--bogus", "lobby"])
      #expect(send.status == 64 && send.errors.contains("Usage: hobnob send "))
      let hostile = try home.run(["log", "lobby", "--since", "\u{1B}[31mred", "--\u{1B}]0;x\u{7}"])
      #expect(hostile.status == 64 && !hostile.errors.unicodeScalars.contains("\u{1B}"))
    }

    @Test("--store with a folder says that it is one", arguments: ["", "/"])
    func storeIsAFolder(ending: String) throws {
      chmod(home.path, 0o777)
      let place = home.path + "/place"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
      let finished = try home.run(["log", "lobby", "--store", place + ending])
      #expect(finished.status == 1)
      #expect(finished.errors.contains(place) && finished.errors.contains("folder"))
      #expect(!finished.errors.contains("chmod"))
    }

    @Test("hobnob account register refuses a file of certificates before it asks for a password")
    func unreadableCertificates() throws {
      let finished = try home.run(
        ["account", "register", "xmpp:anna@x.org", "--ca", "/nonexistent"],
        input: "secret\nsecret\n")
      #expect(finished.status == 1 && finished.output == "")
      #expect(
        finished.errors.hasPrefix(
          "hobnob: /nonexistent cannot be read (No such file or directory); --ca needs a file"))
    }

    private static let printing = [
      "--help", "--version", "help send", "log --help", "log lobby", "log lobby --json",
      "search hello", "unread", "unread --count", "check", "wait lobby --timeout 5",
    ]

    @Test(
      "11.4: closed or full standard output is status 1 and a sentence",
      arguments: printing)
    func outputThatFails(arguments: String) throws {
      #expect(try home.run(["open", "lobby", "--as", "anna"]).status == 0)
      try home.say("hello", as: "ben")
      for place in [">&-", "> /dev/full"] {
        let waker =
          arguments.hasPrefix("wait")
          ? "(sleep 0.5; \"$0\" send lobby more --as ben) & " : ""
        let finished = try bash(
          "\(waker)\"$0\" \(arguments) --as anna \(place)".replacing(
            /(help|version|help send)( --as anna)/, with: { $0.1 }))
        #expect(finished.status == 1, "\(place) \(finished.errors)")
        #expect(finished.errors.contains("Standard output could not be written"))
        #expect(finished.errors.split(separator: "\n").count == 1, "\(finished.errors)")
      }
      // Nothing that was printed landed in the store.
      #expect(try home.run(["check"]).status == 0)
    }

    @Test(
      "a reader that has gone is neither an error nor a failure: set -o pipefail, | head -1",
      arguments: printing)
    func readerThatHasGone(arguments: String) throws {
      #expect(try home.run(["open", "lobby", "--as", "anna"]).status == 0)
      for number in 1...3 { try home.say("hello \(number)", as: "ben") }
      let options = arguments.contains("help") || arguments == "--version" ? "" : "--as anna"
      let waker =
        arguments.hasPrefix("wait") ? "(sleep 0.5; \"$0\" send lobby more --as ben) & " : ""
      for reader in ["head -n 1", "true"] {
        let finished = try bash(
          "set -o pipefail; \(waker)\"$0\" \(arguments) \(options) | \(reader)")
        #expect(finished.status == 0 && finished.errors == "", "\(finished.errors)")
      }
    }

    @Test("11.4: help for a command that does not exist is an error")
    func helpForNothing() throws {
      let finished = try home.run(["help", "nope"])
      #expect(
        finished
          == .init(
            status: 64, output: "",
            errors: "hobnob: There is no command nope; hobnob --help lists the commands.\n"))
      for name in ["help", "open", "account"] {
        #expect(try home.run(["help", name]).status == 0)
      }
    }

    @Test("11.3: hobnob connect without an account says what to do")
    func connectWithoutAnAccount() throws {
      try home.say("hello", as: "anna")
      #expect(
        try home.run(["connect", "--as", "anna"])
          == .init(
            status: 1, output: "",
            errors: "hobnob: You have no account; to add one, type /account add in hobnob.\n"))
    }

    @Test("closed standard input is a sentence, or nothing to run")
    func closedInput() throws {
      let send = try bash("\"$0\" send lobby --as ben <&-")
      #expect(send.status == 1 && send.errors.contains("Standard input cannot be read"))
      #expect(try bash("\"$0\" send lobby words --as ben <&-").status == 0)
    }

    @Test("all descriptors closed, no environment: it still works, as under cron")
    func bareProcess() throws {
      let store = home.path + "/store/s.sqlite"
      let send = "\"$0\" send lobby hi --as ben --no-rc --store \(store)"
      #expect(try bash(send + " <&- >&- 2>&-", environment: [:]).status == 0)
      let log = try bash("\"$0\" log lobby --as ben --no-rc --store \(store)", environment: [:])
      #expect(log.status == 0 && log.output.contains("ben: hi") && log.errors == "")
    }

    @Test("an unset HOME is taken from the system's records, or is a sentence")
    func noHome() throws {
      // A user of whom the system knows nothing.
      let command = [
        "setpriv", "--reuid=54321", "--clear-groups", "env", "-i", Home.program, "send", "lobby",
        "hi",
      ]
      let finished = try Program(command, environment: ["PATH": "/usr/bin:/bin"]).finish()
      guard finished.status != 126, finished.status != 127 else { return }
      #expect(finished.status == 1)
      #expect(finished.errors.contains("HOME is not set") && finished.errors.contains("--store"))
      // The XDG variable is enough.
      let data = try home.run(
        ["send", "lobby", "hi", "--as", "ben", "--no-rc"],
        environment: ["HOME": nil, "XDG_DATA_HOME": home.path + "/data"])
      #expect(data == .init(status: 0, output: "", errors: ""))
    }

    @Test("11.8: no source of the static program uses the C library's name services")
    func asksNoNameService() throws {
      let calls =
        /\b(get(pw|gr|sp|host|serv|proto|net)(by)?(nam|name|uid|gid|ent|addr|port)(_r)?|getaddrinfo|getnameinfo|getlogin|initgroups|getgrouplist|wordexp)\s*\(/
      // Other programs, which are not static.
      let others = ["XMPP", "hobnob-xmpp", "Networks", "CCurl", "hobnob-bench"]
      for path in Repository.files(below: "Sources", endings: [".swift", ".c", ".h"])
      where !others.contains(String(path.split(separator: "/")[1])) {
        #expect(try Repository.text(of: path).firstMatch(of: calls) == nil, "\(path)")
      }
    }

    @Test("11.8: a user who is not in /etc/passwd needs a name, and nothing else")
    func userWithoutName() throws {
      // As root another user, else root of a namespace of one's own, whose number has no entry.
      let user = "4711"
      let become =
        getuid() == 0
        ? ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
        : ["unshare", "--user", "--map-user=\(user)", "--map-group=\(user)"]
      let path = ["PATH": "/usr/bin:/bin"]
      guard try Program(become + ["true"], environment: path).finish().status == 0 else { return }
      _ = try Program(["chown", "-R", user, home.path], environment: path).finish()
      let store = home.path + "/mine/store.sqlite"
      func run(_ arguments: String..., variables: [String] = []) throws -> Program.Finished {
        try Program(
          become + ["env", "-i"] + variables + [Home.program] + arguments
            + ["--no-rc", "--store", store],
          environment: path
        ).finish()
      }
      #expect(
        try run("send", "lobby", "hi", "--as", "anna") == .init(status: 0, output: "", errors: ""))
      let sentence = "hobnob: Your user id \(user) has no name here; use --as NAME.\n"
      for arguments in [
        ["send", "lobby", "hi"], ["log", "lobby"], ["unread"], ["export"], ["lobby"],
      ] {
        let finished = try Program(
          become + ["env", "-i", Home.program] + arguments + ["--no-rc", "--store", store],
          environment: path
        ).finish()
        #expect(finished == .init(status: 1, output: "", errors: sentence), "\(arguments)")
      }
      for variable in ["USER", "LOGNAME"] {
        let log = try run("log", "lobby", variables: ["\(variable)=ben"])
        #expect(log.status == 0 && log.output.contains("anna: hi"), "\(log)")
      }
      #expect(try run("check").errors == "")
      // A store of such a user is refused with their number.
      if getuid() == 0 {
        let foreign = try home.run(["log", "lobby", "--as", "anna", "--store", store])
        #expect(foreign.status == 1 && foreign.errors.contains("belongs to user \(user)"))
      }
    }

    @Test("11.6: a folder that is closed to you is named, with the group you lack")
    func closedFolder() throws {
      guard getuid() == 0 else { return }
      let folder = home.path + "/team"
      let group = gid_t(100)
      let name = try #require(getgrgid(group)).pointee.gr_name.map { String(cString: $0) } ?? ""
      chmod(home.path, 0o755)
      mkdir(folder, 0o700)
      chown(folder, 0, group)
      chmod(folder, 0o2770)
      let store = folder + "/store.sqlite"
      #expect(
        try home.run(["open", "lobby", "--as", "anna", "--shared", "--store", store]).status == 0)
      let path = ["PATH": "/usr/bin:/bin"]
      func refusal(_ store: String, _ groups: String) throws -> Program.Finished {
        try Program(
          ["setpriv", "--reuid=54321", "--regid=54321", groups, "env", "-i", Home.program]
            + ["log", "lobby", "--as", "ben", "--no-rc", "--store", store],
          environment: path
        ).finish()
      }
      for place in [store, folder + "/more/store.sqlite", folder + "/new.sqlite"] {
        let refused = try refusal(place, "--clear-groups")
        #expect(refused.status == 1)
        #expect(
          refused.errors.hasSuffix("permission denied; you are not in the group \(name).\n"),
          "\(refused.errors)")
      }
      #expect(try refusal(store, "--groups=\(group)") == .init(status: 0, output: "", errors: ""))
      chmod(folder, 0o700)
      #expect(try refusal(store, "--groups=\(group)").errors.hasSuffix("permission denied.\n"))
    }

    @Test("11.2: a misspelt subcommand is noticed, and rooms with such names can be opened")
    func slips() throws {
      for (slip, name) in [("serch", "search"), ("unraed", "unread"), ("chekc", "check")] {
        let finished = try home.run([slip])
        #expect(finished.status == 1 && finished.errors.contains("hobnob \(name)?"))
        #expect(try home.run(["log", slip]).status == 1, "there is a room")
      }
      let asked = try home.shell(as: "anna", ["serch"])
      try asked.expect("There is no room #serch; did you mean hobnob search? y: make #serch")
      try asked.expect("#lobby> |")
      for name in ["search", "unread", "wait"] {
        #expect(try home.run(["open", name, "--as", "anna"]).status == 0)
        #expect(try home.run(["send", name, "hi", "--as", "anna"]).status == 0)
      }
    }

    @Test("11.7: without a terminal an unknown name is refused; --create makes the room")
    func unknownWords() throws {
      for arguments in [["rooms"], ["#version"], ["--store=\(home.store)", "status"], ["@nobody"]] {
        let name = arguments.last ?? ""
        let refused = try home.run(arguments + ["--as", "anna"], input: "hello\n")
        #expect(refused.status == 1 && refused.output == "", "\(refused)")
        #expect(refused.errors.contains(name), "\(refused.errors)")
        let room = name.hasPrefix("#") ? String(name.dropFirst()) : name
        if name != "@nobody" { #expect(refused.errors.contains("hobnob --create \(room)")) }
        let made = try home.run(["--create"] + arguments + ["--as", "anna"], input: "hello\n")
        #expect(made == .init(status: 0, output: "", errors: ""))
        #expect(try home.run(["log", name, "--as", "anna"]).output.contains("anna: hello"))
        #expect(try home.run(arguments + ["--as", "anna"]).status == 0)
      }
      // A command of which it is no part.
      #expect(try home.run(["log", "lobby", "--create"]).status == 64)
    }

    @Test("11.7: the first hobnob lobby in an empty store asks nothing")
    func firstLobby() throws {
      let shell = try home.shell(as: "anna", ["lobby"])
      try shell.expect("You are anna in #lobby, on this machine.")
      try shell.expectNever("There is no room")
      #expect(
        try home.run(["#lobby", "--as", "ben", "--store", home.path + "/b.sqlite"]).status == 0)
    }

    @Test(
      "an empty store greets with three lines, once for each person", arguments: [[], ["--plain"]])
    func greeting(face: [String]) throws {
      let first = try home.shell(as: "anna", face)
      try first.expect(
        """
        You are anna in #lobby, on this machine.
        To try a chat, run hobnob --as NAME in a second terminal.
        Type /tutorial to learn hobnob by doing, or /help for all commands.
        #lobby> |
        """)
      let second = try home.shell(as: "ben", face)
      try second.expect("Type a line and press Return to send it.\nType /tutorial to learn")
      first.send("\u{04}")
      #expect(first.waitForExit(seconds: 10) == 0)
      let again = try home.shell(as: "anna", face)
      try again.expect("#lobby> |")
      try again.expectNever("You are anna")
      second.send("hello\r")
      try second.expect("ben: hello")
      let third = try home.shell(as: "cem", face)
      try third.expect("ben: hello")
      try third.expectNever("/tutorial")
    }

    @Test(
      "11.7: at a terminal an unknown name is asked about",
      arguments: [[], ["--plain"]])
    func asksAboutUnknownWords(face: [String]) throws {
      let isPlain = !face.isEmpty
      let question =
        isPlain
        ? "There is no room #rooms.\n1 y: make it\nany other key: stay here"
        : "There is no room #rooms. y: make it, any other key: stay here"
      let first = try home.shell(as: "anna", face + ["rooms"])
      try first.expect(question)
      // It is typed, as at any question.
      try first.type("hello\r", seeing: "anna: hello")
      #expect(try home.run(["log", "rooms", "--as", "anna"]).status == 1, "there is a room")
      let second = try home.shell(as: "ben", face + ["rooms"])
      try second.expect(question)
      try second.type("y", seeing: "#rooms> |")
      try second.type("from ben\r", seeing: "ben: from ben")
      let third = try home.shell(as: "anna", face + ["room"])
      try third.expect(
        isPlain
          ? "There is no room #room.\n1 y: join #rooms\n2 m: make #room\nany other key"
          : "There is no room #room. y: join #rooms, m: make #room, any other key")
      try third.type("y", seeing: "#rooms> |")
      let fourth = try home.shell(as: "anna", face + ["rooms"])
      try fourth.expect("#rooms> |")
      try fourth.expectNever("There is no room")
    }

    @Test("a question takes as many rows as it needs, so that 40 columns show its keys, too")
    func longQuestions() throws {
      let shell = try home.shell(as: "anna", ["rooms-of-the-house"], columns: 40)
      try shell.expect(
        "There is no room #rooms-of-the-house.\n  y: make it, any other key: stay here")
      try shell.type("y", seeing: "#rooms-of-the-house> |")
    }

    @Test("11.6: HOBNOB_STORE names the store where --store does not; an empty --store is refused")
    func storeVariable() throws {
      let other = home.path + "/other.sqlite"
      let named = ["HOBNOB_STORE": Optional(other)]
      let send = ["send", "lobby", "--as", "ben", "hi"]
      #expect(try home.run(send, environment: named).status == 0)
      #expect(try home.run(["log", "lobby", "--as", "ben"]).status == 1, "the usual store")
      let log = try home.run(["log", "lobby", "--as", "ben", "--store", other])
      #expect(log.output.contains("ben: hi"))
      #expect(try home.run(["check"], environment: named).output.contains("Store: \(other)"))
      #expect(try home.run(send + ["--store", home.store], environment: named).status == 0)
      #expect(try home.run(["log", "lobby", "--as", "ben"]).output.contains("ben: hi"))
      #expect(try home.run(send, environment: ["HOBNOB_STORE": ""]).status == 0)
      for arguments in [["--store", ""], ["--store="], ["send", "lobby", "hi", "--store", ""]] {
        let refused = try home.run(arguments + ["--as", "ben"])
        #expect(refused.status == 64 && refused.output == "", "\(arguments): \(refused)")
        #expect(refused.errors.contains("--store"))
      }
    }

    @Test(
      "11.4: a negative number of lines is refused with a sentence", arguments: ["log", "search"])
    func negativeLines(command: String) throws {
      try home.say("lobby", as: "anna")
      let refused = try home.run([command, "lobby", "--lines", "-1", "--as", "anna"])
      #expect(refused.status == 64 && refused.output == "")
      #expect(refused.errors.contains("--lines needs a number, 0 or more"), "\(refused.errors)")
      let history = try home.run(["lobby", "--as", "anna"], input: "/history -5\n")
      #expect(history.status == 1 && history.errors.contains("/history 5 shows the last 5"))
    }

    @Test("11.2: a new room is announced as new, an existing one is not")
    func newRooms() throws {
      for arguments in [
        ["--create", "tea"], ["--plain", "--create", "coffee"], ["open", "cake"],
      ] {
        let name = arguments.last ?? ""
        let first = try home.shell(as: "anna", arguments)
        try first.expect("#\(name) is new; nobody else is in it.")
        try first.expect("To try a chat, run hobnob --as NAME in a second terminal.")
        // Once its first line is stored, others know that it is there.
        try first.type("hello\r", seeing: "anna: hello")
        let second = try home.shell(as: "ben", arguments)
        try second.expect("#\(name)> |")
        try second.expectNever("is new")
        try second.expectNever("in a second terminal")
      }
      let usual = try home.shell(
        as: "anna", ["--store", home.path + "/other.sqlite"], columns: 240)
      try usual.expect("You are anna in #lobby, on this machine.")
      try usual.expect(
        "To try a chat, run hobnob --store '\(home.path)/other.sqlite' --as NAME in a")
      try usual.expectNever("is new")
    }

    @Test("11.2: an address is not a local room's name, and is found where it is known")
    func addresses() throws {
      for arguments in [["tea@x.org"], ["open", "tea@x.org"], ["log", "ben@x.org"]] {
        let finished = try home.run(arguments + ["--as", "anna"])
        #expect(finished.status == 1)
        #expect(finished.errors.contains("here is no conversation named \(arguments.last ?? "")"))
      }
      #expect(try home.run(["send", "--create", "tea@x.org", "hi", "--as", "anna"]).status == 1)
      let store = try Store(path: home.store)
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      #expect(
        try store.read { try $0.rooms(for: anna) }.map(\.name).filter { $0 != "#lobby" } == [])
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "xmpp:anna@x.org")
      }
      try home.list(account, isWanted: false)
      _ = try store.writeDurably { try $0.networkChat(with: "ben@far.org", of: account) }
      _ = try store.writeDurablyIfNeeded {
        try $0.networkRoom("tea@far.org", network: account.network)
      }
      #expect(try home.run(["send", "ben@far.org", "one", "--as", "anna"]).status == 0)
      #expect(try home.run(["log", "ben@far.org", "--as", "anna"]).output.contains("one"))
      let shell = try home.shell(as: "anna", ["ben@far.org"])
      try shell.expect("@ben@far.org> |")
      let other = try home.shell(as: "anna", ["tea@far.org"])
      try other.expect("#tea@far.org> |")
      #expect(try store.read { try $0.requests(of: account) }.map(\.target) == ["tea@far.org"])
    }

    @Test("11.3: without a name, the last room one is still in opens, never one that was left")
    func opensWhatWasNotLeft() throws {
      for room in ["old", "dev"] {
        #expect(try home.run(["open", room, "--as", "anna"]).status == 0)
        try home.say("in \(room)", as: "ben", in: room)
      }
      let shell = try home.shell(as: "anna", ["--create", "tea"])
      try shell.expect("#tea> |")
      try home.say("news", as: "ben", in: "tea")
      let store = try Store(path: home.store)
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      for (room, next) in [("tea", "dev"), ("dev", "old"), ("old", "lobby")] {
        let shell = room == "tea" ? shell : try home.shell(as: "anna")
        try shell.expect("#\(room)> |")
        let left = try #require(try store.read { try $0.room(room) })
        try store.writeDurablyIfNeeded { try $0.leave(anna, left.id) }
        shell.send("/quit\r")
        #expect(shell.waitForExit(seconds: 10) == 0)
        let again = try home.shell(as: "anna")
        try again.expect("#\(next)> |")
        again.send("\u{04}")
        #expect(again.waitForExit(seconds: 10) == 0)
      }
    }
  }
}
