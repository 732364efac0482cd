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
  var kind: Message.Kind = .text
  var answers: Answer?
  var links: [String]

  init(_ message: Element) {
    body = MessageText.body(of: message)
    links = message.children.lazy
      .filter { $0.name == "x" && $0.namespace == Feature.links }
      .compactMap { $0.first("url", Feature.links)?.text }
      .filter { !$0.isEmpty }.prefix(Limits.links).map { $0 }
    if body.isEmpty, !links.isEmpty { body = links.joined(separator: "\n") }
    if let reply = message.first("reply", Feature.replies), let id = Limits.bounded(reply["id"]) {
      answers = Answer(id: id, to: reply["to"].flatMap(Address.init))
      body = MessageText.removeFallbacks(of: Feature.replies, in: message, from: body)
    }
    if body.hasPrefix("/me ") {
      kind = .action
      body.removeFirst(4)
    }
  }

  /// The body of a message. If there are several, the one without a language, or the first.
  private static func body(of message: Element) -> String {
    let bodies = message.children.filter { $0.name == "body" && $0.namespace.isEmpty }
    let plain = bodies.first { $0["xml:lang"] == nil && !$0.text.isEmpty }
    return (plain ?? bodies.first { !$0.text.isEmpty })?.text ?? ""
  }

  /// Removes the parts that are marked as a fallback (XEP-0428); `start` and `end` count code
  /// points.
  private static func removeFallbacks(
    of feature: String, in message: Element, from body: String
  ) -> String {
    let marked = message.children.filter {
      $0.name == "fallback" && $0.namespace == Feature.fallback && $0["for"] == feature
    }
    guard !marked.isEmpty else { return body }
    let scalars = Array(body.unicodeScalars)
    var isFallback = [Bool](repeating: false, count: scalars.count)
    for fallback in marked.prefix(8) {
      let parts = fallback.children.filter {
        $0.name == "body" && $0.namespace == Feature.fallback
      }
      for part in parts.prefix(8) {
        let start = part["start"].map(Int.init) ?? 0
        let end = part["end"].map(Int.init) ?? scalars.count
        guard let start, let end, start >= 0, start < end else { continue }
        for index in start..<max(start, min(end, scalars.count)) { isFallback[index] = true }
      }
      // Without ranges, the whole body is fallback; keep it, since it is better than nothing.
    }
    var rest = String.UnicodeScalarView()
    for (scalar, isFallback) in zip(scalars, isFallback) where !isFallback { rest.append(scalar) }
    return rest.isEmpty ? body : String(rest)
  }
}
