// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform
import Sentences

// Messages and their files.
extension ExportReader {
  func add(message object: JSONObject) throws {
    let digits = try object.text(.uid)
    guard [24, 32].contains(digits.utf8.count), let uid = bytes(ofHexadecimal: digits) else {
      throw LineFault(
        "“%1” is not 24 or 32 hexadecimal digits in lower case", JSONName.uid.rawValue)
    }
    let conversation = try conversation(object)
    let attachments = try object.objects(.attachments)
    let revisions = try object.objects(.revisions).map {
      try Revision(body: $0.text(.text), at: $0.time(.time))
    }
    let number = try object.integer(.number, in: Message.numbers)
    var message = NewMessage(
      speaker: try person(object, .sender), body: try object.text(.text),
      time: try object.time(.time))
    (message.uid, message.number) = (uid, number)
    message.sort = try object.optionalInteger(.sort, in: SortKey.all)
    message.state =
      try object.choice(.state, of: JSONTable.messageStates).flatMap(DeliveryState.init) ?? .sent
    message.gone = try object.choice(.gone, of: JSONTable.gone) ?? 0
    message.editedAt = try object.optionalTime(.edited)
    message.deletedAt = try object.optionalTime(.deleted)
    if let moderator = try object.optionalText(.removedBy) {
      message.removal = Removal(
        moderator: moderator, reason: try object.optionalText(.reason) ?? "")
    }
    message.failure = object[.failure].map { Remark($0) }
    message.name.origin = try object.optionalText(.remoteID)
    message.name.archive = try object.optionalText(.archiveID)
    message.isUnverified = try object.optionalInteger(.unverified, in: 0...1) == 1
    message.answeredNumber = try object.optionalInteger(.replyTo, in: Message.numbers).map(
      Int.init)
    message.mentions = try object.mentions(.mentions)
    message.attachments = attachments.count
    try setKind(of: &message, object)
    message.encryption = try encryption(of: message, object)
    message.isPast = try object.optionalInteger(.past, in: 0...1) == 1
    if message.gone > 0 { (message.body, message.mentions) = ("", []) }
    switch try work.add(message, in: conversation) {
    case .known(let known):
      try work.update(known, to: message, revisions)
      if known.gone == 0, message.gone == 0 { try add(reactionsIn: object, on: known.id) }
    case .new(let id):
      try work.add(revisions, to: id)
      try add(reactionsIn: object, on: id)
      for (ordinal, attachment) in attachments.enumerated() {
        try add(attachment: attachment, at: ordinal, of: id)
      }
      if !conversation.isLocal { try add(outboxIn: object, of: id) }
    case .tooOld: break
    }
  }

  /// Sets the kind of a message. A message of a kind that only a newer hobnob knows becomes a text
  /// that begins with a note about that.
  private func setKind(of message: inout NewMessage<ID<Participant>>, _ object: JSONObject) throws {
    guard let kind = try object.optionalText(.kind) else { return }
    if let known = JSONTable.messageKinds.number(of: kind).flatMap(Message.Kind.init) {
      message.kind = known
      if known == .unreadable { message.body = "" }
    } else {
      // The note is in English, like everything that hobnob stores for others.
      let note = "[a message of the kind “\(kind)”, which this version of hobnob does not know]"
      message.body = message.body.isEmpty ? note : note + " " + message.body
      message.mentions = []
    }
  }

  /// How a message was encrypted, once its kind is known. A reason that only a newer hobnob knows
  /// is as if there were none.
  private func encryption(
    of message: NewMessage<ID<Participant>>, _ object: JSONObject
  ) throws -> Message.Encryption {
    guard try object.flag(.encrypted) else { return .none }
    if message.kind == .unreadable, let word = try object.optionalText(.unreadable),
      let obstacle = JSONTable.obstacles.number(of: word).flatMap(Message.Encryption.init)
    {
      return obstacle
    }
    if object[.verified] == nil { return .encrypted }
    return try object.flag(.verified) ? .verified : .unverified
  }

  private func add(reactionsIn object: JSONObject, on message: ID<Message>) throws {
    for reaction in try object.objects(.reactions) {
      let emoji = try reaction.text(.emoji)
      if emoji.isEmpty { throw LineFault.missing(.emoji) }
      try database.run(
        """
        INSERT INTO reaction(message, participant, emoji, at, change) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET removed = 0, at = excluded.at, failure = NULL
        WHERE excluded.at > at
        """, message, try person(reaction, .sender), emoji, try reaction.time(.time),
        try work.silentNumber())
    }
    try keepNewest(on: message)
  }

  /// Keeps only the newest reaction of each person, if people have only one there.
  private func keepNewest(on message: ID<Message>) throws {
    let conversation = try work.transaction.stored(message)?.conversation
    guard let conversation,
      try work.transaction.knownAbilities(of: conversation).reactionLimit == .one
    else {
      return
    }
    try database.run(
      """
      DELETE FROM reaction WHERE message = ?1 AND EXISTS (SELECT 1 FROM reaction newer
        WHERE newer.message = ?1 AND newer.participant = reaction.participant
          AND (newer.at, newer.emoji) > (reaction.at, reaction.emoji))
      """, message)
  }

  private func add(
    attachment object: JSONObject, at ordinal: Int, of message: ID<Message>
  ) throws {
    let digits = try object.text(.hash)
    guard digits.utf8.count == 64, let hash = bytes(ofHexadecimal: digits) else {
      throw LineFault("“%1” is not 64 hexadecimal digits in lower case", JSONName.hash.rawValue)
    }
    let type = try object.optionalText(.mediaType).flatMap(FileType.checked)
    try database.run(
      "INSERT INTO attachment(message, ordinal, hash, name, type, bytes) VALUES (?, ?, ?, ?, ?, ?)",
      message, ordinal, hash, FileName.safe(try object.text(.name)), type ?? FileType.unknown,
      try object.integer(.bytes, in: 0...Int64.max))
  }

  /// Adds a message that waited for a network to the outbox, so that it keeps waiting here.
  private func add(outboxIn object: JSONObject, of message: ID<Message>) throws {
    for entry in try object.objects(.outbox) {
      let operation = try entry.choice(.operation, of: JSONTable.operations) ?? 0
      let person = entry[.sender] == nil ? nil : try person(entry, .sender)
      try database.run(
        "INSERT INTO outbox(id, message, operation, participant, emoji) VALUES (?, ?, ?, ?, ?)",
        try work.transaction.nextChange(), message, operation, person,
        person == nil ? nil : try entry.optionalText(.emoji) ?? "")
    }
  }

  func add(file object: JSONObject) throws {
    let hash = try object.text(.hash)
    guard AttachmentFolder.location(of: hash) != nil else {
      throw LineFault("“%1” is not 64 hexadecimal digits in lower case", JSONName.hash.rawValue)
    }
    let bytes = try object.integer(.bytes, in: 0...Int64.max)
    let offset = try object.integer(.offset, in: 0...Int64.max)
    guard let piece = Base64.decoded(try object.text(.data)) else {
      throw LineFault("“%1” is not base64", JSONName.data.rawValue)
    }
    let folder = work.transaction.attachmentFolder
    if file == nil, folder.size(of: hash).map(Int64.init) == bytes { return }
    try folder.writing {
      if file == nil, offset == 0 { file = try IncomingFile(hash, bytes: bytes, into: folder) }
      guard let incoming = file, incoming.hash == hash, incoming.bytes == bytes,
        incoming.offset == offset
      else { throw LineFault("the pieces of file %1 do not fit together", hash) }
      if try incoming.append(piece) {
        work.report.files += 1
        file = nil
      }
    }
  }
}
