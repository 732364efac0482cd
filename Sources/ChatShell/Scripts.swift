// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import StyledText

/// `hobnob send`, `hobnob log` and `hobnob check`: a way in and out for scripts (rule 11.3).
extension Launch {
  // MARK: send

  /// Sends a message, then waits for its delivery if asked to.
  ///
  /// - Parameters:
  ///   - text: nil reads standard input, all of it one message.
  ///   - state: `sent`, `delivered` or `seen`.
  ///   - seconds: how long to wait for the state.
  public func send(
    to name: String, text: String?, wait state: DeliveryState?, seconds: Int
  ) throws -> Int32 {
    let rc = try loadRc { StandardError.say($0) }
    let store = try openStore()
    defer { store.close() }
    let me = try participant(in: store, rc: rc)
    let conversation = try find(name, in: store, for: me)
    var body = try text ?? Self.standardInput()
    if text == nil { while body.hasSuffix("\n") { body.removeLast() } }
    guard body.contains(where: { !$0.isWhitespace }) else {
      throw Refusal(
        say("There is no text to send; it goes behind the conversation or into standard input."))
    }
    let message = try store.send(body, in: conversation.id, by: me.id, requireMembership: false)
    guard let state else { return 0 }
    let reached = try Self.wait(store, seconds: seconds) {
      guard let now = try store.message(message.id, for: me.id) else { return true }
      if now.state == .failed {
        throw Refusal(say("The message was not sent: %1", SafeText(line: now.failure ?? "")))
      }
      return now.state >= state
    }
    guard reached else {
      throw Refusal(
        say(
          "The message is stored, but was not %1 within %2 seconds.", Shell.word(for: state),
          SafeText(seconds)))
    }
    return 0
  }

  private static func standardInput() throws -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(0, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw Refusal(say("Standard input cannot be read: %1.", systemReason())) }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Looks at the bell until `condition` holds. False: the time is over.
  private static func wait(
    _ store: Store, seconds: Int, until condition: () throws -> Bool
  ) throws -> Bool {
    let bell = try store.bellDescriptor
    let end = monotonicMilliseconds() + Int64(seconds) * 1000
    while true {
      if try condition() { return true }
      let left = end - monotonicMilliseconds()
      guard left > 0 else { return false }
      var descriptor = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
      poll(&descriptor, 1, Int32(min(left, 60_000)))
      _ = store.drainBell()
    }
  }

  private static func monotonicMilliseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// Rule 11.2: a bare name is a room, `#room` and `@name` are what they say.
  private func find(_ name: String, in store: Store, for me: Participant) throws -> Conversation {
    if name.hasPrefix("@") {
      guard let person = try store.find(participant: name) else {
        throw RuleError.noSuchParticipant(name)
      }
      guard person.id != me.id else {
        throw Refusal(say("%1 is you yourself.", SafeText(line: name)))
      }
      return try store.direct(me.id, with: person.id)
    }
    // The room that every shell opens first is there before anyone has opened one.
    let isLobby = name == "lobby" || name == "#lobby"
    guard let room = try store.room(name, create: isLobby) else { throw RuleError.noSuchRoom(name) }
    return room
  }

  // MARK: log

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

  // MARK: check

  /// Looks whether the store is whole and safe, and tells what the terminal can do.
  public func check() throws -> Int32 {
    let output = StandardOutput()
    let rc = try loadRc { StandardError.say($0) }
    let store = try openStore(create: false)
    defer { store.close() }
    output.write(say("Store: %1", SafeText(line: store.path)))
    var isSound = true
    for finding in try store.check() {
      let text = sentence(for: finding)
      if finding.severity == .damage {
        isSound = false
        StandardError.say(text)
      } else {
        output.write("  " + text)
      }
    }
    let term = environment["TERM"] ?? ""
    output.write(
      say("Terminal: %1", term.isEmpty ? say("none (TERM is not set)") : SafeText(line: term)))
    output.write(
      say(
        "  Characters: %1",
        SafeText(line: nl_langinfo(Int32(CODESET)).map { String(cString: $0) } ?? "")))
    let widths = rc.settings.widths(environment: environment)
    let rule =
      switch widths.clusters {
      case .codePoints: say("each code point by itself (width codepoints)")
      case .joined: say("joined emoji as one, as tmux does (width tmux)")
      case .graphemes: say("each emoji as one (width unicode)")
      }
    output.write(say("  Columns of emoji: %1", rule))
    output.write(
      (environment["NO_COLOR"] ?? "").isEmpty
        ? say("  Colours: yes") : say("  Colours: no (NO_COLOR is set)"))
    try output.finish()
    return isSound ? 0 : 1
  }
}

/// What a check of the store found, as a sentence.
func sentence(for finding: Finding) -> SafeText {
  fill(finding.sentence.key, finding.sentence.arguments.map { SafeText(line: $0) })
}
