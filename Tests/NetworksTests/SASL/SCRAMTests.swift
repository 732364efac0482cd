// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Testing

@Suite("SCRAM (attacks 10)") struct SCRAMTests {
  private static let ours = "fyko+d2lbbFgONRv9qkxdawL"
  private static let both = ours + "3rfcNHYJY1ZVvWVs7j"
  private static let challenge = "r=\(both),s=QSXCR+Q6sek8bf92,i=4096"

  private func scram(name: String = "user") throws -> SCRAM {
    try SCRAM(.sha1, name: name, password: "pencil", nonce: Self.ours)
  }

  @Test("the example of RFC 5802, section 5")
  func sha1() throws {
    var scram = try scram()
    #expect(scram.opening == "n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL")
    #expect(
      try scram.proof(for: Self.challenge)
        == "c=biws,r=\(Self.both),p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=")
    try scram.verify("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")
  }

  @Test("the example of RFC 7677, section 3")
  func sha256() throws {
    var scram = try SCRAM(
      .sha256, name: "user", password: "pencil", nonce: "rOprNGfwEbeRWgbNEkqO")
    let both = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    #expect(
      try scram.proof(for: "r=\(both),s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096")
        == "c=biws,r=\(both),p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
    try scram.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
  }

  @Test("SHA-512, as Python's hashlib and hmac have it")
  func sha512() throws {
    var scram = try SCRAM(.sha512, name: "user", password: "pencil", nonce: Self.ours)
    #expect(
      try scram.proof(for: Self.challenge)
        == "c=biws,r=\(Self.both),p=VdS8LkrURiej1tG6iX+fqCXQfUnBb//d9llXYaH+ylUb"
        + "DwBUz9geyR9fC4TewskRUM2tlYSalhAT4Aay1Q5dTA==")
    try scram.verify(
      "v=14PAAuavk9hxBEkgB0brDxUhvWu+N16meYk+qxVNFqch"
        + "R8QPohM09Y4Z6WaTCuX4C6nqMB9KIJTDm6RpSM990g==")
  }

  @Test("a comma and an equals sign in a name are escaped, even under an accent")
  func escaped() throws {
    #expect(try scram(name: "a=b,c").opening.hasPrefix("n,,n=a=3Db=2Cc,r="))
    #expect(try scram(name: "a,\u{301}").opening.hasPrefix("n,,n=a=2C\u{301},r="))
  }

  @Test("control characters are refused, odd spaces become spaces, invisible characters go")
  func prepared() throws {
    for wrong in ["", "a\u{0}b", "a\nb", "a\u{7F}", "a\u{85}", "\u{AD}", "a\u{2028}"] {
      #expect(throws: SCRAM.Fault.unusablePassword) { try scram(name: wrong) }
      #expect(throws: SCRAM.Fault.unusablePassword) {
        try SCRAM(.sha1, name: "user", password: wrong, nonce: Self.ours)
      }
    }
    #expect(try scram(name: "I\u{AD}X\u{A0}é").opening.hasPrefix("n,,n=IX é,r="))
  }

  @Test(
    "a foreign nonce, an unextended one, and one that only begins like ours are refused",
    arguments: ["3rfcNHYJY1ZVvWVs7j", ours, "x" + both, "fyko+d2lbbFgONRv9qkxdawLé", ""])
  func nonce(both: String) throws {
    var scram = try scram()
    #expect(throws: SCRAM.Fault.foreignNonce) {
      try scram.proof(for: "r=\(both),s=QSXCR+Q6sek8bf92,i=4096")
    }
  }

  @Test(
    "too few, too many or invalid rounds are refused before any are done",
    arguments: [
      "1", "0", "4095", "1000001", "2147483648", "99999999999999999999", "-4096", "", "+5000",
    ])
  func rounds(count: String) throws {
    var scram = try scram()
    #expect(throws: SCRAM.Fault.rounds(String(count.prefix(12)))) {
      try scram.proof(for: "r=\(Self.both),s=QSXCR+Q6sek8bf92,i=\(count)")
    }
  }

  @Test("the highest allowed number of rounds works")
  func mostRounds() throws {
    var scram = try scram()
    #expect(
      try scram.proof(for: "r=\(Self.both),s=QSXCR+Q6sek8bf92,i=1000000,x=later")
        .contains(",p="))
  }

  @Test(
    "an answer with a mandatory extension, without salt or in another order is refused",
    arguments: [
      "m=x,r=\(both),s=QSXCR+Q6sek8bf92,i=4096", "r=\(both),s=,i=4096", "r=\(both),s=!,i=4096",
      "r=\(both),i=4096,s=QSXCR+Q6sek8bf92", "r=\(both)", "", "e=other-error",
    ])
  func notAnAnswer(challenge: String) throws {
    var scram = try scram()
    #expect(throws: SCRAM.Fault.notAnAnswer) { try scram.proof(for: challenge) }
  }

  @Test(
    "a server that does not prove that it knows the password is refused",
    arguments: [
      "", "v=", "v=rmF9pqV8S7suAoZWja4dJRkFsKU=", "v=rmF9pqV8S7suAoZWja4dJRkFsA==", "x=1",
      "V=rmF9pqV8S7suAoZWja4dJRkFsKQ=",
    ])
  func signature(final: String) throws {
    var scram = try scram()
    _ = try scram.proof(for: Self.challenge)
    #expect(throws: SCRAM.Fault.falseSignature) { try scram.verify(final) }
  }

  @Test("a signature before the proof, and an error, are refused")
  func early() throws {
    var scram = try scram()
    #expect(throws: SCRAM.Fault.falseSignature) { try scram.verify("v=") }
    #expect(throws: SCRAM.Fault.falseSignature) {
      try scram.verify("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")
    }
    _ = try scram.proof(for: Self.challenge)
    #expect(throws: SCRAM.Fault.refused("invalid-proof")) { try scram.verify("e=invalid-proof") }
  }
}
