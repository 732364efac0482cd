// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// Uploads files to the server's web address (soju.im/FILEHOST), one at a time. A message goes out
/// when all its files have links; later messages do not wait for it.
struct IRCUploads: Sendable {
  private var current: OutboxEntry.ID?
  /// How often the upload of an entry's files has failed in a row.
  private var failures: [OutboxEntry.ID: Int] = [:]
  private var notBefore: Milliseconds = 0

  mutating func begin(_ outbox: inout IRCOutbox, in context: inout IRCContext) {
    if let current, outbox.entries[current]?.nextFile == nil {
      // The owner took the message back.
      context.add(.cancelUpload(current))
      self.current = nil
    }
    guard current == nil, let outgoing = outbox.nextUpload, let file = outgoing.nextFile else {
      return
    }
    let id = outgoing.entry.id
    guard let address = context.support[Self.token], !address.isEmpty else {
      return outbox.refuse(
        id, translated("The server accepts no files."), in: &context)
    }
    if context.clock.time < notBefore {
      return context.clock.set(.upload, in: notBefore - context.clock.time)
    }
    current = id
    let name = file.name.filter { $0 != "\"" && $0 != "\\" && !$0.isNewline }
    context.add(
      .upload(
        FileUpload(
          entry: id, file: file, address: address,
          headers: ["Content-Disposition: attachment; filename=\"\(name)\""])))
  }

  static let token = "soju.im/FILEHOST"

  /// Notes that the upload of an entry's file has ended.
  mutating func finish(
    _ id: OutboxEntry.ID, _ result: Result<String, UploadFailure>, _ outbox: inout IRCOutbox,
    _ people: People, in context: inout IRCContext
  ) {
    guard current == id else { return }
    current = nil
    switch result {
    case .success(let link):
      failures[id] = nil
      outbox.add(link, to: id, people, in: &context)
    case .failure(let failure):
      let count = failures[id, default: 0] + 1
      let name = outbox.entries[id]?.nextFile?.name ?? ""
      guard failure.isTemporary, Retry.upload.allowsAnotherTry(after: count) else {
        failures[id] = nil
        return outbox.refuse(
          id, filled(("%1 could not be sent: %2.", [name, failure.reason])), in: &context)
      }
      failures[id] = count
      notBefore = context.clock.time + Retry.upload.pause(after: count)
    }
  }
}
