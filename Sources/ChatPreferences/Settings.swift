// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Sentences
import StyledText

/// The settings of `/set`. One table gives names, values, help, completion and the manual.
package struct Settings: Sendable, Equatable {
  /// This person's name, unless the command line gives one.
  package var nick: String?
  package var typing = true
  package var receipts = true
  /// Whether a reply names the person it answers, where it may not show otherwise.
  package var ircReplyPrefix = false
  package var timestamps = Timestamps.on
  package var numbers = true
  package var confirmClear = false
  package var slashGuard = true
  /// Graphemes; 0 means no limit.
  package var messageLimit = 0
  /// Rows; nil depends on the terminal's height, 0 means as many as fit.
  package var maxInputRows: Int?
  /// Seconds; 0 keeps a name until it is removed.
  package var typingTimeout = 6
  package var upEditsLast = false
  package var holdWhileTyping = false
  package var bell = true
  /// Words that ring like a mention, separated by blanks; empty for none.
  package var highlight = ""
  /// Whether the person's nick on a network alerts them wherever it is in a text (rule 2.12).
  package var highlightNick = true
  /// The command to run when somebody mentions the person; empty for none.
  package var notifyCommand = ""
  /// The sequence that asks the terminal for a notification, unless there is a command.
  package var notifyTerminal = NotifyTerminal.auto
  /// The command that opens addresses and files; empty for the usual programs.
  package var openCommand = ""
  package var events = Events.active
  package var pager = true
  /// Lines; 0 folds a body only by its bytes.
  package var foldLines = 40
  package var wrap = Wrap.word
  /// Columns; nil follows the names of recent speakers, 0 means the full width of each name.
  package var nameWidth: Int?
  package var links = Links.auto
  package var background = Background.auto
  package var title = true
  package var closeByDoubleSpace = true
  package var styling = true
  package var liveMenu = true
  /// TAB completes names without `@`.
  package var bareNames = true
  /// Lines; 0 sends a text of any length without asking.
  package var askLines = 40
  /// Megabytes; 0 means no limit.
  package var attachmentLimit = 100
  /// Rows of candidates.
  package var maxMenuRows = 4
  /// Whether accepting an emoji inserts its character; otherwise it stays `:boar:`.
  package var emojiIsCharacter = true
  package var counter = CounterStyle.split
  package var appearance = BarAppearance()
  package var width = WidthRule.auto
  package var ambiguousIsWide = false
  package var accessible = false

  /// How a terminal counts the columns of text.
  package enum WidthRule: String, CaseIterable, Sendable { case auto, unicode, codepoints, tmux }

  /// How messages show their time; `relative` shows ages, but only in `/history`.
  package enum Timestamps: String, CaseIterable, Sendable { case on, off, relative }

  /// Who breaks long lines: this program between words, or the terminal where a row ends.
  package enum Wrap: String, CaseIterable, Sendable { case word, terminal }

  /// Whose joins, leaves and renames to show.
  package enum Events: String, CaseIterable, Sendable { case all, active, off }

  /// Whether addresses are links; `auto` means yes if the terminal is known to support links.
  package enum Links: String, CaseIterable, Sendable { case auto, on, off }

  /// The number of the sequence that asks the terminal for a notification; `auto` takes the one
  /// that the terminal is known to obey.
  package enum NotifyTerminal: String, CaseIterable, Sendable {
    case auto, off
    case osc99 = "99"
    case osc777 = "777"
    case osc9 = "9"
  }

  /// Whether the terminal's background is light or dark; `auto` asks the terminal.
  package enum Background: String, CaseIterable, Sendable { case auto, light, dark }

  package init() {}

  /// One line of the table.
  package struct Entry: Sendable {
    package let name: String
    /// The possible values, for completion and errors; empty if any number is valid.
    package let values: [String]
    /// Whether a number is valid as well.
    package var takesNumbers = false
    let english: StaticString
    package var help: SafeText { say(english) }
    package let get: @Sendable (Settings) -> String
    let set: @Sendable (inout Settings, String) -> Bool
  }

  private static func entry<Value>(
    _ name: String, _ path: any WritableKeyPath<Settings, Value> & Sendable,
    english help: StaticString, values: [String] = [], takesNumbers: Bool = false,
    written: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) -> Value?
  ) -> Entry {
    Entry(
      name: name, values: values, takesNumbers: takesNumbers, english: help,
      get: { written($0[keyPath: path]) },
      set: { settings, word in
        guard let value = read(word) else { return false }
        settings[keyPath: path] = value
        return true
      })
  }

  private static func onOff(
    _ name: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable, _ help: StaticString,
    words: (on: String, off: String) = ("on", "off")
  ) -> Entry {
    entry(
      name, path, english: help, values: [words.on, words.off],
      written: { $0 ? words.on : words.off },
      read: { $0 == words.on ? true : $0 == words.off ? false : nil })
  }

  private static func numberEntry(
    _ name: String, _ path: any WritableKeyPath<Settings, Int> & Sendable, from least: Int = 0,
    upTo most: Int, _ help: StaticString
  ) -> Entry {
    entry(
      name, path, english: help, written: { String($0) },
      read: { Int(written: $0, in: least...most) })
  }

  /// An entry for a number; `auto` means none.
  private static func autoEntry(
    _ name: String, _ path: any WritableKeyPath<Settings, Int?> & Sendable, upTo most: Int,
    _ help: StaticString
  ) -> Entry {
    entry(
      name, path, english: help, values: ["auto"], takesNumbers: true,
      written: { $0.map { String($0) } ?? "auto" },
      read: { $0 == "auto" ? .some(nil) : Int(written: $0, in: 0...most).map { .some($0) } })
  }

  /// An entry for a program and its arguments; `word` means none.
  private static func command(
    _ name: String, _ path: any WritableKeyPath<Settings, String> & Sendable, without word: String,
    _ help: StaticString
  ) -> Entry {
    entry(
      name, path, english: help, written: { $0.isEmpty ? word : $0 },
      read: { $0.isEmpty ? nil : $0 == word ? "" : $0 })
  }

  private static func choice<Value: CaseIterable & RawRepresentable<String> & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ help: StaticString
  ) -> Entry {
    entry(
      name, path, english: help, values: Value.allCases.map(\.rawValue), written: { $0.rawValue },
      read: { Value(rawValue: $0) })
  }

  /// The settings by subject, in the order in which `/set` and hobnobrc(5) show them.
  package static let sections: [(heading: SafeText, entries: [Entry])] = [
    (
      say("You and others"),
      [
        entry(
          "nick", \.nick,
          english:
            "your name, unless you start hobnob with --as; setting it at the prompt also changes the name that others see",
          written: { $0 ?? "" }, read: { $0.isEmpty ? nil : .some($0) }),
        onOff("typing", \.typing, "tell others that you are typing"),
        onOff("receipts", \.receipts, "tell others which messages you received and saw"),
        onOff(
          "irc-reply-prefix", \.ircReplyPrefix,
          "on IRC, begin a reply with the other person's name, for programs that do not show replies"
        ),
        numberEntry(
          "typing-timeout", \.typingTimeout, upTo: 3600,
          "seconds before \"typing\" expires; 0 means never"),
        onOff("bell", \.bell, "ring the bell when somebody mentions you or writes to you alone"),
        command(
          "highlight", \.highlight, without: "off",
          "words, separated by blanks, that alert you just as your name does"),
        onOff(
          "highlight-nick", \.highlightNick,
          "on a network, let your nick alert you wherever it is in a message"),
        command(
          "notify-command", \.notifyCommand, without: "off",
          "program to run for mentions and direct messages, with sender, conversation and text as arguments"
        ),
        choice(
          "notify-terminal", \.notifyTerminal,
          "the number of the OSC sequence that makes the terminal show a notification; used if there is no notify-command"
        ),
      ]
    ),
    (
      say("The line"),
      [
        onOff("confirm-clear", \.confirmClear, "ask before C-c empties the line"),
        onOff("slash-guard", \.slashGuard, "refuse a line with blanks before a /"),
        onOff(
          "up-edits-last", \.upEditsLast,
          "edit your newest message when you press Up on an empty line"),
        onOff(
          "hold-while-typing", \.holdWhileTyping,
          "in plain mode, hold back messages until the line is sent or empty"),
        autoEntry(
          "max-input-rows", \.maxInputRows, upTo: 1000,
          "the most rows of input on the screen; 0: as many as fit"),
        numberEntry(
          "message-limit", \.messageLimit, upTo: 1_000_000,
          "the most characters a message may have; 0: no limit"),
        choice("counter", \.counter, "how to count characters if there is a message limit"),
        numberEntry(
          "attachment-limit", \.attachmentLimit, upTo: 1_000_000,
          "the largest file you may send, in megabytes; 0: no limit"),
        numberEntry(
          "ask-lines", \.askLines, upTo: 1_000_000,
          "ask before sending a text of more than this many lines; 0: never"),
      ]
    ),
    (
      say("Completion and markdown"),
      [
        onOff("live-menu", \.liveMenu, "show completions of a word while you type it"),
        numberEntry(
          "max-menu-rows", \.maxMenuRows, from: 1, upTo: 50, "how many candidates the menu shows"),
        onOff("bare-names", \.bareNames, "let TAB complete names without @ too"),
        onOff(
          "emoji-style", \.emojiIsCharacter,
          "what a completed emoji becomes: the emoji, or its name between colons",
          words: ("character", "shortcode")),
        onOff(
          "close-by-double-space", \.closeByDoubleSpace,
          "close the innermost open markdown symbol by typing two spaces"),
        onOff("styling", \.styling, "draw *bold*, _italic_ and the like in their styles"),
      ]
    ),
    (
      say("Looks"),
      [
        choice("prompt-style", \.appearance.prompt, "the form of the prompt"),
        choice(
          "accent", \.appearance.accent,
          "the colour of the prompt, the signs beside the line, and mentions of you"),
        onOff(
          "placeholder", \.appearance.placeholder, "show \"Message #lobby\" while the line is empty"
        ),
        choice(
          "send-item", \.appearance.send,
          "the word Send or an arrow at the right of the line, dim until you can send it"),
        choice(
          "attach-item", \.appearance.attach,
          "a + or @ at the left of the line, which reminds you of /attach"),
        choice(
          "toolbar", \.appearance.toolbar,
          "a row at the bottom: the markdown symbols, key hints, or your conversations with their unread counts"
        ),
        onOff("separator", \.appearance.separator, "a rule below the line"),
        choice(
          "menu-style", \.appearance.menu, "show candidates one below the other, or side by side"),
        choice("bubble", \.appearance.bubble, "the side on which your own messages are printed"),
        onOff("colour-names", \.appearance.colourNames, "a colour for each name"),
        choice(
          "timestamps", \.timestamps,
          "the time before each message; relative: in /history, how long ago it was"),
        onOff("numbers", \.numbers, "the number before each message"),
        autoEntry(
          "name-width", \.nameWidth, upTo: 40,
          "the width of the name column; auto: wide enough for those who speak; 0: each name's own width"
        ),
        choice(
          "wrap", \.wrap, "break long lines between words, or leave them to the terminal"),
        choice(
          "events", \.events,
          "print who joins, leaves or changes their name; active: in large rooms, only recent speakers"
        ),
      ]
    ),
    (
      say("Other programs"),
      [
        command(
          "open-command", \.openCommand, without: "auto",
          "program that /open runs on a link or a file; auto: $BROWSER or xdg-open"),
        onOff(
          "pager", \.pager,
          "show lists that are longer than the screen in $PAGER"),
        numberEntry(
          "fold-lines", \.foldLines, upTo: 1_000_000,
          "fold texts of more than this many lines; 0: no limit"),
      ]
    ),
    (
      say("The terminal"),
      [
        choice(
          "background", \.background,
          "whether colours must be readable on a light or a dark background; auto: ask the terminal"
        ),
        choice(
          "links", \.links, "make links clickable; auto: on terminals known to support it"),
        onOff("title", \.title, "show the conversation and the unread count in the window's title"),
        choice("width", \.width, "how this terminal counts the columns of emoji"),
        onOff(
          "ambiguous", \.ambiguousIsWide,
          "the width of characters that East Asian fonts draw wide",
          words: ("wide", "narrow")),
        onOff("accessible", \.accessible, "use plain mode; takes effect when hobnob starts"),
      ]
    ),
  ]

  package static let table: [Entry] = sections.flatMap(\.entries)

  /// Changes a setting by name.
  ///
  /// - Parameter commands: the names of all commands, one of which may be meant.
  /// - Throws: a ``Refusal`` that names the existing settings or values.
  mutating func change(
    _ name: String, to value: String, commands: Set<String> = []
  ) throws {
    guard let entry = Self.entry(name) else {
      throw Self.unknown(name, value: value, commands: commands)
    }
    guard entry.set(&self, value) else {
      let names = SafeText(line: entry.values.joinedAsList())
      let values =
        entry.values.isEmpty
        ? say("a number") : entry.takesNumbers ? say("%1, or a number", names) : names
      throw Refusal(
        say(
          "“%2” is not a valid value for %1; use %3.", SafeText(line: name), SafeText(line: value),
          values))
    }
  }

  /// Refuses an unknown setting and names a similar one, the command of that name, or the blank
  /// that belongs in `nick=anna`.
  package static func unknown(
    _ name: String, value: String = "", commands: Set<String> = []
  ) -> Refusal {
    let shown = SafeText(line: name)
    if commands.contains(name) {
      return Refusal(
        say(
          "%1 is a command, not a setting: type /%2.", shown,
          SafeText(line: value.isEmpty ? name : name + " " + value)))
    }
    let names = table.map(\.name) + [KeepSetting.name, NotifySetting.name]
    let parts = name.split(separator: "=", maxSplits: 1).map(String.init)
    if parts.count == 2, names.contains(parts[0]) {
      return Refusal(
        say(
          "%1 is not a setting; put a space after the name: set %2 %3.", shown,
          SafeText(line: parts[0]), SafeText(line: parts[1])))
    }
    guard let near = Spelling.nearest(to: name, among: names) else {
      return Refusal(say("%1 is not a setting; /set lists them.", shown))
    }
    return Refusal(
      say("%1 is not a setting; did you mean %2? /set lists them.", shown, SafeText(line: near)))
  }

  package static func entry(_ name: String) -> Entry? { table.first { $0.name == name } }

  /// How this terminal counts columns, from the setting or, with `auto`, from its name.
  package func terminalWidths(environment: [String: String]) -> Widths {
    let clusters: Widths.Clusters =
      switch width {
      case .unicode: .graphemes
      case .codepoints: .codePoints
      case .tmux: .joinedAsOne
      case .auto: Self.guess(environment)
      }
    return Widths(clusters: clusters, ambiguousIsWide: ambiguousIsWide)
  }

  private static func guess(_ environment: [String: String]) -> Widths.Clusters {
    let term = environment["TERM"] ?? ""
    if environment["TMUX"] != nil || term.hasPrefix("tmux") { return .joinedAsOne }
    if ["WezTerm", "ghostty"].contains(environment["TERM_PROGRAM"] ?? "") { return .graphemes }
    if term.hasPrefix("xterm-kitty") || term.hasPrefix("foot") || term.hasPrefix("contour") {
      return .graphemes
    }
    return .codePoints
  }
}
