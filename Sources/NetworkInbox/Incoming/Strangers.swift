// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// Requests of strangers (rule 14.5).
struct Strangers {
  let book: AddressBook

  /// How many requests to report one by one within a minute.
  private static let reports = 5

  /// Keeps a stranger's request until the owner accepts or declines it, and reports it if there are
  /// few. Reports nothing from a sender whom the owner ignores (rule 7.11).
  ///
  /// - Parameters:
  ///   - person: the identity of the sender.
  ///   - sender: for an invitation, who invites: an address, or a nickname in that room; for a
  ///     contact request, what they call themselves; otherwise empty.
  ///   - text: what a stranger without a chat wrote.
  ///   - isPast: whether the request is older than the account in this store.
  private func approached(
    _ kind: Approach.Kind, _ address: String, from person: String, by sender: String = "",
    text: String? = nil, isPast: Bool = false
  ) throws {
    if address.isEmpty { return }
    let attention = try book.store.attention(of: book.owner.id)
    let who = try book.person(NetworkUser(identity: person), knownIn: .direct(person))?.id
    let room = try kind == .invitation ? book.known(.room(address))?.id : nil
    let (one, conversation) = (who ?? Participant.nobody, room ?? ID<Conversation>(rawValue: 0))
    let isIgnored = attention.hides(one, in: conversation)
    // Do not even store it: one person can send invitations into any number of rooms.
    if isIgnored, kind == .invitation { return }
    // The store already has the first message; without an entry here nobody would find it.
    if kind != .message, try isFull(kind) { return }
    if let text {
      try book.database.run(
        "UPDATE approach SET sender = ?, at = ? WHERE account = ? AND kind = ? AND address = ?",
        text, book.now, book.account.id, kind.rawValue, address)
    }
    try book.database.run(
      """
      INSERT OR IGNORE INTO approach(account, kind, address, sender, at, told)
      VALUES (?, ?, ?, ?, ?, ?)
      """, book.account.id, kind.rawValue, address, text ?? sender, book.now,
      (isPast || isIgnored ? 0 : nil) as Int?)
    let isNew = book.database.changedRows > 0
    if isNew, text != nil { try forgetOldTexts(besides: address) }
    if !isNew || isPast || isIgnored { return }
    guard try count("told > ?2", book.now - 60_000, upTo: Self.reports) < Self.reports else {
      return
    }
    try book.database.run(
      "UPDATE approach SET told = ? WHERE account = ? AND kind = ? AND address = ?", book.now,
      book.account.id, kind.rawValue, address)
    // A bare name could be that of a room or person of this machine.
    let address = book.account.withServer(address)
    switch kind {
    case .invitation:
      let inviter = sender == person ? book.account.withServer(sender) : sender
      try book.tell(
        filled(("%1 invites you to %2: /join %2 enters it.", [inviter, address])),
        as: attention.isSilenced(one, in: conversation) ? .plain : .ringing)
    case .contact:
      try book.tell(
        filled(
          sender.isEmpty
            ? ("%1 wants to be a contact; to accept, type /contact accept %1", [address])
            : (
              "%1 (%2) wants to be a contact; to accept, type /contact accept %1",
              [address, sender]
            )))
    case .message where text != nil:
      try book.tell(filled(("%1, a stranger, wrote to you; /requests shows it.", [address])))
    case .message:
      try book.tell(
        filled(
          (
            try book.store.knownAbilities(of: book.account).direct.blocks
              ? "%1, a stranger, wrote to you: /msg %1 shows it, /block %1 blocks them."
              : "%1, a stranger, wrote to you: /msg %1 shows it, /ignore %1 hides it.", [address]
          )))
    }
  }

  /// Whether the list of a kind is full. Requests that the owner ignores are not listed and do not
  /// count.
  private func isFull(_ kind: Approach.Kind) throws -> Bool {
    let value = Milliseconds(kind.rawValue)
    return try ["kind = ?2", "kind = ?2 AND \(Approach.isNotIgnored)"].allSatisfy {
      try count($0, value, upTo: Approach.most) == Approach.most
    }
  }

  private func count(_ condition: String, _ value: Milliseconds?, upTo limit: Int) throws -> Int {
    try book.database.first(
      """
      SELECT count(*) FROM (SELECT 1 FROM approach a WHERE account = ?1 AND \(condition) LIMIT ?3)
      """, book.account.id, value, limit
    ) { $0.int() } ?? 0
  }

