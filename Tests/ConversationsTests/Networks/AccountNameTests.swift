// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Conversations

@Suite("Names of accounts")
struct AccountNameTests {
  @Test(
    "the part before the first colon is the kind, if it is a valid one",
    arguments: [
      ("irc:Anna@x.org", "irc", "anna@x.org"), ("anna@x.org", nil, "anna@x.org"),
      ("IRC:anna@x.org:6667", "irc", "anna@x.org:6667"),
      ("anna@x.org:6667", nil, "anna@x.org:6667"),
      ("Signal:+49Ab", "signal", "+49Ab"),
      (":anna@x.org", nil, ":anna@x.org"), ("ir/c:anna", nil, "ir/c:anna"), ("", nil, ""),
    ] as [(String, String?, String)])
  func parts(written: String, kind: String?, address: String) {
    let name = AccountName(written)
    #expect(name.kind == kind)
    #expect(name.address == address)
  }
}
