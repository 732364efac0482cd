// SPDX-License-Identifier: GPL-3.0-or-later
import Storage

/// The lines between hobnob and a program that connects an account, each with its members, as
/// hobnob-bridge(7) explains them. What reads and writes them follows this table.
package enum BridgeTable {
  /// The version of the protocol.
  package static let version = 1

  /// A room or the direct chat with a person, by its address: one of the two.
  package static let place: [JSONMember] = [.maybe(.room, .text), .maybe(.person, .text)]
  private static let inPlace = JSONMember.always(.conversation, .object(place))
  /// Whose act it is: the owner's own (`mine`), or another person's.
  private static let actor: [JSONMember] = [
    .maybe(.sender, .text), .maybe(.mine, .flag), .maybe(.name, .text),
  ]
  private static let quote: [JSONMember] = [
    .always(.id, .text), .maybe(.sender, .text), .maybe(.mine, .flag), .maybe(.text, .text),
  ]
  private static let mention: [JSONMember] = [
    .always(.start, .number()), .always(.end, .number()), .always(.identity, .text),
  ]
  private static let file: [JSONMember] = [
    .always(.path, .text), .maybe(.name, .text), .maybe(.mediaType, .text),
    .maybe(.bytes, .number()),
  ]
  private static let occupant: [JSONMember] = [
    .always(.identity, .text), .maybe(.name, .text), .maybe(.rank, .text), .maybe(.away, .text),
  ]
  package static let kinds: JSONWords = [0: "text", 1: "action", 2: "notice"]
  package static let receipts: JSONWords = [0: "delivered", 1: "seen"]

  /// What people can do; a member that is missing is impossible.
  package static let abilities: [JSONMember] = [
    .maybe(.edit, .flagOrNumber), .maybe(.delete, .flag), .maybe(.react, .text),
    .maybe(.reply, .flag), .maybe(.typing, .flag), .maybe(.delivered, .flag), .maybe(.seen, .flag),
    .maybe(.file, .flagOrNumber), .maybe(.message, .number()), .maybe(.block, .flag),
    .maybe(.history, .flag), .maybe(.requests, .list(.text)),
  ]

  /// What a program writes.
  package static let fromProgram: [JSONType] = [
    JSONType(
      "hello",
      [
        .always(.version, .number(from: 1)), .always(.network, .text), .maybe(.example, .text),
        .maybe(.people, .text), .maybe(.fold, .text), .maybe(.secret, .flag),
        .maybe(.window, .number(from: 1)), .maybe(.can, .object(abilities)),
        .maybe(.canDirect, .object(abilities)),
      ]),
    JSONType("up", []),
    JSONType(
      "down", [.always(.reason, .text), .maybe(.final, .flag), .maybe(.secret, .flag)]),
    JSONType(
      "status",
      [.maybe(.activity, .text), .maybe(.received, .number()), .maybe(.percent, .number())]),
    JSONType(
      "message",
      [inPlace, .always(.id, .text)] + actor + [
        .maybe(.uid, .text), .maybe(.time, .time), .always(.text, .text),
        .maybe(.kind, .word(kinds)), .maybe(.replyTo, .object(quote)),
        .maybe(.mentions, .list(.object(mention))), .maybe(.links, .list(.text)),
        .maybe(.files, .list(.object(file))), .maybe(.past, .flag),
      ]),
    JSONType(
      "edited",
      [inPlace, .always(.id, .text)] + actor + [
        .always(.text, .text), .maybe(.time, .time), .maybe(.change, .text),
      ]),
    JSONType("deleted", [inPlace, .always(.id, .text)] + actor + [.maybe(.time, .time)]),
    JSONType(
      "removed",
      [
        inPlace, .always(.id, .text), .maybe(.by, .text), .maybe(.reason, .text),
        .maybe(.time, .time),
      ]),
    JSONType(
      "reaction",
      [inPlace, .always(.id, .text), .maybe(.author, .text), .maybe(.authorMine, .flag)] + actor + [
        .maybe(.emoji, .text), .maybe(.removed, .flag), .maybe(.all, .list(.text)),
        .maybe(.time, .time), .maybe(.change, .text),
      ]),
    JSONType("sent", [.always(.entry, .number()), .maybe(.id, .text)]),
    JSONType("part", [.always(.entry, .number()), .always(.id, .text)]),
    JSONType(
      "failed", [.always(.entry, .number()), .maybe(.reason, .text), .maybe(.maybe, .flag)]),
    JSONType("bounced", [inPlace, .always(.id, .text), .always(.reason, .text)]),
    JSONType(
      "receipt",
      [
        inPlace, .always(.sender, .text), .always(.state, .word(receipts)), .maybe(.id, .text),
        .maybe(.ids, .list(.text)),
      ]),
    JSONType("read", [inPlace, .maybe(.id, .text), .maybe(.time, .time)]),
    JSONType(
      "typing",
      [inPlace, .always(.sender, .text), .maybe(.name, .text), .always(.active, .flag)]),
    JSONType(
      "room",
      [
        .always(.room, .text), .maybe(.name, .text), .maybe(.topic, .text), .maybe(.nick, .text),
        .maybe(.people, .list(.object(occupant))),
      ]),
    JSONType("left", [.always(.room, .text), .maybe(.reason, .text)]),
    JSONType("lost", [.always(.room, .text), .maybe(.reason, .text)]),
    JSONType("here", [.always(.room, .text)] + occupant),
    JSONType("gone", [.always(.room, .text), .always(.identity, .text), .maybe(.reason, .text)]),
    JSONType(
      "renamed",
      [
        .always(.identity, .text), .always(.name, .text), .always(.former, .text),
        .maybe(.room, .text),
      ]),
    JSONType("ranked", [.always(.room, .text), .always(.identity, .text), .always(.rank, .text)]),
    JSONType(
      "topic", [.always(.room, .text), .always(.text, .text)] + actor + [.maybe(.time, .time)]),
    JSONType("invited", [.always(.room, .text), .always(.sender, .text), .maybe(.name, .text)]),
    JSONType(
      "person",
      [
        .always(.identity, .text), .maybe(.name, .text), .maybe(.online, .flag),
        .maybe(.away, .text), .maybe(.contact, .flag),
      ]),
    JSONType("wants_contact", [.always(.identity, .text), .maybe(.name, .text)]),
    JSONType("notice", [.always(.text, .text), .maybe(.sender, .text), .maybe(.name, .text)]),
    JSONType("can", [inPlace, .maybe(.can, .object(abilities))]),
    JSONType(
      "answer", [.always(.request, .number()), .maybe(.text, .text), .maybe(.room, .text)]),
    JSONType(
      "ask",
      [.always(.ask, .text), .always(.text, .text), .maybe(.qr, .text), .maybe(.secret, .flag)]),
    JSONType("keep", [.always(.name, .text), .always(.value, .text)]),
    JSONType("mark", [.maybe(.archive, .text), .always(.mark, .text)]),
    JSONType("page", [inPlace, .maybe(.from, .text), .maybe(.until, .text)]),
    JSONType("gap", [inPlace]),
    JSONType("begin", []),
    JSONType("commit", [.maybe(.batch, .number())]),
    JSONType("offline", []),
  ]

  // MARK: From hobnob

  private static let key: [JSONMember] = [.always(.entry, .number()), .always(.uid, .text)]
  private static let attempt: [JSONMember] = [inPlace, .maybe(.tried, .flag)]
  /// What all changes of a message have.
  private static let change = key + [.always(.id, .text)] + attempt
  private static let start = JSONType(
    "start",
    [
      .always(.version, .number(from: 1)), .always(.account, .text), .always(.address, .text),
      .maybe(.secret, .text), .always(.settings, .map), .always(.kept, .map),
      .always(.marks, .map),
      .always(.rooms, .list(.object([.always(.room, .text), .maybe(.nick, .text)]))),
      .always(.folder, .text),
    ])

  /// What hobnob writes.
  package static let fromHobnob: [JSONType] = [
    start,
    JSONType(
      "send",
      key + attempt + [
        .always(.text, .text), .maybe(.kind, .word(kinds)), .maybe(.replyTo, .object(quote)),
        .maybe(.mentions, .list(.object(mention))), .maybe(.files, .list(.object(file))),
      ]),
    JSONType(
      "edit", change + [.always(.text, .text), .maybe(.mentions, .list(.object(mention)))]),
    JSONType("delete", change),
    JSONType(
      "react",
      change + [
        .maybe(.author, .text), .maybe(.authorMine, .flag), .maybe(.emoji, .text),
        .maybe(.removed, .flag), .always(.all, .list(.text)),
      ]),
    JSONType(
      "request",
      [
        .always(.request, .number()), .always(.verb, .text), .maybe(.target, .text),
        .maybe(.person, .text), .maybe(.text, .text), .maybe(.count, .number()),
        .maybe(.secret, .text), .maybe(.tried, .flag),
      ]),
    JSONType("typing", [inPlace, .always(.active, .flag)]),
    JSONType(
      "receipt",
      [
        inPlace, .always(.id, .text), .maybe(.sender, .text), .always(.state, .word(receipts)),
      ]),
    JSONType("stored", [.always(.batch, .number())]),
    JSONType("reply", [.always(.ask, .text), .always(.text, .text)]),
    JSONType("stop", []),
  ]
}
