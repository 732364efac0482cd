// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Platform
import Sentences
import Testing

@testable import Networks

@MainActor
@Suite("The process beside a network process") struct AccountHelperTests {
  @Test("while a name server does not answer, settings and other names arrive")
  func aLookupHoldsNothingUp() throws {
    let questions = try #require(ChildProcess.pipe())
    let answers = try #require(ChildProcess.pipe())
    let (loop, nameServer) = (EventLoop(), try NameServer { _ in nil })
    let names = Resolver(
      loop: loop, servers: nameServer.address, policy: Retry(pause: 1_000, tries: 1))
    let account = Account(id: ID(rawValue: 1), owner: ID(rawValue: 1), network: "xmpp:anna@x.org")
    let program = AccountHelperProgram(
      AccountFiles(environment: ["HOME": "/nowhere"]), account, inStoreAt: "/nowhere/store.sqlite",
      loop: loop, input: questions.reading, output: answers.writing, names: names)
    try Array("addresses slow.example\nsettings\naddresses localhost\n".utf8).withUnsafeBytes {
      try writeAll(questions.writing, $0)
    }
    var (heard, early) = ("", "")
    loop.watch(answers.reading) {
      var chunk = [UInt8](repeating: 0, count: 4_096)
      let count = read(answers.reading, &chunk, chunk.count)
      heard += String(decoding: chunk[..<max(0, count)], as: UTF8.self)
      let others = ["settings\n\n", "addresses localhost\naddress "]
      if early.isEmpty, others.allSatisfy({ heard.contains($0) }) { early = heard }
      // It ends with its questions.
      if heard.contains("addresses slow.example\nunknown ") { loop.stop() }
    }
    #expect(program.run() == 0)
    #expect(!early.isEmpty && !early.contains("slow"))
    for descriptor in [
      questions.reading, questions.writing, answers.reading, answers.writing,
    ] { close(descriptor) }
  }

  @Test("asked again, it ends a hanging command and runs the current one")
  func endsAHangingCommandForAnother() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let files = AccountFiles(environment: ["HOME": folder])
    let account = Account(id: ID(rawValue: 1), owner: ID(rawValue: 1), network: "xmpp:anna@x.org")
    let (store, loop) = (folder + "/store.sqlite", EventLoop())
    func set(_ command: String) throws {
      try files.set(
        AccountSettings(values: ["password-command": command]), of: account, inStoreAt: store)
    }
    let program = AccountHelperProgram(files, account, inStoreAt: store, loop: loop)
    var answers: [Result<String, PasswordFailure>] = []
    try set("sleep 300")
    program.password { answers.append($0) }
    try set("echo secret")
    program.password {
      answers.append($0)
      loop.stop()
    }
    loop.run()
    #expect(answers == [.failure(.command("sleep", status: 137)), .success("secret")])
  }

  @Test("what is wrong with the file of accounts is translated by each shell")
  func passesOnWhatIsWrongWithTheFile() {
    let fault = AccountFileError.unusable(path: "/a\tb", reason: "100 %")
    let failure = PasswordFailure.settings(filled(fault.sentence))
    let passedOn = PasswordFailure(written: failure.written[...])
    #expect(passedOn.sentence.json == failure.sentence.json)
    #expect(passedOn.sentence.text == "/a\tb cannot be used: 100 %")
  }

  @Test("its end is reported, and its open questions have no answer")
  func tellsItsEnd() throws {
    let loop = EventLoop()
    let helper = try #require(AccountHelper(["sh", "-c", "read question"], loop: loop))
    var (isTold, answers) = (false, [Result<String, PasswordFailure>]())
    helper.ended = { isTold = true }
    helper.password {
      answers.append($0)
      loop.stop()
    }
    loop.run()
    helper.password { answers.append($0) }
    #expect(isTold && answers == [.failure(.none), .failure(.none)])
  }
}
