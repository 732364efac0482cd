// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Foundation
import Testing

@testable import ChatCommands
@testable import ChatParts
@testable import ChatSession
@testable import NetworkInbox

@MainActor
@Suite("10: Commands by the names of IRC programs")
struct SecondNameTests {
  private let town: Town
  private let anna, ben: Person

  init() throws {
    town = try Town()
    (anna, ben) = (try town.person("anna"), try town.person("ben"))
  }

  @Test("/msg with a text sends it and stays, with its draft and files; /msg alone goes there")
  func message() throws {
    try "x".write(toFile: town.folder.path + "/f", atomically: true, encoding: .utf8)
    ben.say("/attach \(town.folder.path)/f")
    ben.say("/msg anna psst\nsecond")
    #expect(ben.printed.last == "To @anna: psst second")
    #expect(ben.picture[0].hasPrefix("#lobby"))
    #expect(ben.session.composing.files.waiting.files.count == 1)
    anna.look()
    #expect(anna.status().contains("@ben 1"))
    ben.say("/msg anna")
    #expect(ben.picture[0].hasPrefix("@anna"))
    #expect(ben.printed.contains { $0.contains("psst") })
    // In the chat itself it is a line as any other.
    let before = ben.printed.count
    ben.say("/msg anna third")
    ben.look()
    #expect(ben.printed.dropFirst(before).contains { $0.hasSuffix("third") })
    #expect(!ben.printed.dropFirst(before).contains { $0.hasPrefix("To ") })
  }

  @Test("1.2: a /msg that the store refuses stays on the line, and a notice waits for the store")
  func refused() throws {
    let lock = try Lock(town.path)
    #expect(!ben.say("/msg anna psst"))
    #expect(ben.text == "/msg anna psst")
    ben.type("")
    ben.say("/join tea")
    lock.release()
    ben.say("/join tea")
    let other = try Lock(town.path)
    ben.say("/notice #lobby psst")
    #expect(!ben.printed.contains { $0.hasPrefix("To ") })
    other.release()
    ben.wait(100)
    #expect(ben.printed.last == "To #lobby: psst")
  }

  @Test("/query opens the chat and sends; /j, /win and /lastlog do what their counterparts do")
  func others() throws {
    ben.say("/query anna hello")
    #expect(ben.picture[0].hasPrefix("@anna>"))
    anna.look()
    #expect(anna.status().contains("@ben 1"))
    ben.say("/query anna")
    ben.say("/j tea")
    #expect(ben.picture[0].hasPrefix("#tea>"))
    ben.say("/list")
    ben.say("/win 1")
    #expect(ben.picture[0].hasPrefix("#lobby>"))
    for line in ["/win 9", "/win x", "/win", "/win -1"] { #expect(!ben.say(line), "\(line)") }
    ben.say("/lastlog hello")
    #expect(ben.printed.contains { $0.contains("hello") && $0.contains("@anna") })
    ben.say("/lobby")
    #expect(ben.printed.last?.contains("/lobby is not a command") == true)
  }

  @Test("an alias may have such a name, and then means what it says")
  func aliases() throws {
    ben.say("/alias j /me joins")
    ben.say("/j in")
    ben.look()
    #expect(ben.printed.last?.contains("joins in") == true)
    #expect(!ben.say("/alias join /me joins"))
    #expect(Command.names.isDisjoint(with: ["j", "part", "query", "win", "lastlog"]))
  }

  @Test("/part takes a reason, which a network's room hears")
  func part() throws {
    let account = try anna.addedOnIRC()
    anna.say("/join #tea")
    try anna.store.inbox.apply([.joined(room: "#tea", nick: "anna")], of: account)
    anna.look()
    anna.say("/part #tea so long, all")
    let request = try #require(try anna.store.read { try $0.requests(of: account) }.last)
    #expect(request.verb == .leave && request.target == "#tea" && request.text == "so long, all")
    anna.say("/j kitchen")
    anna.say("/part kitchen bye")
    #expect(anna.printed.contains("You left #kitchen; /join #kitchen enters it again."))
    anna.say("/j kitchen")
    anna.say("/part")
    #expect(!anna.session.open.isMember || anna.picture[0].hasPrefix("#lobby"))
  }

  @Test("1.11: a line with more than two slashes is refused, except in edit mode")
  func slashes() throws {
    for line in ["/// comment", "////"] {
      #expect(!anna.say(line))
      #expect(
        anna.printed.last
          == "A line cannot begin with more than two slashes. To send one that begins with /, type // instead; to send several slashes, put another character before them."
      )
    }
    anna.say("//usr")
    #expect(try anna.newest()?.body == "/usr")
    anna.say("/edit")
    #expect(anna.say("///usr"))
    #expect(try anna.newest()?.body == "//usr")
  }

  @Test("1.11: /set with the name of a command names the command")
  func settingACommand() {
    #expect(!anna.say("/set theme slack"))
    #expect(anna.printed.last == "theme is a command, not a setting: type /theme slack.")
    #expect(!anna.say("/set alias"))
    #expect(anna.printed.last == "alias is a command, not a setting: type /alias.")
  }
}
