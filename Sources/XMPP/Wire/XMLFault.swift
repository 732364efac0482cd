// SPDX-License-Identifier: GPL-3.0-or-later

/// Why what came is not taken as XMPP: a sentence to a person. Nothing of what came is repeated in
/// it.
package enum XMLFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A stanza or a stream's header of more bytes than the limit.
  case tooLong(limit: Int)
  /// Elements in elements, more than the limit.
  case tooDeep(limit: Int)
  /// More attributes of one element than the limit.
  case tooManyAttributes(limit: Int)
  /// RFC 6120, 11.1.
  case docType, comment, processingInstruction
  /// RFC 6120, 11.6: only UTF-8.
  case otherEncoding
  case textBetweenStanzas
  /// The first element is not the header of a stream (RFC 6120, 4.2).
  case notAStream
  /// What the parser says of it.
  case notXML(String)

  package var description: String {
    switch self {
    case .tooLong(let limit): "The server sent more than \(limit) bytes in one piece."
    case .tooDeep(let limit): "The server sent XML that is more than \(limit) elements deep."
    case .tooManyAttributes(let limit):
      "The server sent an element with more than \(limit) attributes."
    case .docType: "The server sent a document type, which XMPP forbids."
    case .comment: "The server sent an XML comment, which XMPP forbids."
    case .processingInstruction: "The server sent a processing instruction, which XMPP forbids."
    case .otherEncoding: "The server does not send UTF-8."
    case .textBetweenStanzas: "The server sent text where XMPP has none."
    case .notAStream: "The program that answers there does not speak XMPP."
    case .notXML(let reason): "The server sent broken XML (\(reason))."
    }
  }
}
