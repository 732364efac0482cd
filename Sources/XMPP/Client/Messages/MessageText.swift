// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The text of a message, without the parts that are there for simpler programs.
struct MessageText: Sendable {
  /// The message that it answers (XEP-0461).
  struct Answer: Hashable, Sendable {
    var id: String
    var to: Address?
  }

  var body: String
  /// The text with the quote that an answer brings for programs without answers; nil if it has
  /// none.
  var bodyWithQuote: String?
  var kind: Message.Kind = .text
  var answers: Answer?
  var links: [String]

  init(_ message: Element) {
    body = MessageText.body(of: message)
    if MessageText.isEncrypted(message, body) {
      // The body is for programs that cannot decrypt, in the words of the sender's program.
      (body, kind, links) = ("", .unreadable, [])
      answers = MessageText.answer(in: message)
      return
    }
    links = message.children.lazy
      .filter { $0.name == "x" && $0.namespace == Feature.links }
      .compactMap { $0.first("url", Feature.links)?.text }
      .filter { !$0.isEmpty }.prefix(Limits.links).map { $0 }
    if body.isEmpty, !links.isEmpty { body = links.joined(separator: "\n") }
    answers = MessageText.answer(in: message)
    if answers != nil {
      // A body that is all fallback stays, since it is better than nothing.
      let rest = MessageText.words(in: message, beside: [Feature.replies], body)
      if let rest, !rest.isEmpty { (bodyWithQuote, body) = (body, rest) }
    }
    if body.hasPrefix("/me ") {
      kind = .action
      body.removeFirst(4)
    }
  }

  /// Removes the text that stands for another part of the message: all of it, if nothing is marked.
  mutating func removeFallback(of features: [String], in message: Element) {
    if kind == .unreadable {
      kind = .text
    } else {
      body = MessageText.words(in: message, beside: features, body) ?? ""
    }
  }

  private static func answer(in message: Element) -> Answer? {
    guard let reply = message.first("reply", Feature.replies), let id = Limits.bounded(reply["id"])
    else { return nil }
    return Answer(id: id, to: reply["to"].flatMap(Address.init))
  }

  /// Whether a message has an encrypted text, by its marker (XEP-0380) or by what is encrypted. A
  /// message with keys only, which has no text for anybody, is not meant.
  private static func isEncrypted(_ message: Element, _ body: String) -> Bool {
    let method = message.first("encryption", Feature.encryption)?["namespace"]
    if method != nil, !body.isEmpty { return true }
    // Off-the-Record messages have no elements of their own.
    if ["?OTR:", "?OTR,", "?OTR|"].contains(where: body.hasPrefix) { return true }
    return message.children.contains { child in
      switch (child.name, child.namespace) {
      case ("encrypted", Feature.formerOMEMO), ("encrypted", Feature.omemo),
        ("encrypted", Feature.earlierOMEMO):
        !body.isEmpty || child.children.contains { $0.name == "payload" }
      case ("openpgp", Feature.openPGP), ("x", Feature.formerOpenPGP): true
      default: child.name != "encryption" && child.namespace == method
      }
    }
  }

  /// The body of a message. If there are several, the one without a language, or the first.
  private static func body(of message: Element) -> String {
    let bodies = message.children.filter { $0.name == "body" && $0.namespace.isEmpty }
    let plain = bodies.first { $0["xml:lang"] == nil && !$0.text.isEmpty }
    return (plain ?? bodies.first { !$0.text.isEmpty })?.text ?? ""
  }

  /// The parts of a body that are not marked as a fallback (XEP-0428) for these features; `start`
  /// and `end` count code points.
  ///
  /// - Returns: nil if nothing is marked.
  private static func words(
    in message: Element, beside features: [String], _ body: String
  ) -> String? {
    let marked = message.children.filter {
      $0.name == "fallback" && $0.namespace == Feature.fallback
        && features.contains($0["for"] ?? "")
    }
    guard !marked.isEmpty else { return nil }
    let scalars = Array(body.unicodeScalars)
    var isFallback = [Bool](repeating: false, count: scalars.count)
    for fallback in marked.prefix(8) {
      let parts = fallback.children.filter {
        $0.name == "body" && $0.namespace == Feature.fallback
      }
      // Without parts, it is all of the body.
      if fallback.children.isEmpty { return "" }
      for part in parts.prefix(8) {
        let start = part["start"].map(Int.init) ?? 0
        let end = part["end"].map(Int.init) ?? scalars.count
        guard let start, let end, start >= 0, start < end else { continue }
        for index in start..<max(start, min(end, scalars.count)) { isFallback[index] = true }
      }
    }
    var rest = String.UnicodeScalarView()
    for (scalar, isFallback) in zip(scalars, isFallback) where !isFallback { rest.append(scalar) }
    return String(rest)
  }
}
