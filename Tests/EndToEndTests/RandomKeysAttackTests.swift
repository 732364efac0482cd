// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Glibc
import Repeatable
import Testing

extension EndToEnd {
  /// Whatever is typed, the shell lives, answers and leaves as always. Memory that was freed is
  /// overwritten, so that what still uses it is seen.
  @Suite("Random keys", .serialized)
  struct RandomKeysAttackTests {
    enum Mode: String, CaseIterable {
      case emacs, vi, plain
    }

    @Test(
      "1.15: 250 keys, most of them history, search, undo and Return", arguments: Mode.allCases)
    func keys(mode: Mode) throws {
      for round in 0..<LongRun.rounds(4) {
        var dice = FixedRandom(seed: LongRun.seed &* 1_000_003 &+ UInt64(round))
        let keys = (0..<250).flatMap { _ in RandomKeys.key(mode: mode, &dice) }
        try expectLife(mode, after: keys, "round \(round)")
      }
    }

    @Test("1.15: garbage", arguments: Mode.allCases)
    func garbage(mode: Mode) throws {
      var dice = FixedRandom(seed: LongRun.seed &* 1_000_033)
      let bytes = (0..<LongRun.rounds(7000)).map { _ in UInt8(dice.below(256)) }
      try expectLife(mode, after: bytes.filter(RandomKeys.stays), "\(bytes.count) bytes")
    }

    @Test(
      "1.15: key sequences that once ended the shell",
      arguments: [
        // A search with a prompt of its own, in a line of the history, and what follows it.
        (Mode.emacs, "\u{1B}<\u{1B}p\u{05}\ra\u{03}\u{1B}#\u{1B}<\u{1B}r"),
        (.plain, "\u{1B}<\u{1B}p\u{05}\ra\u{03}\u{1B}#\u{1B}<\u{1B}r"),
        (.emacs, "\u{10}x\u{1B}ptwo\r\u{10}\u{0E}\u{0E}\u{0E}z\r\u{10}\u{10}\u{1B}r\u{1F}"),
        // A search for what is in front of the caret, there.
        (.emacs, "\u{10}x\u{02}\u{02}\u{18}\u{10}\u{0E}\u{0E}z\r\u{10}\u{10}\u{1B}r\u{1F}"),
        (
          .emacs,
          "\u{10}\u{01}\u{06}\u{18}\u{10}a\u{10}\u{0E}\u{0E}\u{0E}b\r\u{10}\u{10}\u{1B}r\u{10}\u{1B}r"
        ),
        // A sequence that ends a search and is aborted itself.
        (.emacs, "\u{12}\u{18})ab\r"),
        // A search for a bracket that is not there, in a line that ends in a letter without a width.
        (.vi, "ab\u{E000}\u{301}\u{1FF0}\u{1B}0%"),
        // Motions over words in a line that ends in a character to which the C library gives no
        // width: a control character, an emoji newer than the library.
        (.vi, "\u{FFFD}\u{91}\u{1B}0E"), (.vi, "a \u{1FAEF}\u{1B}0e$w"),
        (.vi, "\u{91}a\u{91}\u{1B}0W"),
        // Completion goes to the end of the word as well.
        (.vi, "a\u{FFFD}\u{91}\u{1B}0="), (.vi, "a\u{1FAEF}\u{1B}0*"),
        (.vi, "a\nb\u{FFFD}\u{91}\u{1B}k0\\"),
        // A line about as long as what readline keeps of it, which AddressSanitizer sees.
        (.plain, String(repeating: "a", count: 990) + "\u{01}\u{05}\u{02}\u{02}bcdefg\r"),
        (
          .plain,
          String(repeating: "a", count: 1000) + "\u{15}" + String(repeating: "b", count: 995)
        ),
      ])
    func known(mode: Mode, keys: String) throws {
      try expectLife(mode, after: Array(keys.utf8), "")
    }

