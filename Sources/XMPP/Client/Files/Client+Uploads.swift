// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// A file of the owner's that is to be put at an address.
package struct FileUpload: Hashable, Sendable {
  package var entry: OutboxEntry.ID
  package var file: Attachment
  package var address: String
  /// Lines that go with it.
  package var headers: [String]
}

/// How a file did not get there.
package struct UploadFailure: Error, Hashable, Sendable {
  /// As the end of a sentence, without its stop.
  package var reason: String
  /// Whether it may go better later.
  package var isPassing: Bool

  package init(_ reason: String, isPassing: Bool = false) {
    (self.reason, self.isPassing) = (reason, isPassing)
  }
}

/// Files on their way to the server (XEP-0363), one at a time. A message goes when all of its files
/// are there; what was written after it does not wait for that.
struct Uploads: Sendable {
  /// The message whose file is under way.
  var current: OutboxEntry.ID?
  /// Where the file can be fetched once it is there; nil before the service has said so.
  var address: String?
  /// How often a file of the message did not get there.
  var tries: [OutboxEntry.ID: Int] = [:]
  /// When the next try may be made.
  var notBefore: Milliseconds = 0
}

extension Client {
  /// Begins with the first message that has a file to be put somewhere.
  ///
  /// - Parameter waiting: those that have, in order.
  mutating func upload(_ waiting: [OutboxEntry.ID]) {
    guard uploads.current == nil else { return }
    if clock.time < uploads.notBefore {
      return clock.set(.upload, in: uploads.notBefore - clock.time)
    }
    for id in waiting {
      guard let work = outbox.works[id], let file = work.nextFile else { continue }
      guard let service = server.upload else {
        if isLookingForServices { return }
        refuse(id, "The server accepts no files.")
        continue
      }
      if let longest = server.longestFile, file.bytes > longest {
        refuse(id, tooLarge(file, longest))
        continue
      }
      var request = Element(
        "request", namespace: Feature.upload, ["filename": file.name, "size": String(file.bytes)])
      request["content-type"] = file.type
      uploads.current = id
      uploads.address = nil
      ask("get", request, to: service, .slot(id))
      return
    }
  }

  private func tooLarge(_ file: Attachment, _ longest: Int) -> String {
    filled(
      (
        "%1 is too large for the server: it has %2, and %3 are allowed.",
        [file.name, Attachment.size(file.bytes), Attachment.size(longest)]
      ))
  }

  /// What the server has is not known yet.
  var isLookingForServices: Bool {
    questions.values.contains {
      if case .itemInfo = $0.purpose { return true }
      return $0.purpose == .items
    }
  }

  mutating func slotCame(_ answer: Question.Answer, for id: OutboxEntry.ID) {
    guard uploads.current == id, uploads.address == nil,
      let file = outbox.works[id]?.nextFile
    else { return }
    switch answer {
    case .result(let answer):
      guard let slot = UploadSlot(answer) else {
        uploads.current = nil
        return refuse(
          id, "The server offers no safe upload address, so hobnob sent no file.")
      }
      uploads.address = slot.get
      turn.effects.append(
        .upload(FileUpload(entry: id, file: file, address: slot.put, headers: slot.headers)))
    case .error(let error):
      uploads.current = nil
      if let longest = error.longestFile {
        refuse(id, tooLarge(file, longest))
      } else {
        let service = server.upload?.description ?? account.domain
        refuse(id, error.sentence(for: service, isRoom: false))
      }
    case .silence: failed(id, UploadFailure("the server does not answer", isPassing: true))
    }
  }

  mutating func uploaded(_ id: OutboxEntry.ID, _ failure: UploadFailure?) {
    guard uploads.current == id, let address = uploads.address else { return }
    if let failure { return failed(id, failure) }
    uploads.current = nil
    uploads.notBefore = 0
    outbox.add(link: address, to: id)
    if outbox.works[id]?.nextFile == nil { uploads.tries[id] = nil }
  }

  private mutating func failed(_ id: OutboxEntry.ID, _ failure: UploadFailure) {
    uploads.current = nil
    outbox.needsPump = true
    let tries = uploads.tries[id, default: 0] + 1
    guard failure.isPassing, Retry.upload.goesOn(after: tries) else {
      uploads.tries[id] = nil
      let name = outbox.works[id]?.nextFile?.name ?? ""
      return refuse(id, filled(("%1 could not be sent: %2.", [name, failure.reason])))
    }
    uploads.tries[id] = tries
    uploads.notBefore = clock.time + Retry.upload.pause(after: tries)
  }

  /// The connection is gone: what was asked is asked again. A file that is under way goes on, since
  /// it has a connection of its own.
  mutating func forgetSlots() {
    if uploads.address == nil { uploads.current = nil }
  }

  /// What is no longer in the outbox need not be sent: its owner took it back.
  mutating func endUploads() {
    uploads.tries = uploads.tries.filter { outbox.works[$0.key] != nil }
    guard let id = uploads.current, outbox.works[id] == nil else { return }
    if uploads.address != nil { turn.effects.append(.cancelUpload(id)) }
    uploads.current = nil
  }
}

extension Outbox.Work {
  /// The first of its files that is nowhere yet.
  var nextFile: Attachment? {
    guard entry.operation == .send else { return nil }
    return entry.message.attachments.dropFirst(entry.links.count).first
  }
}
