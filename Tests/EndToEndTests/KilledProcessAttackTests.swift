// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Glibc
import Repeatable
import Testing

extension EndToEnd {
  @Suite("Killed in the middle, whatever it does")
  struct KilledProcessAttackTests {
    /// What is killed, as it is typed.
    private static let commands = [
      "import big.jsonl", "export --output out.jsonl", "check --recover",
      "check --backup copy.sqlite", "log lobby --follow", "wait lobby",
      "send lobby killed --attach file", "search words --all",
    ]

    private func bodies(_ home: Home, _ store: String? = nil) throws -> [String: Int] {
      let store = try Store(path: store ?? home.store)
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let room = try #require(try store.read { try $0.room("lobby") })
      return try store.read { try $0.messages(in: room.id, limit: 1_000_000, for: me) }
        .reduce(into: [:]) { $0[$1.body, default: 0] += 1 }
    }

    /// Names in the home and beside the store that a person does not expect there.
    private func leftovers(_ home: Home) throws -> [String] {
      try [home.path, (home.store as NSString).deletingLastPathComponent].flatMap {
        try FileManager.default.contentsOfDirectory(atPath: $0)
      }.filter { $0.hasPrefix(".hobnob-") || $0.hasPrefix("import-") }
    }

    @Test(
      "the store is whole, nothing is lost or doubled, and the next run leaves nothing behind",
      arguments: commands)
    func killed(command: String) throws {
      let home = try Home()
      try home.write(String(repeating: "file ", count: 400_000), to: "file")
      try home.write(Home.export(1500), to: "first.jsonl")
      try home.write(Home.export(1500, from: 10_000), to: "big.jsonl")
      #expect(try home.run(["import", home.path + "/first.jsonl"]).status == 0)
      let words = command.split(separator: " ").map { word in
        word.contains(".") || word == "file" ? home.path + "/" + word : String(word)
      }
      var longest = 0.2
      for round in 0..<LongRun.rounds(1) {
        var random = FixedRandom(seed: LongRun.seed &+ UInt64(round))
        let place: Comment = "HOBNOB_SEED=\(LongRun.seed), \(command), round \(round)"
        let before = try bodies(home)
        let work = try home.start(words + ["--as", "anna"])
        _ = work.wait(for: longest * Double(random.below(1000)) / 1000) { $0.hasEnded }
        work.kill(SIGKILL)
        let isDone = work.finish().status == 0
        // About half of them are to be killed, whatever the speed of the machine.
        longest *= isDone ? 0.8 : 1.25
        longest = min(longest, 2)

        #expect(try home.run(["check"]).status == 0, place)
        let after = try bodies(home)
        #expect(after.allSatisfy { $0.value == 1 || $0.key == "killed" }, place)
        for (text, times) in before { #expect(after[text, default: 0] >= times, place) }
        let new = after.values.reduce(0, +) - before.values.reduce(0, +)
        switch words[0] {
        case "send": #expect(isDone ? new == 1 : new <= 1, place)
        case "import": #expect(isDone ? new == 1500 || new == 0 : new == 0 || new == 1500, place)
        default: #expect(new == 0, place)
        }
        try inspect(home, after, place)
        guard ["export", "check"].contains(words[0]) else { continue }
        #expect(try home.run(words).status == 0, place)
        #expect(try leftovers(home) == [], place)
        try inspect(home, after, place)
      }
    }

    /// What a command made is whole or not there; makes room for the next.
    private func inspect(_ home: Home, _ wanted: [String: Int], _ place: Comment) throws {
      let folder = (home.store as NSString).deletingLastPathComponent
      for made in [folder + "/store.recovered.sqlite", home.path + "/copy.sqlite"]
      where FileManager.default.fileExists(atPath: made) {
        #expect(try bodies(home, made) == wanted, place)
        for ending in ["", "-wal", "-shm"] { unlink(made + ending) }
        unlink((made as NSString).deletingPathExtension + ".bell")
      }
      let export = home.path + "/out.jsonl"
      if let text = try? String(contentsOfFile: export, encoding: .utf8) {
        #expect(text.hasSuffix(#"{"type":"end"}"# + "\n"), place)
        unlink(export)
      }
    }

    @Test(
      "a shell in its pager or editor: the line is a draft, the store whole",
      arguments: ["pager", "editor"])
    func shells(child: String) throws {
      let home = try Home()
      try home.write("sleep 60\n", to: "child")
      for round in 0..<LongRun.rounds(1) {
        let text = "sent \(round)."
        try home.say((1...30).map { "\($0)" }.joined(separator: "\n"), as: "ben")
        let shell = try home.shell(
          as: "anna", ["lobby"], rows: 10,
          environment: [
            "PAGER": "sh \(home.path)/child", "EDITOR": "sh \(home.path)/child",
            "TMPDIR": home.path,
          ])
        try shell.expect("#lobby> ")
        shell.send("\u{15}")
        try shell.type(text + "\r", seeing: "anna: " + text)
        shell.send(child == "pager" ? "/info -2\r" : "begun\u{18}\u{05}")
        _ = shell.wait(for: 0.3) { _ in false }
        shell.kill(SIGKILL)
        #expect(shell.waitForExit(seconds: 10) == 128 + SIGKILL)
        #expect(try bodies(home)[text] == 1, "round \(round)")
        #expect(try home.run(["check"]).status == 0)
      }
    }
  }
}
