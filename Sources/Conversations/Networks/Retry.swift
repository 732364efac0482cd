// SPDX-License-Identifier: GPL-3.0-or-later

/// What hobnob retries on a network: how often, how long it waits, and who decides.
///
/// This is the whole list. hobnob-networks(7) prints it under RETRIES, and a test compares the two.
package struct Retry: Hashable, Sendable {
  /// The name in the manual.
  package let what: String
  /// Milliseconds before the second try; each later pause is twice as long, up to `longest`.
  package let pause: Milliseconds
  package let longest: Milliseconds
  /// The event that the next try waits for, if it is not a time.
  package let event: String?
  /// The number of tries, the first included; nil to try until it works.
  package let tries: Int?
  /// The process that decides.
  package let decides: String

  package init(
    _ what: String, pause: Milliseconds = 0, longest: Milliseconds? = nil, event: String? = nil,
    tries: Int? = nil, decides: String = "network process"
  ) {
    (self.what, self.pause, self.longest) = (what, pause, longest ?? pause)
    (self.event, self.tries, self.decides) = (event, tries, decides)
  }

  /// Milliseconds until the next try.
  ///
  /// - Parameter failures: how many tries have failed in a row; from 1.
  package func pause(after failures: Int) -> Milliseconds {
    min(longest, pause << Milliseconds(min(max(failures, 1), 20) - 1))
  }

  /// Whether to try again.
  ///
  /// - Parameter failures: how many tries have failed in a row.
  package func allowsAnotherTry(after failures: Int) -> Bool { tries.map { failures < $0 } ?? true }
}

// The list, from the outermost to the innermost.
extension Retry {
  /// Restarting the process of an account after it ends by itself.
  package static let process = Retry(
    "crashed process", pause: 3_000, longest: 300_000, decides: "shell")
  /// Restarting a process that had connected the account before it ended.
  package static let connectedProcess = Retry(
    "connected process", pause: 3_000, longest: 30_000, decides: "shell")
  /// Connecting and logging in. Each pause is shortened at random by up to a half, so that clients
  /// of one server do not all reconnect at once.
  package static let connection = Retry("connection", pause: 1_000, longest: 300_000)
  /// Connecting again after a connection that was ``useful``.
  package static let brokenConnection = Retry("broken connection", pause: 1_000, longest: 30_000)
  /// Each name server, for one name.
  package static let nameServer = Retry(
    "name server", pause: 3_000, longest: 6_000, tries: 2, decides: "helper process")
  package static let lockedStore = Retry("locked store", pause: 50)
  /// Writing to a store that cannot be written for another reason, such as a full disk.
  package static let fullStore = Retry("full disk", pause: 5_000)
  /// Entering a room whose server cannot be reached.
  package static let room = Retry("unreachable room", pause: 120_000)
  /// Another nickname, with one more underscore, if somebody else has it.
  package static let nickname = Retry("nickname in use", event: "room's answer", tries: 4)
  /// A page of an archive that the server does not deliver.
  package static let archivePage = Retry("page of an archive", pause: 5_000, tries: 3)
  /// Uploading a file of a message; after the last try the message fails.
  package static let upload = Retry("file to send", pause: 5_000, longest: 80_000, tries: 6)
  /// A message after which the connection breaks; after the last try the message fails.
  package static let message = Retry("message", event: "next connection", tries: 4)
  /// A message that may be too long for the server.
  package static let longMessage = Retry(
    "message from 5,000 bytes", event: "next connection", tries: 2)
  /// A message that a room returns because it no longer knows its sender.
  package static let returnedMessage = Retry(
    "returned message", event: "back in the room", tries: 2)

  package static let all = [
    process, connectedProcess, connection, brokenConnection, nameServer, lockedStore, fullStore,
    room, nickname, archivePage, upload, message, longMessage, returnedMessage,
  ]

  /// How long a connection must last after its login not to count as failed (rule 14.6).
  package static let useful: Milliseconds = 10_000
  /// How long a process or a connection must last for its next pause to be the first one again
  /// (rule 14.11).
  package static let settled: Milliseconds = 60_000
  /// A message counts as the cause of a broken connection for this long after it was sent.
  package static let blame: Milliseconds = 10_000
  /// From this size in bytes a message is a ``longMessage``; a server's limit is at least 10,000
  /// (RFC 6120, 13.12).
  package static let longBytes = 5_000
}

extension Retry {
  /// Its line in the manual's table.
  package var manualLine: String {
    let first = Self.words(pause)
    let time = longest > pause ? first + " to " + Self.words(longest) : first
    return ".It " + what + " Ta " + (event ?? time) + " Ta " + (tries.map(String.init) ?? "any")
      + " Ta " + decides
  }

  private static func words(_ time: Milliseconds) -> String {
    if time % 60_000 == 0 { return "\(time / 60_000) min" }
    return time % 1_000 == 0 ? "\(time / 1_000) s" : "\(time) ms"
  }
}
