// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Storage
import Testing

@testable import Bridge

/// What `hobnob bridge check` finds in programs that keep the rules, and in others.
@MainActor
@Suite("14.14: The check of a program") struct ProgramCheckTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()

  /// - Parameters:
  ///   - rule: the rule that the stub breaks.
  ///   - answer: what it gets for its question.
  private func outcomes(
    of program: URL = sources.appending(path: "hobnob-net-stub"), breaking rule: String = "",
    answer: String? = nil, room: String? = nil, kills: Int = 3, patience: Int64 = 30_000,
    checks: [String] = ProgramCheck.names
  ) throws -> [String: ProgramCheck.Outcome] {
    let folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var options = ExaminedAccount.Options(program: program.path, folder: folder)
    options.settings = ["log": folder + "/server", "break": rule]
    options.settings["code"] = answer
    var found: [String: ProgramCheck.Outcome] = [:]
    let check = try ProgramCheck(
      options, room: room, kills: kills, quiet: 200, patience: patience
    ) { found[$0] = $1 }
    let isGood = check.run(checks)
    #expect(isGood == found.values.allSatisfy { if case .failed = $0 { false } else { true } })
    return found
  }

  @Test("a program that keeps the rules passes", arguments: [nil, "tea"])
  func passes(room: String?) throws {
    let found = try outcomes(room: room)
    #expect(found.count == 15 && found.values.allSatisfy { $0 == .passed }, "\(found)")
  }

  @Test(
    "the examples of hobnob-bridge(7) pass",
    arguments: [
      // Its network has no memory.
      ("echo", nil, ["30 messages while down", "delete", "edit", "history", "react"]),
      ("folder", "tea", ["delete", "edit", "react"]),
    ])
  func passesExamples(name: String, room: String?, without: [String]) throws {
    let share = Self.sources.deletingLastPathComponent().deletingLastPathComponent()
    let found = try outcomes(
      of: share.appending(path: "share/networks/hobnob-net-" + name), room: room)
    #expect(found.count == 15 && found.filter { $1 != .passed }.map(\.key).sorted() == without)
    for case .failed(let reason) in found.values { Issue.record("\(reason)") }
  }

  @Test(
    "a rule that a program breaks is named",
    arguments: [
      ("loses", ["30 messages while down"]),
      ("doubles", ["30 messages while down", "edit", "repeated"]), ("strict", ["unknown"]),
      ("stays", ["end"]), ("hides", ["hello"]),
      ("forgets", ["delete", "edit", "react", "repeated"]),
      ("refuses", ["delete", "edit"]), ("refuses-react", ["react"]),
      ("refuses-history", ["history"]), ("nameless", ["delete", "edit", "react"]),
      ("deaf", ["history", "join"]), ("recent", ["history"]), ("reverses", ["history"]),
      ("overlaps", ["history"]), ("misplaces", ["history"]), ("roomless", ["join"]),
    ])
  func namesWhatBroke(rule: String, checks: [String]) throws {
    // Enough for an answer, but not much more, since some rules are about answers that never come.
    let found = try outcomes(
      breaking: rule, kills: 1, patience: 1_500, checks: ["hello"] + checks)
    let failed = found.filter { if case .failed = $1 { true } else { false } }
    #expect(failed.keys.sorted() == checks, "\(found)")
  }

  @Test("a room that was given must be entered; one that check invents may be refused")
  func entersRooms() throws {
    let known = try outcomes(
      breaking: "refuses-join", room: "tea", checks: ["hello", "join"])
    #expect(known["join"] == .failed("it does not enter the room tea: not here"), "\(known)")
    let invented = try outcomes(breaking: "refuses-join", checks: ["hello", "join"])
    #expect(invented["join"] == .passed, "\(invented)")
  }

  @Test("a question is answered by an option, or check says why it cannot go on")
  func answersQuestions() throws {
    #expect(try outcomes(breaking: "asks", answer: "4711", checks: ["hello"])["hello"] == .passed)
    #expect(
      try outcomes(breaking: "asks") == [
        "hello": .failed(
          "it asks “code” (Which code does your phone show?), which nobody can answer while check "
            + "runs; give the answer beforehand, with --option code=ANSWER")
      ])
    #expect(
      try outcomes(breaking: "asks", answer: "1")["hello"]
        == .failed("it does not take the answer to its question “code” (Which one really?)"))
  }

  @Test("words in `can` that hobnob does not know are named, but break no rule")
  func namesUnknownWords() throws {
    let found = try outcomes(breaking: "mistypes", checks: ["hello", "edit"])
    #expect(
      found["can"] == .noted("hobnob does not know “raect” in “can” and ignores it"), "\(found)")
    #expect(found["edit"] == .passed)
    let line = try BridgeLine(
      Array(
        """
        {"type":"hello","version":1,"network":"X","later":1,"can":{"edit":true,"react":"many",\
        "requests":["tpoic","topic","settings"]},"can_direct":{"react":"one","hsitory":true}}
        """.utf8), with: JSONParser())
    #expect(
      line?.unknownAbilities == [
        "hobnob does not know “many” in “react” and ignores it",
        "hobnob does not know “tpoic” in “requests” and ignores it",
        "hobnob does not know “settings” in “requests” and ignores it",
        "hobnob does not know “hsitory” in “can_direct” and ignores it",
      ])
  }

  @Test("a program that does not read, or writes without an end, is found out in time")
  func survivesMutePrograms() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let endless = try #require(StartedProgram("/usr/bin/yes", in: folder))
    _ = endless.write(String(repeating: "x", count: 10_000), within: 100)
    #expect(endless.next(within: 1_000) == .line(Array("y".utf8)))
    let mute = try #require(StartedProgram("/usr/bin/yes", in: folder))
    #expect(!mute.write(String(repeating: "x", count: 200_000), within: 100))
  }

  @Test("anything but JSON in the output is named")
  func namesOtherOutput() throws {
    let found = try outcomes(breaking: "chatters", checks: ["hello"])
    #expect(found["hello"] == .failed("“hello there” is not a line of JSON"), "\(found)")
  }

  @Test("each line that a program can write has a meaning in words")
  func explainsEachLine() {
    let types = Set(BridgeTable.fromProgram.map(\.name))
    #expect(types == Set(BridgeMeaning.fromProgram.keys))
  }
}
