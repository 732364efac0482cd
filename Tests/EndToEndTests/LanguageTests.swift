// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import StyledText
import Testing

extension EndToEnd {
  @Suite("The language")
  struct LanguageTests {
    private let home: Home
    /// Follows a catalogue in a locale that no system has.
    private let itsLocale: [String: String?]

    init() throws {
      home = try Home()
      itsLocale = ["LANG": "xx_XX.UTF-8", "TEXTDOMAINDIR": home.path + "/locale"]
    }

    /// Compiles a catalogue of the language xx.
    private func compile(_ translations: [(english: String, own: String)]) throws {
      let heading = #"msgid ""\#nmsgstr "Content-Type: text/plain; charset=UTF-8\n""#
      let entries = translations.map { "msgid \"\($0.english)\"\nmsgstr \"\($0.own)\"" }
      try home.write(([heading] + entries).joined(separator: "\n\n") + "\n", to: "xx.po")
      let folder = home.path + "/locale/xx/LC_MESSAGES"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let compiled = try Program(
        ["msgfmt", "-o", folder + "/hobnob.mo", home.path + "/xx.po"],
        environment: home.environment
      ).finish()
      try #require(compiled.status == 0, "\(compiled.errors)")
    }

    /// What the commands of a batch print.
    private func printed(
      _ lines: String, _ environment: [String: String?]
    ) throws -> (output: String, errors: String) {
      let finished = try home.run(
        ["lobby", "--as", "anna", "--no-rc"], input: lines, environment: environment)
      return (finished.output, finished.errors)
    }

    @Test("is that of the locale, also if the system lacks it; where it lacks words, English")
    func isThatOfTheLocale() throws {
      try compile([
        ("send the line; M-Return begins a new one", "xxx lïne xxx"),
        ("there is no message %1 here", "xx %1 nöt"),
        ("Check the store, and report what the terminal can do.", "Xx störe."),
      ])
      let (output, errors) = try printed("/help\n/info 7\n", itsLocale)
      #expect(output.contains("xxx lïne xxx") && !output.contains("M-Return begins"))
      #expect(output.contains("complete a word or name"))
      #expect(errors.contains("Xx 7 nöt."))
      #expect(try home.run(["--help"], environment: itsLocale).output.contains("Xx störe."))
    }

    @Test("--help has its headings, too, in the language")
    func helpHeadings() throws {
      try compile([
        ("OVERVIEW: ", "Überblick: "), ("USAGE: ", "Aufruf: "), ("OPTIONS:", "Optionen:"),
        ("SUBCOMMANDS:", "Unterbefehle:"), ("(default)", "(Vorgabe!)"),
        ("(default: ", "(Vorgabe: "), ("Show the version.", "Zeigt die Version."),
        ("Show help information.", "Zeigt diese Hilfe."),
        ("See 'hobnob help <subcommand>' for detailed help.", "Mehr: 'hobnob help <subcommand>'."),
      ])
      let main = try home.run(["--help"], environment: itsLocale).output
      #expect(
        main.contains("Aufruf: hobnob [OPTIONS]") && main.contains("\n        hobnob send CONV"))
      let send = try home.run(["send", "--help"], environment: itsLocale).output
      #expect(main.contains("\n  open (Vorgabe!)         Open hobnob"), "\(main)")
      #expect(send.contains("(Vorgabe: 60)\n") && send.contains("Zeigt die Version."))
      #expect(main.hasSuffix("\n  Mehr: 'hobnob help <subcommand>'.\n"), "\(main)")
      for word in ["OVERVIEW", "USAGE", "OPTIONS:", "SUBCOMMANDS", "default", "Show "] {
        #expect(!(main + send).contains(word), "\(word)")
      }
      #expect(send.contains("ARGUMENTS:"))
    }

