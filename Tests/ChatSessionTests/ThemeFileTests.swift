// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StyledText
import Testing

@testable import ChatPreferences
@testable import ChatSession

@Suite struct ThemeFileTests {
  static let names = ["contrast", "default", "imessage", "messenger", "plain", "slack"]

  /// What a theme can set, and to what.
  private static let values: [String: Set<String>] = [
    "prompt-style": ["bold", "plain", "bracket", "arrow"],
    "accent": ["none", "blue", "green", "magenta", "cyan", "yellow", "red", "white"],
    "placeholder": ["on", "off"],
    "attach-item": ["off", "plus", "clip"],
    "send-item": ["off", "text", "arrow"],
    "counter": ["none", "split", "countdown", "countdown-reversed"],
    "toolbar": ["off", "format", "hints"],
    "separator": ["on", "off"],
    "bubble": ["left", "right"],
    "colour-names": ["on", "off"],
    "styling": ["on", "off"],
    "timestamps": ["on", "off"],
    "numbers": ["on", "off"],
    "max-input-rows": ["auto", "4", "6", "8"],
    "menu-style": ["list", "compact"],
  ]

  private static func lines(of theme: String) throws -> [Substring] {
    let path = EmojiTableTests.share + "/themes/\(theme).theme"
    return try String(contentsOfFile: path, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static func settings(of theme: String) throws -> [String: String] {
    var settings: [String: String] = [:]
    for line in try lines(of: theme) where line.hasPrefix("/") {
      let words = line.split(separator: " ").map(String.init)
      settings[words[1]] = words[2]
    }
    return settings
  }

  @Test("there are six themes, and each says what it looks like")
  func six() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: EmojiTableTests.share + "/themes")
    #expect(files.filter { $0.hasSuffix(".theme") }.sorted() == Self.names.map { $0 + ".theme" })
    for theme in Self.names {
      #expect(try Self.lines(of: theme)[1].hasPrefix("# \(theme): "))
    }
  }

  @Test("every line of a theme is a comment or /set NAME VALUE", arguments: names)
  func lineByLine(theme: String) throws {
    let lines = try Self.lines(of: theme)
    #expect(lines.last == "", "the last line ends")
    for line in lines.dropLast() where !line.hasPrefix("# ") {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      try #require(words.count == 3 && words[0] == "/set", "\(line)")
      #expect(Self.values[words[1]]?.contains(words[2]) == true, "\(line)")
    }
  }

  @Test("a theme sets everything once, so that nothing of the last theme remains", arguments: names)
  func complete(theme: String) throws {
    let set = try Self.lines(of: theme).filter { $0.hasPrefix("/") }
    #expect(set.count == Self.values.count)
    #expect(Set(try Self.settings(of: theme).keys) == Set(Self.values.keys))
  }

  @Test("an rc file accepts a theme's lines, and each setting its value")
  func readAsSettings() throws {
    for theme in Self.names {
      let text = try Self.lines(of: theme).joined(separator: "\n")
      var complaints: [String] = []
      var rc = RcFile()
      rc.parse(text) { complaints.append($1.string) }
      #expect(rc.settings.nick == nil)
      #expect(complaints.isEmpty)
      let named = try Self.settings(of: theme)
      for (name, value) in named {
        let entry = try #require(Settings.entry(name))
        #expect(entry.get(rc.settings) == value, "\(theme): \(name)")
      }
    }
  }

  @Test("after any theme, default restores the values at the start", arguments: names)
  func wayBack(theme: String) throws {
    var rc = RcFile()
    for name in [theme, "default"] {
      rc.parse(try Self.lines(of: name).joined(separator: "\n")) { _, _ in }
      if name == theme, theme != "default" { #expect(rc.settings != Settings()) }
    }
    let fresh = Settings()
    for entry in Settings.table {
      #expect(entry.get(rc.settings) == entry.get(fresh), "\(entry.name)")
    }
  }

  @Test("any two themes differ at a glance: in at least three things that are always on the screen")
  func different() throws {
    let seen = [
      "prompt-style", "accent", "placeholder", "attach-item", "send-item", "toolbar", "separator",
      "bubble", "colour-names", "styling", "timestamps", "numbers",
    ]
    // The way back is not a look of its own.
    let all = try Self.names.filter { $0 != "default" }.map { ($0, try Self.settings(of: $0)) }
    for (index, (first, left)) in all.enumerated() {
      for (second, right) in all[(index + 1)...] {
        let count = seen.filter { left[$0] != right[$0] }.count
        #expect(count >= 3, "\(first) \(second)")
      }
    }
  }

  @Test(
    "themes look like their names",
    arguments: [
      ("slack", "toolbar", "format"), ("slack", "attach-item", "plus"),
      ("slack", "send-item", "arrow"), ("slack", "max-input-rows", "8"),
      ("slack", "timestamps", "on"), ("messenger", "send-item", "text"),
      ("messenger", "separator", "on"), ("messenger", "toolbar", "off"),
      ("imessage", "bubble", "right"), ("imessage", "accent", "blue"),
      ("imessage", "numbers", "off"), ("imessage", "timestamps", "off"),
      ("plain", "accent", "none"), ("plain", "send-item", "off"), ("plain", "styling", "off"),
      ("contrast", "prompt-style", "bold"), ("contrast", "placeholder", "off"),
      ("contrast", "separator", "off"),
    ])
  func looks(theme: String, name: String, value: String) throws {
    #expect(try Self.settings(of: theme)[name] == value)
  }
}
