// SPDX-License-Identifier: GPL-3.0-or-later

/// The types of lines that hobnob-json(5) explains, each with its members. The queries that write
/// them, the import that reads them, and the schema in `share/hobnob/schema` all follow this table.
package enum JSONTable {
  /// In the order of an export.
  package static let types = [
    participant, conversation, member, reader, message, event, draft, history, file, end, reaction,
    unread, position, error,
  ]

  // MARK: Words

  package static let messageKinds: JSONWords = [
    0: "text", 1: "action", 2: "notice", 3: "unreadable",
  ]
  /// Why a message of the kind “unreadable” is that, if it is known: values of
  /// `Message.Encryption`.
  package static let obstacles: JSONWords = [
    4: "too-early", 5: "broken", 6: "not-for-this-device",
  ]
  package static let messageStates: JSONWords = [2: "sent", 1: "sending", 0: "failed"]
  /// How a message went; 0 for one that is there.
  package static let gone: JSONWords = [1: "deleted", 2: "taken back"]
  package static let operations: JSONWords = [0: "send", 1: "edit", 2: "delete", 3: "react"]
  package static let eventKinds: JSONWords = [
    0: "topic", 1: "invitation", 2: "joined", 3: "left", 4: "renamed", 7: "keep",
    8: "room-renamed", 9: "room-removed", 10: "moderated",
  ]
  /// What a line of `hobnob watch` is about.
  package enum Change: String, CaseIterable { case new, edited, deleted, state }

  // MARK: People and conversations

  /// A person on a network; one of this machine is a text.
  package static let networkPerson: [JSONMember] = [
    .always(.identity, .text), .always(.network, .text),
  ]
  /// A room on a network; one of this machine is a text.
  package static let networkRoom: [JSONMember] = [.always(.room, .text), .always(.network, .text)]
  /// A direct chat.
  package static let chat: [JSONMember] = [
    .always(.people, .list(.person)), .maybe(.network, .text),
  ]

  /// One of hobnob's own sentences; `Remark` has it in one of three forms.
  package static let sentence: [JSONMember] = [
    .always(.say, .text), .maybe(.one, .text), .maybe(.count, .number(from: nil)),
    .maybe(.with, .list(.sentence)),
  ]

  // MARK: Types of lines

  /// The first line of an export, which has no type.
  package static let header: [JSONMember] = [
    .always(.hobnob, .text), .always(.version, .number(from: 1)), .always(.exported, .time),
  ]

  package static let participant = JSONType(
    "participant",
    [
      .always(.identity, .text), .maybe(.network, .text), .always(.name, .text),
      .maybe(.lastConversation, .conversation), .maybe(.online, .flag), .maybe(.away, .text),
      .maybe(.rank, .text), .maybe(.here, .time), .maybe(.absences, .list(.object(absence))),
    ])
  package static let absence: [JSONMember] = [.always(.since, .time), .always(.until, .time)]

  package static let conversation = JSONType(
    "conversation",
    [
      .always(.conversation, .conversation), .maybe(.address, .text), .maybe(.topic, .text),
      .always(.lastNumber, .number()), .maybe(.lastTime, .time), .maybe(.forgotten, .number()),
      .maybe(.keep, .number(from: 1)), .maybe(.maker, .person), .maybe(.removed, .flag),
      .maybe(.name, .text), .maybe(.unread, .number()), .maybe(.unreadMentions, .number()),
    ])

  package static let member = JSONType(
    "member",
    [
      .always(.conversation, .conversation), .always(.participant, .person),
      .always(.first, .number(from: 1)), .maybe(.last, .number()), .maybe(.joined, .time),
    ])

  package static let reader = JSONType(
    "reader",
    [
      .always(.conversation, .conversation), .always(.participant, .person),
      .maybe(.delivered, .number()), .maybe(.seen, .number()), .maybe(.read, .number()),
    ] + watched)

  package static let message = JSONType(
    "message",
    [
      .always(.uid, .text), .always(.conversation, .conversation),
      .always(.number, .number(from: 1)), .always(.time, .time), .always(.sender, .person),
      .always(.name, .text), .always(.kind, .growingWord(messageKinds)),
      .always(.state, .word(messageStates)), .maybe(.failure, .sentence), .maybe(.edited, .time),
      .maybe(.deleted, .time), .maybe(.removedBy, .text), .maybe(.reason, .text),
      .maybe(.gone, .word(gone)), .maybe(.replyTo, .number(from: 1)), .always(.text, .text),
      .maybe(.mentions, .list(.object(mention))), .maybe(.remoteID, .text),
      .maybe(.archiveID, .text), .maybe(.unverified, .one), .maybe(.encrypted, .flag),
      .maybe(.verified, .flag), .maybe(.unreadable, .growingWord(obstacles)),
      .maybe(.past, .one),
      .maybe(.sort, .number(from: nil)), .maybe(.revisions, .list(.object(revision))),
      .maybe(.reactions, .list(.object(givenReaction))),
      .maybe(.attachments, .list(.object(attachment))), .maybe(.outbox, .list(.object(entry))),
    ] + watched)
  package static let mention: [JSONMember] = [
    .always(.start, .number()), .always(.end, .number()), .always(.identity, .text),
  ]
  package static let revision: [JSONMember] = [.always(.time, .time), .always(.text, .text)]
  package static let givenReaction: [JSONMember] = [
    .always(.sender, .person), .always(.emoji, .text), .always(.time, .time),
  ]
  package static let attachment: [JSONMember] = [
    .always(.hash, .text), .always(.name, .text), .always(.mediaType, .text),
    .always(.bytes, .number()),
  ]
  package static let entry: [JSONMember] = [
    .always(.operation, .word(operations)), .maybe(.sender, .person), .maybe(.emoji, .text),
  ]

  package static let event = JSONType(
    "event",
    [
      .always(.conversation, .conversation), .always(.time, .time),
      .always(.participant, .person), .always(.kind, .growingWord(eventKinds)),
      .maybe(.other, .person),
      .maybe(.text, .sentence),
    ] + watched)

  package static let draft = JSONType(
    "draft",
    [
      .always(.conversation, .conversation), .always(.participant, .person),
      .always(.text, .text), .always(.caret, .number()),
      .maybe(.spans, .list(.object(mention))), .maybe(.files, .list(.object(draftFile))),
    ])
  package static let draftFile: [JSONMember] = [.always(.path, .text), .maybe(.name, .text)]

  package static let history = JSONType(
    "history", [.always(.participant, .person), .always(.line, .text)])

  package static let file = JSONType(
    "file",
    [
      .always(.hash, .text), .always(.bytes, .number()), .always(.offset, .number()),
      .always(.data, .text),
    ])

  package static let end = JSONType("end", [])

  // MARK: What only commands print

  /// What a line of `hobnob watch` also has.
  package static let watched: [JSONMember] = [
    .maybe(.change, .growingWord(JSONWords(Change.allCases.map(\.rawValue)))),
    .maybe(.position, .number()),
  ]

  package static let reaction = JSONType(
    "reaction",
    [
      .always(.conversation, .conversation), .always(.number, .number(from: 1)),
      .always(.uid, .text), .always(.time, .time), .always(.sender, .person),
      .always(.name, .text), .always(.emoji, .text), .maybe(.removed, .flag),
      .maybe(.failure, .sentence),
    ] + watched)

  package static let unread = JSONType(
    "unread",
    [
      .always(.conversation, .conversation), .always(.name, .text),
      .always(.unread, .number()), .always(.unreadMentions, .number()),
    ])

  package static let position = JSONType("position", [.always(.position, .number())])

  /// Why a command failed.
  package static let error = JSONType("error", [.always(.text, .text)])
}
