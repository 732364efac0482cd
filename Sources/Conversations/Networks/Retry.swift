// SPDX-License-Identifier: GPL-3.0-or-later

/// How often hobnob retries something on a network, and how long it waits.
///
/// This is the whole list. hobnob-networks(7) has it under RETRIES, with the process that decides,
/// and a test compares the figures.
package struct Retry: Hashable, Sendable {
  /// Milliseconds before the second try; each later pause is twice as long, up to `longest`. 0 if
  /// the next try waits for an event instead.
  package let pause: Milliseconds
  package let longest: Milliseconds
  /// The number of tries, the first included; nil to try until it works.
  package let tries: Int?

  package init(pause: Milliseconds = 0, longest: Milliseconds? = nil, tries: Int? = nil) {
    (self.pause, self.longest, self.tries) = (pause, longest ?? pause, tries)
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
  package static let process = Retry(pause: 3_000, longest: 300_000)
  /// Restarting a process that had connected the account before it ended.
  package static let connectedProcess = Retry(pause: 3_000, longest: 30_000)
  /// Connecting and logging in. Each pause is shortened at random by up to a half, so that clients
  /// of one server do not all reconnect at once.
  package static let connection = Retry(pause: 1_000, longest: 300_000)
  /// Connecting again after a connection that was ``useful``.
  package static let brokenConnection = Retry(pause: 1_000, longest: 30_000)
  /// Each name server, for one name.
  package static let nameServer = Retry(pause: 3_000, longest: 6_000, tries: 2)
  package static let lockedStore = Retry(pause: 50)
  /// Writing to a store that cannot be written for another reason, such as a full disk.
  package static let fullStore = Retry(pause: 5_000)
  /// Entering a room whose server cannot be reached.
  package static let room = Retry(pause: 120_000)
  /// Another nickname, with one more underscore, if somebody else has it.
  package static let nickname = Retry(tries: 4)
  /// A page of an archive that the server does not deliver.
  package static let archivePage = Retry(pause: 5_000, tries: 3)
  /// Uploading a file of a message; after the last try the message fails.
  package static let upload = Retry(pause: 5_000, longest: 80_000, tries: 6)
  /// A message after which the connection breaks; after the last try the message fails.
  package static let message = Retry(tries: 4)
  /// A message that may be too long for the server.
  package static let longMessage = Retry(tries: 2)
  /// A message that a room returns because it no longer knows its sender.
  package static let returnedMessage = Retry(tries: 2)

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
