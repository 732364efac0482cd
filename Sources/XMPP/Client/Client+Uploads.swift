// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Sentences

// Files of messages, which the server keeps (XEP-0363).
extension Client {
  /// Begins with the first message that has a file to upload.
  ///
  /// - Parameter waiting: the messages with files to upload, in order.
  mutating func beginUpload(_ waiting: [PendingStanza]) {
    guard uploads.isFree(in: &context) else { return }
    for stanza in waiting {
      guard let file = stanza.entry.nextFile else { continue }
      let id = stanza.entry.id
      guard let service = server.upload else {
        if context.isLookingForServices { return }
        refuse(id, translated("The server accepts no files."))
        continue
      }
      if let largest = server.longestFile, file.bytes > largest {
        refuse(id, Self.tooLarge(file, largest))
        continue
      }
      var request = Element(
        "request", namespace: Feature.upload,
        ["filename": file.name, "size": String(file.bytes)])
      request["content-type"] = file.type
      uploads.ask(for: id)
      context.sendIQ("get", request, to: service, .slot(id))
      return
    }
  }

  private static func tooLarge(_ file: Attachment, _ largest: Int) -> Remark {
    filled(
      (
        "%1 is too large for the server: it has %2, and %3 are allowed.",
        [file.name, Attachment.size(file.bytes), Attachment.size(largest)]
      ))
  }

  /// Notes the addresses for a file, with which the service has answered.
  mutating func noteSlot(_ answer: IQRequest.Answer, for id: OutboxEntry.ID) {
    guard uploads.isAsking(for: id), let file = outbox.stanzas[id]?.entry.nextFile else { return }
    switch answer {
    case .result(let answer):
      if let slot = UploadSlot(answer) {
        return uploads.begin(
          FileUpload(
            entry: id, file: file, address: slot.put, headers: slot.headers, link: slot.get),
          in: &context)
      }
      uploads.giveUp()
      refuse(
        id, translated("The server offers no safe link for the upload, so hobnob sent no file."))
    case .error(let error):
      uploads.giveUp()
      let service = server.upload?.description ?? context.owner.account.domain
      refuse(
        id,
        error.longestFile.map { Self.tooLarge(file, $0) }
          ?? error.sentence(for: service, isRoom: false))
    case .silence:
      let failure = UploadFailure(translated("the server does not answer"), isTemporary: true)
      end(id, uploads.fail(id, failure, of: file.name, at: context.clock.time))
    }
  }

  /// Notes that the upload of a message's file has ended.
  mutating func finishUpload(_ id: OutboxEntry.ID, _ result: Result<String, UploadFailure>) {
    end(id, uploads.noteEnd(id, result, in: &outbox.stanzas, at: context.clock.time))
  }

  /// - Parameter failure: why the message cannot be sent; nil if it can.
  private mutating func end(_ id: OutboxEntry.ID, _ failure: Remark?) {
    context.needsPump = true
    if let failure { refuse(id, failure) }
  }
}