    @Test(
      "is English in the locale C, and if the best language is English",
      arguments: [
        ["LC_ALL": "C"], ["LC_ALL": "C", "LANGUAGE": "xx"], ["LC_MESSAGES": "POSIX"],
        ["LANGUAGE": "en:xx"], ["LANG": "yy_YY.UTF-8"],
      ])
    func isEnglish(changes: [String: String]) throws {
      try compile([("send the line; M-Return begins a new one", "xxx line xxx")])
      let environment = itsLocale.merging(changes) { $1 }
      let output = try printed("/help\n", environment).output
      #expect(output.contains("M-Return begins") && !output.contains("xxx line"))
    }

    @Test("a catalogue cannot bring control characters to the terminal")
    func hostileCatalogue() throws {
      let evil = #"\033[31mrot\007\r\302\233 "#
      try compile([
        ("send the line; M-Return begins a new one", evil),
        ("there is no message %1 here", evil + "%1"),
        ("Check the store, and report what the terminal can do.", evil),
        ("--recover cannot be combined with --deep, --compact or --backup.", evil),
        ("There is no account %1 in this store.", evil + "%1"),
      ])
      func expectClean(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(text.contains("[31mrot"), sourceLocation: sourceLocation)
        let isClean = text.unicodeScalars.allSatisfy {
          $0 == "\n" || $0.properties.generalCategory != .control
        }
        #expect(isClean, "\(text.debugDescription)", sourceLocation: sourceLocation)
      }
      let (output, errors) = try printed("/help\n/info 7\n", itsLocale)
      expectClean(output)
      expectClean(errors)
      expectClean(try home.run(["--help"], environment: itsLocale).output)
      expectClean(try home.run(["check", "--recover", "--deep"], environment: itsLocale).errors)
      let network = try Program(
        [Correspondent.networkProgram, home.store, "xmpp:nobody@example.org"],
        environment: home.environment.merging(itsLocale.compactMapValues { $0 }) { $1 }
      ).finish()
      expectClean(network.errors)
    }

    @Test("a damaged catalogue is ignored, and one in a less exact language is used")
    func damagedCatalogue() throws {
      try compile([("Check the store, and report what the terminal can do.", "Xx störe.")])
      let path = home.path + "/locale/xx/LC_MESSAGES/hobnob.mo"
      let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
      func help(_ changes: [String: String] = [:]) throws -> (status: Int32, output: String) {
        let run = try home.run(["--help"], environment: itsLocale.merging(changes) { $1 })
        return (run.status, run.output)
      }
      var damages: [[UInt8]] = [[], Array(whole.prefix(27)), Array(whole.dropLast())]
      // Every number of the heading and of the tables, and one text without its end.
      for offset in stride(from: 0, to: whole.count - 3, by: 4) where offset < 76 {
        damages.append(whole)
        damages[damages.count - 1].replaceSubrange(offset..<offset + 4, with: [1, 2, 255, 127])
      }
      for damaged in damages {
        try Data(damaged).write(to: URL(fileURLWithPath: path))
        let (status, output) = try help()
        #expect(status == 0 && output.contains("Check the store, and"), "\(damaged.prefix(80))")
      }
      try Data(whole).write(to: URL(fileURLWithPath: path))
      let territory = home.path + "/locale/xx_XX/LC_MESSAGES"
      try FileManager.default.createDirectory(
        atPath: territory, withIntermediateDirectories: true)
      try Data(damages[4]).write(to: URL(fileURLWithPath: territory + "/hobnob.mo"))
      #expect(try help().output.contains("Xx störe."))
      #expect(try help(["LANG": "C.UTF-8", "LANGUAGE": "xx_XX"]).output.contains("Xx störe."))
    }

    @Test("is also that of the shell at a terminal")
    func isThatOfTheShell() throws {
      try compile([("You are not away.", "Xx da.")])
      let anna = try home.shellInLobby(as: "anna", environment: itsLocale)
      try anna.type("/back\r", seeing: "Xx da.")
    }

