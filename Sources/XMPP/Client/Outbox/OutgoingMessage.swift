// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

// What the owner wrote, in the form that is sent to the server.
extension PendingStanza {
  /// The stanza; nil if the network knows no id of the message that it changes.
  ///
  /// - Parameter quotes: whether an answer begins with a quote.
  func makeElement(quotes: Bool = true) -> Element? {
    var message = Element(
      "message",
      [
        "to": (isRoom ? to.bare : to).description,
        "type": isRoom ? "groupchat" : "chat", "id": stanzaID,
      ])
    switch entry.operation {
    case .send:
      addText(to: &message, quotes: quotes)
    case .edit:
      addText(to: &message, quotes: quotes)
      let original = entry.name.origin ?? entry.message.uid
      message.add(Element("replace", namespace: Feature.correction, ["id": original]))
    case .delete:
      guard let target else { return nil }
      message.add(
        Element("body", text: "/me took back a message; this program still shows it."))
      message.add(Element("fallback", namespace: Feature.fallback, ["for": Feature.retraction]))
      message.add(Element("retract", namespace: Feature.retraction, ["id": target]))
    case .react:
      guard let target else { return nil }
      var reactions = Element("reactions", namespace: Feature.reactions, ["id": target])
      for emoji in entry.reaction?.all ?? [] {
        reactions.add(Element("reaction", namespace: Feature.reactions, text: emoji))
      }
      message.add(reactions)
    }
    if entry.operation == .delete || entry.operation == .react {
      // Archives keep messages with a text, and those that ask for it (XEP-0334).
      message.add(Element("store", namespace: Feature.hints))
    }
    message.add(Element("origin-id", namespace: Feature.ids, ["id": stanzaID]))
    return message
  }

  private func addText(to message: inout Element, quotes: Bool) {
    // A message that consists of one address tells clients that they may show the file. A text with
    // files stays one message, with the addresses on lines after the text, so that it has one id
    // for edits, retractions and answers.
    var body = entry.message.kind == .action ? "/me " + entry.message.body : entry.message.body
    for link in entry.links { body += (body.isEmpty ? "" : "\n") + link }
    if let answers = entry.answers {
      let quote = quotes ? Self.quote(SealedLink.hidingKeys(in: answers.text)) : ""
      let id = isRoom ? answers.name.archive : answers.name.origin ?? answers.name.archive
      if let id {
        var reply = Element("reply", namespace: Feature.replies, ["id": id])
        reply["to"] = replyAddress(of: answers.speaker)
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
    // Programs find the link to an encrypted file in the text.
    for link in entry.links where SealedLink(link) == nil {
      message.add(
        Element(
          "x", namespace: Feature.links,
          children: [Element("url", namespace: Feature.links, text: link)]))
    }
    if !isRoom {
      message.add(Element("active", namespace: Feature.typing))
      if entry.operation == .send { message.add(Element("request", namespace: Feature.receipts)) }
    }
    if entry.operation == .send { message.add(Element("markable", namespace: Feature.markers)) }
  }

  /// The first lines of the answered message, as a quote for clients without reply support.
  private static func quote(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(5)
    if text.isEmpty { return "" }
    return lines.map { "> " + $0.prefix(200) + "\n" }.joined()
  }

  private func replyAddress(of user: NetworkUser) -> String? {
    guard isRoom else { return Address(user.identity)?.bare.description }
    return user.name.isEmpty ? nil : to.withResource(user.name).description
  }

  /// The id by which others know the message that this one changes: in a room, the one that the
  /// room gave (XEP-0424, XEP-0444).
  private var target: String? {
    if isRoom { return entry.name.archive }
    return entry.name.origin ?? (entry.author.isOwner ? entry.message.uid : nil)
  }
}
