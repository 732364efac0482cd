// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Repeatable
import Testing

extension EndToEnd {
  /// hobnob with an account that a program connects, whose network is a file.
  @Suite("An account that a program connects")
  struct BridgeEndToEndTests {
    private let home: Home
    private let program: String
    private let server: String
    private let anna: PseudoTerminal
    private let room = #"{"room":"!Room One:a@b"}"#

    init() throws {
      home = try Home()
      let folder = home.path + "/.config/hobnob/networks"
      server = home.path + "/server"
      program = folder + "/hobnob-net-stub"
      for path in [folder, home.path + "/bin"] {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
      let stub = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "BridgeTests/hobnob-net-stub")
      // By a process of its own: a file that this one has open for writing cannot be started.
      _ = try Program(
        ["cp", stub.path, program], environment: home.environment
      ).finish()
      anna = try PseudoTerminal(
        command: [Home.program, "--as", "anna", "lobby"], environment: home.environment,
        rows: 30, columns: 90)
      try anna.expect("#lobby> |")
    }

    /// Installs a program.
    private func install(_ script: String, at path: String) throws {
      try home.write(script, to: "script")
      // By a process of its own: a file that this one has open for writing cannot be started.
      _ = try Program(["cp", home.path + "/script", path], environment: home.environment).finish()
      chmod(path, 0o700)
    }

    /// The path of a network's program.
    private func path(of kind: String) -> String {
      (program as NSString).deletingLastPathComponent + "/hobnob-net-" + kind
    }

    private func connect() throws {
      try anna.type("/account add stub:you --log \(server)\r", seeing: "you is connected")
    }

    /// Something happens on the network.
    private func happen(_ lines: String...) throws {
      if !FileManager.default.fileExists(atPath: server) {
        _ = FileManager.default.createFile(atPath: server, contents: nil)
      }
      let file = try #require(FileHandle(forWritingAtPath: server))
      try file.seekToEnd()
      try file.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
      try file.close()
    }

    private var told: String { (try? String(contentsOfFile: server, encoding: .utf8)) ?? "" }

    private func expectTold(
      _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try #require(
        anna.wait(for: 20) { _ in told.contains(text) }, "\(told)\n\(anna.emulator.picture)",
        sourceLocation: sourceLocation)
    }

    private func enterRoom() throws {
      try connect()
      try happen(
        """
        {"type":"room","room":"!Room One:a@b","name":"Tea","people":[{"identity":"@ben:b","name":"Ben"}]}
        """,
        """
        {"type":"message","conversation":\(room),"id":"b1","sender":"@ben:b","name":"Ben","text":"hello"}
        """)
      try anna.expect("#Tea 1")
      try anna.type("/switch tea\r", seeing: "Ben: hello")
      try anna.expect("#Tea> |")
    }

