// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// Against a real server (Prosody), with somebody else's client (slixmpp) on the other side.
  @Suite(
    "An account on a server",
    .onASharedServer(
      "anna", "ben", "cem", "dan", "eva", "finn", "gina", "hana", "ivo", "jan",
      "kai"))
  struct AccountEndToEndTests {
    private let home: Home
    private let server: LocalServer

    init() throws {
      home = try Home()
      server = try #require(LocalServer.shared)
    }

    /// A shell with the account of that name, connected.
    private func connected(
      _ name: String, at server: LocalServer? = nil
    ) throws -> PseudoTerminal {
      try home.shell(as: name, at: server ?? self.server)
    }

    @Test("a direct chat with another client: text, edit, receipts, typing, a reaction")
    func chatsWithAForeignClient() throws {
      let ben = try ForeignClient("ben", at: server)
      let anna = try connected("anna")
      #expect(!anna.emulator.history.joined().contains("secret"))
      anna.send("/msg ben@\(LocalServer.domain)\r")
      try anna.expect("@ben")
      try anna.type("hello ben\r", seeing: "] ✓")
      try ben.expect("hello ben")
      // slixmpp answers the request for a receipt by itself (XEP-0184).
      try anna.expect("delivered")
      anna.send("/edit\r")
      try anna.expect("edit 1>")
      anna.send(", how are you?\r")
      try ben.expect("urn:xmpp:message-correct:0")
      try ben.expect("how are you?")

      try ben.tell("say", "anna@\(LocalServer.domain)", "chat", "quite well")
      try anna.expect("ben: quite well")
      let said = try ben.expect("hello ben\"]")
      let words = try JSONSerialization.jsonObject(with: Data(said.utf8)) as? [String]
      let id = try #require(words?[3])
      try ben.tell("react", "anna@\(LocalServer.domain)", "chat", id, "🍵")
      try anna.expect("🍵")
      try ben.tell("typing", "anna@\(LocalServer.domain)", "chat", "composing")
      try anna.expect("is typing")
      try ben.tell("marker", "anna@\(LocalServer.domain)", "chat", id)
      try anna.expect("seen")
    }

    @Test("a room: each message reaches both, once, and is `sent`")
    func talksInARoom() throws {
      let dan = try ForeignClient("dan", at: server)
      let cem = try connected("cem")
      let room = "tea@rooms.\(LocalServer.domain)"
      cem.send("/join \(room)\r")
      try cem.expect("#tea")
      try cem.type("is this on?\r", seeing: "] ✓")
      try dan.tell("join", room, "dan")
      try dan.expect("/cem")
      try cem.type("who brings the cups?\r", seeing: "[2] ✓")
      try dan.expect("who brings the cups?")
      try dan.tell("say", room, "groupchat", "I do")
      try cem.expect("dan: I do")
      #expect(cem.emulator.history.count { $0.contains("who brings the cups?") } <= 1)
    }

    @Test("what is sent while the server is away goes out once when it is back")
    func sendsWhatWaited() throws {
      let server = try LocalServer(["anna", "ben"])
      let anna = try connected("anna", at: server)
      anna.send("/msg ben@\(LocalServer.domain)\r")
      try anna.expect("@ben")
      server.stop(SIGKILL)
      try anna.expect("offline", for: 20)
      try anna.type("are you there?\r", seeing: "sending")
      try server.start()
      anna.send("/connect\r")
      try anna.expect("] ✓", for: 30)
      let ben = try ForeignClient("ben", at: server)
      try ben.expect("are you there?")
      #expect(ben.lines.count { $0.hasPrefix("[\"said\"") && $0.contains("are you there?") } == 1)
    }

    @Test("kill -9 of the network process loses nothing, and the next one takes the account over")
    func survivesAKill() throws {
      let finn = try ForeignClient("finn", at: server)
      let eva = try connected("eva")
      eva.send("/msg finn@\(LocalServer.domain)\r")
      try eva.expect("@finn")
      try eva.type("one\r", seeing: "] ✓")
      _ = try Program(
        ["pkill", "-9", "-f", "hobnob-xmpp.*\(home.store)"], environment: home.environment
      ).finish()
      try eva.expect("needs its pass", for: 20)
      try eva.type("two\r", seeing: "sending")
      eva.send("/connect\r")
      try eva.expect("Password of eva@\(LocalServer.domain): |")
      eva.send("secret\r")
      try eva.expect("> |", for: 30)
      try eva.expect("] ✓", for: 30)
      try finn.expect("two\"]")
    }

    @Test("1.14: keys typed while the account connects are two commands after it, not one")
    func typingAhead() throws {
      let proxy = try FreezableProxy(to: server.port)
      defer { proxy.close() }
      proxy.freeze(.answers)
      let kai = try home.shellInLobby(as: "kai")
      let options = server.options.replacing("\(server.port)", with: "\(proxy.port)")
      kai.send("/account add xmpp:kai@\(LocalServer.domain) \(options)\r")
      try kai.expect("Password of kai@\(LocalServer.domain): |")
      kai.send("secret\r")
      try kai.expect("Connecting; C-c returns to hobnob", for: 20)
      kai.send("/me wavess\u{7F}\r/me bows\rhalf a line")
      proxy.thaw()
      try kai.expect("#lobby> half a line|", for: 20)
      try kai.expect("kai waves")
      try kai.expect("kai bows")
    }

    @Test("a wrong password is asked for again, three times; after C-c, a line says how to go on")
    func refusesAWrongPassword() throws {
      let gina = try home.shellInLobby(as: "gina")
      let question = "Password of gina@\(LocalServer.domain): |"
      gina.send("/account add xmpp:gina@\(LocalServer.domain) \(server.options)\r")
      for _ in 1...3 {
        try gina.expect(question, for: 20)
        gina.send("wrong\r")
        try gina.expectGone(question, for: 20)
      }
      try gina.expect("/connect asks for another", for: 20)
      try gina.expect("#lobby> |")
      #expect(gina.emulator.picture.matches(of: /\n *The server does not accept/).count == 3)
      gina.send("/connect\r")
      try gina.expect(question)
      gina.send("\u{03}")
      try gina.expect("gina@\(LocalServer.domain): needs its password (/connect)", for: 20)
      gina.send("/connect\r")
      try gina.expect(question)
      gina.send("wrong\r")
      try gina.expectGone(question, for: 20)
      try gina.expect(question, for: 20)
      gina.send("secret\r")
      try gina.expect("is connected", for: 20)
      #expect(gina.emulator.picture.matches(of: /\n *The server does not accept/).count == 4)
      gina.send("/account\r")
      try gina.expect("xmpp:gina@\(LocalServer.domain)")
    }

    @Test(
      "14.8: no account without hobnob-xmpp; if it goes missing, that is said and the line is done")
    func addsWithoutTheProgram() throws {
      let program = home.path + "/bin/hobnob"
      try FileManager.default.createDirectory(
        atPath: home.path + "/bin", withIntermediateDirectories: true)
      // By a process of its own: a file that this one has open for writing cannot be started.
      _ = try Program(["cp", Home.program, program], environment: home.environment).finish()
      let anna = try PseudoTerminal(
        command: [program, "--as", "anna", "lobby"], environment: home.environment, rows: 24,
        columns: 80)
      try anna.expect("#lobby> |")
      try anna.type("/account add anna@x.org\r", seeing: "hobnob found no network program")
      try anna.type("/account list\r", seeing: "You have no account.")
      let network = home.path + "/bin/hobnob-xmpp"
      try install(answering, at: network)
      try anna.type(
        "/account add anna@x.org --password-command true\r",
        seeing: "anna@x.org is your account now")
      try FileManager.default.removeItem(atPath: network)
      try anna.type("/connect\r", seeing: "hobnob-xmpp is neither")
      try anna.type("/account list\r", seeing: "xmpp:anna@x.org")
      // It is not the line that failed: the next one tries again.
      anna.send("/connect\r")
      #expect(
        anna.wait(for: 10) {
          count(of: "hobnob-xmpp is neither", in: $0.history.joined(separator: "\n")) >= 2
        })
    }

    /// A network's program that only answers for addresses.
    private var answering: String { "test $1 != --address || echo $2" }

    /// Puts a script where shells look for a network's program.
    private func install(_ script: String, at program: String) throws {
      try home.write("#!/bin/sh\n\(script)\n", to: "script")
      let installing = try Program(
        ["install", home.path + "/script", program], environment: home.environment
      ).finish()
      try #require(installing.status == 0)
    }

    @Test("a library that hobnob-xmpp lacks is named in a sentence, wherever it is started")
    func namesAMissingLibrary() throws {
      let program = home.path + "/bin/hobnob"
      try #require(
        try Program(
          ["install", "-D", Home.program, program], environment: home.environment
        ).finish().status == 0)
      let complaining =
        "echo \"$0: error while loading shared libraries: libcurl.so.4: no file\" >&2; exit 127"
      try install(complaining, at: program + "-xmpp")
      let sentence = "hobnob-xmpp needs libcurl.so.4"
      let anna = try PseudoTerminal(
        command: [program, "--as", "anna", "lobby"], environment: home.environment, rows: 24,
        columns: 80)
      try anna.expect("#lobby> |")
      // It would ask for the password.
      try anna.type("/account add anna@x.org\r", seeing: sentence)
      // Nobody who has no account needs it.
      let check = try Program([program, "check"], environment: home.environment).finish()
      #expect(check.status == 0 && check.output.contains("\nAccounts: " + sentence), "\(check)")
      // One that it can do without is named, too.
      try install(
        "echo confined; echo \"$0: error while loading shared libraries: libomemo-c.so.0: no file\" >&2",
        at: program + "-xmpp")
      let other = try Program([program, "check"], environment: home.environment).finish()
      #expect(
        other.status == 0
          && other.output.contains(
            "\nEncryption: hobnob-xmpp needs libomemo-c.so.0, which is not installed; in Debian, "
              + "the package libomemo-c0 has it."),
        "\(other)")
      // An account from before the library went missing.
      try install(answering, at: program + "-xmpp")
      anna.send("\u{15}")
      try anna.type("/account add ben@x.org --password-command true\r", seeing: "ben@x.org is your")
      try install(complaining, at: program + "-xmpp")
      anna.send("/connect\r")
      #expect(
        anna.wait(for: 10) { count(of: sentence, in: $0.history.joined(separator: "\n")) >= 2 })
      anna.send("/account\r")
      try anna.expect("offline: " + sentence, for: 10)
      #expect(anna.wait(for: 1) { !$0.history.joined().contains("loading shared libraries") })
      for words in [["check"], ["connect", "ben@x.org"], ["account", "register", "cat@x.org"]] {
        let finished = try Program(
          [program] + words + ["--as", "anna"], environment: home.environment
        ).finish()
        #expect(finished.status == 1)
        #expect(finished.errors.hasPrefix("hobnob: " + sentence), "\(finished.errors)")
      }
    }

    @Test("/disconnect ends a hanging password command, and the account goes on")
    func endsAHangingCommand() throws {
      let anna = try home.shellInLobby(as: "anna")
      let script = home.path + "/hang"
      try "#!/bin/sh\necho $$ >\(home.path)/pid\nexec sleep 300\n".write(
        toFile: script, atomically: false, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
      anna.send(
        "/account add xmpp:anna@\(LocalServer.domain) \(server.options) --password-command \(script)\r"
      )
      try anna.expect("is your account now")
      func process() -> Int32? {
        let text = try? String(contentsOfFile: home.path + "/pid", encoding: .utf8)
        return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
      }
      #expect(anna.wait(for: 20) { _ in process() != nil }, "\(anna.emulator.picture)")
      let hanging = try #require(process())
      anna.send("/disconnect\r")
      #expect(anna.wait(for: 20) { _ in kill(hanging, 0) != 0 })
      anna.send(
        "/account set anna@\(LocalServer.domain) password-command sh -c 'echo secret | head -1'\r")
      try anna.expect("/connect to apply this")
      anna.send("/connect\r")
      try anna.expect("is connected", for: 20)
    }

    @Test("the process that serves an account is sandboxed, and /account says so")
    func isConfined() throws {
      let hana = try connected("hana")
      try hana.expect("is connected", for: 20)
      try home.expectConfined("hobnob-xmpp")
      hana.send("/account\r")
      try hana.expect("sandbox: ")
    }

    /// `hobnob connect` on a terminal, for an account with such a command for its password.
    private func connecting(
      _ name: String, _ command: String
    ) throws -> (terminal: PseudoTerminal, store: Store, account: Account) {
      // The first one to speak makes the store.
      try home.say("here", as: name)
      let store = try Store(path: home.store)
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: name) }.id
      let account = try store.writeDurably {
        try $0.addAccount(owner: me, network: "xmpp:\(name)@\(LocalServer.domain)")
      }
      try home.list(
        account,
        [
          "host": "127.0.0.1", "port": String(server.port), "ca": server.folder + "/certs/ca.crt",
          "password-command": command,
        ])
      let terminal = try PseudoTerminal(
        command: [Home.program, "connect", "--as", name], environment: home.environment)
      return (terminal, store, account)
    }

    @Test("at hobnob connect's terminal a password command can ask, and C-c ends both")
    func asksAtTheTerminal() throws {
      let (terminal, store, account) = try connecting(
        "ivo", #"sh -c 'printf "PIN: " >/dev/tty; read -r pin </dev/tty; echo "$pin"'"#)
      defer { store.close() }
      try terminal.expect("PIN: |")
      terminal.send("secret\r")
      #expect(
        terminal.wait(for: 20) { _ in
          (try? store.read { try $0.hasProcess(of: account) }) == true
            && (try? store.read { try $0.account(network: account.network) })?.status
              == .connected([])
        })
      terminal.send("\u{3}")
      #expect(terminal.waitForExit(seconds: 20) == 0)
    }

    @Test("what a password command started at a terminal ends with the account's process")
    func endsWhatACommandStarted() throws {
      let file = home.path + "/pid"
      let (terminal, store, _) = try connecting(
        "jan", #"sh -c '(trap "" HUP TERM; exec sleep 300) & echo $! >\#(file); wait'"#)
      defer { store.close() }
      func process() -> Int32? {
        let text = try? String(contentsOfFile: file, encoding: .utf8)
        return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
      }
      #expect(terminal.wait(for: 20) { _ in process() != nil })
      let sleeping = try #require(process())
      terminal.kill(SIGTERM)
      #expect(terminal.waitForExit(seconds: 20) == 0)
      let end = Date(timeIntervalSinceNow: 20)
      while kill(sleeping, 0) == 0, Date() < end { poll(nil, 0, 10) }
      #expect(kill(sleeping, 0) != 0)
    }

    @Test("hobnob account register makes an account that can be added")
    func registers() throws {
      let shell = try PseudoTerminal(
        command: [
          Home.program, "account", "register", "xmpp:dora@\(LocalServer.domain)", "--host",
          "127.0.0.1",
          "--port", String(server.port), "--ca", server.folder + "/certs/ca.crt",
        ], environment: home.environment, rows: 24, columns: 80)
      try shell.expect("A password for dora@\(LocalServer.domain): |")
      shell.send("secret\r")
      try shell.expect("Repeat the password: |")
      shell.send("secret\r")
      try shell.expect("You now have the account", for: 20)
      _ = try connected("dora")
    }

    @Test("without an account /account says how to get one, on each network")
    func saysHowToGetOne() throws {
      let anna = try home.shellInLobby(as: "anna")
      anna.send("/account\r")
      try anna.expect("/account add irc:you@irc.example.net")
      try anna.expect("/account add xmpp:you@example.org")
      try anna.expect("hobnob account register xmpp:you@example.org")
      #expect(!anna.emulator.picture.contains("register irc:"))
      try anna.type("/account add irc:anna@127.0.0.1:7100\r", seeing: "An address has no port")
      let withPort = try home.run(["account", "register", "xmpp:anna@x.org:5223"])
      #expect(
        withPort.errors.contains(
          "An address has no port; add anna@x.org, and give the port as an option: --port 5223."),
        "\(withPort)")
      let refused = try home.run(["account", "register", "irc:anna@irc.x.org"])
      #expect(refused.status == 1 && refused.errors.contains("NickServ"), "\(refused)")
    }
  }
}
