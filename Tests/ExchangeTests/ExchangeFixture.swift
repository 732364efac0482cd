// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange
@testable import NetworkInbox

extension Store {
  /// The lines of the export, without the first one, which contains the time.
  func exported(_ conversations: [ID<Conversation>]? = nil, files: Bool = true) throws -> [String] {
    var bytes: [UInt8] = []
    try Export(of: self, conversations, files: files).write {
      bytes += $0
      return true
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    return Array(lines.dropFirst())
  }

  /// Imports texts, each as a file.
  @discardableResult
  func take(
    _ texts: [String], format: ImportFormat? = nil, name: String = "file", into: String? = nil,
    as me: String = "anna", complain: @escaping (ImportFault) -> Void = { _ in }
  ) throws -> ImportReport {
    try take(bytes: texts.map { Array($0.utf8) }, format, name, into, as: me, complain)
  }

  @discardableResult
  func take(
    bytes: [[UInt8]], _ format: ImportFormat? = nil, _ name: String = "file",
    _ conversation: String? = nil, as me: String = "anna",
    _ complain: @escaping (ImportFault) -> Void = { _ in }
  ) throws -> ImportReport {
    try Import.run(into: self, as: me, complain: complain) { work in
      for content in bytes {
        let stream = tmpfile()
        defer { fclose(stream) }
        let file = fileno(stream)
        _ = content.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
        lseek(file, 0, SEEK_SET)
        try work.read(file, name: name, format: format, conversation: conversation)
      }
    }
  }
}

/// An export of these lines.
func export(_ lines: String...) -> String {
  ([#"{"hobnob":"export","version":1,"exported":"2026-11-21T10:00:00.000Z"}"#] + lines
    + [#"{"type":"end"}"#]).joined(separator: "\n") + "\n"
}

/// A line of an export.
func line(
  _ text: String, number: Int, uid: String? = nil, in room: String = "#lobby",
  sender: String = "ben", time: String = "2026-11-21T10:00:00.000Z", more: String = ""
) -> String {
  let digits = String(number, radix: 16)
  let uid = uid ?? String(repeating: "0", count: 32 - digits.count) + digits
  return #"{"type":"message","uid":"\#(uid)","conversation":"\#(room)","number":\#(number),"#
    + #""time":"\#(time)","sender":"\#(sender)","text":"\#(text)"\#(more)}"#
}

extension Lobby {
  /// A store with at least one of everything.
  func fill() throws {
    let store = store
    // The same event happened twice at the same time.
    for topic in ["tea", "", "tea", "", "tea\u{202e} and more"] {
      try store.writeDurably { try $0.setTopic(topic, of: self.lobby, by: anna) }
    }
    try other.writeDurably {
      try $0.inviteToRoom(
        $0.participant(identity: "cleo").id, to: self.lobby,
        by: ben)
    }
    try store.writeIfNeeded { try $0.setAway("lunch \u{1b}[1m", of: anna) }
    try other.writeIfNeeded { try $0.setAway("", of: ben) }
    let first = try says("hello\u{0}\u{1b}[2J\u{85}\r\n\"quoted\" \\ 漢字 🎉")
    fixture.now += 61_001
    let second = try benSays("frist")
    try other.writeDurably { try $0.edit(second.id, to: "furst", by: ben) }
    fixture.now += 1
    try other.writeDurably {
      try $0.edit(
        second.id, to: "first", by: ben, mentions: [Mention(range: 0..<4, identity: "anna")])
    }
    try store.writeDurably { try $0.react(second.id, by: anna, with: "🎉") }
    try other.writeDurably { try $0.react(first.id, by: ben, with: "👍") }
    try other.writeDurably { try $0.react(first.id, by: ben, with: "❤️") }
    let gone = try says("to be deleted")
    try store.writeDurably { try $0.deleteMessage(gone.id, by: anna) }
    let back = try says("to be taken back")
    _ = try store.writeDurably { try $0.takeBack(back.id, by: anna) }
    let files = [
      try kept("one file", as: "a b.txt"), try kept("", as: "empty", type: "text/plain"),
    ]
    try says("", with: files)
    try says("twice", with: [files[0]])
    try other.writeDurably {
      try $0.send(
        "waves", kind: .action, in: lobby, by: ben, typed: "/me waves", shell: "b",
        replyTo: first.id)
    }
    try says(String(repeating: "long 長い ", count: 12_000))
    let chat = try store.writeDurablyIfNeeded { try $0.directChat(anna, with: ben) }
    try store.writeDurably { try $0.send("psst", in: chat.id, by: anna, typed: "psst", shell: "a") }
    try store.write { try $0.appendHistory("/help", of: anna, shell: "a") }
    try store.write { try $0.appendHistory("psst", of: anna, shell: "c") }
    let account = try store.writeDurably {
      try $0.addAccount(owner: anna, network: "xmpp:anna@example")
    }
    let far = try store.hear(
      "hi", from: "zoe", name: "Zoe", in: .room("tea"), of: account, origin: "r1")
    try store.inbox.apply(
      [
        .reacted(
          MessageIDs(origin: "r1"), author: nil, by: NetworkUser(identity: "max"), in: .room("tea"),
          emoji: ["👋"], at: nil)
      ], of: account)
    let tea = far.conversation
    try store.writeDurablyIfNeeded { try $0.join(anna, tea) }
    let waiting = try store.writeDurably { try $0.send("on its way", in: tea, by: anna) }
    let failed = try store.writeDurably { try $0.send("refused", in: tea, by: anna) }
    let refusal: Remark = filled(("You are not in %1.", ["\u{9b}31m tea"]))
    let entry = try #require(
      try store.read { try $0.outbox(of: account.network) }.first { $0.message.id == failed.id })
    try store.writeDurably { try $0.finish(entry, as: .failed(refusal)) }
    try store.writeDurably { try $0.edit(waiting.id, to: "still on its way", by: anna) }
    try store.writeDurablyIfNeeded { try $0.leave(anna, tea) }
    try store.hear("gone?", from: "zoe", in: .room("tea"), of: account, origin: "r2")
    try store.writeDurablyIfNeeded { try $0.join(anna, tea) }
    try store.writeIfNeeded { try $0.noteSeen(by: anna, in: lobby, upTo: 2, sendReceipt: true) }
    try store.writeIfNeeded { try $0.noteDelivered(to: ben, upTo: [lobby: 3]) }
    try store.writeDurablyIfNeeded { try $0.setKeep(tea, 86_400_000) }
    // As somebody with an account has them.
    try store.db(
      """
      UPDATE conversation SET address = 'tea@rooms.example' WHERE id = \(tea.rawValue);
      UPDATE message SET archive_id = 'a1', unverified = 1, encrypted = 2 WHERE id = \(far.id.rawValue);
      """)
    try store.writeIfNeeded { try $0.setLastConversation(tea, of: anna) }
    try store.writeDurablyIfNeeded {
      try $0.setDraft(
        Draft(
          text: "half a\nline", caret: 4, spans: [Mention(range: 0..<4, identity: "ben")],
          files: [DraftFile(path: "/tmp/x y"), DraftFile(path: "/z", name: "n")]),
        of: anna, in: lobby)
    }
    try store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "of ben", caret: 0), of: ben, in: chat.id)
    }
    let notes = try store.writeDurablyIfNeeded { try $0.directChat(anna, with: anna) }
    try store.writeDurably { try $0.send("to myself", in: notes.id, by: anna) }
    _ = try store.writeDurably { try $0.rename(ben, to: "Benjamin") }
    let old = try store.writeDurablyIfNeeded { try $0.makeRoom("old") }
    try store.writeDurablyIfNeeded { try $0.join(ben, old.id) }
    for number in 1...3 {
      try other.writeDurably { try $0.send("old \(number)", in: old.id, by: ben) }
    }
    try store.writeDurablyIfNeeded { try $0.setKeep(old.id, 1) }
    while try store.writeIfNeeded({ try $0.forgetOld(now: fixture.now + 10, budget: 2) }) > 2 {}
    try store.take(["2022-11-21 10:00:00\tben\tof a log\n"], into: "lobby")
    try store.writeDurablyIfNeeded {
      try $0.join(
        $0.participant(identity: "dora").id, self.lobby,
        isTold: true)
    }
    try store.db(
      """
      INSERT INTO absence(participant, since, until)
      SELECT id, 1600000000000, 1600000000001 FROM participant WHERE identity = 'ben'
      """)
    let rooms = ConversationAddress.room("tea@rooms.example")
    try store.inbox.apply(
      [
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: "a9"), speaker: NetworkUser(identity: "kim"), body: "pills"),
          in: rooms),
        .removed(
          archive: "a9", room: "tea@rooms.example", Removal(moderator: "max", reason: "spam"),
          at: nil),
        .wantsContact(NetworkUser(identity: "eve@example")),
      ], of: account)
    fixture.now += 5000
  }
}
