// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Conversations

@Suite("How a network names people and rooms")
struct AddressRulesTests {
  private let mail = AddressRules(domain: "x.org", roomDomain: "rooms.x.org")
  private let bare = AddressRules(roomSigns: "#&", folding: .rfc1459, identityScope: .network)

  @Test("each folding makes the same addresses equal")
  func folds() {
    let foldings: [(AddressRules.CaseMapping, String)] = [
      (.none, #"ÄB[]\~^"#), (.ascii, #"Äb[]\~^"#), (.strict, "Äb{}|~^"), (.rfc1459, "Äb{}|~~"),
      (.unicode, #"äb[]\~^"#),
    ]
    for (folding, folded) in foldings {
      let rules = AddressRules(roomSigns: "#", folding: folding, identityScope: .network)
      #expect(rules.fold(#"ÄB[]\~^"#) == folded, "\(folding)")
      #expect(rules.fold(folded) == folded, "\(folding)")
    }
  }

  @Test("a word becomes an address at the account's server")
  func addresses() {
    #expect(mail.address(ofPerson: "Ben") == "ben@x.org")
    #expect(mail.address(ofPerson: "Ben@Y.org") == "ben@y.org")
    #expect(mail.address(ofRoom: "#Tea") == "tea@rooms.x.org")
    #expect(mail.address(ofRoom: "tea@y.org") == "tea@y.org")
    #expect(AddressRules(domain: "x.org").address(ofRoom: "tea") == nil)
    for word in ["", "@", "ben@", "@x.org", "a@b@c", "ben@x.org/phone", "a b", "a,b"] {
      #expect(mail.address(ofPerson: word) == nil, "\(word)")
      #expect(mail.address(ofRoom: word) == nil, "\(word)")
    }
  }

  @Test("where addresses are bare names, a room's sign is part of it")
  func bareNames() {
    #expect(bare.address(ofPerson: "Ben[1]") == "ben{1}")
    #expect(bare.address(ofPerson: "#tea") == nil)
    let rooms = ["tea": "#tea", "#Tea": "#tea", "##tea": "##tea", "&here": "&here"]
    for (word, address) in rooms { #expect(bare.address(ofRoom: word) == address) }
    #expect(bare.address(ofRoom: "#a b") == nil)
    #expect(bare.shown(room: "##Tea") == "##Tea")
    #expect(mail.shown(room: "tea") == "#tea")
  }

  @Test("a bare name with a server chooses the account")
  func servers() {
    let account = Account(
      id: ID(rawValue: 1), owner: ID(rawValue: 1), network: "irc:anna@irc.x.org", rules: bare)
    #expect(account.isNamed(in: "Ben@IRC.x.org"))
    #expect(!account.isNamed(in: "ben@x.org"))
    #expect(account.address(ofPerson: "Ben@irc.x.org") == "ben")
    #expect(account.address(ofRoom: "##tea@irc.x.org") == "##tea")
    #expect(account.withServer("ben") == "ben@irc.x.org")
  }

  @Test("where any text can be an address, the kind of the network before it chooses the account")
  func opaque() {
    var rules = AddressRules(roomSigns: "", folding: .none, identityScope: .network)
    rules.isOpaque = true
    let account = Account(
      id: ID(rawValue: 1), owner: ID(rawValue: 1), network: "matrix:@anna:x.org", rules: rules)
    for word in ["matrix:@Ben:y.org", "@Matrix:@Ben:y.org", "#matrix:@Ben:y.org"] {
      #expect(account.isNamed(in: word), "\(word)")
      #expect(account.withoutServer(word) == "@Ben:y.org")
      #expect(account.address(ofPerson: word) == "@Ben:y.org")
      #expect(account.address(ofRoom: word) == "@Ben:y.org")
    }
    // What follows an @ is part of the address, whatever it is.
    for word in ["@Ben:y.org", "ben@x.org", "ben@matrix", "a@b@c", "x matrix:ben", "Ben Miller!"] {
      #expect(!account.isNamed(in: word), "\(word)")
      #expect(account.withoutServer(word) == word)
      #expect(account.address(ofPerson: word) == word)
      #expect(account.address(ofRoom: word) == word)
      #expect(account.addresses(ofPerson: word) == [word])
      #expect(account.withServer(word) == "matrix:" + word)
      #expect(account.fullWord(for: word) == "matrix:" + word)
    }
    #expect(account.server == "matrix")
    for word in ["", "a\nb"] {
      #expect(account.address(ofPerson: word) == nil && account.address(ofRoom: word) == nil)
    }
  }

  @Test("a word with a dot may be a server; with the network before it, it is one")
  func domains() {
    let account = Account(
      id: ID(rawValue: 1), owner: ID(rawValue: 1), network: "xmpp:anna@x.org",
      rules: AddressRules(domain: "x.org"))
    #expect(account.addresses(ofPerson: "Irc.X.org") == ["irc.x.org", "irc.x.org@x.org"])
    #expect(account.addresses(ofPerson: "X.org") == ["x.org"])
    #expect(account.addresses(ofPerson: "ben") == ["ben@x.org"])
    #expect(account.addresses(ofPerson: "ben.b@y.org") == ["ben.b@y.org"])
    for word in [".x", "x.", "a..b", "-a.b", "a_b.c"] {
      #expect(account.addresses(ofPerson: word) == [word + "@x.org"])
    }
    #expect(account.addresses(ofPerson: "xmpp:Irc.X.org") == ["irc.x.org"])
    #expect(account.address(ofPerson: "XMPP:gateway") == "gateway")
    #expect(account.address(ofPerson: "xmpp:ben@y.org") == "ben@y.org")
    // A gateway lists addresses as URIs.
    for word in ["xmpp:%2B49151@y.org", "@xmpp:%2b49151@y.org?message", "xmpp:+49151@y.org"] {
      #expect(account.address(ofPerson: word) == "+49151@y.org")
    }
    #expect(account.address(ofPerson: "xmpp:a%5C40b@y.org") == "a\\40b@y.org")
    #expect(account.address(ofRoom: "xmpp:tea%irc.y.org@z.org?join") == "tea%irc.y.org@z.org")
    #expect(account.address(ofPerson: "a%2Bb@y.org") == "a%2bb@y.org")
    for word in ["xmpp:", "xmpp:a/b", "xmpp:a b", "xmpp:a%20b@y.org", "xmpp:a%2Fb", "xmpp:xmpp:"] {
      #expect(account.address(ofPerson: word) == nil)
    }
    // Where names are addresses, they may have dots.
    let other = Account(
      id: ID(rawValue: 1), owner: ID(rawValue: 1), network: "irc:anna@irc.x.org", rules: bare)
    #expect(other.addresses(ofPerson: "b.e.n") == ["b.e.n"])
    #expect(other.addresses(ofPerson: "irc:Ben") == ["ben"])
  }

  @Test("the store keeps all of it")
  func roundTrip() {
    var rules = [mail, bare, AddressRules(domain: "x.org")]
    for folding in [AddressRules.CaseMapping.none, .ascii, .strict, .unicode] {
      rules.append(AddressRules(roomSigns: "", folding: folding, identityScope: .room))
    }
    rules[1].isOpaque = true
    for one in rules { #expect(AddressRules(one.json) == one) }
    #expect(AddressRules(.null) == nil)
    #expect(
      AddressRules(.object(["fold": .text("of-the-future"), "people": .text("room")])) == nil)
  }

  @Test("a short name omits only the account's own domain")
  func shortNames() {
    #expect(mail.shortName(of: "ben@x.org") == "ben")
    #expect(mail.shortName(of: "ben@y.org") == "ben@y.org")
    #expect(mail.shortName(of: "@x.org") == "@x.org")
    #expect(bare.shortName(of: "ben") == "ben")
  }
}
