// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Testing

@testable import ChatParts
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

@MainActor
@Suite("14.17: The devices that encrypt")
struct DeviceCommandTests {
  private let town: Town
  private let anna: Person
  private let account: Account
  private let link = "xmpp:anna@x.org?omemo-sid-7=0123456789abcdef"

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.added()
    try anna.store.inbox.apply(
      [.contact(NetworkUser(identity: "ben@y.org", name: "ben"), isOnline: nil, away: nil)],
      of: account)
    anna.look()
    anna.say("/msg ben@y.org")
    _ = try asked()
  }

  /// The requests since the last time, as `VERB TARGET: TEXT`.
  private func asked() throws -> [String] {
    let requests = try anna.store.read { try $0.requests(of: account) }
    try anna.store.inbox.apply(requests.map { .answered($0, "") }, of: account)
    anna.look()
    _ = anna.news()
    return requests.map {
      "\($0.verb.rawValue) \($0.target)\($0.person.isEmpty ? "" : " " + $0.person): \($0.text)"
    }
  }

  /// What is printed once the network has answered a line, and the texts shown as QR codes.
  private func printed(_ answer: Remark, to line: String) throws -> (lines: [String], [String]) {
    anna.say(line)
    let request = try #require(try anna.store.read { try $0.requests(of: account) }.last)
    _ = anna.news()
    let shown = anna.codes.count
    try anna.store.inbox.apply([.answered(request, answer)], of: account)
    anna.look()
    return (anna.news(), Array(anna.codes.dropFirst(shown)))
  }

  @Test("the link to the own device is shown as a QR code, but no other line of an answer")
  func showsTheCode() throws {
    let (lines, codes) = try printed(Remark("This device: 7\n  01234567\n" + link), to: "/verify")
    #expect(lines == ["This device: 7", "  01234567"] && codes == [link])
    let (others, none) = try printed(Remark("1  device 7\n" + link), to: "/verify ben")
    #expect(others == ["1  device 7", link] && none.isEmpty)
    let (refused, nothing) = try printed("No.", to: "/verify")
    #expect(refused == ["No."] && nothing.isEmpty)
  }

  @Test(
    "/verify names a person as other commands do, or the person of the direct chat",
    arguments: [
      ("", ": "), ("ben", "ben@y.org: "), ("@ben", "ben@y.org: "), ("cem@z.org", "cem@z.org: "),
      ("xmpp:ben@y.org", "ben@y.org: "), ("ben 2", "ben@y.org: 2"), ("ben 2 no", "ben@y.org: 2 no"),
      ("ben yes", "ben@y.org: yes"), ("xmpp:cem@z.org no", "cem@z.org: no"),
      ("ben 01234567 89ABCDEF", "ben@y.org: 01234567 89ABCDEF"),
      ("ben 01:23:45:67-89 no", "ben@y.org: 01:23:45:67-89 no"),
      ("xmpp:cem@z.org?omemo-sid-7=ab", "cem@z.org: xmpp:cem@z.org?omemo-sid-7=ab"),
      ("ben xmpp:b@y.org?omemo-sid-7=ab", "ben@y.org: xmpp:b@y.org?omemo-sid-7=ab"),
      ("3", "ben@y.org: 3"), ("3 no", "ben@y.org: 3 no"), ("no", "ben@y.org: no"),
      ("beef0123 89abcdef", "ben@y.org: beef0123 89abcdef"), ("dee", "dee@x.org: "),
    ])
  func names(words: String, asked request: String) throws {
    #expect(anna.say("/verify " + words))
    #expect(try asked() == ["verify " + request])
  }

  @Test("a person with the name of a number is that person")
  func namedLikeANumber() throws {
    try anna.store.inbox.apply(
      [.contact(NetworkUser(identity: "x@y.org", name: "2"), isOnline: nil, away: nil)],
      of: account)
    anna.look()
    anna.say("/verify 2")
    anna.say("/verify 3")
    #expect(try asked() == ["verify x@y.org: ", "verify ben@y.org: 3"])
  }

  @Test("what cannot be a device is refused, and what only a chat can complete elsewhere")
  func refuses() throws {
    for words in ["ben perhaps", "ben 0", "ben 01234ab", "ben 2 yes", "ben no no"] {
      #expect(!anna.say("/verify " + words))
      #expect(anna.printed.last?.hasPrefix("Usage: /verify") == true, "\(words)")
    }
    anna.say("/join #teatime@rooms.x.org")
    let dan = NetworkUser(identity: "dan", name: "dan")
    try anna.store.inbox.apply(
      [
        .joined(room: "teatime@rooms.x.org", nick: "anna"),
        .present(dan, room: "teatime@rooms.x.org"),
      ], of: account)
    anna.look()
    _ = try asked()
    #expect(!anna.say("/verify 2") && anna.printed.last?.hasPrefix("Usage: /verify") == true)
    #expect(anna.say("/verify dan 1"))
    #expect(try asked() == ["verify teatime@rooms.x.org dan: 1"])
    anna.say("/switch #lobby")
    #expect(!anna.say("/verify dan"))
    #expect(
      anna.printed.last
        == "You know dan only from a room; type their address, as in /verify dan@x.org.")
    #expect(anna.say("/verify ben"))
    #expect(try asked() == ["verify ben@y.org: "])
  }

  @Test("on this machine there is nothing to verify")
  func onThisMachine() throws {
    let nothing = "Nothing leaves this machine here, so there is nothing to verify."
    let cem = try town.person("cem")
    for line in ["/verify", "/verify anna", "/verify 2"] {
      #expect(!cem.say(line) && cem.printed.last == nothing)
    }
    #expect(!cem.say("/device"))
    #expect(cem.printed.last?.hasPrefix("You have no account yet") == true)
    anna.say("/switch #lobby")
    #expect(!anna.say("/verify 2") && anna.printed.last == nothing)
    #expect(!anna.say("/verify cem"))
    #expect(anna.printed.last?.hasPrefix("cem is on this machine; /verify asks") == true)
    #expect(anna.say("/verify"))
    #expect(try asked() == ["verify : "])
  }

  @Test("/device lists and names devices at once; before it removes one, it asks")
  func devices() throws {
    for line in ["/device", "/device name 2  My Phone"] { #expect(anna.say(line)) }
    #expect(try asked() == ["device : ", "device : name 2 My Phone"])
    for key in ["n", "x"] as [Character] {
      anna.say("/device remove 2")
      #expect(
        anna.question?.text
          == "Remove your device 2? It can then read nothing new. y: remove it, any other key: keep it"
      )
      anna.answer(key)
    }
    #expect(try asked().isEmpty)
    anna.say("/device remove 2")
    anna.answer("y")
    #expect(try asked() == ["device : remove 2"])
    for words in ["name 2", "name two Phone", "remove", "remove 0", "remove 2 3", "rename 2 x"] {
      #expect(!anna.say("/device " + words))
      #expect(anna.printed.last?.hasPrefix("Usage: /device") == true, "\(words)")
    }
    #expect(try asked().isEmpty)
  }

  @Test("without anyone to answer, no device is removed")
  func nobodyToAsk() throws {
    let script = try town.person("anna", outputMode: .batch)
    script.say("/msg ben@y.org")
    #expect(!script.say("/device remove 2") && script.question == nil)
    #expect(script.printed.last?.hasPrefix("/device remove needs your confirmation") == true)
    #expect(try asked().isEmpty)
    script.say("/device name 2 Phone")
    #expect(try asked() == ["device : name 2 Phone"])
  }

  @Test("completion offers both commands where hobnob can encrypt, and no other place")
  func completes() throws {
    func offers() -> Set<String> {
      Set(anna.session.candidates(after: .command).map(\.text)).intersection(["verify", "device"])
    }
    #expect(offers().isEmpty)
    var abilities = Abilities()
    abilities.encryption = .off
    try anna.store.inbox.apply([.abilitiesHere(abilities, in: .direct("ben@y.org"))], of: account)
    anna.look()
    #expect(offers() == ["verify", "device"])
  }
}
