// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText
import Testing

@testable import ChatCommands
@testable import ChatPreferences
@testable import ChatSession

@Suite struct CommandTableTests {
  @Test(
    "10: every command has its own name, a usage that begins with it, and one line of help")
  func namesAreUnique() {
    #expect(Set(Command.table.map(\.name)).count == Command.table.count)
    for command in Command.table {
      #expect(command.usage.hasPrefix("/" + command.name))
      #expect(!command.help.isEmpty && !command.help.string.contains("\n"))
    }
  }

  @Test(
    "1.11: a mistyped command names the nearest one",
    arguments: [
      ("edti", "edit"), ("jion", "join"), ("qiut", "quit"), ("histroy", "history"),
      ("hlep", "help"),
    ])
  func nearest(typed: String, meant: String) {
    #expect(Command.unknown(typed).sentence.string.contains("Did you mean /\(meant)?"))
  }

  @Test("1.11: a word close to no command gets no suggestion")
  func farFromEverything() {
    for name in ["xylophone", "time", "ping", "wins", "titlebar"] {
      #expect(!Command.unknown(name).sentence.string.contains("Did you mean"), "\(name)")
    }
  }

  @Test("1.11: names are similar up to a number of letters")
  func similar() {
    #expect(Spelling.distance("edit", "edti", atMost: 1) == 1)
    #expect(Spelling.distance("edit", "exit", atMost: 0) == nil)
    #expect(Spelling.distance("edit", "edited", atMost: 2) == 2)
    #expect(Spelling.distance("edit", "edited", atMost: 1) == nil)
  }

  // It takes a fraction of a second, or many minutes if the letters are compared.
  @Test("1.11, 10: a name that is far too long is similar to none", .timeLimit(.minutes(1)))
  func farTooLong() async {
    let long = String(repeating: "n", count: 3_000_000)
    #expect(Spelling.nearest(to: long, among: Array(Command.names)) == nil)
  }

  @Test(
    "1.11: the name of a command in other clients is answered with its name here",
    arguments: [
      ("wc", "/wc; /leave leaves the room; /part ROOM REASON says why."),
      ("EXIT", "/EXIT; /quit leaves hobnob."),
      ("kb", "/kb; /ban NAME keeps somebody out, and /kick NAME removes them."),
    ])
  func otherClients(typed: String, answer: String) {
    #expect(Command.unknown(typed).sentence.string == "There is no " + answer)
  }

  @Test("1.11: each of those names has an answer that names a command, and is not a command here")
  func otherClientsNames() {
    let names = """
      kb buffer close window wins bye exit hilight roster correct \
      sendfile prefs time ping titlebar ns windows buffers grep upload highlight online wl dcc
      """
    for name in names.split(separator: " ").map(String.init) {
      let sentence = Command.unknown(name).sentence.string
      #expect(sentence.hasPrefix("There is no /\(name); "), "\(sentence)")
      #expect(Command.named(name) == nil)
      let named = sentence.matches(of: /\/([a-z]+)/).map { String($0.1) }
      #expect(named.dropFirst().allSatisfy { Command.named($0) != nil }, "\(sentence)")
    }
  }
}

@Suite struct SettingsTests {
  @Test("every setting shows the value it was given")
  func roundTrip() {
    for entry in Settings.table {
      var settings = Settings()
      for value in entry.values.isEmpty ? ["7"] : entry.values {
        #expect(entry.set(&settings, value), "\(entry.name) \(value)")
        #expect(entry.get(settings) == value)
      }
    }
  }

  @Test(
    "1.11: a mistyped setting is answered with the nearest one",
    arguments: [
      ("timestmps", "timestamps"), ("bel", "bell"), ("kep", "keep"), ("colour", "colour-names"),
    ])
  func near(typed: String, meant: String) {
    #expect(Settings.unknown(typed).sentence.string.contains("did you mean \(meant)?"))
    #expect(
      Settings.unknown("xylophone").sentence.string
        == "xylophone is not a setting; /set lists them.")
  }

  @Test("1.11: an = behind a setting's name is answered with the right syntax")
  func blank() {
    #expect(
      Settings.unknown("nick=foo").sentence.string
        == "nick=foo is not a setting; put a space after the name: set nick foo.")
    #expect(
      Settings.unknown("xylophone=on").sentence.string
        == "xylophone=on is not a setting; /set lists them.")
  }

  @Test("10: /set nick shows the name that others see")
  @MainActor func nick() throws {
    let anna = try Town().person("anna")
    anna.say("/set nick")
    #expect(anna.news().last?.hasPrefix("nick anna  ") == true)
    anna.say("/nick annette")
    anna.say("/set")
    #expect(anna.news().contains { $0.contains(#/^ *nick +annette  /#) })
  }

  @Test("10: /help account lists all settings of an account and its other arguments")
  @MainActor func helpAccount() throws {
    let anna = try Town().person("anna")
    anna.say("/help account")
    let help = anna.news().joined(separator: "\n")
    for word in ["add", "set", "remove"] + AccountCommands.options.map(\.name) {
      #expect(help.contains("  \(word)"), "\(word)")
    }
  }

  @Test("10: /set lists every setting once, each in a part with its own name")
  func sections() {
    let names = Settings.table.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test("an invalid value changes nothing")
  func refusedValues() {
    // Any word can be a name, or a program.
    let free = ["nick", "highlight", "notify-command", "open-command"]
    for entry in Settings.table where !free.contains(entry.name) {
      var settings = Settings()
      #expect(!entry.set(&settings, "purple"), "\(entry.name)")
      #expect(settings == Settings())
    }
  }

  @Test(
    "the width rule follows the terminal's name",
    arguments: [
      (["TERM": "tmux-256color"], Widths.Clusters.joinedAsOne),
      (["TERM": "xterm-256color", "TMUX": "/tmp/x"], .joinedAsOne),
      (["TERM": "xterm-kitty"], .graphemes), (["TERM": "xterm"], .codePoints),
    ])
  func terminalWidths(environment: [String: String], clusters: Widths.Clusters) {
    #expect(Settings().terminalWidths(environment: environment).clusters == clusters)
  }
}

@Suite struct RcFileTests {
  @Test("an rc file's settings apply, and its mistakes are reported by line")
  func parse() {
    var complaints: [(Int, String)] = []
    var rc = RcFile()
    rc.parse(
      """
      # mine
      /set typing off
      set nick anna

      /set colour red
      /set message-limit many
      /join dev
      /set bell off
      """
    ) { complaints.append(($0, $1.string)) }
    #expect(!rc.settings.typing && !rc.settings.bell)
    #expect(rc.settings.nick == "anna")
    #expect(complaints.map(\.0) == [5, 6, 7])
    #expect(complaints[0].1.contains("colour"))
    #expect(complaints[1].1.contains("many"))
    #expect(complaints[2].1.contains("/join"))
  }
}
