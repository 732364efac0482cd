// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

@testable import NetworkInbox

extension EndToEnd {
  /// Here this process is the network.
  @Suite("14.17: The own device as a QR code")
  struct DeviceCodeTests {
    private let home: Home
    private let store: Store
    private let account: Account
    private let link = "xmpp:anna@x.org?omemo-sid-7=0123456789abcdef"
    /// A row of a drawing as wide as that of most links.
    private let row = String(repeating: "█", count: 45)

    init() throws {
      home = try Home()
      store = try Store(path: home.store, options: .init(createIfMissing: true))
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "xmpp:anna@x.org")
      }
      try home.list(account, isWanted: false)
    }

    /// Installs what draws a code here, and returns the folder.
    private func installDrawing() throws -> String {
      try home.write(
        "#!/bin/sh\ncat >\"$HOME/read\"\necho \"$*\" >\"$HOME/words\"\necho \(row)\necho \(row)\n",
        to: "script")
      // By a process of its own: a file that this one has open for writing cannot be started.
      let folder = home.path + "/bin"
      _ = try Program(
        ["install", "-D", home.path + "/script", folder + "/qrencode"],
        environment: home.environment
      ).finish()
      return folder
    }

    private func read(_ name: String) throws -> String {
      try String(contentsOfFile: home.path + "/" + name, encoding: .utf8)
    }

    /// A shell in which `/verify` was answered while a line was being typed.
    private func answered(
      _ options: [String] = [], columns: Int = 80, environment changes: [String: String?]
    ) throws -> PseudoTerminal {
      let shell = try home.shellInLobby(
        as: "anna", options, columns: columns, environment: changes)
      try shell.type("/verify\r", seeing: "anna@x.org is disconnected")
      try shell.type("half a line\u{02}\u{02}", seeing: "#lobby> half a li|ne")
      let request = try #require(try store.read { try $0.requests(of: account) }.last)
      try store.inbox.apply(
        [.answered(request, Remark("This device: 7\n" + link))], of: account)
      try shell.expect(link)
      return shell
    }

    @Test(
      "a code is drawn in black and white below its text, above the line",
      arguments: [[:], ["NO_COLOR": "1"]] as [[String: String]])
    func draws(changes: [String: String]) throws {
      let path = try installDrawing() + ":/usr/bin:/bin"
      let shell = try answered(environment: changes.merging(["PATH": path]) { $1 })
      try shell.expect(row)
      try shell.expect("#lobby> half a li|ne")
      let rows = shell.emulator.screen
      let first = try #require(rows.firstIndex(of: row))
      #expect(Array(rows[(first - 2)...(first + 1)]) == ["This device: 7", link, row, row])
      let style = shell.emulator.style(row: first, column: 44)
      let isPlain = changes["NO_COLOR"] != nil
      #expect(style.foreground == (isPlain ? nil : 231) && style.background == (isPlain ? nil : 16))
      #expect(try read("read") == link)
      #expect(try read("words").contains(link) == false)
    }

    @Test(
      "where it does not fit, where nothing draws it and for a screen reader, the text is all",
      arguments: [
        ([], [:], 44, "The terminal is too narrow for the QR code"),
        ([], ["PATH": "/nowhere"], 80, "To see a QR code here, install qrencode"),
        ([], ["LANG": "C"], 80, ""), (["--plain"], [:], 80, ""),
      ] as [([String], [String: String], Int, String)])
    func saysTheText(
      options: [String], changes: [String: String], columns: Int, sentence: String
    ) throws {
      let path = try installDrawing() + ":/usr/bin:/bin"
      let shell = try answered(
        options, columns: columns, environment: ["PATH": path].merging(changes) { $1 })
      shell.settle()
      try shell.expect("#lobby> half a li|ne")
      let printed = shell.emulator.history
      let explained = printed.filter { $0.contains("QR code") }
      #expect(
        explained.allSatisfy { $0.hasPrefix(sentence) } && explained.isEmpty == sentence.isEmpty)
      #expect(printed.contains(link) && !printed.contains(row), "\(printed)")
    }
  }
}
