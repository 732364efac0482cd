// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import ProsodyFixture

/// Sends stanzas to the server through `openssl s_client` and reads its answers, to measure how
/// fast the server alone is. The connection ends with this object.
final class TypedStream {
  private let child: TerminalChild

  /// Logs in.
  init(_ name: String, at server: Prosody) throws {
    child = try TerminalChild(
      [
        "sh", "-c",
        "stty raw -echo && echo ready && exec openssl s_client -quiet -connect \"$0\" 2>/dev/null",
        "127.0.0.1:\(server.directPort)",
      ], environment: BenchedProgram.environment)
    try child.wait(for: Array("ready".utf8))
    let start =
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
      + "version='1.0' to='\(Prosody.domain)'>"
    var secret: [UInt8] = []
    Array("\0\(name)\0\(Prosody.password)".utf8).withUnsafeBytes {
      Base64.append($0, to: &secret)
    }
    try send(start, answer: "</stream:features>")
    try send(
      "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>"
        + String(decoding: secret, as: UTF8.self) + "</auth>",
      answer: "<success")
    try send(start, answer: "</stream:features>")
    try send(
      "<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>",
      answer: "</jid>")
  }

  /// Sends a text and waits for a part of the answer.
  ///
  /// - Returns: when that part arrived.
  @discardableResult
  func send(_ text: String, answer: String) throws -> Int64 {
    try child.typeAll(Array(text.utf8))
    return try child.wait(for: Array(answer.utf8), seconds: 300)
  }

  // MARK: Archive (XEP-0313)

  /// Reads pages of the archive, from its beginning or from after the message `mark`, and drops
  /// them.
  ///
  /// - Returns: the id of the last message.
  @discardableResult
  func readArchive(after mark: String? = nil, page size: Int, pages: Int = 1) throws -> String {
    var mark = mark
    for _ in 0..<pages {
      let after = mark.map { "<after>\($0)</after>" } ?? ""
      try send(
        "<iq type='set' id='page'><query xmlns='urn:xmpp:mam:2'>"
          + "<set xmlns='http://jabber.org/protocol/rsm'><max>\(size)</max>\(after)</set>"
          + "</query></iq>", answer: "<last>")
      mark = try child.text(before: Array("</last>".utf8))
    }
    return mark ?? ""
  }
}
