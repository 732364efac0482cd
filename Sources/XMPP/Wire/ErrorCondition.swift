// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

extension Element {
  /// Whether it ends the stream, with a reason (RFC 6120, 4.9).
  var isStreamError: Bool { name == "error" && namespace == Namespace.streams }

  /// In an error, the defined condition and the text in that namespace (RFC 6120, 4.9.2, 6.5 and
  /// 8.3.2).
  func condition(_ namespace: String) -> (name: String, text: String) {
    let named = children.first { $0.namespace == namespace && $0.name != "text" }
    return (named?.name ?? Self.noReason, first("text", namespace)?.text ?? "")
  }

  /// In a stanza of the type `error`, the defined condition and the text.
  var stanzaError: (name: String, text: String) {
    first("error")?.condition(Namespace.stanzaErrors) ?? (Self.noReason, "")
  }

  /// Translators: in brackets, as in “The server refuses the login (no reason given).”
  private static var noReason: String { translated("no reason given") }
}
