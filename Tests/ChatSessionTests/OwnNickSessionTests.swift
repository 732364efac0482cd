// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import ChatSession
@testable import NetworkInbox

/// Max, whom the people on a network know as anna9.
@MainActor
@Suite("14.9: My name on a network, at the prompt")
struct OwnNickSessionTests {
  private let town: Town
  private let max: Person
  private let account: Account
  private let ben = NetworkUser(identity: "ben", name: "ben")

  init() throws {
    town = try Town()
    max = try town.person("max")
    account = try max.addedOnIRC()
    try hear(.named(nick: "anna9"))
  }

  private func hear(_ events: NetworkEvent...) throws {
    try town.store().inbox.apply(events, of: account)
    max.look()
  }

  /// What a line prints, beside the heading of a conversation.
  private func answer(_ line: String) -> String {
    _ = max.news()
    max.say(line)
    return max.news().joined(separator: "\n")
  }

  @Test("a room: my lines, events, /who and the status line")
  func room() throws {
    max.say("/join #tea")
    try hear(.joined(room: "#tea", nick: "anna9"), .present(ben, room: "#tea"))
    #expect(answer("hello").hasSuffix(" anna9: hello"))
    #expect(answer("/me waves").hasSuffix(" * anna9 waves"))
    _ = max.news()
    try hear(
      .topic(
        room: "#tea", text: "green",
        by: NetworkUser(identity: "anna9", name: "anna9", isOwner: true), at: nil))
    #expect(max.news().contains { $0.contains("anna9 changed the topic: green") })
    #expect(answer("/who").contains("  anna9 (max)"))
    #expect(max.status().hasPrefix("anna9, with 1 other here"))
    #expect(answer("/history").contains(" anna9: hello"))
    // On this machine I am who I was.
    #expect(answer("/switch #lobby").contains("lobby"))
    #expect(answer("hello").hasSuffix(" max: hello"))
    #expect(max.status().hasPrefix("max, alone here"))
  }

  @Test("a direct chat, and a new nick")
  func direct() throws {
    max.say("/msg ben@irc.x.org")
    #expect(max.status().hasPrefix("anna9"))
    #expect(answer("hello").hasSuffix(" anna9: hello"))
    #expect(answer("/who").contains("  anna9 (max)"))
    #expect(answer("/status").contains("You are anna9 in @ben."))
    try hear(.named(nick: "anna"))
    #expect(max.status().hasPrefix("anna") && !max.status().hasPrefix("anna9"))
    #expect(answer("again").hasSuffix(" anna: again"))
    // A new name here is none there.
    max.say("/switch #lobby")
    max.say("/nick maxi")
    #expect(max.status().hasPrefix("maxi"))
    max.say("/switch -")
    #expect(max.status().hasPrefix("anna"))
  }

  @Test("12.3: marks")
  func marks() throws {
    max.say("/join #tea")
    try hear(.joined(room: "#tea", nick: "anna9"))
    for (number, name) in ["max", "\u{430}nna9", "ben"].enumerated() {
      try hear(
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: "\(number)"),
            speaker: NetworkUser(identity: "x\(number)", name: name), body: "I am"),
          in: .room("#tea")))
    }
    let lines = max.news().filter { $0.hasSuffix("I am") }
    #expect(lines.map { $0.contains("≈") } == [false, true, false], "\(lines)")
  }
}
