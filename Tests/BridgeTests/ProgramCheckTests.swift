// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Storage
import Testing

@testable import Bridge

/// What `hobnob bridge check` finds in programs that keep the rules, and in others.
@MainActor
@Suite("14.14: The check of a program") struct ProgramCheckTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()

  /// - Parameter rule: the rule that the stub breaks.
  private func outcomes(
    of program: URL = sources.appending(path: "hobnob-net-stub"), breaking rule: String = "",
    kills: Int = 3
  ) throws -> [String: ProgramCheck.Outcome] {
    let folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var options = ExaminedAccount.Options(program: program.path, folder: folder)
    options.settings = ["log": folder + "/server", "break": rule]
    var found: [String: ProgramCheck.Outcome] = [:]
    let check = try ProgramCheck(options, room: nil, kills: kills, quiet: 200) { found[$0] = $1 }
    let isGood = check.run()
    #expect(isGood == found.values.allSatisfy { if case .failed = $0 { false } else { true } })
    return found
  }

  private func failed(_ rule: String) throws -> [String] {
    try outcomes(breaking: rule, kills: 1).filter { if case .failed = $1 { true } else { false } }
      .map(\.key).sorted()
  }

  @Test("a program that keeps the rules passes")
  func passes() throws {
    let found = try outcomes()
    #expect(found.count == 10 && found.values.allSatisfy { $0 == .passed }, "\(found)")
  }

  @Test("the example of hobnob-bridge(7) passes; its network has no memory")
  func passesTheExample() throws {
    let share = Self.sources.deletingLastPathComponent().deletingLastPathComponent()
    let found = try outcomes(of: share.appending(path: "share/networks/hobnob-net-echo"))
    #expect(found.filter { $1 != .passed }.map(\.key) == ["30 messages while down"], "\(found)")
  }

  @Test(
    "a rule that a program breaks is named",
    arguments: [
      ("loses", ["30 messages while down"]), ("doubles", ["30 messages while down"]),
      ("strict", ["unknown"]), ("stays", ["end"]), ("hides", ["hello"]),
    ])
  func namesWhatBroke(rule: String, checks: [String]) throws {
    #expect(try failed(rule).filter(checks.contains) == checks)
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
    #expect(try !failed("chatters").isEmpty)
  }

  @Test("each line that a program can write has a meaning in words")
  func explainsEachLine() {
    let types = Set(BridgeTable.fromProgram.map(\.name))
    #expect(types == Set(BridgeMeaning.fromProgram.keys))
  }
}
