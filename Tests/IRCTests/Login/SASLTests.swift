// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import Testing

@testable import IRC
@testable import Networks

/// Rule 14.8: the password goes only to a server that is the right one, and nobody comes in without
/// the account that they wanted.
@Suite("SASL on IRC")
struct SASLTests {
  @Test("PLAIN sends the password when the server asks for it, and then ends the negotiation")
  func plain() {
    var talk = LoginTalk()
    talk.agree(to: "batch sasl=PLAIN,EXTERNAL")
    #expect(talk.takeSent() == ["AUTHENTICATE PLAIN"])
    talk.receive("AUTHENTICATE +")
    let secret = Base64.letters(for: Array("\0anna\0\(LoginTalk.password)".utf8))
    #expect(talk.takeSent() == ["AUTHENTICATE \(secret)"])
    talk.receive(":srv 900 anna anna!a@h anna :You are now logged in", ":srv 903 anna :ok")
    #expect(talk.takeSent() == ["CAP END"])
    talk.receive(":srv 001 anna :Welcome")
    #expect(talk.welcome?.account == "anna")
    #expect(talk.sawSCRAM.isEmpty)
  }

  @Test("a long response goes out in parts of 400 bytes, and an empty one after a full last part")
  func longResponses() {
    // With the name and two NULs: 300 bytes are 400 letters.
    for (bytes, sizes) in [(300 - 6, [400, 1]), (600 - 6, [400, 400, 1]), (301, [400, 12])] {
      var talk = LoginTalk(password: String(repeating: "x", count: bytes))
      talk.agree(to: "sasl=PLAIN")
      _ = talk.takeSent()
      talk.receive("AUTHENTICATE +")
      let parts = talk.takeSent().map { $0.dropFirst("AUTHENTICATE ".count) }
      #expect(parts.map(\.utf8.count) == sizes)
      #expect(sizes.last != 1 || parts.last == "+")
    }
  }

  @Test("without SASL, or without any capabilities, nobody comes in unidentified")
  func noSASL() {
    var offered = LoginTalk()
    offered.receive(":srv CAP * LS :batch")
    #expect(offered.takeSent().contains("CAP REQ batch"))
    offered.receive(":srv CAP anna ACK :batch")
    #expect(offered.failure == .noSASL)
    var silent = LoginTalk()
    silent.receive(":srv 421 anna CAP :Unknown command", ":srv 001 anna :Welcome")
    #expect(silent.failure == .noSASL)
    #expect(silent.welcome == nil)
    var refused = LoginTalk()
    refused.receive(":srv CAP * LS :sasl")
    refused.receive(":srv CAP anna NAK :sasl")
    #expect(refused.failure == .noSASL)
  }

  @Test("a server that only says that we are logged in does not count")
  func announcedLogin() {
    var talk = LoginTalk(strongest: .sha256)
    talk.agree(to: "sasl=SCRAM-SHA-256")
    talk.receive(":srv 900 anna anna!a@h anna :You are now logged in", ":srv 001 anna :Welcome")
    #expect(talk.welcome == nil)
    #expect(talk.failure != nil)
    // Without a password, a certificate may have done it.
    var other = LoginTalk(.none)
    other.receive(":srv 900 anna anna!a@h anna :You are now logged in", ":srv 001 anna :Welcome")
    #expect(other.welcome?.account == "anna")
  }

  @Test("without TLS, the password does not go out, and nothing else does")
  func noTLS() {
    for method in Login.Method.allCases where method != .none {
      var talk = LoginTalk(method, isSecure: false)
      #expect(talk.failure == .notEncrypted)
      #expect(talk.takeSent().isEmpty)
    }
    var talk = LoginTalk(.none, isSecure: false)
    #expect(talk.failure == nil)
    #expect(!talk.takeSent().joined().contains(LoginTalk.password))
  }

