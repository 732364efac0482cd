// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText
import Testing

@testable import ChatPreferences
@testable import ChatScripts
@testable import ChatSession

@Suite("The command line")
struct SubcommandTests {
  @Test("11.3: options of every command stand anywhere, with = or without")
  func commonOptions() throws {
    let words = [
      "--as", "ben", "te", "--store=/a=b", "--no-rc", "--rc", "x", "--shared", "--plain",
    ]
    let (command, options) = try WaitScript.read(words)
    #expect(command.conversation == "te")
    #expect([options.as, options.store, options.rc] == ["ben", "/a=b", "x"])
    #expect(options.noRc && options.shared && options.plain)
    #expect(try WaitScript.read(["--as="]).options.as == "")
    #expect(try WaitScript.read(["--", "--as"]).command.conversation == "--as")
  }

  @Test(
    "11.4: a wrong line is refused with what is wrong about it",
    arguments: [
      (["--as"], "--as needs a value: --as <name>"),
      (["--as", "--plain"], "--as needs a value: --as <name>"),
      (["--json=x"], "--json takes no value."),
      (["a", "b"], "Unexpected argument 'b'"),
      (
        ["--timeout", "x"],
        "“x” is not a valid value for --timeout <time>. Give up after this time: seconds, or 90m, 12h."
      ),
      (["--nope"], "Unknown option '--nope'"), (["-x"], "Unknown option '-x'"),
      (["--stroe=x"], "Unknown option '--stroe=x'. Did you mean '--store'?"),
      (["--ment"], "Unknown option '--ment'. Did you mean '--mention'?"),
    ])
  func wrongLines(words: [String], sentence: String) {
    let error = #expect(throws: WrongUsage.self) { try WaitScript.read(words) }
    #expect(error?.sentence.string == sentence)
  }

  @Test("11.4: what a command needs is named, and words that it does not know are refused")
  func missingWords() {
    #expect(throws: WrongUsage.self) { try LogScript.read([]) }
    #expect(throws: WrongUsage.self) { try SearchScript.read(["--json"]) }
    let error = #expect(throws: WrongUsage.self) { try SendScript.read(["te", "--wait", "eaten"]) }
    #expect(
      error?.sentence.string
        == "“eaten” is not a valid value for --wait; use sent, delivered, seen.")
  }

  @Test("--help and --version are answered, whatever else is on the line")
  func help() {
    for words in [["--help"], ["-h"], ["te", "--json", "--help"], ["--version", "--help"]] {
      let request = #expect(throws: HelpRequest.self) { try LogScript.read(words) }
      #expect(request == (words[0] == "--version" ? .version : .help))
    }
  }
}
