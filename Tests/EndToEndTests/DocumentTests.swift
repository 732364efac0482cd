// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

@Suite("README and manual")
struct DocumentTests {
  @Test("the README has exactly two blocks of commands, CI runs the second, and it is short")
  func hasTwoCommands() throws {
    let readme = try Repository.text(of: "README.md")
    let blocks = readme.matches(of: /(?s)```sh\n(.*?)\n```/).map { String($0.1) }
    try #require(blocks.count == 2)
    #expect(blocks.allSatisfy { $0.hasPrefix("make ") && !$0.contains("\n") })
    #expect(blocks[0].contains("make install"))
    let run = try Repository.text(of: ".ci/run")
    #expect(run.contains(blocks[1]))
    // It is for people who use hobnob; the pages beside the sources are for those who change it.
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 221)
  }

  @Test("the commands without make are those of make")
  func makefileIsTheSame() throws {
    let readme = try Repository.text(of: "Sources/README.md")
    let section = try #require(readme.firstMatch(of: /(?s)Without `make`.*?```text\n(.*?)```/)?.1)
    let plain = section.split(separator: "\n").map { $0.drop { $0 == "$" || $0 == " " } }
    let made = try Program(
      ["make", "-n", "-C", Repository.root.path, "test-deps", "all", "install", "check"],
      environment: ["PATH": "/usr/bin:/bin"]
    ).finish()
    #expect(made.status == 0, "\(made.errors)")
    for line in plain {
      let words = line.split(separator: " ").filter { !["sudo", "-y"].contains($0) }
      let isThere = made.output.split(separator: "\n").contains { command in
        words.allSatisfy { command.contains($0.hasSuffix("/") ? $0.dropLast() : $0) }
      }
      #expect(isThere, "\(line)")
    }
  }

  @Test("the README's commands install the programs that hobnob and the tests start")
  func installsWhatIsStarted() throws {
    let makefile = try Program(
      ["make", "-n", "-C", Repository.root.path, "test-deps"],
      environment: ["PATH": "/usr/bin:/bin"]
    ).finish().output
    let installed = Set(makefile.split(whereSeparator: \.isWhitespace))
    let packages: [Substring: Substring] = [
      "localedef": "locales", "msgfmt": "gettext", "pkill": "procps", "python3": "python3-slixmpp",
      "vi": "vim-tiny",
      "xdg-open": "xdg-utils",
    ]
    // Of packages without which there is no Debian, or nothing that could be built.
    let everywhere: Set<Substring> = [
      "bash", "cat", "chown", "clang", "cp", "install", "make", "prlimit", "setpriv", "setsid",
      "sh", "sleep", "unshare",
    ]
    // The pager, the editor, what opens addresses.
    var started: Set<Substring> = ["less", "vi", "xdg-open"]
    for path in Repository.files(below: "Tests", endings: [".swift"]) {
      let text = try Repository.text(of: path)
      let calls = /(?:Program\(|command: |Prosody\.run\(|ChildProcess\.start\()\s*\[\s*"([^"\\$]+)"/
      for call in text.matches(of: calls) {
        if let name = call.1.split(separator: "/").last { started.insert(name) }
      }
    }
    try #require(started.isSuperset(of: ["pkill", "sqlite3"]))
    for name in started.subtracting(everywhere).subtracting(["hobnob"]) {
      #expect(installed.contains(packages[name] ?? name), "nothing installs \(name)")
    }
  }

  @Test("make install puts program, manual and shared files below PREFIX, uninstall removes it")
  func installsEverything() throws {
    let home = try Home()
    func make(_ target: String) throws -> Program.Finished {
      try Program(
        [
          "make", "-C", Repository.root.path, target,
          "BUILT=\(URL(fileURLWithPath: Home.program).deletingLastPathComponent().path)",
          "DESTDIR=\(home.path)", "PREFIX=/opt/h", "LOCALES=\(home.path)/locale",
        ], environment: ["PATH": "/usr/bin:/bin"]
      ).finish()
    }
    func files(below folder: String) -> Set<String> {
      let found = FileManager.default.enumerator(atPath: folder)
      var files: Set<String> = []
      while let path = found?.nextObject() as? String {
        if found?.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
          files.insert(path)
        }
      }
      return files
    }
    let installed = home.path + "/opt/h"
    #expect(try make("catalogues").status == 0)
    let finished = try make("install")
    try #require(finished.status == 0, "\(finished.errors)")
    let pages = Self.pages.map { "share/man/man\($0.suffix(1))/\($0.dropFirst(4))" }
    #expect(pages.count == 7)
    let shared = files(below: Repository.root.path + "/share/hobnob").map { "share/hobnob/" + $0 }
    let catalogues = CatalogueFile.languages.map { "share/locale/\($0)/LC_MESSAGES/hobnob.mo" }
    let programs =
      ["bin/hobnob"]
      + ["deltachat", "echo", "folder", "matrix"].map { "libexec/hobnob/networks/hobnob-net-\($0)" }
      + ["bridge", "irc", "xmpp"].map { "libexec/hobnob/hobnob-\($0)" }
    let completions = [
      "share/bash-completion/completions/hobnob", "share/zsh/site-functions/_hobnob",
      "share/fish/vendor_completions.d/hobnob.fish",
    ]
    #expect(files(below: installed) == Set(programs + pages + shared + catalogues + completions))
    for path in completions {
      #expect(
        try String(contentsOfFile: "\(installed)/\(path)", encoding: .utf8).contains(
          "---completion"))
    }
    let service = try String(
      contentsOfFile: installed + "/share/hobnob/hobnob@.service", encoding: .utf8)
    #expect(service.contains("\nExecStart=/opt/h/bin/hobnob connect %i\n"))
    let page = try String(contentsOfFile: installed + "/share/man/man1/hobnob.1", encoding: .utf8)
    #expect(page.contains("\n.It Pa /opt/h/share/hobnob\n"))
    let bridge = try String(
      contentsOfFile: installed + "/share/man/man7/hobnob-bridge.7", encoding: .utf8)
    #expect(bridge.contains("\ncp /opt/h/libexec/hobnob/networks/hobnob-net-echo hobnob-net-tea\n"))
    #expect(try make("uninstall").status == 0)
    #expect(files(below: installed) == [])
  }

  @Test("below /usr/local, the completions for fish are where Debian's fish looks")
  func fishFindsCompletions() throws {
    let home = try Home()
    let makefile = try Program(
      [
        "make", "-n", "-C", Repository.root.path, "install", "BUILT=/nowhere",
        "DESTDIR=\(home.path)",
      ], environment: ["PATH": "/usr/bin:/bin"]
    ).finish().output
    let script = try #require(makefile.firstMatch(of: /fish:(\$\([^)]*\)[^; ]*)/)?.1)
    let path = try Program(
      ["sh", "-c", "cd /usr/local && realpath -m \(script)"], environment: ["PATH": "/usr/bin:/bin"]
    ).finish().output
    let folders = try Program(
      ["fish", "-c", "string join \\n $fish_complete_path"],
      environment: ["HOME": home.path, "PATH": "/usr/bin:/bin"]
    ).finish().output
    let name = try #require(path.split(separator: "\n").first)
    #expect(name.hasSuffix("/hobnob.fish"), "\(path)")
    #expect(folders.split(separator: "\n").contains(name.dropLast("/hobnob.fish".count)), "\(name)")
  }

  @Test("the newest version in the changelog is that of the program and of its packages")
  func hasOneVersion() throws {
    let made = try Program(
      ["make", "-s", "-C", Repository.root.path, "version"], environment: ["PATH": "/usr/bin:/bin"]
    ).finish().output
    let said = try Program([Home.program, "--version"], environment: [:]).finish().output
    #expect(said == "hobnob " + made)
    let changelog = try Repository.text(of: "share/CHANGELOG.md")
    let newest = try #require(changelog.firstMatch(of: /(?m)^## (.*)$/)?.1)
    #expect(made == newest + "\n")
  }

  /// Foundation costs 45 MB and several milliseconds; what is a value or pure has no use for the
  /// system.
  @Test(
    "no source file has an import it does not need",
    arguments: [
      ("Sources", "Foundation"), ("Sources/StyledText", "Glibc"), ("Sources/Composer", "Glibc"),
    ])
  func importsNothingHeavy(folder: String, module: String) throws {
    let files = Repository.files(below: folder, endings: [".swift"])
    #expect(files.count > 10)
    for file in files {
      let imports = try Repository.text(of: file).matches(
        of: /(?m)^(?:@\w+ )*(?:\w+ )?import (?:\w+ )?(\w+)/)
      #expect(!imports.contains { $0.1.hasPrefix(module) }, "\(file)")
    }
  }

  @Test(
    "9: the program in a library's article is the example, which tests run",
    arguments: [
      ("Composer/Composer.docc/AnInputBarInYourProgram.md", "hobnob-bar-example"),
      (storeArticle, "hobnob-store-example"),
    ])
  func articlesHaveTheExamples(article: String, example: String) throws {
    let text = try Repository.text(of: "Sources/" + article)
    let program = try #require(text.firstMatch(of: /(?s)```swift\n(.*?)```/)?.1)
    #expect(try program == Repository.text(of: "Sources/\(example)/main.swift"))
  }

  @Test("the example of a store prints what its article shows")
  func storeExampleRuns() throws {
    let text = try Repository.text(of: "Sources/" + Self.storeArticle)
    let shown = try #require(text.firstMatch(of: /(?s)```text\n\$ [^\n]*\n(.*?)```/)?.1)
    let home = try Home()
    let finished = try withExtendedLifetime(home) {
      try Program([Home.program + "-store-example", home.path + "/cups.sqlite"], environment: [:])
        .finish()
    }
    #expect(finished == Program.Finished(status: 0, output: String(shown), errors: ""))
  }

  @Test("the manual is clean, down to style", arguments: pages)
  func manualIsClean(page: String) throws {
    let path = Repository.root.appendingPathComponent(page).path
    let lint = try Program(
      ["mandoc", "-Tlint", "-Wstyle", path], environment: ["PATH": "/usr/bin:/bin"])
    let finished = lint.finish()
    // It also names pages that are not installed here.
    let found = finished.output.split(separator: "\n").filter {
      !$0.contains("mandoc.db") && !$0.contains("referenced manual not found")
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("pages refer to each other by existing names")
  func referencesAreThere() throws {
    try #require(Self.pages.count == 7)
    let own = Set(Self.pages.map { URL(fileURLWithPath: $0).lastPathComponent })
    for page in Self.pages {
      let source = try Repository.text(of: page)
      let named = source.matches(of: /(?m)^\.Xr (hobnob\S*) (\d)/).map { "\($0.1).\($0.2)" }
      #expect(!named.isEmpty)
      #expect(Set(named).subtracting(own).isEmpty, "in \(page)")
    }
  }

  private static let storeArticle = "Conversations/Conversations.docc/TwoPeopleInARoom.md"
  private static let pages = Repository.files(below: "man", endings: [".1", ".5", ".7"])
}