  @Test("the server's words say why it refuses")
  func refusals() {
    func failure(_ lines: String...) -> LoginFailure? {
      var talk = LoginTalk()
      talk.agree(to: "sasl=PLAIN")
      for line in lines { talk.receive(line) }
      return talk.failure
    }
    #expect(failure(":srv 904 anna :SASL authentication failed") == .sasl(.wrongPassword))
    #expect(failure(":srv 464 anna :Password incorrect") == .sasl(.wrongPassword))
    #expect(
      failure(":srv 908 anna EXTERNAL,OTHER :are available", ":srv 904 anna :failed")
        == .sasl(.noMechanism(["EXTERNAL", "OTHER"])))
    #expect(failure(":srv 902 anna :locked") == .sasl(.refused("locked")))
    #expect(failure(":srv 905 anna :too long") == .sasl(.refused("too long")))
    #expect(failure(":srv 906 anna :aborted") == .sasl(.refused("aborted")))
    #expect(failure(":srv 465 anna :banned") == .banned("banned"))
    #expect(failure("ERROR :Closing Link") == .closed("Closing Link"))
  }

  @Test("a server that lets us in before the login has ended does not follow the rules")
  func welcomeTooEarly() {
    var talk = LoginTalk()
    talk.agree(to: "sasl=PLAIN")
    talk.receive("AUTHENTICATE +", ":srv 001 anna :Welcome")
    // The password has gone out.
    #expect(talk.failure == .sasl(.broken))
  }

  private func loggedIn(_ mechanism: String = "PLAIN", password: String = LoginTalk.password)
    -> LoginTalk
  {
    var talk = LoginTalk(password.isEmpty ? .none : .auto, password: password)
    talk.agree(to: password.isEmpty ? "batch" : "sasl=PLAIN batch")
    if !password.isEmpty { talk.receive("AUTHENTICATE +", ":srv 903 anna :ok") }
    talk.receive(":srv 001 anna :Welcome")
    _ = talk.takeSent()
    return talk
  }

  @Test("when services are back, hobnob logs in again, if it has a password and is not logged in")
  func services() {
    var talk = loggedIn()
    talk.receive(":srv CAP anna DEL :sasl", ":srv CAP anna NEW :sasl=PLAIN batch")
    #expect(talk.takeSent().isEmpty)
    for _ in 1...2 {
      talk.receive(
        ":srv CAP anna DEL :sasl", ":srv 901 anna anna!a@h :You are now logged out",
        ":srv CAP anna NEW :batch")
      #expect(talk.takeSent().isEmpty)
      talk.receive(":srv CAP anna NEW :sasl=PLAIN,EXTERNAL", ":srv CAP anna ACK :batch")
      #expect(talk.takeSent() == ["CAP REQ sasl"])
      talk.receive(":srv CAP anna ACK :sasl ", "AUTHENTICATE +")
      let secret = Base64.letters(for: Array("\0anna\0\(LoginTalk.password)".utf8))
      #expect(talk.takeSent() == ["AUTHENTICATE PLAIN", "AUTHENTICATE \(secret)"])
      talk.receive(":srv 900 anna anna!a@h anna :You are now logged in", ":srv 903 anna :ok")
      talk.receive(":srv CAP anna NEW :sasl=PLAIN", "AUTHENTICATE +", ":srv 904 anna :failed")
      #expect(talk.takeSent().isEmpty && talk.failure == nil)
    }
    // The owner has logged in by hand.
    talk.receive(
      ":srv 901 anna anna!a@h :out", ":srv 900 anna anna!a@h anna :in", ":srv CAP anna NEW :sasl")
    #expect(talk.takeSent().isEmpty)
    var noPassword = loggedIn(password: "")
    noPassword.receive(":srv CAP anna NEW :sasl=PLAIN")
    #expect(noPassword.takeSent().isEmpty)
  }

  @Test("the password of a bouncer never goes to the network behind it")
  func bouncers() {
    for (network, offered) in [("42", ""), (nil, "soju.im/bouncer-networks")] {
      var talk = LoginTalk(network: network)
      talk.agree(to: "sasl=PLAIN \(offered)")
      talk.receive("AUTHENTICATE +", ":soju 900 anna a!a@h anna :in", ":soju 903 anna :ok")
      talk.receive(":soju 001 anna :Welcome")
      #expect(talk.welcome?.account == nil)
      _ = talk.takeSent()
      talk.receive(":soju 901 anna a!a@h :out", ":soju CAP anna NEW :sasl=PLAIN")
      #expect(talk.takeSent().isEmpty)
    }
  }

  @Test("a later login can fail, is never weaker than the first, and proves the server again")
  func laterFailures() {
    var talk = loggedIn()
    let back = [":srv 901 anna anna!a@h :out", ":srv CAP anna NEW :sasl=PLAIN"]
    for line in back + [":srv CAP anna ACK :sasl", ":srv 904 anna :failed"] { talk.receive(line) }
    #expect(talk.failure == .sasl(.wrongPassword))
    var strong = loggedIn()
    strong.receive(back[0], ":srv CAP anna NEW :sasl=SCRAM-SHA-256", ":srv CAP anna ACK :sasl")
    #expect(strong.takeSent() == ["CAP REQ sasl", "AUTHENTICATE SCRAM-SHA-256"])
    strong.receive(":srv CAP anna DEL :sasl", back[1], ":srv CAP anna ACK :sasl")
    #expect(strong.failure == .sasl(.weakened))
    var unproven = loggedIn()
    unproven.receive(
      back[0], ":srv CAP anna NEW :sasl=SCRAM-SHA-256", ":srv CAP anna ACK :sasl",
      ":srv 900 anna anna!a@h anna :in", ":srv 903 anna :ok")
    #expect(unproven.failure == .sasl(.unproven))
  }

  @Test("EXTERNAL needs no password")
  func external() {
    var talk = LoginTalk(.external, password: "")
    talk.agree(to: "sasl=PLAIN,EXTERNAL")
    #expect(talk.takeSent() == ["AUTHENTICATE EXTERNAL"])
    talk.receive("AUTHENTICATE +")
    #expect(talk.takeSent() == ["AUTHENTICATE +"])
    talk.receive(":srv 903 anna :ok", ":srv 001 anna :Welcome")
    #expect(talk.welcome?.account == "anna")
    var refused = LoginTalk(.external, password: "")
    refused.agree(to: "sasl=PLAIN,EXTERNAL")
    refused.receive(":srv 904 anna :no certificate")
    #expect(refused.failure == .sasl(.refused("no certificate")))
  }

  @Test("a server of version 3.1, which names no mechanisms")
  func oldServers() {
    var plain = LoginTalk()
    plain.agree(to: "sasl")
    #expect(plain.takeSent() == ["AUTHENTICATE PLAIN"])
    var scram = LoginTalk(.scram)
    scram.agree(to: "sasl")
    #expect(scram.takeSent() == ["AUTHENTICATE SCRAM-SHA-256"])
    // It has not offered that: who knows.
    #expect(scram.sawSCRAM.isEmpty)
    var known = LoginTalk(strongest: .sha512)
    known.agree(to: "sasl")
    #expect(known.takeSent() == ["AUTHENTICATE SCRAM-SHA-512"])
  }

  @Test("PLAIN is not used if the server ever offered SCRAM, or if SCRAM is asked for")
  func neverWeaker() {
    var weakened = LoginTalk(strongest: .sha256)
    weakened.agree(to: "sasl=PLAIN")
    #expect(weakened.failure == .sasl(.weakened))
    #expect(weakened.takeSent().isEmpty)
    var scramOnly = LoginTalk(.scram)
    scramOnly.agree(to: "sasl=PLAIN")
    #expect(scramOnly.failure == .sasl(.noMechanism([])))
    var plain = LoginTalk(.plain, strongest: .sha256)
    plain.agree(to: "sasl=SCRAM-SHA-256,PLAIN")
    #expect(plain.takeSent() == ["AUTHENTICATE PLAIN"])
  }

  @Test("the password of a server or a bouncer goes first, and without SASL")
  func pass() {
    var talk = LoginTalk(.pass)
    #expect(
      talk.takeSent() == [
        "CAP LS 302", "PASS :\(LoginTalk.password)", "NICK anna", "USER anna 0 * :Anna K",
      ])
    talk.receive(":srv CAP * LS :sasl=PLAIN")
    #expect(talk.takeSent() == ["CAP END"])
    talk.receive(":srv 001 anna :Welcome")
    #expect(talk.welcome != nil)
    var empty = LoginTalk(.pass, password: "")
    #expect(!empty.takeSent().contains { $0.hasPrefix("PASS") })
  }

  @Test("a bouncer's network is chosen before the negotiation ends")
  func bouncer() {
    var talk = LoginTalk(network: "42")
    talk.agree(to: "sasl=PLAIN")
    talk.receive("AUTHENTICATE +")
    _ = talk.takeSent()
    talk.receive(":srv 903 anna :ok")
    #expect(talk.takeSent() == ["BOUNCER BIND 42", "CAP END"])
    talk.receive("FAIL BOUNCER INVALID_NETID BIND 42 :Unknown network ID")
    #expect(talk.failure == .unknownNetwork("42"))
  }
}

