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

  @Test(
    "14.13: of several wishes to start a program, the newest counts, after the former run's end")
  func startsTheNewestRun() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/hobnob-net-x"
    try "#!/bin/sh\necho run >> \(folder)/runs\ncat > /dev/null\nsleep 0.3\n"
      .write(toFile: path + ".text", atomically: true, encoding: .utf8)
    // By another process: a file that this one has written cannot always be started.
    waitpid(try #require(ChildProcess.start(["cp", path + ".text", path])), nil, 0)
    chmod(path, 0o700)
    let files = AccountFiles(environment: ["HOME": folder])
    let account = Account(id: ID(rawValue: 1), owner: ID(rawValue: 1), network: "x:anna")
    try files.set(AccountSettings(values: [:]), of: account, inStoreAt: folder + "/store.sqlite")
    let questions = try #require(ChildProcess.pipe())
    var answers: [Int32] = [-1, -1]
    try #require(
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &answers) == 0)
    let loop = EventLoop()
    let program = AccountHelperProgram(
      files, account, inStoreAt: folder + "/store.sqlite", loop: loop, input: questions.reading,
      output: answers[1], programs: BridgedPrograms(in: [folder], home: folder))
    func ask(_ lines: String) throws {
      try Array(lines.utf8).withUnsafeBytes { try writeAll(questions.writing, $0) }
    }
    var (heard, pipes): (String, [Int32]) = ("", [])
    var isFirst = true
    try ask("start 1\n")
    loop.watch(answers[0]) {
      guard let (bytes, passed) = PassedDescriptors.receive(from: answers[0], atMost: 4_096) else {
        return
      }
      heard += String(decoding: bytes, as: UTF8.self)
      if let passed {
        pipes += [passed.0, passed.1]
        if isFirst {
          isFirst = false
          close(passed.0)
          try? ask("end 1\nstop 1\nstart 2\nstop 2\nstart 3\n")
        } else {
          loop.unwatch(answers[0])
          close(questions.writing)
          close(passed.0)
        }
      }
    }
    #expect(program.run() == 0)
    #expect(heard.contains("start 2\n!") && heard.contains("end 1\n!"), "\(heard)")
    #expect(heard.contains("start 3\n\n") && pipes.count == 4, "\(heard)")
    let runs = try String(contentsOfFile: folder + "/runs", encoding: .utf8)
    #expect(runs == "run\nrun\n")
    for descriptor in [questions.reading] + answers { close(descriptor) }
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
