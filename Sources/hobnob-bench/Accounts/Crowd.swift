// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import XMPP

/// Rooms that are full of people who are not there: a component of the server (XEP-0114), in a
/// process of its own. Whoever enters one of them is told of everybody in it.
struct Crowd {
  static let size = 5_000
  private static let greeting = "ready"
  private let descriptor: Int32
  private let reader = XMLReader()

  /// Starts it, and waits until the server knows it.
  static func start(at server: LocalServer) throws -> TerminalChild {
    let crowd = try TerminalChild(
      [Program.ownPath, "--crowd", String(server.componentPort)], environment: [])
    try crowd.wait(for: Array(greeting.utf8))
    return crowd
  }

  /// Serves until the server ends it.
  static func run(port: Int) -> Never {
    guard let crowd = Crowd(port: port) else { exit(1) }
    crowd.serve()
    exit(0)
  }

  private init?(port: Int) {
    descriptor = LocalServer.loopback(port)
    if descriptor < 0 { return nil }
  }

  private func serve() {
    send(
      "<stream:stream xmlns='jabber:component:accept' "
        + "xmlns:stream='http://etherx.jabber.org/streams' to='\(LocalServer.crowd)'>")
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count <= 0 { return }
      for event in reader.read(buffer[..<count]) {
        switch event {
        case .opened(let attributes):
          let digest = SHA1.digest(of: (attributes["id"] ?? "") + LocalServer.password)
          send("<handshake>\(hexadecimal(digest))</handshake>")
        case .element(let stanza): answer(stanza)
        case .part, .skipped: break
        case .closed, .failed: return
        }
      }
    }
  }

  private func answer(_ stanza: Element) {
    let (from, to, id) = (stanza["from"] ?? "", stanza["to"] ?? "", stanza["id"] ?? "")
    let names = "from='\(to)' to='\(from)'"
    switch (stanza.name, stanza["type"]) {
    case ("handshake", _):
      write(1, Self.greeting, Self.greeting.utf8.count)
    case ("iq", "get") where stanza.children.first?.namespace == Self.info && to.contains("@"):
      let features = ["http://jabber.org/protocol/muc", "urn:xmpp:occupant-id:0", Self.info]
      send(
        "<iq type='result' id='\(id)' \(names)><query xmlns='\(Self.info)'>"
          + "<identity category='conference' type='text'/>"
          + features.map { "<feature var='\($0)'/>" }.joined() + "</query></iq>")
    case ("iq", "get"), ("iq", "set"):
      send(
        "<iq type='error' id='\(id)' \(names)><error type='cancel'><service-unavailable "
          + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
    case ("presence", nil) where stanza.has("x", "http://jabber.org/protocol/muc"):
      letIn(from, to)
    default: break
    }
  }

  private func letIn(_ from: String, _ nick: String) {
    let room = nick.prefix { $0 != "/" }
    func presence(_ nick: some StringProtocol, _ number: Int, _ status: String) -> String {
      "<presence from='\(nick)' to='\(from)'><occupant-id xmlns='urn:xmpp:occupant-id:0' "
        + "id='an-id-as-long-as-those-of-prosody-\(room.prefix(8))-\(number)'/>"
        + "<x xmlns='http://jabber.org/protocol/muc#user'>"
        + "<item affiliation='none' role='participant'/>\(status)</x></presence>"
    }
    var all = ""
    for number in 1...Self.size { all += presence("\(room)/guest\(number)", number, "") }
    all += presence(nick, 0, "<status code='110'/>")
    all +=
      "<message type='groupchat' from='\(room)' to='\(from)'><subject>Crowd</subject></message>"
    send(all)
  }

  private static let info = "http://jabber.org/protocol/disco#info"

  private func send(_ text: String) {
    _ = try? Array(text.utf8).withUnsafeBytes { try writeAll(descriptor, $0) }
  }
}