/// A server's side of SCRAM-SHA-256 (RFC 5802).
private struct SCRAMServer {
  private static let salt: [UInt8] = Array("salt".utf8)
  private var clientFirst = ""
  private var first = ""
  private let hash = SCRAMHash.sha256

  private static func text(_ response: String) -> String {
    let letters = response.dropFirst("AUTHENTICATE ".count)
    return String(decoding: Base64.decoded(String(letters)) ?? [], as: UTF8.self)
  }

  static func line(_ text: String) -> String {
    "AUTHENTICATE " + Base64.letters(for: Array(text.utf8))
  }

  /// - Parameter padding: bytes that make the challenge longer.
  mutating func challenge(to response: String, padding: Int = 0) -> String {
    clientFirst = String(Self.text(response).dropFirst("n,,".count))
    let nonce = clientFirst.split(separator: ",")[1]
    first =
      nonce + String(repeating: "z", count: padding + 8) + ",s="
      + Base64.letters(for: Self.salt) + ",i=4096"
    return first
  }

  /// The server's last message; nil if the client does not know the password.
  func final(after response: String) -> String? {
    let text = Self.text(response)
    guard let end = text.range(of: ",p=") else { return nil }
    let salted = hash.salted(Array(LoginTalk.password.utf8), salt: Self.salt, rounds: 4_096)
    let signed = clientFirst + "," + first + "," + text[..<end.lowerBound]
    let clientKey = hash.code(of: "Client Key", key: salted)
    let signature = hash.code(of: signed, key: hash.digest(of: clientKey))
    let proof = zip(clientKey, signature).map { $0 ^ $1 }
    guard text[end.upperBound...] == Base64.letters(for: proof) else { return nil }
    let serverKey = hash.code(of: "Server Key", key: salted)
    return "v=" + Base64.letters(for: hash.code(of: signed, key: serverKey))
  }
}

