// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Platform
import Testing

extension EndToEnd {
  @Suite("No one types")
  struct IdleTests {
    @Test(
      "4.3, 5.1: an idle shell sleeps until something happens, whatever there is to do",
      .enabled(if: callOfProcess(getpid()) != nil, "the kernel does not tell what it waits for"))
    func sleeps() throws {
      let home = try Home()
      let long = Clock.wall() - 1_000_000_000
      let store = try Store(path: home.store, clock: { long })
      let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
      let lobby = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
      try store.writeDurablyIfNeeded { try $0.join(ben, lobby) }
      for number in 1...50 {
        try store.writeDurably { try $0.send("old \(number)", in: lobby, by: ben) }
      }
      try store.writeDurablyIfNeeded { try $0.setKeep(lobby, 1000) }
      store.close()
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("hello\r", seeing: "[51]")
      try anna.type("a draft", seeing: "#lobby> a draft|")
      // What the last key began has timers; then the shell waits without any.
      #expect(anna.wait(for: 20) { _ in waitsForEver(anna.processIdentifier) })
      // It is awake for what comes.
      try home.say("and now", as: "ben")
      try anna.expect("ben: and now")
      #expect(anna.wait(for: 20) { _ in waitsForEver(anna.processIdentifier) })
    }
  }
}

/// Whether a process is in poll(2) without a time limit.
private func waitsForEver(_ process: pid_t) -> Bool {
  guard let call = callOfProcess(process), call.count > 3 else { return false }
  func number(_ text: String) -> UInt64? { UInt64(text.dropFirst(2), radix: 16) }
  // On most machines poll(2) is a ppoll(2), whose limit is where a time stands.
  #if arch(x86_64)
    return call[0] == "7" && number(call[3]).map { Int32(truncatingIfNeeded: $0) } == -1
  #else
    return call[0] == "73" && number(call[3]) == 0
  #endif
}

/// The number of the system call that a process is in, and its arguments.
private func callOfProcess(_ process: pid_t) -> [String]? {
  try? String(contentsOfFile: "/proc/\(process)/syscall", encoding: .utf8)
    .split(whereSeparator: \.isWhitespace).map(String.init)
}
