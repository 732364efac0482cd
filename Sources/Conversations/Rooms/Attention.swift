// SPDX-License-Identifier: GPL-3.0-or-later

/// What a participant wants to notice (rule 7.11), in all of their shells.
public struct Attention: Hashable, Sendable {
  /// Which messages of a conversation ring the terminal bell and notify a person.
  public enum Notify: Int, CaseIterable, Sendable {
    case everything, mentions, nothing

    /// The word that people type.
    public var word: String {
      switch self {
      case .everything: "all"
      case .mentions: "mentions"
      case .nothing: "none"
      }
    }
  }

  /// How to silence a room or a person.
  public enum Silencing: String, Sendable { case muted, ignored }

  public var mutedPeople: Set<ID<Participant>> = []
  public var ignoredPeople: Set<ID<Participant>> = []
  /// Muted rooms, and the direct chats with muted people.
  public var mutedConversations: Set<ID<Conversation>> = []
  /// Ignored rooms, and the direct chats with ignored people.
  public var ignoredConversations: Set<ID<Conversation>> = []
  /// Only values that differ from the default, which is `mentions` for a room and `everything` for
  /// a direct chat.
  public var notify: [ID<Conversation>: Notify] = [:]

  public init() {}

  /// Whether to hide somebody's messages.
  public func hides(_ person: ID<Participant>, in conversation: ID<Conversation>) -> Bool {
    ignoredPeople.contains(person) || ignoredConversations.contains(conversation)
  }

  /// Whether somebody's messages neither ring nor count as urgent.
  public func isSilenced(_ person: ID<Participant>, in conversation: ID<Conversation>) -> Bool {
    hides(person, in: conversation) || mutedPeople.contains(person)
      || mutedConversations.contains(conversation)
  }
}

extension Access {
  /// A person's settings for what to notice.
  public func attention(of me: ID<Participant>) throws -> Attention {
    var attention = Attention()
    let people = try database.rows(
      "SELECT person, muted, ignored FROM person_attention WHERE participant = ?", me
    ) { (id: $0.id("person") as ID<Participant>, $0.bool("muted"), $0.bool("ignored")) }
    for (id, isMuted, isIgnored) in people {
      if isMuted { attention.mutedPeople.insert(id) }
      if isIgnored { attention.ignoredPeople.insert(id) }
    }
    let conversations = try database.rows(
      """
      SELECT conversation AS place, muted, ignored, notify FROM room_attention
      WHERE participant = ?1
      UNION ALL
      SELECT c.id, a.muted, a.ignored, NULL FROM person_attention a
      JOIN conversation c ON c.kind = 1 AND c.one = min(?1, a.person) AND c.other = max(?1, a.person)
      WHERE a.participant = ?1
      """, me
    ) {
      (
        id: $0.id("place") as ID<Conversation>, $0.bool("muted"), $0.bool("ignored"),
        $0.isNull("notify") ? nil : Attention.Notify(rawValue: $0.int("notify"))
      )
    }
    for (id, isMuted, isIgnored, notify) in conversations {
      if isMuted { attention.mutedConversations.insert(id) }
      if isIgnored { attention.ignoredConversations.insert(id) }
      if let notify { attention.notify[id] = notify }
    }
    return attention
  }
}

extension Access where Mode: MayWrite {
  /// Claims the notifications of messages up to one: no other shell of the person notifies them of
  /// them.
  ///
  /// - Returns: the newest message that one of the shells had claimed before.
  public func claimNotifications(
    of me: ID<Participant>, upTo message: ID<Message>
  ) throws -> ID<Message> {
    try savepoint {
      let former: ID<Message>? = try database.first(
        "SELECT notified FROM participant WHERE id = ?", me
      ) { $0.id() }
      guard let former, former.rawValue >= message.rawValue else {
        try database.run("UPDATE participant SET notified = ? WHERE id = ?", message, me)
        return former ?? ID(rawValue: 0)
      }
      return former
    }
  }
}

extension DurableTransaction {
  /// Mutes or ignores a room, or undoes it.
  ///
  /// - Returns: false if nothing changes.
  @discardableResult
  public func set(
    _ silencing: Attention.Silencing, _ isOn: Bool, of room: ID<Conversation>,
    by me: ID<Participant>
  ) throws -> Bool {
    try setAttention("room_attention", "conversation", room, silencing.rawValue, isOn ? 1 : 0, me)
  }

  /// Mutes or ignores a person everywhere, or undoes it.
  ///
  /// - Returns: false if nothing changes.
  @discardableResult
  public func set(
    _ silencing: Attention.Silencing, _ isOn: Bool, of person: ID<Participant>,
    by me: ID<Participant>
  ) throws -> Bool {
    try setAttention("person_attention", "person", person, silencing.rawValue, isOn ? 1 : 0, me)
  }

  /// Sets which messages of a conversation notify a person.
  public func setNotify(
    _ notify: Attention.Notify, in conversation: ID<Conversation>, by me: ID<Participant>
  ) throws {
    try setAttention("room_attention", "conversation", conversation, "notify", notify.rawValue, me)
  }

  /// - Returns: whether the value changed.
  @discardableResult
  fileprivate func setAttention(
    _ table: String, _ key: String, _ target: some Bindable, _ column: String, _ value: Int,
    _ me: ID<Participant>
  ) throws -> Bool {
    try savepoint {
      let isUnchanged = try database.exists(
        "SELECT 1 FROM \(table) WHERE participant = ? AND \(key) = ? AND \(column) = ?", me, target,
        value)
      let isDefault =
        try value == 0 && column != "notify"
        && !database.exists(
          "SELECT 1 FROM \(table) WHERE participant = ? AND \(key) = ?", me, target)
      if isUnchanged || isDefault { return false }
      try database.run(
        """
        INSERT INTO \(table)(participant, \(key), \(column)) VALUES (?1, ?2, ?3)
        ON CONFLICT DO UPDATE SET \(column) = excluded.\(column)
        """, me, target, value)
      try touchPeople()
      return true
    }
  }
}
