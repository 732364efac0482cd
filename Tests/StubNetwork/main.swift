// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Networks

// The program of a network without a server, whose accounts may have no password. Shells find it as
// `hobnob-stub`. The option `door` says what the network accepts: `open` any password and none,
// `locked` only `sesame`, `free` has no passwords. Once connected, it tells the account's owner
// which password it got.

@MainActor
private final class StubWire: Wire {
  var report: (WireReport) -> Void = { _ in }
  var isReading = true

  func connect(secret: String, settings: [String: String], facts: [String: String]) {
    if settings["door"] == "locked", secret != "sesame" {
      return report(.passwordRefused(reason: "the door is locked"))
    }
    report(.up)
    report(.status(.connected([])))
    report(.events([.notice("the password is '\(secret)'")]))
  }

  func deliver(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal],
    noteTried: (Set<OutboxEntry.ID>) throws -> Void
  ) {}

  func close() {}
}

private let doors = ["open", "locked", "free"]

signal(SIGPIPE, SIG_IGN)
exit(
  NetworkProgram(
    kind: "stub", arguments: Array(CommandLine.arguments.dropFirst()), example: "you@example.org",
    readAddress: { $0.contains("@") ? $0 : nil },
    options: [
      .number("speed", in: 1...9),
      AccountOption("door") { value throws(AccountOption.Invalid) in
        let door = value.lowercased()
        if doors.contains(door) { return door }
        throw AccountOption.Invalid("A door is not \(value).")
      },
    ],
    passwordNeed: { settings, facts in
      if settings["door"] == "free" { return .unneeded }
      if settings["password-command"] != nil { return .needed }
      return PasswordNeed.isKnownToBeNone(facts) ? .unneeded : .optional
    },
    registration: .impossible("This network has no accounts."),
    makeWire: { _, _, _, _ in StubWire() }
  ).run())
