// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

extension EndToEnd {
  @Suite("11.3: hobnob unread --format")
  struct UnreadScriptTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    private func line(_ format: String, as name: String = "anna") throws -> Program.Finished {
      try home.run(["unread", "--as", name, "--format", format])
    }

    /// Messages that anna has not read: two in the lobby, and for her one in tea and two alone.
    private func fill() throws {
      for room in ["lobby", "tea"] {
        _ = try home.run(["open", room, "--as", "anna"], input: "/list\n")
      }
      try home.say("hello", as: "ben")
      try home.say("hello", as: "ben")
      try home.say("hello all", as: "ben", in: "tea")
      try home.say("@anna: hello", as: "ben", in: "tea")
      try home.say("one", as: "ben", in: "@anna")
      try home.say("two", as: "ben", in: "@anna")
    }

    @Test("fills in what is unread, the most urgent first")
    func fillsIn() throws {
      try fill()
      #expect(
        try line("%n %t%! %f of %c, 100%%\u{1B}[1m").output == "#tea 6! 3 of 3, 100%^[[1m\n")
    }

    @Test("marks nothing as urgent where nothing is for me")
    func notForMe() throws {
      _ = try home.run(["--as", "anna"], input: "hi\n")
      try home.say("hello", as: "ben")
      #expect(try line("%t%!%f").output == "10\n")
    }

    @Test("prints nothing if nothing is unread")
    func nothing() throws {
      try fill()
      let nothing = Program.Finished(status: 0, output: "", errors: "")
      #expect(try line("%t", as: "ben") == nothing)
      #expect(try line("%t", as: "nobody") == nothing)
    }

    @Test("creates no store, and waits for no lock")
    func neitherCreatesNorWaits() throws {
      let nothing = Program.Finished(status: 0, output: "", errors: "")
      #expect(try line("%t") == nothing)
      #expect(access(home.path + "/.local", F_OK) != 0)
      try fill()
      let holder = try home.lock("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE")
      #expect(try line("%t") == Program.Finished(status: 1, output: "", errors: ""))
      holder.closeInput()
      _ = holder.finish()
      #expect(try line("%t").output == "6\n")
    }

    @Test("11.4: refuses a place that means nothing", arguments: ["%x", "50%"])
    func refuses(format: String) throws {
      let finished = try line(format)
      #expect(finished.status == 64)
      #expect(finished.output == "")
      #expect(finished.errors.contains("not \(format.drop { $0 != "%" })."), "\(finished.errors)")
    }

    @Test("the samples use a valid format, in tmux as well")
    func samples() throws {
      try fill()
      let samples = Repository.files(below: "share/hobnob/samples", endings: [""]).filter {
        !$0.hasSuffix(".json")
      }
      #expect(samples.count == 4)
      for sample in samples {
        let text = try Repository.text(of: sample)
        let format = try #require(text.firstMatch(of: /--format ['"](.*?)['"]/)?.1, "\(sample)")
        // tmux fills in the time first.
        let isTmux = sample.hasSuffix("tmux.conf")
        let filled = isTmux ? format.replacing("%%", with: "%") : format
        // A name in it is for programs that neither expand nor run what they are given.
        let shown = isTmux ? "##tea 6!" : sample.hasSuffix("starship.toml") ? "6!" : "#tea 6!"
        #expect(try line(String(filled)).output.contains(shown), "\(sample)")
      }
    }

    @Test(
      "12.1: tmux and bash show a room's name as it is, by their samples",
      arguments: ["hobnob", "[fg=red]x", "$(touch${IFS}pwned)", "`touch${IFS}pwned`", "a#{pid}#[x"])
    func hostileNames(room: String) throws {
      _ = try home.run(["--as", "anna"], input: "/join \(room)\n")
      _ = try home.run(["--as", "ben"], input: "/join \(room)\nhello\n")
      let shown = "#\(room) 1"
      let once = try line("%N %t").output.trimmingCharacters(in: .newlines)
      let tmux = try Program(
        [
          "tmux", "-S", home.path + "/tmux", "-f", "/dev/null", "new-session", "-d", ";",
          "display-message", "-p", once, ";", "kill-server",
        ], environment: home.environment
      ).finish()
      // What remains of #[ after the expansion, the status line draws as #[.
      #expect(tmux.output.replacing("##", with: "#") == shown + "\n", "\(tmux)")
      let sample = try Repository.text(of: "share/hobnob/samples/bashrc")
      let program =
        "hobnob() { \(Home.program) \"$@\" --as anna; }; PS1=; \(sample)\necho \"${PS1@P}\""
      let bash = try Program(["bash", "-c", program], environment: home.environment).finish()
      #expect(bash.output == "(\(shown)) \n", "\(bash)")
      #expect(!FileManager.default.fileExists(atPath: home.path + "/pwned"))
    }
  }
}
