// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

extension Element {
  /// Whether it ends the stream, with a reason (RFC 6120, 4.9).
  var isStreamError: Bool { name == "error" && namespace == Namespace.streams }

  /// In an error, the defined condition and the text in that namespace (RFC 6120, 4.9.2, 6.5 and
  /// 8.3.2); empty where there is none.
  func condition(_ namespace: String) -> (name: String, text: String) {
    let named = children.first { $0.namespace == namespace && $0.name != "text" }
    return (named?.name ?? "", first("text", namespace)?.text ?? "")
  }

  /// In a stanza of the type `error`, the defined condition and the text.
  var stanzaError: (name: String, text: String) {
    first("error")?.condition(Namespace.stanzaErrors) ?? ("", "")
  }

  /// A condition's name for a person.
  static func shown(condition: String) -> Remark {
    // Translators: in brackets, as in “The server refuses the login (no reason given).”
    condition.isEmpty ? translated("no reason given") : Remark(condition)
  }
}
