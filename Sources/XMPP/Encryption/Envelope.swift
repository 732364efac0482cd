// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// What a message of version 2 encrypts (XEP-0420): elements of the message, and who wrote it where,
/// so that nobody can pass it on as their own or into another conversation.
struct Envelope: Sendable {
  var content: [Element]
  var from: Address?
  /// The room; nil in a direct chat.
  var to: Address?
  var time: Milliseconds?

  /// Random characters, up to 200 of them.
  static func padding() -> String {
    String(
      (0..<Int.random(in: 0...200)).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() ?? "a" }
    )
  }

  /// - Parameter padding: random characters, which hide the length of the text.
  func element(padding: String) -> Element {
    let namespace = Feature.envelope
    var envelope = Element(
      "envelope", namespace: namespace,
      children: [
        Element("content", namespace: namespace, children: content),
        Element("rpad", namespace: namespace, text: padding),
      ])
    if let from {
      envelope.add(Element("from", namespace: namespace, ["jid": from.description]))
    }
    if let to { envelope.add(Element("to", namespace: namespace, ["jid": to.description])) }
    return envelope
  }

  /// Reads a decrypted envelope.
  init?(_ bytes: [UInt8]) {
    let namespace = Feature.envelope
    guard let envelope = Element.whole(bytes), envelope.name == "envelope",
      envelope.namespace == namespace,
      let content = envelope.first("content", namespace)
    else { return nil }
    self.content = content.children
    func address(_ name: String) -> Address? {
      envelope.first(name, namespace)?["jid"].flatMap(Address.init)?.bare
    }
    (from, to) = (address("from"), address("to"))
  }

  init(content: [Element], from: Address, to: Address?) {
    (self.content, self.from, self.to) = (content, from, to)
  }
}

extension Element {
  /// Reads one element with all that is in it, as strictly as a stanza from the server.
  static func whole(_ bytes: [UInt8]) -> Element? {
    let reader = XMLReader()
    let stream = "<stream:stream xmlns='jabber:client' xmlns:stream='\(Namespace.streams)'>"
    guard case .opened? = reader.read(stream.utf8).first else { return nil }
    let events = reader.read(bytes)
    guard events.count == 1, case .element(let element) = events[0] else { return nil }
    return element
  }
}
