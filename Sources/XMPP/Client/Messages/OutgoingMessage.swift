// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What the owner wrote, as it goes to the server.
enum OutgoingMessage {
  /// Why it cannot go; a sentence.
  struct Refusal: Error, Hashable {
    var sentence: String
  }

  /// - Parameter room: where it goes, if that is a room.
  static func makeStanza(for work: Outbox.Work, room: Room?) -> Result<Element, Refusal> {
    let entry = work.entry
    var message = Element(
      "message",
      [
        "to": (work.isRoom ? work.to.bare : work.to).description,
        "type": work.isRoom ? "groupchat" : "chat", "id": work.stanzaID,
      ])
    switch entry.operation {
    case .send:
      addText(of: work, to: &message)
    case .edit:
      addText(of: work, to: &message)
      let original = entry.name.origin ?? entry.message.uid
      message.add(Element("replace", namespace: Feature.correction, ["id": original]))
    case .delete:
      guard let target = target(of: entry, isRoom: work.isRoom) else { return .failure(.noName) }
      message.add(
        Element("body", text: "/me took back a message; this program still shows it."))
      message.add(Element("fallback", namespace: Feature.fallback, ["for": Feature.retraction]))
      message.add(Element("retract", namespace: Feature.retraction, ["id": target]))
    case .react:
      guard let target = target(of: entry, isRoom: work.isRoom) else { return .failure(.noName) }
      var reactions = Element("reactions", namespace: Feature.reactions, ["id": target])
      if let emoji = entry.reaction?.emoji, !emoji.isEmpty {
        reactions.add(Element("reaction", namespace: Feature.reactions, text: emoji))
      }
      message.add(reactions)
    }
    if entry.operation == .delete || entry.operation == .react {
      // Archives keep what has a text, or asks for it (XEP-0334).
      message.add(Element("store", namespace: Feature.hints))
    }
    message.add(Element("origin-id", namespace: Feature.ids, ["id": work.stanzaID]))
    return .success(message)
  }

  private static func addText(of work: Outbox.Work, to message: inout Element) {
    let entry = work.entry
    // A file alone is a message that is nothing but its address: so programs know that they may show
    // it. A text with files stays one message, with the addresses on lines behind it: it has one id
    // to be edited, retracted and answered by, where two messages would have two.
    var body = entry.message.kind == .action ? "/me " + entry.message.body : entry.message.body
    for link in entry.links { body += (body.isEmpty ? "" : "\n") + link }
    if let answers = entry.answers {
      let quote = quoted(answers.text)
      let id = work.isRoom ? answers.name.archive : answers.name.origin ?? answers.name.archive
      if let id {
        var reply = Element("reply", namespace: Feature.replies, ["id": id])
        reply["to"] = author(answers.speaker, in: work)
        message.add(reply)
        if !quote.isEmpty {
          let length = String(quote.unicodeScalars.count)
          message.add(
            Element(
              "fallback", namespace: Feature.fallback, ["for": Feature.replies],
              children: [
                Element("body", namespace: Feature.fallback, ["start": "0", "end": length])
              ]))
        }
      }
      body = quote + body
    }
    message.nodes.insert(.element(Element("body", text: body)), at: 0)
    for link in entry.links {
      message.add(
        Element(
          "x", namespace: Feature.links,
          children: [Element("url", namespace: Feature.links, text: link)]))
    }
    if !work.isRoom {
      message.add(Element("active", namespace: Feature.typing))
      if entry.operation == .send { message.add(Element("request", namespace: Feature.receipts)) }
    }
    if entry.operation == .send { message.add(Element("markable", namespace: Feature.markers)) }
  }

  /// The first lines of what is answered, for programs that know no answers.
  private static func quoted(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(5)
    if text.isEmpty { return "" }
    return lines.map { "> " + $0.prefix(200) + "\n" }.joined()
  }

  private static func author(_ speaker: NetworkUser, in work: Outbox.Work) -> String? {
    guard work.isRoom else { return Address(speaker.identity)?.bare.description }
    if speaker.name.isEmpty { return nil }
    return Address(local: work.to.local, domain: work.to.domain, resource: speaker.name).description
  }

  /// How others know a message: in a room by the id that the room gave it (XEP-0424, XEP-0444).
  private static func target(of entry: OutboxEntry, isRoom: Bool) -> String? {
    if isRoom { return entry.name.archive }
    return entry.name.origin ?? (entry.author.isOwner ? entry.message.uid : nil)
  }
}

extension OutgoingMessage.Refusal {
  static let noName = OutgoingMessage.Refusal(
    sentence:
      "The message has no id on the network, so you cannot change, delete or react to it.")
}
