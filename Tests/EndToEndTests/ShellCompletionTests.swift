// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("TAB in other shells")
  struct ShellCompletionTests {
    /// A shell that reads hobnob's script from where it looks for one.
    enum OtherShell: String, CaseIterable {
      case bash, zsh, fish

      /// Where its settings are in a home, and the settings that find `script`.
      func settings(script: String) -> (file: String, text: String) {
        switch self {
        case .bash: (".bashrc", "PS1='$ '; . \(script)/bash")
        case .zsh:
          (".zshrc", "PS1='$ '; fpath=(\(script) $fpath); autoload -Uz compinit; compinit -u -D")
        case .fish:
          (
            ".config/fish/config.fish",
            "set fish_greeting; function fish_prompt; printf '$ '; end; source \(script)/fish"
          )
        }
      }

      func command(home: String) -> [String] {
        self == .bash ? ["bash", "--rcfile", home + "/.bashrc", "-i"] : [rawValue, "-i"]
      }

      var isThere: Bool {
        ["/bin/", "/usr/bin/"].contains { access($0 + rawValue, X_OK) == 0 }
      }
    }

    private let home: Home

    init() throws {
      home = try Home()
    }

    /// A shell at its prompt, with the built hobnob in its path.
    private func open(_ kind: OtherShell) throws -> PseudoTerminal {
      if !kind.isThere { try Test.cancel("install \(kind.rawValue) to test its completion") }
      let folder = home.path + "/bin"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try? FileManager.default.createSymbolicLink(
        atPath: folder + "/hobnob", withDestinationPath: Home.program)
      let script = try home.run(["--generate-completion-script", kind.rawValue])
      try #require(script.status == 0, "\(script.errors)")
      try home.write(script.output, to: "scripts/" + (kind == .zsh ? "_hobnob" : kind.rawValue))
      let settings = kind.settings(script: home.path + "/scripts")
      try home.write(settings.text + "\n", to: settings.file)
      var environment = home.environment
      environment["PATH"] = folder + ":/usr/bin:/bin"
      let shell = try PseudoTerminal(
        command: kind.command(home: home.path), environment: environment, columns: 100)
      try shell.expect("$ |", for: 20)
      return shell
    }

    /// Types a line, and empties it again.
    private func expect(
      _ shell: PseudoTerminal, completes typed: String, to line: String,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try shell.type(typed, seeing: "$ " + line, sourceLocation: sourceLocation)
      shell.send("\u{15}")
      try shell.expect("$ |", for: 20)
    }

    private func fill() throws {
      for room in ["tea", "o'brien", "cost$(touch${IFS}broken)", "dev;ops"] {
        let made = try home.run(["send", room, "--as", "anna", "--create", "hello"])
        try #require(made.status == 0, "\(made.errors)")
      }
      try home.say("hello", as: "ben")
    }

    @Test("completes commands, options, conversations and people", arguments: OtherShell.allCases)
    func completes(kind: OtherShell) throws {
      try fill()
      let shell = try open(kind)
      try home.write("", to: "notes of tea.txt")
      let rows = [
        ("hobnob sea\t", "hobnob search |"),
        ("hobnob --as ben unr\t", "hobnob --as ben unread |"),
        ("hobnob log --fo\t", "hobnob log --follow |"),
        ("hobnob te\t", "hobnob tea |"),
        ("hobnob --as ben te\t", "hobnob --as ben tea |"),
        ("hobnob --as an\t", "hobnob --as anna |"),
        ("hobnob log te\t", "hobnob log tea |"),
        ("hobnob --as ben log te\t", "hobnob --as ben log tea |"),
        ("hobnob send @an\t", "hobnob send @anna |"),
        ("hobnob export tea @be\t", "hobnob export tea @ben |"),
        ("hobnob log '#te\t", "hobnob log '#tea' |"),
        ("hobnob send tea --wait del\t", "hobnob send tea --wait delivered |"),
        ("hobnob send tea --wait=del\t", "hobnob send tea --wait=delivered |"),
        ("hobnob --as=an\t", "hobnob --as=anna |"),
        ("hobnob --as=ben log te\t", "hobnob --as=ben log tea |"),
        ("hobnob --as=ben send tea --wait=del\t", "hobnob --as=ben send tea --wait=delivered |"),
        ("hobnob help sea\t", "hobnob help search |"),
        ("hobnob log o\t", #"hobnob log o\'brien |"#),
        ("hobnob log dev\t", #"hobnob log dev\;ops |"#),
        (
          "hobnob import \(home.path)/not\t",
          #"hobnob import \#(home.path)/notes\ of\ tea.txt |"#
        ),
      ]
      for (typed, line) in rows { try expect(shell, completes: typed, to: line) }
    }

    @Test("12: a name is never a command", arguments: OtherShell.allCases)
    func isNoCommand(kind: OtherShell) throws {
      try fill()
      let shell = try open(kind)
      shell.send("cd\r")
      try shell.expect("$ |")
      shell.send("hobnob log cos\t")
      try shell.expect(#"cost\$\(touch\$\{IFS\}broken\)"#)
      shell.send("\u{15}hobnob log \t\t")
      try shell.expect("tea")
      try #require(access(home.path + "/broken", F_OK) != 0)
    }

    @Test("11.3: creates no store", arguments: OtherShell.allCases)
    func createsNothing(kind: OtherShell) throws {
      let shell = try open(kind)
      try expect(shell, completes: "hobnob log lob\t", to: "hobnob log lob|")
      try expect(shell, completes: "hobnob log --fo\t", to: "hobnob log --follow |")
      #expect(access(home.path + "/.local/share/hobnob", F_OK) != 0)
    }

    /// What the program answers to a completion script.
    private func names(_ words: String..., in changes: [String: String] = [:]) throws
      -> Program.Finished
    {
      try home.run(
        ["---completion", "fish"] + words,
        environment: changes.mapValues { $0 })
    }

    @Test("offers no names of a store that is locked, damaged, older or empty")
    func needsASoundStore() throws {
      try fill()
      #expect(try names("hobnob", "log", "te").output == "tea\n")
      let nothing = Program.Finished(status: 0, output: "", errors: "")
      let holder = try home.lock("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE")
      #expect(try names("hobnob", "log", "te") == nothing)
      holder.closeInput()
      _ = holder.finish()
      #expect(try names("hobnob", "log", "te").output == "tea\n")
      for text in ["", "no store"] {
        try home.write(text, to: "other.sqlite")
        let path = home.path + "/other.sqlite"
        #expect(try names("hobnob", "--store", path, "log", "te") == nothing)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
      }
      let older = try Program(
        ["sqlite3", home.store, "PRAGMA user_version=0"], environment: home.environment)
      try #require(older.finish().status == 0)
      #expect(try names("hobnob", "log", "te") == nothing)
    }

    @Test("follows --store and --as of the line, and a name's signs")
    func followsTheLine() throws {
      try fill()
      try home.say("hello", as: "anna", in: "@ben")
      #expect(try names("hobnob", "log", "@").output == "@anna\n@ben\n")
      #expect(try names("hobnob", "log", "--as", "anna", "@").output == "@ben\n")
      #expect(try names("hobnob", "log", "#T").output == "#tea\n")
      let all = try names("hobnob", "log", "--as", "anna", "").output
      #expect(all.hasSuffix("\ntea\n@ben\n"), "\(all)")
      let elsewhere = ["HOBNOB_STORE": home.path + "/none.sqlite"]
      #expect(try names("hobnob", "log", "te", in: elsewhere).output == "")
      let quoted = "'" + home.store + "'"
      #expect(
        try names("hobnob", "log", "--store", quoted, "te", in: elsewhere).output == "tea\n")
    }
  }
}