    @Test("/can is a table in a language whose characters are two columns wide")
    func wideTable() throws {
      let labels = [("edit", "編集"), ("recall", "取り消し"), ("react", "リアクションを付ける")]
      try compile(labels + [("history", "履歴")])
      let anna = try home.shellInLobby(as: "anna", environment: itsLocale)
      try anna.type("/can\r", seeing: "everything, also")
      let meanings = ["at any time", "/cancel, as", "one reaction", "everything, also"]
      let columns = meanings.map { meaning in
        let row = anna.emulator.history.first { $0.contains(meaning) } ?? ""
        return Widths().columns(
          of: String(row[..<(row.firstRange(of: meaning)?.lowerBound ?? row.endIndex)]))
      }
      // Two blanks before the longest label, and one after it.
      #expect(columns == Array(repeating: 2 + 20 + 1, count: columns.count))
    }

    @Test("lists have the separator of the language")
    func lists() throws {
      try compile([("%1, %2", "%1、%2")])
      let (_, errors) = try printed("/set live-menu maybe\n/theme none\n", itsLocale)
      #expect(errors.contains("on、off"))
      #expect(errors.firstMatch(of: /the themes are \S+、\S+/) != nil, "\(errors)")
    }

    @Test("2.5: names have the order of the locale, in menus and in lists")
    func order() throws {
      let compiled = try Program(
        ["localedef", "-i", "sv_SE", "-f", "UTF-8", home.path + "/sv_SE.UTF-8"],
        environment: home.environment
      ).finish()
      if compiled.status != 0 { try Test.cancel("install locales, for its Swedish one") }
      // Swedish: B, c, Z, Å; ü is a y. By numbers: B, Z, c, Å; without accents: Å, B, c, Z.
      for name in ["Åsa", "Zoe", "Bea", "carl", "anna"] {
        let made = try home.run(
          ["tea", "--create", "--as", name],
          input: name == "anna" ? "/mute #zoo\n/mute #über\n" : "/join #zoo,#über\n")
        try #require(made.status == 0, "\(made.errors)")
      }
      let swedish: [String: String?] = ["LANG": "sv_SE.UTF-8", "LOCPATH": home.path]
      let lines = "/mute\n/list\n/who\nhi\n/info\n"
      func expectOrder(
        _ environment: [String: String?], rooms: String, people: String, menu: String,
        sourceLocation: SourceLocation = #_sourceLocation
      ) throws {
        let output = try home.run(
          ["tea", "--as", "anna"], input: lines, environment: environment
        ).output
        let words = output.split(whereSeparator: \.isWhitespace).map(String.init)
        let found = { (names: [String]) in words.filter(names.contains).joined(separator: " ") }
        #expect(
          found(["#zoo", "#über"]) == rooms + " " + rooms, "\(output)",
          sourceLocation: sourceLocation)
        #expect(
          found(["carl", "Åsa", "Zoe", "Bea"]).hasPrefix(people), "\(output)",
          sourceLocation: sourceLocation)
        let anna = try home.shellInLobby(as: "anna", environment: environment)
        try anna.type("@", seeing: menu, sourceLocation: sourceLocation)
      }
      try expectOrder(
        swedish, rooms: "#über #zoo", people: "Bea carl Zoe Åsa", menu: "@Bea\n@carl\n@Zoe\n@Åsa")
      try expectOrder(
        [:], rooms: "#zoo #über", people: "Bea Zoe carl Åsa", menu: "@Åsa\n@Bea\n@carl\n@Zoe")
      try expectOrder(
        swedish.merging(["LC_ALL": "C.UTF-8"]) { $1 }, rooms: "#zoo #über",
        people: "Bea Zoe carl Åsa", menu: "@Åsa\n@Bea\n@carl\n@Zoe")
    }

    @Test("a UTF-8 locale that the system lacks has the marks and the programs of UTF-8")
    func lackingLocaleIsUTF8() throws {
      let environment: [String: String?] = [
        "LC_ALL": "xx_XX.UTF-8", "EDITOR": "sh -c 'printf %s,%s \"$LANG\" \"$LC_ALL\" >$1' -",
        "VISUAL": nil,
      ]
      let anna = try home.shellInLobby(as: "anna", environment: environment)
      try anna.type("hello\r", seeing: "✓ sent")
      try anna.type("\u{18}\u{05}", seeing: "C.UTF-8,")
    }
  }
}
