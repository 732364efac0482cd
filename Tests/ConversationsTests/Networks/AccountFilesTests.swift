// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations

/// The user's own files: what they say counts, and nobody else can make them say it.
@Suite("12.7: The user's own files about accounts") struct AccountFilesTests {
  private let folder: String
  private let files: AccountFiles
  private let account = Account(
    id: ID(rawValue: 1), owner: ID(rawValue: 1), network: "xmpp:anna@x.org")
  private let store = "/srv/team/store.sqlite"

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    files = AccountFiles(environment: ["HOME": folder])
  }

  private func settings(in store: String? = nil) throws -> AccountSettings? {
    try files.settings(of: account, inStoreAt: store ?? self.store)
  }

  private var text: String {
    get throws { try String(contentsOfFile: files.path, encoding: .utf8) }
  }

  @Test("settings are kept by store and account, in a file for nobody else")
  func keepsSettings() throws {
    #expect(try settings() == nil)
    let mine = AccountSettings(
      isWanted: true, values: ["host": "h.x.org", "password-command": "sh -c 'a | b  #c'"])
    try files.set(mine, of: account, inStoreAt: store)
    #expect(try settings() == mine)
    #expect(try settings(in: "/tmp/copied.sqlite") == nil)
    let other = Account(id: account.id, owner: account.owner, network: "xmpp:anna@y.org")
    #expect(try files.settings(of: other, inStoreAt: store) == nil)
    let mode = try FileManager.default.attributesOfItem(atPath: files.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    try files.set(nil, of: account, inStoreAt: store)
    #expect(try settings() == nil)
  }

  @Test("changing one account leaves the other lines as their owner wrote them")
  func keepsOtherLines() throws {
    try files.set(AccountSettings(values: ["port": "1"]), of: account, inStoreAt: store)
    let other = "\n# mine\naccount xmpp:b@y\nstore /other\nconnect no\n# a note\nhost h\n"
    try (text + other).write(toFile: files.path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.path)
    try files.set(
      AccountSettings(isWanted: false, values: ["port": "2"]), of: account, inStoreAt: store)
    #expect(try settings() == AccountSettings(isWanted: false, values: ["port": "2"]))
    #expect(try text.contains(other))
    try files.set(nil, of: account, inStoreAt: store)
    #expect(try text.contains("account xmpp:b@y\nstore /other\nconnect no\n# a note\nhost h\n"))
  }

  @Test("two simultaneous writers lose nothing of each other")
  func writesOneAfterTheOther() async throws {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { [files, store] in
          let account = Account(
            id: ID(rawValue: 1), owner: ID(rawValue: 1), network: "xmpp:\(number)@x")
          try? files.set(AccountSettings(), of: account, inStoreAt: store)
        }
      }
    }
    #expect(try text.components(separatedBy: "\naccount ").count == 21)
  }

  @Test("a value with a line break cannot become a setting of its own")
  func refusesLineBreaks() throws {
    #expect(throws: AccountFileError.brokenLine(name: "host")) {
      try files.set(
        AccountSettings(values: ["host": "h\npassword-command sh"]), of: account, inStoreAt: store)
    }
    for values in [["x\naccount": "y"], ["a b": "c"]] {
      #expect(throws: AccountFileError.self) {
        try files.set(AccountSettings(values: values), of: account, inStoreAt: store)
      }
    }
    #expect(throws: AccountFileError.brokenLine(name: "store")) {
      try files.set(AccountSettings(), of: account, inStoreAt: store + "\nhost h")
    }
    #expect(try settings() == nil)
  }

  @Test("nothing is written into a folder that others may write to")
  func refusesAnOpenFolder() throws {
    let folder = (files.path as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    #expect(throws: AccountFileError.writableByOthers(path: folder)) {
      try files.set(AccountSettings(), of: account, inStoreAt: store)
    }
    #expect(!FileManager.default.fileExists(atPath: files.path))
  }

  @Test("a file or folder that others may write to is not used", arguments: [true, false])
  func refusesWhatOthersWrite(isFolder: Bool) throws {
    try files.set(AccountSettings(), of: account, inStoreAt: store)
    let path = isFolder ? (files.path as NSString).deletingLastPathComponent : files.path
    for mode in [0o620, 0o602] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode | (isFolder ? 0o110 : 0)], ofItemAtPath: path)
      #expect(throws: AccountFileError.writableByOthers(path: path)) { try settings() }
      #expect(throws: AccountFileError.writableByOthers(path: path)) {
        try files.set(AccountSettings(), of: account, inStoreAt: store)
      }
    }
  }

  @Test("a file that is a symbolic link stays one, as dotfiles need")
  func followsItsOwnersLink() throws {
    try files.set(AccountSettings(), of: account, inStoreAt: store)
    let target = folder + "/dotfiles-accounts"
    try FileManager.default.moveItem(atPath: files.path, toPath: target)
    try FileManager.default.createSymbolicLink(
      atPath: files.path, withDestinationPath: target)
    try files.set(AccountSettings(values: ["port": "9"]), of: account, inStoreAt: store)
    #expect(try settings()?["port"] == "9")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: files.path) == target)
  }

  @Test("facts learned from a server are kept apart from settings, by store and account")
  func keepsFacts() throws {
    try files.learn(["scram": "SCRAM-SHA-256"], of: account, inStoreAt: store)
    try files.learn(["sandbox": "rooms.x.org"], of: account, inStoreAt: store)
    #expect(
      try files.facts(of: account, inStoreAt: store)
        == ["scram": "SCRAM-SHA-256", "sandbox": "rooms.x.org"])
    #expect(try files.facts(of: account, inStoreAt: "/other").isEmpty)
    #expect(try settings() == nil)
    try files.learn(["scram": ""], of: account, inStoreAt: store)
    #expect(try files.facts(of: account, inStoreAt: store) == ["sandbox": "rooms.x.org"])
  }

  @Test("12.7: a network process that was taken over cannot choose where to connect later")
  func learnsNothingElse() throws {
    try files.learn(
      ["scram": "SCRAM-SHA-1", "host": "evil.example", "ca": "/tmp/ca", "password-command": "sh"],
      of: account, inStoreAt: store)
    #expect(try files.facts(of: account, inStoreAt: store) == ["scram": "SCRAM-SHA-1"])
  }

  @Test("12.7: what is known of a login is not forgotten when it cannot be read")
  func unreadableFacts() throws {
    let place = try files.makeFactsFolder(of: account, inStoreAt: store) + "/facts"
    try files.learn(["scram": "SCRAM-SHA-256"], of: account, inStoreAt: store)
    let text = try String(contentsOfFile: place, encoding: .utf8)
    try (text + "rooms " + String(repeating: "x", count: 1_000_000)).write(
      toFile: place, atomically: false, encoding: .utf8)
    #expect(throws: AccountFileError.self) { try files.facts(of: account, inStoreAt: store) }
    #expect(throws: AccountFileError.self) {
      try files.learn(["sandbox": "x"], of: account, inStoreAt: store)
    }
    try text.write(toFile: place, atomically: false, encoding: .utf8)
    #expect(try files.facts(of: account, inStoreAt: store)["scram"] == "SCRAM-SHA-256")
  }
}

@Suite("The folder of a store with an account") struct AccountFolderTests {
  @Test("12.7: an account's store has its folder for itself, and what is made beside it is its own")
  func needsItsFolder() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    let store = try Store(path: folder + "/chat.sqlite")
    _ = try store.shells.attach(
      store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id)
    for name in ["chat.backup.sqlite", "chat-old", ".hobnob-x.new"] {
      _ = FileManager.default.createFile(atPath: folder + "/" + name, contents: nil)
    }
    #expect(store.failureToHoldAccounts == nil)
    _ = FileManager.default.createFile(atPath: folder + "/.ssh", contents: nil)
    #expect(store.failureToHoldAccounts?.text.contains(".ssh") == true)
    store.close()
    try FileManager.default.removeItem(atPath: folder)
  }
}
