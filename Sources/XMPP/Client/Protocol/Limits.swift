// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How much data from others the client remembers, and how long it waits for answers
/// (milliseconds). `Retry` lists what it tries again afterwards.
enum Limits {
  static let answer: Milliseconds = 30_000
  /// How long a room may take to refuse something that it does not confirm.
  static let refusal: Milliseconds = 5_000
  /// How long a room may take to let someone in.
  static let entering: Milliseconds = 60_000
  /// How long a room without an archive may continue to send its history after its first old
  /// subject.
  static let history: Milliseconds = 2_000
  /// After a silence of this length, the client asks a room whether the owner is still in it.
  static let silence: Milliseconds = 900_000

  /// How far the clock of a server may be off without a message of its archive being missed.
  static let clockError: Milliseconds = 24 * 3_600_000

  /// Messages in one page of an archive.
  static let page = 250
  /// From this many messages on, catching up shows a percentage.
  static let manyMessages = 500
  /// Bytes of memory (`Element.weight`) that a page may take; the client asks for the rest again.
  static let pageWeight = 8 << 20
  /// Live messages that wait while an archive is read.
  static let held = 500
  /// Bytes of memory (`Element.weight`) of one stanza that waits.
  static let waitingWeight = 64 << 10
  static let rooms = 500
  static let occupants = 20_000
  static let contacts = 100_000
  static let devices = 20
  /// Devices of an account with keys, and pre keys of a bundle.
  static let keyDevices = 100
  /// Members of a room for whom hobnob encrypts.
  static let audience = 1_000
  /// Graphemes of a device's name.
  static let deviceName = 40
  static let preKeys = 250
  /// Sessions with the devices of one account, and of one that the owner does not know.
  static let sessions = 200
  static let strangersSessions = 5
  /// How long a signed pre key is published (XEP-0384, 4.3: a week to a month).
  static let signedPreKeyStays: UInt64 = 30 * 86_400_000
  /// Before another try to seal a line.
  static let sealPause: Milliseconds = 1_000
  /// How long a list of devices counts if nobody tells of its changes.
  static let listsStay: Milliseconds = 60_000
  /// After an answer about keys that did not come.
  static let keyPause: Milliseconds = 60_000
  static let queries = 16
  /// Services of a server that the client asks what they are.
  static let services = 100
  /// People that one sentence names.
  static let listed = 100
  static let inFlight = 100
  static let accepted = 300
  /// Messages of one conversation whose senders wait for a receipt, and conversations with such
  /// messages.
  static let receiptRequests = 200
  static let receiptConversations = 500
  static let typists = 1_000
  static let acquaintances = 1_000
  static let reactions = 20
  static let reactionBytes = 64
  static let links = 20
  /// Bytes of a message in addition to its text: addresses, ids, marks, and the links of a few
  /// files. A text with many characters that XML has to escape, or with many files, may still be
  /// too long; then the client refuses it.
  static let besideText = 4_096
  /// Characters of a moderator's reason.
  static let reason = 300
  /// Bytes of an id, a nickname or an address that others chose.
  static let identifier = 1_024

  /// An id or a name that someone else chose; nil if it is empty or too long.
  static func bounded(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty || $0.utf8.count > identifier ? nil : $0 }
  }
}
