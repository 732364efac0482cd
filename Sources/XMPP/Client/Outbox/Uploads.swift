// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Sentences

/// Uploads files to the server (XEP-0363), one at a time. A message is sent when all its files are
/// uploaded; later messages do not wait for it.
struct Uploads: Sendable {
  /// A message that cannot be sent because of a file.
  struct Refusal {
    var entry: OutboxEntry.ID
    var reason: String
  }

  /// The message whose file is being uploaded.
  private var current: OutboxEntry.ID?
  /// Whether the service has given the addresses for it.
  private var hasSlot = false
  /// How many uploads of a message's files failed.
  private var failures: [OutboxEntry.ID: Int] = [:]
  /// When the next try may begin.
  private var notBefore: Milliseconds = 0

  /// Begins with the first message that has a file to upload.
  ///
  /// - Parameter waiting: the messages with files to upload, in order.
  mutating func begin(
    _ waiting: [PendingStanza], at server: ServerFeatures, in context: inout ClientContext
  ) -> [Refusal] {
    guard current == nil else { return [] }
    if context.clock.time < notBefore {
      context.clock.set(.upload, in: notBefore - context.clock.time)
      return []
    }
    var refusals: [Refusal] = []
    for stanza in waiting {
      guard let file = stanza.nextFile else { continue }
      let id = stanza.entry.id
      guard let service = server.upload else {
        if context.isLookingForServices { break }
        refusals.append(Refusal(entry: id, reason: translated("The server accepts no files.")))
        continue
      }
      if let largest = server.longestFile, file.bytes > largest {
        refusals.append(tooLarge(file, largest, id))
        continue
      }
      var request = Element(
        "request", namespace: Feature.upload,
        ["filename": file.name, "size": String(file.bytes)])
      request["content-type"] = file.type
      (current, hasSlot) = (id, false)
      context.sendIQ("get", request, to: service, .slot(id))
      break
    }
    return refusals
  }

  private func tooLarge(_ file: Attachment, _ largest: Int, _ id: OutboxEntry.ID) -> Refusal {
    Refusal(
      entry: id,
      reason: filled(
        (
          "%1 is too large for the server: it has %2, and %3 are allowed.",
          [file.name, Attachment.size(file.bytes), Attachment.size(largest)]
        )))
  }

  /// Notes the addresses for a file, with which the service has answered.
  mutating func noteSlot(
    _ answer: IQRequest.Answer, for stanza: PendingStanza, from server: ServerFeatures,
    in context: inout ClientContext
  ) -> Refusal? {
    let id = stanza.entry.id
    guard current == id, !hasSlot, let file = stanza.nextFile else { return nil }
    switch answer {
    case .result(let answer):
      guard let slot = UploadSlot(answer) else {
        current = nil
        return Refusal(
          entry: id,
          reason: translated(
            "The server offers no safe link for the upload, so hobnob sent no file."))
      }
      hasSlot = true
      context.add(
        .upload(
          FileUpload(
            entry: id, file: file, address: slot.put, headers: slot.headers, link: slot.get)))
      return nil
    case .error(let error):
      current = nil
      if let largest = error.longestFile { return tooLarge(file, largest, id) }
      let service = server.upload?.description ?? context.owner.account.domain
      return Refusal(entry: id, reason: error.sentence(for: service, isRoom: false))
    case .silence:
      let failure = UploadFailure(translated("the server does not answer"), isTemporary: true)
      return noteFailure(failure, of: file, id, in: &context)
    }
  }

  /// Notes that the upload of a message's file has ended.
  ///
  /// - Returns: the address where others can fetch it, or why the message cannot be sent; both are
  ///   nil if there will be another try.
  mutating func finish(
    _ id: OutboxEntry.ID, _ result: Result<String, UploadFailure>, of stanza: PendingStanza?,
    in context: inout ClientContext
  ) -> (link: String?, refusal: Refusal?) {
    guard current == id, hasSlot else { return (nil, nil) }
    let link: String
    switch result {
    case .failure(let failure):
      return (nil, noteFailure(failure, of: stanza?.nextFile, id, in: &context))
    case .success(let address): link = address
    }
    current = nil
    notBefore = 0
    let files = stanza?.entry.message.attachments.count ?? 0
    if (stanza?.entry.links.count ?? 0) + 1 >= files { failures[id] = nil }
    return (link, nil)
  }

  private mutating func noteFailure(
    _ failure: UploadFailure, of file: Attachment?, _ id: OutboxEntry.ID,
    in context: inout ClientContext
  ) -> Refusal? {
    current = nil
    context.needsPump = true
    let count = failures[id, default: 0] + 1
    guard failure.isTemporary, Retry.upload.allowsAnotherTry(after: count) else {
      failures[id] = nil
      return Refusal(
        entry: id,
        reason: filled(("%1 could not be sent: %2.", [file?.name ?? "", failure.reason])))
    }
    failures[id] = count
    notBefore = context.clock.time + Retry.upload.pause(after: count)
    return nil
  }

  /// Forgets the request for an address, since the connection is gone. An upload continues, since
  /// it has a connection of its own.
  mutating func disconnect() {
    if !hasSlot { current = nil }
  }

  /// Stops an upload whose message is no longer in the outbox: the owner recalled it.
  mutating func keepOnly(_ outbox: Outbox, in context: inout ClientContext) {
    failures = failures.filter { outbox[$0.key] != nil }
    guard let id = current, outbox[id] == nil else { return }
    if hasSlot { context.add(.cancelUpload(id)) }
    current = nil
  }
}
