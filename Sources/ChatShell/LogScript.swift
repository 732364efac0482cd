// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import StyledText

/// `hobnob log`: a way out for scripts (rule 11.3).
extension Launch {
  /// Prints messages of a conversation: number, time, name and text, a line each.
  ///
  /// - Parameters:
  ///   - lines: how many of the newest; nil is 20, or all with `since`.
  ///   - since: a date or an age.
  ///   - follows: goes on with what arrives. Printing here marks nothing as seen (rule 7.3).
  public func log(_ name: String, lines: Int?, since: String?, follows: Bool) throws -> Int32 {
    let rc = try loadRc { StandardError.say($0) }
    // Whoever only reads makes no store where there is none.
    let store = try openStore(create: false)
    defer { store.close() }
    let me = try participant(in: store, rc: rc)
    let conversation = try find(name, in: store, for: me)
    let output = StandardOutput()
    var limit = lines ?? 20
    var earliest: Milliseconds?
    if let since {
      guard let time = LocalTime.parse(since, now: Store.wallClock()) else {
        throw Refusal(
          say(
            "%1 is no time. 2026-11-21, 2026-11-21T10:30 and ages like 90m, 12h, 3d are.",
            SafeText(line: since)))
      }
      earliest = time
      limit = lines ?? Int.max
    }
    var position = try store.position
    var messages = try store.messages(
      in: conversation.id, limit: min(limit, 1_000_000), for: me.id)
    if let earliest { messages = messages.filter { $0.createdAt >= earliest } }
    var newest = conversation.lastNumber
    for message in messages {
      print(message, to: output)
      newest = max(newest, message.number)
    }
    output.flush()
    while follows, !output.isClosed {
      var waited = [
        pollfd(fd: try store.bellDescriptor, events: Int16(POLLIN), revents: 0),
        // A reader that closes its end shows as an error on ours, without a write.
        pollfd(fd: 1, events: 0, revents: 0),
      ]
      poll(&waited, 2, -1)
      if waited[1].revents != 0 { break }
      _ = store.drainBell()
      var more = true
      while more {
        let changes = try store.changes(since: position, for: me.id)
        position = changes.position
        more = changes.hasMore
      }
      let arrived = try store.messages(
        in: conversation.id, numbers: (newest + 1)...Int(Int32.max), for: me.id)
      for message in arrived {
        print(message, to: output)
        newest = message.number
      }
      output.flush()
    }
    try output.finish()
    return 0
  }

  private func print(_ message: Message, to output: StandardOutput) {
    guard !message.isRecalled else { return }
    let head: SafeText = "\(LocalTime.stamp(message.createdAt)) [\(message.number)] "
    let name = SafeText(name: message.senderName)
    guard message.deletedAt == nil else {
      return output.write(head + say("%1 deleted this message", name))
    }
    var texts = SafeText(body: message.body).lines
    if message.editedAt != nil, let last = texts.popLast() {
      texts.append(last + " " + say("(edited)"))
    }
    for (index, text) in texts.enumerated() {
      if index > 0 {
        output.write("    " + text)
      } else if message.kind == .action {
        output.write(head + "* " + name + " " + text)
      } else {
        output.write(head + name + ": " + text)
      }
    }
  }
}
