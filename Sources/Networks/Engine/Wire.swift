// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// What a network's wire reports to its process.
package enum WireReport: Sendable {
  /// Logged in. The process may now deliver what waits in the store.
  case up
  /// The state of the connection: connecting, or connected and what it is doing.
  case status(AccountStatus)
  case events([NetworkEvent])
  /// The wire can take more of the outbox; see ``Wire/deliver(outbox:requests:signals:noteTried:)``.
  case wantsOutbox
  /// A file to be uploaded; `ended` gets the link for it.
  case upload(FileUpload, ended: @MainActor (Result<String, UploadFailure>) -> Void)
  /// The file of this entry is not to be uploaded any more.
  case cancelUpload(OutboxEntry.ID)
  /// A fact about the account's server, to be kept.
  case learned(String, String)
  /// The server offers this SCRAM. The process keeps the strongest one as the fact `scram`.
  case sawSCRAM(SCRAMHash)
  /// The network asks the owner something; `answer` gets what the owner types.
  case asks(OwnerQuestion, answer: @MainActor (String) -> Void)
  /// The connection is gone, or could not be made. `isFinal`: whether another try would end the
  /// same way.
  case down(reason: Remark, isFinal: Bool)
  /// The server does not accept the password; the owner may have mistyped it.
  case passwordRefused(reason: Remark)
}

/// The connection of one account to its network: the one part of a network process that each
/// network writes itself.
@MainActor
package protocol Wire: AnyObject {
  /// Called in the loop; set it before `connect`. What the process asks of the wire during a
  /// report happens when the wire has finished.
  var report: (WireReport) -> Void { get set }
  /// Begins to connect and to log in; reports the result.
  ///
  /// - Parameters:
  ///   - settings: the owner's settings.
  ///   - facts: the facts that the account's processes have learned about the server.
  func connect(secret: String, settings: [String: String], facts: [String: String])
  /// Passes everything that waits for the network. The wire recognises what it was given before by
  /// the ids.
  ///
  /// - Parameter noteTried: records that the network may have the requests, and the entries of the
  ///   outbox that the wire has chosen to hand over. Call it once, before any of them.
  /// - Throws: what `noteTried` throws; then nothing was handed over.
  func deliver(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal],
    noteTried: (Set<OutboxEntry.ID>) throws -> Void) throws
  /// Whether the wire reads from the network. While it does not, nothing counts as received.
  var isReading: Bool { get set }
  /// The address of the server in digits, while there is a connection.
  var server: String? { get }
  /// Whether ending now would lose or repeat work.
  var isBusy: Bool { get }
  /// Says goodbye, as far as that is possible without waiting. It reports nothing more about this
  /// connection.
  func close()
}

extension Wire {
  package var server: String? { nil }
  package var isBusy: Bool { false }
}
