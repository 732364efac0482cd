// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import StyledText

/// `hobnob send`: a way in for scripts (rule 11.3).
extension Launch {
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
}
