// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Platform
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatScripts
@testable import ChatSession

@MainActor
@Suite("A shell without a terminal") struct BatchShellTests {
  @Test("14.8: an effect that fails does not hold up the effects behind it")
  func goesOnBehindAFailure() throws {
    let folder = NSTemporaryDirectory() + "hobnob-" + UUID().uuidString
    mkdir(folder, 0o700)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try Store(path: folder + "/store.sqlite")
    defer { store.close() }
    let line = BatchLine()
    let session = Session(
      store: store, me: try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") },
      preferences: Preferences(RcFile(), environment: [:], glyphs: .unicode), outputMode: .batch,
      line: line, at: 0)
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let output = StandardOutput(descriptor: ends[1])
    let shell = BatchShell(session: session, line: line, output: output)
    #expect(throws: Refusal.self) {
      // Without a terminal there is no clipboard.
      try shell.carryOut([
        .print([StyledLine("one")]), .copy("text"), .print([StyledLine("two")]),
      ])
    }
    output.flush()
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(ends[0], &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "one\ntwo\n")
  }
}
