// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Testing

private let password = "r0m30&<myr0m30>"
private let nonce = "fyko+d2lbbFgONRv9qkxdawL"
private let challenge = "r=\(nonce)more,s=QSXCR+Q6sek8bf92,i=4096"
/// What a server that knows the password says last.
private let signature = "v=zOyG6tLL5D+CWOBkwzMuxPPjZHk="

private func exchange(
  password: String = password, strongest: SCRAMHash? = nil
) -> SASLExchange {
  SASLExchange(
    name: "anna", password: Secret(password), strongest: strongest, nonce: nonce)
}

@Suite("a login by SASL (attacks 10)") struct SASLExchangeTests {
  @Test("the strongest SCRAM that is offered is used")
  func strongest() throws {
    var exchange = exchange()
    let offer = ["SCRAM-SHA-1", "SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN"]
    #expect(SASLExchange.strongestSCRAM(in: offer) == .sha512)
    let (mechanism, response) = try exchange.begin(offer)
    #expect(mechanism == "SCRAM-SHA-512" && response == Array("n,,n=anna,r=\(nonce)".utf8))
  }

  @Test("a server proves itself with its success, or in a challenge before it")
  func proof() throws {
    var exchange = exchange()
    _ = try exchange.begin(["SCRAM-SHA-1"])
    _ = try exchange.answer(Array(challenge.utf8))
    try exchange.succeed(Array(signature.utf8))
    #expect(throws: SASLFailure.unproven) { try exchange.succeed([]) }
    #expect(throws: SASLFailure.unproven) { try exchange.succeed([0xFF]) }
    #expect(try exchange.answer(Array(signature.utf8)) == [])
    try exchange.succeed([])
    #expect(throws: SASLFailure.broken) { try exchange.answer([]) }
  }

  @Test("a success before the proof, and a challenge that is not text, are refused")
  func early() throws {
    var exchange = exchange()
    #expect(throws: SASLFailure.broken) { try exchange.succeed([]) }
    _ = try exchange.begin(["SCRAM-SHA-1"])
    #expect(throws: SASLFailure.unproven) { try exchange.succeed(Array(signature.utf8)) }
    #expect(throws: SASLFailure.broken) { try exchange.answer([0xFF]) }
    #expect(throws: SASLFailure.broken) { try exchange.answer([]) }
  }

  @Test("PLAIN is used if there is nothing else, and never after SCRAM was seen")
  func plain() throws {
    var first = exchange()
    let (mechanism, response) = try first.begin(["PLAIN", "DIGEST-MD5"])
    #expect(mechanism == "PLAIN" && response == Array("\0anna\0\(password)".utf8))
    try first.succeed([])
    #expect(throws: SASLFailure.broken) { try first.answer([]) }

    var second = exchange(strongest: .sha1)
    #expect(throws: SASLFailure.weakened) { try second.begin(["PLAIN"]) }
    let offer = ["SCRAM-SHA-9", "PLAIN"]
    var third = exchange()
    #expect(throws: SASLFailure.noMechanism(offer)) { try third.begin(offer) }
    #expect(SASLExchange.strongestSCRAM(in: offer) == .sha1)
    #expect(SASLExchange.strongestSCRAM(in: ["PLAIN"]) == nil)
    for wrong in ["", "a\nb"] {
      var fourth = exchange(password: wrong)
      #expect(throws: SASLFailure.unusablePassword) { try fourth.begin(["PLAIN"]) }
      #expect(throws: SASLFailure.unusablePassword) { try fourth.begin(["SCRAM-SHA-1"]) }
    }
  }

  @Test("SHA-1 is not used if the server had SHA-256 or SHA-512 before; SHA-256 after 512 is")
  func weakerHash() throws {
    for former in [SCRAMHash.sha256, .sha512] {
      var exchange = exchange(strongest: former)
      #expect(throws: SASLFailure.weakenedHash(former.mechanism)) {
        try exchange.begin(["SCRAM-SHA-1", "PLAIN"])
      }
    }
    var exchange = exchange(strongest: .sha512)
    #expect(try exchange.begin(["SCRAM-SHA-256", "SCRAM-SHA-1"]).mechanism == "SCRAM-SHA-256")
  }
}
