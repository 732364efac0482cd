// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Networks
import Testing

@testable import XMPP

@Suite("Options of accounts on XMPP") struct AccountOptionsTests {
  @Test("keep-alive is a number of seconds, up to a day")
  func keepAlive() throws {
    let option = try #require(accountOptions.first { $0.name == "keep-alive" })
    #expect(try option.check("60") == "60")
    for value in ["0", "86401", "1m"] {
      #expect(throws: AccountOption.Invalid.self) { try option.check(value) }
    }
  }

  @Test("hobnob-networks(7) explains each of them")
  func documented() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../man/hobnob-networks.7")
    let page = try String(contentsOf: file, encoding: .utf8)
    for option in accountOptions { #expect(page.contains("\n.Cm \(option.name) ")) }
  }
}