    @Test(
      "1.15: keys torn in two, with a pause between them, do not hang the shell",
      arguments: Mode.allCases,
      [
        ["xy\u{1B}[", "200~p\u{1B}[201~"], ["xy\u{1B}", "[200~p\u{1B}[201~"],
        ["xy\u{1B}[20", "0~p\u{1B}[2", "01~"], ["a\u{1B}]11;rgb:ff", "ff/ffff/ffff\u{1B}\\z"],
        ["a\u{1B}[5", ";5Rz"], ["a\u{1B}[?", "62;22cz"], ["\u{1B}P>|tm", "ux 3.3a\u{1B}\\"],
        ["\u{12}\u{1B}[", "200~p\u{1B}[201~"], ["\u{1B}[200", "~"], ["\u{1B}p\u{1B}[2", "00~x"],
      ])
    func torn(mode: Mode, pieces: [String]) throws {
      try expectLife(mode, after: [], "\(pieces)", pieces.map { Array($0.utf8) })
    }

    @Test(
      "1.15: a shell whose loop turns no more ends on SIGTERM and SIGHUP, and restores the terminal",
      arguments: [SIGTERM, SIGHUP])
    func stuck(signal: Int32) throws {
      let home = try Home()
      // A function of readline that never returns.
      try home.write("int rl_transpose_words(int a, int b) { for (;;); }\n", to: "hang.c")
      let library = home.path + "/hang.so"
      let compiled = try Program(
        ["clang", "-shared", "-fPIC", "-o", library, home.path + "/hang.c"],
        environment: home.environment
      ).finish()
      try #require(compiled.status == 0, "\(compiled.errors)")
      let shell = try home.shellInLobby(as: "anna", environment: ["LD_PRELOAD": library])
      shell.send("a b\u{1B}t")
      shell.rest(0.5)
      shell.kill(signal)
      #expect(shell.waitForExit(seconds: 30) == 128 + signal)
      #expect(shell.output.suffix(200).firstRange(of: Array("\u{1B}[?2004l".utf8)) != nil)
    }

    /// Types into a shell that has a short history, and looks whether it still does what it should.
    private func expectLife(
      _ mode: Mode, after keys: [UInt8], _ place: String, _ pieces: [[UInt8]] = []
    ) throws {
      let home = try Home()
      try home.write(RandomKeys.inputrc(mode), to: ".inputrc")
      let shell = try home.shell(
        as: "anna", (mode == .plain ? ["--plain"] : []) + ["lobby"],
        environment: [
          "GLIBC_TUNABLES": "glibc.malloc.perturb=165", "EDITOR": "true", "PAGER": "cat",
        ])
      try shell.expect("#lobby> |", for: 60)
      for line in ["alpha one", "beta two words", "gamma (three\\", "delta four five"] {
        shell.send(line + "\r")
      }
      try shell.expect("[4] ", for: 60)
      shell.send(keys)
      for piece in pieces {
        shell.send(piece)
        shell.rest(0.25)
      }
      // Ends what may be under way, one level each: a paste, a key that waits for another, a search,
      // an argument, a question, a text. Again, where the editor had the terminal and took the keys.
      let isAlive = try (0..<3).contains { _ in
        shell.send("\u{1B}[201~\u{07}\u{07}\u{03}\u{03}\u{03}\u{03}\u{03}\u{03}still here\r")
        return try waitWhileBusy(shell.processIdentifier) {
          shell.wait(for: 60) {
            // A number stands before what was sent; a prompt before what was not.
            $0.history.contains { line in
              line.wholeMatch(of: /.?(\d\d:\d\d)? *\[?\d+\]? .*still here/) != nil
            }
          }
        }
      }
      // A line may have been a command that leaves; what was set aside may have come back.
      var status: Int32?
      for _ in 0..<(isAlive ? 3 : 1) where status == nil {
        shell.send("\u{03}\u{04}")
        status = shell.waitForExit(seconds: 20)
      }
      #expect(
        status == 0,
        """
        \(mode) \(place) HOBNOB_SEED=\(LongRun.seed) HOBNOB_LONG=\(LongRun.factor ?? 1) \
        keys $'\(RandomKeys.escaped(keys))'
        \(shell.emulator.picture)
        """)
      try home.expectSound("\(mode) \(place)")
    }
  }
}

