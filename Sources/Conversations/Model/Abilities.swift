// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// What people can do in a conversation. The store's own conversations allow everything; for other
/// conversations the account's process says what is possible, and the store keeps that.
///
/// ```swift
/// var irc = Abilities()
/// (irc.editsWithin, irc.seen, irc.longestMessage) = (0, false, 400)
/// try irc.checkReaction(in: "#tea")
/// ```
public struct Abilities: Hashable, Sendable {
  /// How many reactions one person may give a message.
  public enum ReactionLimit: String, Hashable, Sendable {
    case no, one, several
  }

  /// Whether what the owner sends is encrypted from end to end.
  public enum Encryption: String, Hashable, Sendable {
    /// The network's process cannot encrypt it.
    case never
    /// It could be encrypted, but is not.
    case off
    /// It will be, once the process knows the keys of the others.
    case asking
    case on
    /// It is, and the owner has verified all devices of the others.
    case verified

    package var isOn: Bool { self == .on || self == .verified }
  }

  /// For how many seconds after sending the author may edit a message; 0 means never, nil for ever.
  public var editsWithin: Int?
  /// Whether the author of a message can delete it for others.
  public var deletes = true
  public var reactionLimit = ReactionLimit.several
  /// Whether a message can say which one it answers.
  public var replies = true
  /// Whether people learn who is typing.
  public var typing = true
  /// Whether the network repeats that somebody is typing, as long as they are. Others keep the
  /// state until it changes (XEP-0085).
  public var repeatsTyping = false
  /// Whether the sender can learn that a message was delivered.
  public var delivered = true
  /// Whether the sender can learn that a message was seen.
  public var seen = true
  /// Bytes of the largest file; 0: no files, nil: no known limit.
  public var largestFile: Int?
  /// Bytes of the longest text of a message, in UTF-8, without what the network adds; nil: no known
  /// limit.
  public var longestMessage: Int?
  /// Bytes of a line on a network that sends a longer text as several messages: the text and the
  /// conversation's address; nil: no such limit.
  public var longestLine: Int?
  /// Whether people see these messages as one.
  public var joinsLines = false
  /// Whether other people's programs may not show which message a reply answers.
  public var repliesMayBeHidden = false
  /// Whether the network can keep somebody from writing to the owner.
  public var blocks = true
  /// Whether the network's people can ask it for more: who somebody is, to remove them from a room,
  /// and whatever its own language has words for.
  public var serverCommands = true
  public var encryption = Encryption.never

  /// Allows everything, without limits.
  public init() {}

  /// The abilities in a conversation of this machine: one reaction per person (rule 7.8), and no
  /// limits.
  static var ofThisMachine: Abilities {
    var abilities = Abilities()
    (abilities.reactionLimit, abilities.serverCommands) = (.one, false)
    return abilities
  }

  /// Whether the sender can learn of this state. A message that was seen was also delivered.
  public func reports(_ state: DeliveryState) -> Bool {
    switch state {
    case .seen: seen
    case .delivered: delivered || seen
    case .failed, .sending, .sent: true
    }
  }

  /// A number of seconds in words: `15 minutes`.
  package static func span(_ seconds: Int) -> Remark {
    let (count, unit): (Int, Remark) =
      if seconds % 3600 == 0 {
        (seconds / 3600, translated("1 hour", "%1 hours", count: seconds / 3600))
      } else if seconds % 60 == 0 {
        (seconds / 60, translated("1 minute", "%1 minutes", count: seconds / 60))
      } else {
        (seconds, translated("1 second", "%1 seconds", count: seconds))
      }
    return filled(unit, [String(count)])
  }

  // MARK: Checks

  /// - Parameters:
  ///   - message: one that was sent.
  ///   - conversation: its name.
  /// - Throws: `RuleError.cannotEdit`, `.editsAreOver`, `.unreadable`.
  package func checkEdit(
    of message: Message, at now: Milliseconds, in conversation: String
  ) throws {
    if message.kind == .unreadable { throw RuleError.unreadable(message.number) }
    guard let seconds = editsWithin else { return }
    if seconds == 0 {
      throw RuleError.cannotEdit(conversation, deletable: deletes ? message.number : nil)
    }
    if (now - message.createdAt) / 1000 >= Milliseconds(seconds) {
      throw RuleError.editsAreOver(message.number, conversation, seconds: seconds)
    }
  }

