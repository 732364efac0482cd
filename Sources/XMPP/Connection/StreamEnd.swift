// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Sentences

/// Why a stream has ended, as a sentence. It quotes the server's text as received, so clean it
/// before you show it.
enum StreamEnd: Hashable, Sendable, CustomStringConvertible {
  case connection(ConnectionFailure)
  case login(LoginFailure)
  case xml(XMLFault)
  /// A stream error after logging in (RFC 6120, 4.9.3), and the server's text.
  case streamError(String, text: String)
  /// The server closed the stream, as it does when it is stopped.
  case closedByServer
  case noAnswer(Milliseconds)
  /// It acknowledged stanzas that were never sent.
  case impossibleCount
  case closedByUs

  /// Whether another try would fail for the same reason, until someone changes something.
  var isFatal: Bool {
    switch self {
    case .connection(let failure): failure.isFatal
    case .login(let failure): failure.isFatal
    // Another program logs in with our resource; the two would disconnect each other for ever.
    case .streamError(let condition, _): condition == "conflict" || condition == "not-authorized"
    default: false
    }
  }

  var description: String { remark.text }

  var remark: Remark {
    switch self {
    case .connection(let failure): failure.remark
    case .login(let failure): failure.remark
    case .xml(let fault): fault.remark
    case .streamError("system-shutdown", _), .closedByServer:
      translated("The server shut down or closed the connection.")
    case .streamError("conflict", _):
      translated("Another program has taken this session over.")
    case .streamError(let condition, let text):
      LoginFailure.streamError(condition, text: text).remark
    case .noAnswer(let limit):
      filled(("The server has not answered for %1 s.", [String(limit / 1000)]))
    case .impossibleCount:
      translated("The server acknowledged messages that hobnob never sent.")
    case .closedByUs: translated("The connection was closed.")
    }
  }
}