  /// Reports the number of requests that were not reported one by one.
  func report() throws {
    let more = try count("told IS ?2 AND \(Approach.isNotIgnored)", nil, upTo: Int(Int32.max))
    if more == 0 { return }
    try book.database.run(
      "UPDATE approach SET told = 0 WHERE account = ? AND told IS NULL", book.account.id)
    try book.tell(
      filled(
        translated(
          "One more request arrived; /requests lists it.",
          "%1 more requests arrived; /requests lists them.", count: more),
        [String(more)]))
  }

  func applyInvitation(to room: String, by speaker: NetworkUser) throws {
    if speaker.isOwner || speaker.identity.isEmpty { return }
    if let conversation = try book.known(.room(room)),
      try book.store.isMember(book.owner.id, of: conversation.id)
    {
      return
    }
    let isInside = book.hasOccupants && speaker.identity.hasPrefix(room + "/")
    try approached(
      .invitation, room, from: speaker.identity, by: isInside ? speaker.name : speaker.identity)
  }

  func applyContactRequest(_ speaker: NetworkUser) throws {
    let (identity, name) = (speaker.identity, speaker.name)
    try approached(.contact, identity, from: identity, by: name == identity ? "" : name)
  }

  /// Opens a direct chat for a new message, unless it is from a stranger: somebody to whom the
  /// owner never wrote, and who is neither a contact nor in a room with the owner.
  func open(
    _ conversation: BatchConversation, _ address: String, for message: NetworkMessage
  ) throws {
    let stay = try book.store.stay(of: book.owner.id, in: conversation.id)
    let isKnown =
      try message.speaker.isOwner || stay != .never || address == book.account.rules.domain
      || conversation.other.map { try book.isTrusted($0.id) || book.isInARoom($0.id) } ?? true
    guard isKnown else {
      return try approached(.message, address, from: address, isPast: message.isPast)
    }
    if stay == .never { try openChat(withFormerStranger: address) }
    if !message.isPast || stay == .never { try book.store.reopen(conversation.id) }
  }

  /// Whether somebody is a stranger who gets no chat, because too many other strangers have
  /// written: otherwise anybody could fill the store with chats.
  func isBeyondList(_ speaker: NetworkUser, _ address: String) throws -> Bool {
    if try speaker.isOwner || address == book.account.rules.domain
      || book.known(.direct(address)) != nil
    {
      return false
    }
    if let known = try book.person(known: address),
      try book.isTrusted(known.id) || book.isInARoom(known.id)
    {
      return false
    }
    let kind = Milliseconds(Approach.Kind.message.rawValue)
    return try count("kind = ?2", kind, upTo: Approach.most) == Approach.most
  }

  /// The longest text of a stranger without a chat, in Unicode scalars.
  private static let longestText = 400

  /// Keeps the last text of a stranger who has no chat, for the list of requests.
  func noteText(of message: NetworkMessage, from address: String) throws {
    let start = message.bodyWithLinks.unicodeScalars.prefix(Self.longestText)
    let text = String(String.UnicodeScalarView(start))
    let isReadable = message.kind != .unreadable && !text.isEmpty
    try approached(
      .message, address, from: address, text: isReadable ? text : Approach.unreadable,
      isPast: message.isPast)
  }

  /// Removes the oldest texts of strangers without a chat, if there are too many.
  private func forgetOldTexts(besides newest: String) throws {
    let kind = Milliseconds(Approach.Kind.message.rawValue)
    let most = Approach.most
    guard try count("kind = ?2 AND sender <> ''", kind, upTo: most + 1) > most else { return }
    try book.database.run(
      """
      DELETE FROM approach WHERE account = ?1 AND kind = ?2 AND address IN (
        SELECT address FROM approach WHERE account = ?1 AND kind = ?2 AND sender <> ''
        ORDER BY address = ?3 DESC, at DESC LIMIT -1 OFFSET ?4)
      """, book.account.id, kind, newest, most)
  }

  /// Opens the chat of someone who is no longer a stranger, and marks what they wrote as unread.
  func openChat(withFormerStranger address: String) throws {
    let wrote = try book.database.exists(
      "SELECT 1 FROM approach WHERE account = ? AND kind = ? AND address = ?", book.account.id,
      Approach.Kind.message.rawValue, address)
    guard wrote, let conversation = try book.known(.direct(address)) else { return }
    try book.store.enter(book.owner.id, conversation.id)
    try book.database.run(
      "UPDATE membership SET first = 1 WHERE conversation = ? AND participant = ?", conversation.id,
      book.owner.id)
  }
}
