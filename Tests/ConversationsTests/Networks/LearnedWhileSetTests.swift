// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import StoreFixture
import Testing

@Suite("12.7: Facts that a process learns while the owner changes settings")
struct LearnedWhileSetTests {
  @Test("12.7: neither loses anything of the other, whoever writes first")
  func atOnce() async throws {
    let fixture = Fixture()
    let store = try fixture.open("data/store.sqlite")
    defer { store.close() }
    let account = try store.writeDurably {
      try $0.addAccount(
        owner: try $0.participant(identity: "anna").id, network: "xmpp:anna@x.org")
    }
    let (path, environment) = (store.path, ["HOME": fixture.folder])
    try AccountFiles(environment: environment).set(
      AccountSettings(isWanted: true, values: ["host": "h.x.org"]), of: account, inStoreAt: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...20 {
          try AccountFiles(environment: environment).learn(
            ["sandbox": "rooms\(number).x.org"], of: account, inStoreAt: path)
        }
      }
      group.addTask {
        for number in 1...20 {
          try AccountFiles(environment: environment).set(
            AccountSettings(isWanted: true, values: ["host": "h\(number).x.org"]), of: account,
            inStoreAt: path)
        }
      }
      try await group.waitForAll()
    }
    let files = AccountFiles(environment: environment)
    #expect(try files.settings(of: account, inStoreAt: path)?.values["host"] == "h20.x.org")
    #expect(try files.facts(of: account, inStoreAt: path)["sandbox"] == "rooms20.x.org")
  }
}
