// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import Testing

@testable import ChatScripts
@testable import ChatSession

@Suite("The command line")
struct SubcommandTests {
  @Test("11.3: every common option is understood without the parser, too")
  func everyCommonOptionStartsFast() throws {
    let names = OptionNames(of: CommonOptions.self)
    #expect(names.flags.count == 3 && names.withValue.count == 3)
    var options = LaunchOptions()
    for name in names.flags {
      var rest: ArraySlice = ["word"]
      #expect(options.parse(name, from: &rest), "\(name)")
      #expect(rest == ["word"])
    }
    for name in names.withValue {
      var rest: ArraySlice = ["value", "word"]
      #expect(options.parse(name, from: &rest), "\(name)")
      #expect(rest == ["word"])
    }
    #expect([options.store, options.as, options.rc] == ["value", "value", "value"])
    #expect(options.shared && options.noRc && options.plain)
    var rest: ArraySlice = ["word"]
    #expect(options.parse("--store=/a=b", from: &rest) && options.store == "/a=b")
    #expect(rest == ["word"])
  }

  @Test("11.3: an option with a missing or wrong value is left to the parser")
  func restIsForTheParser() {
    for words in [["--as"], ["--as", ""], ["--as", "--plain"], ["--bogus"], ["--as="]] {
      var options = LaunchOptions()
      var rest = words.dropFirst()
      #expect(!options.parse(words[0], from: &rest), "\(words)")
    }
  }

  @Test(
    "11.4: an option that is far from what was typed is not suggested",
    arguments: [("--nope", "--store", false), ("--stroe", "--store", true), ("--ro", "--rc", true)])
  func farGuesses(typed: String, guess: String, isNear: Bool) {
    let unknown = "hobnob: Unknown option '\(typed)'"
    let usage = "\nUsage: hobnob\n  See 'hobnob --help' for more information."
    let said = unknown + ". Did you mean '\(guess)'?" + usage
    #expect(Launch.withoutFarGuess(said) == (isNear ? said : unknown + usage))
    #expect(Launch.withoutFarGuess(unknown + usage) == unknown + usage)
  }

  @Test("11.3: the option names of a command are those in its help")
  func namesAreThoseOfTheHelp() {
    func told(by help: String) -> (flags: Set<String>, withValue: Set<String>) {
      let options = help.matches(of: /(?m)^  (--[a-z-]+)( <)?/)
        .filter { !["--version", "--help"].contains($0.1) }
      return (
        Set(options.filter { $0.2 == nil }.map { String($0.1) }),
        Set(options.filter { $0.2 != nil }.map { String($0.1) })
      )
    }
    let commands: [any Subcommand.Type] = [
      SendScript.self, LogScript.self, SearchScript.self, UnreadScript.self, WaitScript.self,
      ExportScript.self, ImportScript.self, CheckScript.self,
    ]
    for command in commands {
      let (flags, withValue) = told(by: command.helpMessage())
      let names = OptionNames(of: command)
      #expect(names.flags == flags && names.withValue == withValue, "\(command)")
      #expect(flags.count >= 3 && withValue.count >= 3)
    }
  }
}
