// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// hobnob with the program of a network whose accounts may have no password.
  @Suite("An account that may have no password")
  struct OptionalPasswordTests {
    private let home: Home
    private let anna: PseudoTerminal
    private let question = "Password of anna@x.org (Return: none): |"

    init() throws {
      home = try Home()
      let folder = home.path + "/bin"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // By a process of its own: a file that this one has open for writing cannot be started.
      _ = try Program(["cp", Home.program, folder], environment: home.environment).finish()
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/hobnob-stub", withDestinationPath: Home.built("StubNetwork"))
      anna = try PseudoTerminal(
        command: [folder + "/hobnob", "--as", "anna", "lobby"], environment: home.environment,
        rows: 24, columns: 80)
      try anna.expect("#lobby> |")
    }

    private var connections: Int {
      count(of: "the password is ''", in: anna.emulator.history.joined(separator: "\n"))
    }

    /// Disconnects the account, and waits for the end of its process.
    private func disconnect() throws {
      try anna.type("/disconnect\r", seeing: "is disconnected")
      let store = try Store(path: home.store)
      defer { store.close() }
      let account = try #require(try store.read { try $0.account(network: "stub:anna@x.org") })
      #expect(
        anna.wait(for: 10) { _ in
          (try? store.read { try $0.hasProcess(of: account) }) == false
        })
    }

    @Test("Return alone means none, which is remembered; /account set ADDRESS password asks again")
    func none() throws {
      try anna.type("/account add anna@x.org\r", seeing: question)
      try anna.type("\r", seeing: "the password is ''")
      try anna.expect("#lobby> |")
      try disconnect()
      anna.send("/connect\r")
      #expect(anna.wait(for: 10) { _ in connections == 2 }, "\(anna.emulator.picture)")
      #expect(
        count(of: "Return: none", in: anna.emulator.history.joined(separator: "\n")) == 1)
      try anna.type("/account set anna@x.org password\r", seeing: "asks for the password")
      // The running process has none, and cannot ask.
      try anna.type("/connect\r", seeing: "anna@x.org: needs its password (/connect)")
      try anna.type("/connect\r", seeing: question)
      try anna.type("sesame\r", seeing: "the password is 'sesame'")
    }

    @Test("if the server wants one after all, it is asked for, and asked for again later")
    func wanted() throws {
      try anna.type("/account add anna@x.org --door locked\r", seeing: question)
      try anna.type("\r", seeing: "The server wants a password.")
      try anna.expect("Password of anna@x.org: |")
      try anna.type("sesame\r", seeing: "the password is 'sesame'")
      try anna.expect("#lobby> |")
      try disconnect()
      try anna.type("/connect\r", seeing: question)
    }

    @Test("a wrong password from a command is reported once, and /connect runs the command again")
    func wrongCommand() throws {
      let said = "anna@x.org: The server does not accept the password from password-command"
      func reports() -> Int { count(of: said, in: anna.emulator.history.joined(separator: "\n")) }
      try anna.type(
        "/account add anna@x.org --door locked --password-command 'echo wrong'\r", seeing: said)
      anna.settle()
      #expect(reports() == 1)
      anna.send("/connect\r")
      #expect(anna.wait(for: 10) { _ in reports() == 2 }, "\(anna.emulator.picture)")
      #expect(!anna.emulator.history.contains { $0.contains("Password of") })
    }

    @Test("/connect alone asks for the password of one account after the other")
    func several() throws {
      let other = "Password of bea@x.org (Return: none): |"
      for (name, asked) in [("anna", question), ("bea", other)] {
        try anna.type("/account add \(name)@x.org\r", seeing: asked)
        anna.settle()
        try anna.type("\u{03}", seeing: "\(name)@x.org: needs its password (/connect)")
      }
      try anna.type("/connect\r", seeing: question)
      try anna.type("one\r", seeing: other)
      try anna.type("two\r", seeing: "the password is 'two'")
      try anna.expect("the password is 'one'")
    }

    @Test("a network without passwords asks for none")
    func unneeded() throws {
      try anna.type("/account add anna@x.org --door free\r", seeing: "the password is ''")
      try anna.expect("#lobby> |")
      #expect(!anna.emulator.history.contains { $0.contains("Password of") })
    }

    @Test("C-c at the question is no answer")
    func interrupted() throws {
      try anna.type("/account add anna@x.org\r", seeing: question)
      anna.settle()
      try anna.type("\u{03}", seeing: "anna@x.org: needs its password (/connect)")
      #expect(connections == 0)
      // Where nobody can be asked, the same sentence says what to type in hobnob.
      let started = try Program(
        [home.path + "/bin/hobnob", "connect", "--as", "anna"], environment: home.environment
      ).finish()
      #expect(started.status == 1)
      #expect(started.errors == "hobnob: anna@x.org: needs its password (/connect)\n")
      try anna.type("/connect\r", seeing: question)
    }
  }
}