/// Keys as they come from fingers that know no mercy.
enum RandomKeys {
  typealias Mode = EndToEnd.RandomKeysAttackTests.Mode

  /// Not C-d and C-z, which leave.
  static func stays(_ byte: UInt8) -> Bool { byte != 0x04 && byte != 0x1A }

  /// Keys for what readline binds to none.
  static func inputrc(_ mode: Mode) -> String {
    """
    set editing-mode \(mode == .vi ? "vi" : "emacs")
    set keyseq-timeout 5
    "\\C-x\\C-p": history-search-backward
    "\\C-x\\C-n": history-search-forward
    "\\C-x\\C-a": history-substring-search-backward
    "\\C-x\\C-f": history-substring-search-forward
    "\\C-x\\C-b": non-incremental-reverse-search-history-again
    "\\C-x\\C-t": non-incremental-forward-search-history-again
    "\\C-x\\C-k": kill-whole-line
    "\\C-x\\C-o": overwrite-mode
    "\\C-x\\C-v": vi-editing-mode
    "\\C-x\\C-l": menu-complete

    """
  }

  private static let text = ["a", "b", "one", "two", "al", "é", "😀", "\\", "(", " "]
  private static let ofEmacs = [
    "\u{1B}<", "\u{1B}>", "\u{1B}p", "\u{1B}n", "\u{10}", "\u{0E}", "\u{12}", "\u{13}", "\u{0F}",
    "\r", "\r", "\r", "\r", "\u{1B}#", "\u{1F}", "\u{1F}", "\u{18}\u{15}", "\u{1B}r", "\u{1B}r",
    "\u{1B}/", "\u{01}", "\u{05}", "\u{02}", "\u{06}", "\u{0B}", "\u{15}", "\u{17}", "\u{19}",
    "\u{1B}y", "\u{03}", "\u{07}", "\u{1B}.", "\u{1B}d", "\u{7F}", "\u{14}", "\u{1B}t", "\u{16}",
    "\u{18}(", "\u{18})", "\u{18}e", "\u{1B}[A", "\u{1B}[B", "\u{1B}[5~", "\u{1B}[6~", "\u{1B}1",
    "\u{1B}-", "\t", "\u{1B}?", "\u{1B}*", "\u{1B}e", "\u{18}*", "\u{1B}\r", "\u{18}\u{18}",
    "\u{18}\u{10}", "\u{18}\u{0E}", "\u{18}\u{01}", "\u{18}\u{06}", "\u{18}\u{02}", "\u{18}\u{14}",
    "\u{1B}é", "\u{0C}", "\u{1B}\u{19}", "\u{1D}",
  ]
  private static let ofVi = [
    "\u{1B}[27u", "\u{1B}[27u", "i", "a", "A", "I", "h", "j", "k", "l", "j", "k", "0", "$", "w",
    "b", "e", "E", "x", "X", "dd", "dw", "cw", "cc", "D", "C", "y", "yy", "p", "P", "u", "u", "U",
    "U",
    ".", ".", "r", "R", "~", "/", "?", "n", "N", "G", "1G", "\r", "\r", "\r", "#", "_", "v", "f",
    "t", ";", ",", "%", "S", "s", "@a", "*", "=", "|", "m", "`", "\u{10}", "\u{0E}", "\u{03}",
  ]

  static func key(mode: Mode, _ dice: inout FixedRandom) -> [UInt8] {
    switch dice.below(20) {
    case 0...13:
      let keys = mode == .vi && dice.below(4) > 0 ? ofVi : ofEmacs
      return Array(keys[dice.below(keys.count)].utf8)
    case 14...16: return Array(text[dice.below(text.count)].utf8)
    case 17: return [[], [0x1B], [0x18]][dice.below(3)] + [UInt8(dice.below(128))].filter(stays)
    case 18: return [UInt8(dice.below(32))].filter(stays)
    default: return (0...dice.below(20)).map { _ in UInt8(dice.below(256)) }.filter(stays)
    }
  }

  /// As bash writes them between `$'` and `'`.
  static func escaped(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      (0x20..<0x7F).contains(byte) && byte != 0x27 && byte != 0x5C
        ? String(Unicode.Scalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
