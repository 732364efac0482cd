// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Sentences

// Files of messages, which the server keeps (XEP-0363), encrypted where the messages are (XEP-0454).
extension Client {
  /// Begins with the first message that has a file to upload.
  ///
  /// - Parameter waiting: the messages with files to upload, in order.
  mutating func beginUpload(_ waiting: [PendingStanza]) {
    guard uploads.isFree(in: &context) else { return }
    for stanza in waiting {
      guard let file = stanza.entry.nextFile, let isSealed = sealsFiles(of: stanza) else {
        continue
      }
      let shown = isSealed ? file.sealed(as: context.newID()) : file
      let id = stanza.entry.id
      guard let service = server.upload else {
        if context.isLookingForServices { return }
        refuse(id, translated("The server accepts no files."))
        continue
      }
      if let largest = server.longestFile, shown.bytes > largest {
        refuse(id, Self.tooLarge(file, largest))
        continue
      }
      var request = Element(
        "request", namespace: Feature.upload,
        ["filename": shown.name, "size": String(shown.bytes)])
      request["content-type"] = shown.type
      uploads.ask(for: id)
      context.sendIQ("get", request, to: service, .slot(id, isSealed: isSealed))
      return
    }
  }

  /// Whether files go to somebody encrypted; nil while that is not known.
  private func sealsFiles(of stanza: PendingStanza) -> Bool? {
    switch encryption?.way(to: stanza.destination, in: context) {
    case nil, .plain: false
    case .sealed: true
    case .asking, .stuck: nil
    }
  }

  /// Removes the links of a message whose files were uploaded for another way than the one that it
  /// goes now: the files are uploaded again.
  mutating func removeUnfitLinks(of id: OutboxEntry.ID) {
    // Each link takes the place of its file, so the one that comes next must be the next one's.
    guard let stanza = outbox.stanzas[id], stanza.entry.operation == .send, !stanza.isSealed,
      !uploads.isBusy(with: id), let isSealed = sealsFiles(of: stanza),
      stanza.entry.links.contains(where: { (SealedLink($0) != nil) != isSealed })
    else { return }
    outbox.stanzas[id]?.entry.links = []
  }

  private static func tooLarge(_ file: Attachment, _ largest: Int) -> Remark {
    filled(
      (
        "%1 is too large for the server: it has %2, and %3 are allowed.",
        [file.name, Attachment.size(file.bytes), Attachment.size(largest)]
      ))
  }

  /// Notes the addresses for a file, with which the service has answered.
  ///
  /// - Parameter isSealed: whether they are for the encrypted file.
  mutating func noteSlot(
    _ answer: IQRequest.Answer, for id: OutboxEntry.ID, isSealed: Bool
  ) {
    guard uploads.isAsking(for: id), let stanza = outbox.stanzas[id],
      let file = stanza.entry.nextFile
    else { return }
    if sealsFiles(of: stanza) != isSealed {
      uploads.giveUp()
      context.needsPump = true
      return
    }
    switch answer {
    case .result(let answer):
      if let slot = UploadSlot(answer) {
        return uploads.begin(
          FileUpload(
            entry: id, file: file, isSealed: isSealed, address: slot.put, headers: slot.headers,
            link: slot.get),
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

extension Attachment {
  /// What a server learns of a file that is encrypted: neither its name nor its type.
  fileprivate func sealed(as name: String) -> Attachment {
    var sealed = self
    // Other programs go by the ending.
    let ending = self.name.split(separator: ".").dropFirst().last ?? ""
    let isUsual = ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    let keeps = isUsual && (1...8).contains(ending.count)
    sealed.name = keeps ? name + "." + ending.lowercased() : name
    (sealed.type, sealed.bytes) = (FileType.unknown, bytes + FileCipher.tagLength)
    return sealed
  }
}
