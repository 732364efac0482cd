// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import ProsodyFixture

/// Catches up on what others wrote while no process served the account. Measures the time from the
/// start of the network process until all of it is in the store and a search finds it, compared
/// with reading and dropping the same pages.
enum CatchUp {
  static let count = 10_000
  private static let pageSize = 250

  /// Lines for the server's configuration. Its default storage reads the whole archive for each
  /// page, which is not what this measures.
  static let settings = """
    storage = { archive = "memory" }
    storage_archive_item_limit = 100000
    max_archive_query_results = \(pageSize)

    """

  static func measure(
    _ network: String, in folder: ScratchFolder, at server: Prosody
  ) throws -> [Figure] {
    try fillArchive(at: server)
    var (alone, ours) = (Samples(), Samples())
    for round in 0..<3 {
      let start = now()
      let stream = try TypedStream("anna", at: server)
      let first = try stream.readArchive(page: 1)
      try stream.readArchive(after: first, page: pageSize, pages: count / pageSize)
      alone.add(now() - start)
      ours.add(try time(network, "\(folder.path)/caught\(round)", server, after: first))
    }
    let perSecond = rate(ours.median)
    let ratio = Double(alone.median) / Double(ours.median)
    return [
      Figure(
        name: "10,000 archived messages, caught up and found",
        measured: "\(decimal(perSecond, 0))/s",
        beside: "read and dropped \(decimal(rate(alone.median), 0))/s: \(times(ratio))",
        target: "≥ 2000/s", isReached: perSecond >= 2_000)
    ]
  }

  /// Ben writes one message and then those that are counted. Another device of anna's is online, so
  /// that the server keeps them only in the archive.
  private static func fillArchive(at server: Prosody) throws {
    let anna = try TypedStream("anna", at: server)
    try anna.send("<presence/>", answer: "<presence")
    let ben = try TypedStream("ben", at: server)
    var text = ""
    for number in 0...count {
      text +=
        "<message to='anna@\(Prosody.domain)' type='chat' id='number\(number)'><body>message "
        + "\(number)number, about nothing much: who brings the cups, and who the tea?</body>"
        + "</message>"
    }
    text += "<iq type='get' id='all-of-it'><ping xmlns='urn:xmpp:ping'/></iq>"
    try ben.send(text, answer: "all-of-it")
    withExtendedLifetime(anna) {}
  }

  /// How long catching up takes in an empty store that knows the archive up to a message, in
  /// nanoseconds.
  private static func time(
    _ network: String, _ path: String, _ server: Prosody, after mark: String
  ) throws -> Int64 {
    let child = try NetworkChild(network, "\(path)/store.sqlite", name: "anna", at: server)
    // A stranger's messages would wait until anna accepts them.
    _ = try child.store.writeDurably {
      try $0.networkChat(with: "ben@\(Prosody.domain)", of: child.account)
    }
    // Release the lease at once, so that the process can have it.
    try StoredAccount(network: child.account.network, inStoreAt: child.store.path)?.lease()?.apply(
      [.caughtUp(archive: "", mark: mark)])
    let time = try child.start()
    let query = SearchQuery(terms: [SearchQuery.Term("message \(count)number")])
    let found = try child.store.read { try $0.search(query, for: child.account.owner) }
    guard found.count == 1, found[0].message.number == count else {
      throw MeasuringError(
        "the last of \(count) messages is found as \(found.map(\.message.number))")
    }
    return time
  }

  /// Messages per second.
  private static func rate(_ time: Int64) -> Double {
    Double(count) / Double(time) * 1_000_000_000
  }
}
