// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("The command line (11)")
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

    @Test("12.1: a wrong option shows the usage of what was typed, safe to print")
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

    private static let printing = [
      "--help", "--version", "help send", "log --help", "log lobby", "log lobby --json",
      "search hello", "unread", "unread --count", "check", "wait lobby --timeout 5",
    ]

    @Test(
      "11.4: standard output that is closed or full is status 1 and a sentence",
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

    @Test("standard input that is closed is a sentence, or nothing to run")
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

    @Test("HOME that is not set is what the system has on record, or a sentence")
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

    @Test("11.2: a subcommand's slip of the pen is noticed, and rooms of their names stay open")
    func slips() throws {
      for (slip, name) in [("serch", "search"), ("unraed", "unread"), ("chekc", "check")] {
        let finished = try home.run([slip])
        #expect(finished.status == 1 && finished.errors.contains("hobnob \(name)?"))
        #expect(try home.run(["log", slip]).status == 1, "there is a room")
      }
      for name in ["search", "unread", "wait"] {
        #expect(try home.run(["open", name, "--as", "anna"]).status == 0)
        #expect(try home.run(["send", name, "hi", "--as", "anna"]).status == 0)
      }
    }

    @Test("11.2: a room that was just made is said to be new, and one that was there is not")
    func newRooms() throws {
      for arguments in [["tea"], ["--plain", "coffee"], ["open", "cake"]] {
        let name = arguments.last ?? ""
        let first = try home.shell(as: "anna", arguments)
        try first.expect("#\(name) is new; nobody else is in it.")
        try first.expect("A second terminal with hobnob --as NAME is someone to talk to.")
        try first.expect("#\(name)> |")
        let second = try home.shell(as: "ben", arguments)
        try second.expect("#\(name)> |")
        try second.expectNever("is new")
        try second.expectNever("A second terminal")
      }
      let usual = try home.shell(
        as: "anna", ["--store", home.path + "/other.sqlite"], columns: 240)
      try usual.expect("You are anna in #lobby, on this machine.")
      try usual.expect(
        "A second terminal with hobnob --store '\(home.path)/other.sqlite' --as NAME is someone")
      try usual.expectNever("is new")
    }

    @Test("11.2: an address is no name of a room here, and is found where it is known")
    func addresses() throws {
      for arguments in [["tea@x.org"], ["open", "tea@x.org"], ["log", "ben@x.org"]] {
        let finished = try home.run(arguments + ["--as", "anna"])
        #expect(finished.status == 1)
        #expect(finished.errors.contains("othing here is called \(arguments.last ?? "")"))
      }
      #expect(try home.run(["send", "--create", "tea@x.org", "hi", "--as", "anna"]).status == 1)
      let store = try Store(path: home.store)
      let anna = try store.participant(identity: "anna").id
      #expect(try store.rooms(for: anna).map(\.name).filter { $0 != "#lobby" } == [])
      let account = try store.addAccount(owner: anna, network: "xmpp:anna@x.org")
      try home.list(account, isWanted: false)
      _ = try store.networkChat(with: "ben@far.org", of: account)
      _ = try store.networkRoom("tea@far.org", network: account.network)
      #expect(try home.run(["send", "ben@far.org", "one", "--as", "anna"]).status == 0)
      #expect(try home.run(["log", "ben@far.org", "--as", "anna"]).output.contains("one"))
      let shell = try home.shell(as: "anna", ["ben@far.org"])
      try shell.expect("@ben@far.org> |")
      let other = try home.shell(as: "anna", ["tea@far.org"])
      try other.expect("#tea@far.org> |")
      #expect(try store.requests(of: account).map(\.target) == ["tea@far.org"])
    }

    @Test("11.3: without a name no room opens that was left: the last one is what one is still in")
    func opensWhatWasNotLeft() throws {
      for room in ["old", "dev"] {
        #expect(try home.run(["open", room, "--as", "anna"]).status == 0)
        try home.say("in \(room)", as: "ben", in: room)
      }
      let shell = try home.shell(as: "anna", ["tea"])
      try shell.expect("#tea> |")
      try home.say("news", as: "ben", in: "tea")
      let store = try Store(path: home.store)
      let anna = try store.participant(identity: "anna").id
      for (room, next) in [("tea", "dev"), ("dev", "old"), ("old", "lobby")] {
        let shell = room == "tea" ? shell : try home.shell(as: "anna")
        try shell.expect("#\(room)> |")
        let left = try #require(try store.room(room, create: false))
        try store.leave(anna, left.id)
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