    @Test("a room with any address is a room by its name, and all that people do goes both ways")
    func talks() throws {
      try enterRoom()
      try home.expectConfined("hobnob-bridge")
      try anna.type("hi\r", seeing: "sent")
      try expectTold(#""mine": true, "uid": "#)
      try anna.type("/edit\r", seeing: "hi|")
      try anna.type(" there\r", seeing: "hi there")
      try expectTold(#""text": "hi there"#)
      try anna.type("/react 1 👍\r", seeing: "👍")
      try expectTold(#""all": ["\ud83d\udc4d"]"#)
      try anna.type("/reply 1 indeed\r", seeing: "indeed")
      try expectTold(#""reply_to": {"id": "b1""#)
      try happen(
        """
        {"type":"typing","conversation":\(room),"sender":"@ben:b","name":"Ben","active":true}
        """)
      try anna.expect("Ben is typing")
      let own = try #require(told.firstMatch(of: /"id": "(own-[^"]*)", "mine": true, "uid"/)?.1)
      try happen(
        """
        {"type":"receipt","conversation":\(room),"sender":"@ben:b","state":"seen","ids":["\(own)"]}
        """,
        """
        {"type":"edited","conversation":\(room),"id":"b1","sender":"@ben:b","text":"hello, anna"}
        """)
      try anna.expect("hello, anna")
      try anna.type("/info 2\r", seeing: "seen")
      try happen(#"{"type":"deleted","conversation":\#(room),"id":"b1","sender":"@ben:b"}"#)
      try anna.expect("deleted")
      try anna.type("/delete 3\r", seeing: "deleted")
      try expectTold(#""type": "deleted", "conversation": {"room": "!Room One:a@b"}, "id": "own-"#)
      try anna.type("/topic green\r", seeing: "green")
      try home.expectSound()
    }

    @Test("a change that the network refuses is told, since it is shown already")
    func refusedChanges() throws {
      try anna.type(
        "/account add stub:you --log \(server) --break refuses\r", seeing: "you is connected")
      try anna.type("/join stub:tea\r", seeing: "#Tea> |")
      try anna.type("hi\r", seeing: "sent")
      try anna.type("/edit\r", seeing: "hi|")
      try anna.type(" there\r", seeing: "did not take the new text of message 1 in #Tea: not here")
      try anna.type("/delete 1\r", seeing: "did not delete message 1 in #Tea: not here")
    }

    @Test("people and rooms are named by the kind of network and their address, in scripts too")
    func names() throws {
      try anna.type("/account add st\t", seeing: "/account add stub:|")
      try anna.type("you --log \(server)\r", seeing: "you is connected")
      try anna.type("/msg stub:@zoe:x\r", seeing: "@@zoe:x> |")
      try anna.type("hi\r", seeing: "sent")
      try expectTold(#"{"person": "@zoe:x"}"#)
      let sent = try home.run(["send", "--as", "anna", "--create", "@stub:max", "hello max"])
      #expect(sent.status == 0, "\(sent)")
      try expectTold(#"{"person": "max"}"#)
      let joined = try home.run(["send", "--as", "anna", "--create", "stub:den", "hello all"])
      #expect(joined.status == 0, "\(joined)")
      try expectTold(#"{"room": "den"}"#)
      try anna.type("/msg max\r", seeing: "hello max")
    }

    @Test("files come from the program's own folder only, not through a link either")
    func files() throws {
      try connect()
      let folders = home.path + "/.local/state/hobnob/programs"
      let own = try #require(try FileManager.default.contentsOfDirectory(atPath: folders).first)
      let folder = folders + "/" + own
      try "picture".write(toFile: folder + "/p.txt", atomically: true, encoding: .utf8)
      try home.write("secret", to: "secret.txt")
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/link", withDestinationPath: home.path + "/secret.txt")
      func message(_ id: String, _ text: String, _ path: String) -> String {
        """
        {"type":"message","conversation":{"room":"tea"},"id":"\(id)","sender":"ben","name":"Ben",\
        "text":"\(text)","files":[{"path":"\(path)","name":"p.txt"}]}
        """
      }
      try happen(
        #"{"type":"room","room":"tea"}"#, message("1", "mine", folder + "/p.txt"),
        message("2", "a link", folder + "/link"), message("3", "yours", home.path + "/secret.txt"))
      try anna.expect("#tea 3")
      try anna.type("/switch tea\r", seeing: "yours")
      try anna.type("/save 1 \(home.path)/saved\r", seeing: "saved")
      #expect(try String(contentsOfFile: home.path + "/saved", encoding: .utf8) == "picture")
      let log = try home.run(["log", "--as", "anna", "--json", "--lines", "99", "tea"])
      #expect(count(of: "p.txt", in: log.output) == 1, "\(log)")
      let screen = anna.emulator.history.joined(separator: "\n")
      #expect(count(of: "hobnob-net-stub: the file", in: screen) == 2)
    }

    @Test("killed again and again, the program loses nothing and doubles nothing")
    func kills() throws {
      try enterRoom()
      let rounds = LongRun.rounds(4)
      for round in 1...rounds {
        anna.send("mine \(round)\r")
        try happen(
          """
          {"type":"message","conversation":\(room),"id":"k\(round)","sender":"@ben:b","text":"ben \(round)"}
          """)
        if round % 2 == 0 { try expectTold("mine \(round)") }
        killProgram()
        try happen(
          """
          {"type":"message","conversation":\(room),"id":"d\(round)","sender":"@ben:b","text":"down \(round)"}
          """)
      }
      func bodies() throws -> [String] {
        let log = try home.run(["log", "--as", "anna", "--json", "--lines", "99", "tea"])
        return log.output.split(separator: "\n").compactMap { line in
          line.firstMatch(of: /"text":"((mine|ben|down) [0-9]+)"/).map { String($0.1) }
        }
      }
      let wanted = Set((1...rounds).flatMap { ["mine \($0)", "ben \($0)", "down \($0)"] })
      // hobnob waits longer and longer before it starts a program again.
      _ = anna.wait(for: 120) { _ in
        (try? Set(bodies())) == wanted
          && wanted.allSatisfy { $0.hasPrefix("mine") ? told.contains($0) : true }
      }
      let found = try bodies()
      #expect(
        Set(found) == wanted && found.count == wanted.count, "\(found)\n\(anna.emulator.picture)")
      for round in 1...rounds { #expect(count(of: #""mine \#(round)""#, in: told) == 1) }
      try home.expectSound()
    }

    @Test("what a program writes while the store is locked is stored later, even if it has ended")
    func lockedStore() throws {
      // It says everything once only.
      let script = """
        #!/bin/sh
        echo '{"type":"hello","version":1,"network":"Once","secret":false}'
        read -r start
        echo '{"type":"up"}'
        [ -e '\(home.path)/over' ] && exec sleep 600
        while [ ! -e '\(home.path)/go' ]; do sleep 0.05; done
        echo '{"type":"room","room":"tea"}'
        for i in $(seq 40); do
          echo '{"type":"message","conversation":{"room":"tea"},"id":"'$i'","sender":"ben","text":"'line $i'"}'
        done
        touch '\(home.path)/over'
        exit 1
        """
      try install(script, at: path(of: "once"))
      try anna.type("/account add once:me\r", seeing: "me is connected")
      let holder = try home.lock("BEGIN IMMEDIATE")
      try home.write("", to: "go")
      try #require(
        anna.wait(for: 20) { _ in FileManager.default.fileExists(atPath: home.path + "/over") })
      holder.closeInput()
      _ = holder.finish()
      try anna.expect("#tea 40")
      try anna.type("/switch tea\r", seeing: "line 40")
    }

    @Test("a program asks the owner for a code, which no store keeps, and remembers what it gives")
    func asks() throws {
      let script = """
        #!/usr/bin/env python3
        import json, sys
        def say(type, **members): print(json.dumps({"type": type, **members}), flush=True)
        say("hello", version=1, network="Asking", secret=False)
        start = json.loads(sys.stdin.readline())
        if start["kept"].get("token") != "token of code-4711":
            say("ask", ask="code", text="Which code does your phone show?", qr="https://example.org/link")
            reply = json.loads(sys.stdin.readline())
            say("keep", name="token", value="token of " + reply["text"])
        say("up")
        say("notice", text="the token is there")
        sys.stdin.read()
        """
      try install(script, at: path(of: "asking"))
      try anna.type("/account add asking:me\r", seeing: "Which code does your phone show?")
      try anna.type("code-4711\r", seeing: "the token is there")
      try anna.expect("#lobby> |")
      try anna.type("/disconnect\r", seeing: "me is disconnected")
      try anna.type("/connect\r", seeing: "me is connected")
      let screen = anna.emulator.history.joined(separator: "\n")
      #expect(count(of: "Which code", in: screen) == 1)
      let folder = (home.store as NSString).deletingLastPathComponent
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let data = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
        #expect(data.range(of: Data("4711".utf8)) == nil, "\(name)")
      }
    }

    @Test(
      "11.5: a QR code is drawn where it fits, without colours if the owner wants none; a secret is not shown",
      arguments: [
        ([], [:], 90, "drawn as ANSIUTF8"), ([], ["NO_COLOR": "1"], 90, "drawn as UTF8"),
        ([], [:], 30, "https://example.org/link"),
        (["--plain"], [:], 90, "https://example.org/link"),
      ] as [([String], [String: String], Int, String)])
    func codes(options: [String], changes: [String: String], columns: Int, shown: String) throws {
      let script = """
        #!/usr/bin/env python3
        import json, sys
        def say(type, **members): print(json.dumps({"type": type, **members}), flush=True)
        say("hello", version=1, network="Asking", secret=False)
        sys.stdin.readline()
        say("ask", ask="code", text="Which code do you see?", qr="https://example.org/link")
        sys.stdin.readline()
        say("ask", ask="word", text="Your word?", secret=True)
        word = json.loads(sys.stdin.readline())["text"]
        say("up")
        say("notice", text="the word has %d letters" % len(word))
        sys.stdin.read()
        """
      try install(script, at: path(of: "asking"))
      let qrencode = #"""
        #!/bin/sh
        cat >/dev/null
        printf '\033[1m%-40s\033[0m\n' "drawn as $2"
        """#
      try install(qrencode, at: home.path + "/bin/qrencode")
      let path = home.path + "/bin:" + (home.environment["PATH"] ?? "")
      let ben = try home.shellInLobby(
        as: "ben", options, columns: columns,
        environment: changes.merging(["PATH": path]) { $1 })
      try ben.type("/account add asking:me\r", seeing: "Which code do you see?")
      let screen = ben.emulator.history.joined(separator: "\n") + ben.emulator.picture
      #expect(screen.contains(shown), "\(screen)")
      #expect(screen.contains("drawn") == shown.hasPrefix("drawn"), "\(screen)")
      try ben.type("47\r", seeing: "Your word?")
      try ben.type("sesame\r", seeing: "the word has 6 letters")
      #expect(!ben.emulator.history.joined().contains("sesame"))
    }

    @Test("14.14: a person who writes a program finds out whether it keeps the rules")
    func checks() throws {
      try home.write("sesame\n", to: "secret")
      func check(_ words: String...) throws -> Program.Finished {
        try home.start(
          ["bridge", "check", program, "--secret-file", home.path + "/secret", "--option"] + words
        ).finish(within: 120)
      }
      let good = try check("log=" + server)
      #expect(good.status == 0 && good.output.contains("ok       end"), "\(good)")
      // It ends after its first check; the others are in ProgramCheckTests.
      let bad = try check("log=" + server, "--option", "break=hides")
      #expect(bad.status == 1 && bad.output.contains("FAILED   hello"), "\(bad)")
    }

    @Test(
      "14.14: what cannot be tried or checked is told with what to do", arguments: ["try", "check"])
    func refusesWhatIsNoProgram(verb: String) throws {
      func fault(_ name: String) throws -> String {
        let finished = try home.run(["bridge", verb, name])
        #expect(finished.status == 64 && finished.output.isEmpty, "\(finished)")
        return finished.errors
      }
      chmod(program, 0o600)
      for name in [program, "stub"] {
        #expect(
          try fault(name).contains(
            "\(program) is not an executable file; chmod +x \(program) and try again"))
      }
      #expect(try fault(home.path + "/bin").contains("/bin is not a file"))
      #expect(try fault(home.path + "/nothing").contains("/nothing cannot be used: No such file"))
      #expect(
        try fault("nothing").contains("nothing is neither a program nor the name of a network."))
      try home.write("", to: "draft")
      let draft = try Program(
        ["sh", "-c", "cd \(home.path) && exec \(Home.program) bridge \(verb) draft"],
        environment: home.environment
      ).finish()
      #expect(
        draft.errors.contains("draft is not the name of a network; for the file, write ./draft"))
      try home.write("#!/nowhere/python\n", to: "lost")
      chmod(home.path + "/lost", 0o700)
      let lost = try home.run(["bridge", verb, home.path + "/lost"])
      #expect(lost.status == 1 && (lost.errors + lost.output).contains("could not be run: No such"))
    }

    @Test("14.14: a person who writes a program can talk to it in short forms")
    func tries() throws {
      let echo = Repository.root.path + "/share/networks/hobnob-net-echo"
      let talk = try home.start(["bridge", "try", echo], input: nil)
      #expect(talk.wait(for: 20) { $0.output.contains("logged in: hobnob hands over") })
      talk.type("send @bot hello\nrequest history @bot\nrequest history @bot many\n")
      #expect(talk.wait(for: 20) { $0.output.contains("! That is neither JSON nor one of") })
      talk.closeInput()
      let output = talk.finish().output
      for part in [
        "You said: hello", #""count":20"#, #""text": "Echo has no rooms.""#, "the end of what is",
      ] { #expect(output.contains(part), "\(output)") }
    }

    private func killProgram() {
      for process in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
        guard let number = Int32(process),
          let command = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8),
          command.split(separator: "\0").contains(where: { $0 == program })
        else { continue }
        kill(number, SIGKILL)
      }
    }

    @Test("12.7: a program that others can write is not started, with a reason")
    func refusesOthersPrograms() throws {
      chmod(program, 0o777)
      try anna.type(
        "/account add stub:you --log \(server)\r", seeing: "Others may write to")
      chmod(program, 0o700)
      try connect()
    }
  }
}