extension String {
  fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}

@Suite("SCRAM-SHA-256 on IRC")
struct SCRAMLoginTests {
  /// Logs in up to the server's last message.
  private func begin(
    padding: Int = 0
  ) throws -> (talk: LoginTalk, server: SCRAMServer, final: String) {
    var (talk, server) = (LoginTalk(), SCRAMServer())
    talk.agree(to: "sasl=PLAIN,SCRAM-SHA-1,SCRAM-SHA-256")
    #expect(talk.takeSent() == ["AUTHENTICATE SCRAM-SHA-256"])
    #expect(talk.sawSCRAM == [.sha256])
    talk.receive("AUTHENTICATE +")
    let challenge = server.challenge(to: try #require(talk.takeSent().first), padding: padding)
    var letters = Base64.letters(for: Array(challenge.utf8))
    while letters.utf8.count >= 400 {
      talk.receive("AUTHENTICATE " + letters.prefix(400))
      #expect(talk.takeSent().isEmpty)
      letters = String(letters.dropFirst(400))
    }
    talk.receive("AUTHENTICATE " + (letters.isEmpty ? "+" : letters))
    let response = talk.takeSent().joined().replacing("AUTHENTICATE ", with: "")
    let final = server.final(after: "AUTHENTICATE " + response.replacing("+$", with: ""))
    return (talk, server, try #require(final))
  }

  @Test("the server proves that it knows the password, and the login ends")
  func success() throws {
    var (talk, _, final) = try begin()
    talk.receive(SCRAMServer.line(final))
    #expect(talk.takeSent() == ["AUTHENTICATE +"])
    talk.receive(":srv 903 anna :ok")
    #expect(talk.takeSent() == ["CAP END"])
    talk.receive(":srv 001 anna :Welcome")
    #expect(talk.welcome?.account == "anna")
  }

  @Test("a challenge of several parts is one")
  func parts() throws {
    for padding in [300, 1_000] {
      var (talk, _, final) = try begin(padding: padding)
      talk.receive(SCRAMServer.line(final), ":srv 903 anna :ok")
      #expect(talk.takeSent().last == "CAP END")
    }
  }

  @Test("a server that proves nothing, or something else, is left before anything else is done")
  func noProof() throws {
    for lines in [
      [":srv 903 anna :ok"], [SCRAMServer.line("v=AAAA"), ":srv 903 anna :ok"],
      [":srv 900 anna anna!a@h anna :logged in", ":srv 001 anna :Welcome"],
      [":srv 907 anna :already"], ["AUTHENTICATE +", ":srv 903 anna :ok"],
    ] {
      var (talk, _, _) = try begin()
      for line in lines { talk.receive(line) }
      talk.receive(":srv 001 anna :Welcome")
      #expect(talk.welcome == nil, "\(lines)")
      #expect([.sasl(.unproven), .sasl(.broken)].contains(talk.failure), "\(lines)")
      #expect(!talk.takeSent().contains("CAP END"), "\(lines)")
    }
  }

  @Test("a success before the proof was given is none")
  func early() {
    var talk = LoginTalk()
    talk.agree(to: "sasl=SCRAM-SHA-256")
    talk.receive(":srv 903 anna :ok")
    #expect(talk.failure == .sasl(.unproven))
  }

  @Test("the server's word for a wrong password counts")
  func wrongPassword() throws {
    var (talk, _, _) = try begin()
    talk.receive(SCRAMServer.line("e=invalid-proof"))
    #expect(talk.failure == .sasl(.wrongPassword))
    var (other, _, _) = try begin()
    other.receive(":srv 904 anna :failed")
    #expect(other.failure == .sasl(.wrongPassword))
  }

  @Test("a challenge that never ends, or is none, ends the login")
  func endless() {
    var talk = LoginTalk()
    talk.agree(to: "sasl=SCRAM-SHA-256")
    talk.receive("AUTHENTICATE +")
    let part = String(repeating: "A", count: 400)
    for _ in 0..<60 { talk.receive("AUTHENTICATE \(part)") }
    #expect(talk.failure == .sasl(.broken))
    var other = LoginTalk()
    other.agree(to: "sasl=SCRAM-SHA-256")
    other.receive("AUTHENTICATE +", "AUTHENTICATE !!!")
    #expect(other.failure == .sasl(.broken))
  }
}
