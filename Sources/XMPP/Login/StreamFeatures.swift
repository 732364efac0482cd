// SPDX-License-Identifier: GPL-3.0-or-later

/// What a server offers on a stream (RFC 6120, 4.3.2).
struct StreamFeatures: Hashable, Sendable {
  /// The element, as received.
  let element: Element

  init(_ element: Element) { self.element = element }

  /// Whether it acknowledges stanzas (XEP-0198).
  var acknowledges: Bool { element.has("sm", Namespace.acknowledgements) }

  /// The other features, for a server that turns out not to acknowledge stanzas.
  var withoutAcknowledgements: StreamFeatures {
    var others = element
    others.nodes.removeAll {
      guard case .element(let child) = $0 else { return false }
      return child.namespace == Namespace.acknowledgements
    }
    return StreamFeatures(others)
  }

  var offersTLS: Bool { element.has("starttls", Namespace.tls) }
  var offersBinding: Bool { element.has("bind", Namespace.bind) }
  var mechanisms: [String] {
    element.first("mechanisms", Namespace.sasl)?.children
      .filter { $0.name == "mechanism" && $0.namespace == Namespace.sasl }.map(\.text) ?? []
  }
}
