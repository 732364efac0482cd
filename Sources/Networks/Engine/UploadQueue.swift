// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// Uploads the files of messages, one at a time. A message goes out when all its files have links;
/// later messages do not wait for it.
package struct UploadQueue: Sendable {
  /// The message whose file is being uploaded.
  private var current: OutboxEntry.ID?
  /// Whether its upload has begun, after the server has said where to.
  private var isRunning = false
  /// How often the upload of an entry's file has failed in a row.
  private var failures: [OutboxEntry.ID: Int] = [:]
  /// When the next try may begin.
  private var notBefore: Milliseconds = 0

  package init() {}

  /// Whether an upload may begin. While it has to wait for its next try, the alarm is set.
  package func isFree(in context: inout some NetworkContext) -> Bool {
    guard current == nil else { return false }
    let left = notBefore - context.clock.time
    if left > 0 { context.clock.set(.upload, in: left) }
    return left <= 0
  }

  /// Notes that the server was asked where to upload a message's file.
  package mutating func ask(for id: OutboxEntry.ID) { (current, isRunning) = (id, false) }

  package func isAsking(for id: OutboxEntry.ID) -> Bool { current == id && !isRunning }

  /// Whether a file of a message is being uploaded, or soon will be.
  package func isBusy(with id: OutboxEntry.ID) -> Bool { current == id }

  package mutating func begin(_ upload: FileUpload, in context: inout some NetworkContext) {
    (current, isRunning) = (upload.entry, true)
    context.add(.upload(upload))
  }

  /// Gives up the message that the server was asked about.
  package mutating func giveUp() { current = nil }

  /// Notes that the upload of a message's file has ended.
  ///
  /// - Returns: why the message cannot be sent; nil if the file has a link now, if there will be
  ///   another try, or if nobody waits for this upload any more.
  package mutating func noteEnd(
    _ id: OutboxEntry.ID, _ result: Result<String, UploadFailure>,
    in outbox: inout OutboxQueue<some OutgoingItem>, at now: Milliseconds
  ) -> Remark? {
    guard current == id, isRunning else { return nil }
    switch result {
    case .success(let link):
      (current, failures[id], notBefore) = (nil, nil, 0)
      outbox[id]?.entry.links.append(link)
      return nil
    case .failure(let failure):
      return fail(id, failure, of: outbox[id]?.entry.nextFile?.name ?? "", at: now)
    }
  }

  /// - Returns: why the message cannot be sent; nil if there will be another try.
  package mutating func fail(
    _ id: OutboxEntry.ID, _ failure: UploadFailure, of name: String, at now: Milliseconds
  ) -> Remark? {
    current = nil
    let count = failures[id, default: 0] + 1
    guard failure.isTemporary, Retry.upload.allowsAnotherTry(after: count) else {
      failures[id] = nil
      return filled(("%1 could not be sent: %2.", [name, failure.reason]))
    }
    failures[id] = count
    notBefore = now + Retry.upload.pause(after: count)
    return nil
  }

  /// Stops the upload of a message that no longer waits for one: the owner took it back.
  package mutating func keep(
    only isWaiting: (OutboxEntry.ID) -> Bool, in context: inout some NetworkContext
  ) {
    failures = failures.filter { isWaiting($0.key) }
    guard let id = current, !isWaiting(id) else { return }
    if isRunning { context.add(.cancelUpload(id)) }
    current = nil
  }

  /// Forgets the question to the server, since the connection is gone. An upload continues: it has
  /// a connection of its own.
  package mutating func disconnect() { if !isRunning { current = nil } }
}