  /// - Throws: `RuleError.cannotDelete`.
  package func checkDeletion(in conversation: String) throws {
    if !deletes { throw RuleError.cannotDelete(conversation) }
  }

  /// - Throws: `RuleError.cannotReact`.
  package func checkReaction(in conversation: String) throws {
    if reactionLimit == .no { throw RuleError.cannotReact(conversation) }
  }

  /// - Throws: `RuleError.tooManyBytes`.
  package func check(text: String, in conversation: String) throws {
    let bytes = text.utf8.count
    if let most = longestMessage, bytes > most {
      throw RuleError.tooManyBytes(conversation, bytes, most: most)
    }
  }

  /// - Parameters:
  ///   - files: the bytes of each.
  ///   - conversation: its name.
  /// - Throws: `RuleError.tooManyBytes`, `.cannotReply`, `.takesNoFiles`, `.fileTooLarge`.
  package func check(
    text: String, isReply: Bool, files: [Int], in conversation: String
  ) throws {
    try check(text: text, in: conversation)
    if isReply, !replies { throw RuleError.cannotReply(conversation) }
    guard let most = largestFile, let largest = files.max() else { return }
    if most == 0 { throw RuleError.takesNoFiles(conversation) }
    if largest > most { throw RuleError.fileTooLarge(conversation, largest, most: most) }
  }
}

/// The abilities of the conversations of an account.
public struct NetworkAbilities: Hashable, Sendable {
  public var rooms: Abilities
  public var direct: Abilities

  /// Direct chats have the abilities of rooms if `direct` is nil.
  public init(rooms: Abilities = Abilities(), direct: Abilities? = nil) {
    (self.rooms, self.direct) = (rooms, direct ?? rooms)
  }
}

// MARK: JSON

extension Abilities {
  private typealias Path<Value> = any WritableKeyPath<Abilities, Value> & Sendable

  private static let flags: [(name: String, path: Path<Bool>)] = [
    ("delete", \.deletes), ("reply", \.replies), ("typing", \.typing),
    ("typing-again", \.repeatsTyping), ("delivered", \.delivered), ("seen", \.seen),
    ("join", \.joinsLines), ("hidden-replies", \.repliesMayBeHidden), ("block", \.blocks),
    ("commands", \.serverCommands),
  ]
  private static let limits: [(name: String, path: Path<Int?>)] = [
    ("edit", \.editsWithin), ("file", \.largestFile), ("message", \.longestMessage),
    ("line", \.longestLine),
  ]

  /// A member for each ability that is missing or limited.
  package var json: JSON {
    let usual = Abilities()
    var values: [String: JSON] = [:]
    for (name, path) in Self.flags where self[keyPath: path] != usual[keyPath: path] {
      values[name] = .flag(self[keyPath: path])
    }
    for (name, path) in Self.limits {
      values[name] = self[keyPath: path].map { .integer(Int64($0)) }
    }
    if reactionLimit != .several { values["react"] = .text(reactionLimit.rawValue) }
    if encryption != .never { values["encryption"] = .text(encryption.rawValue) }
    return .object(values)
  }

  /// Ignores members that only a later version knows. Other programs may also write to the store.
  package init(_ json: JSON) {
    self.init()
    for (name, path) in Self.flags {
      if let flag = json[name].flag { self[keyPath: path] = flag }
    }
    for (name, path) in Self.limits {
      if let most = json[name].integer, most >= 0 { self[keyPath: path] = Int(most) }
    }
    reactionLimit = json["react"].text.flatMap(ReactionLimit.init) ?? .several
    encryption = json["encryption"].text.flatMap(Encryption.init) ?? .never
  }
}

extension NetworkAbilities {
  package var json: JSON { .object(["rooms": rooms.json, "direct": direct.json]) }

  package init(_ json: JSON) {
    self.init(rooms: Abilities(json["rooms"]), direct: Abilities(json["direct"]))
  }
}
