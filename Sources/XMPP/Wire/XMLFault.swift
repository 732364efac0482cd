// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// Why the input is not XMPP, as a sentence without any part of the input.
enum XMLFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A stanza or a stream's header has more bytes than the limit.
  case tooLong(limit: Int)
  /// Elements are nested deeper than the limit.
  case tooDeep(limit: Int)
  /// An element has more attributes than the limit.
  case tooManyAttributes(limit: Int)
  /// RFC 6120, 11.1.
  case docType, comment, processingInstruction
  /// Only UTF-8 is allowed (RFC 6120, 11.6).
  case otherEncoding
  case textBetweenStanzas
  /// The first element is not a stream's header (RFC 6120, 4.2).
  case notAStream
  /// The parser's reason; empty if it gives none.
  case notXML(String)

  var remark: Remark { filled(sentence) }
  var description: String { remark.text }

  private var sentence: Sentence {
    switch self {
    case .tooLong(let limit): ("The server sent more than %1 bytes in one piece.", [String(limit)])
    case .tooDeep(let limit):
      ("The server sent XML that is more than %1 elements deep.", [String(limit)])
    case .tooManyAttributes(let limit):
      ("The server sent an element with more than %1 attributes.", [String(limit)])
    case .docType: ("The server sent a document type, which XMPP forbids.", [])
    case .comment: ("The server sent an XML comment, which XMPP forbids.", [])
    case .processingInstruction:
      ("The server sent a processing instruction, which XMPP forbids.", [])
    case .otherEncoding: ("The server does not send UTF-8.", [])
    case .textBetweenStanzas: ("The server sent text where XMPP has none.", [])
    case .notAStream: ("The program that answers there does not speak XMPP.", [])
    case .notXML(let reason):
      ("The server sent broken XML (%1).", [Element.shown(condition: reason)])
    }
  }
}
