// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import StyledText
import Terminal
import Testing

/// What is sent to the terminal itself, and never shown: marks and notifications.
@Suite("strings for the terminal") struct TerminalStringTests {
  private func painter() -> Painter {
    Painter(
      size: Size(rows: 9, columns: 20), widths: Widths(),
      capabilities: Painter.TerminalCapabilities())
  }

  private func frame(_ text: String) -> Frame {
    Frame(rows: [CellRow(StyledLine(SafeText(line: text)), widths: Widths())])
  }

  /// The bytes without erasures and returns, and with marks in brackets.
  private func marked(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.filter { $0 != 0x0D }, as: UTF8.self).replacing(#/\e\]133;(.*?)\e\\/#) {
      "<\($0.1)>"
    }
    .replacing(#/\e\[[0-9]*[A-Za-z]/#, with: "")
  }

  private func lines(_ texts: String...) -> [StyledLine] {
    texts.map { StyledLine(SafeText(line: $0)) }
  }

  @Test("an answer is a prompt in its first row, and output below, whatever is printed with it")
  func marks() {
    var painter = painter()
    _ = painter.paint(frame("> "))
    let answered = painter.paint(
      frame("> "), above: lines("before", "sent", "one", "two", "after"),
      answers: [.init(start: 1, output: 2, end: 4)])
    #expect(
      marked(answered) == "\nbefore\n<A;redraw=0>sent\n<C>one\ntwo<D>\nafter\n>", "\(answered)")
    let sent = painter.paint(
      frame("> "), above: lines("a", "b"),
      answers: [.init(start: 0, output: 1, end: 1), .init(start: 1, output: 2, end: 2)])
    #expect(marked(sent) == "\n<A;redraw=0>a\n<C><D><A;redraw=0>b\n<C><D>>")
    let long = painter.paint(
      frame("> "), above: lines("long", "line"), answers: [.init(start: 0, output: 2, end: 2)])
    #expect(marked(long) == "\n<A;redraw=0>long\nline\n<C><D>>")
  }

  @Test("drawing again, other messages and another size mark nothing")
  func noMarks() {
    var painter = painter()
    _ = painter.paint(frame("> "), above: lines("a"), answers: [.init(start: 0, output: 1, end: 1)])
    var bytes = painter.paint(frame("> other"), above: lines("message"))
    bytes += painter.resize(to: Size(rows: 9, columns: 30))
    bytes += painter.paint(frame("> other"))
    bytes += painter.clearScreen() + painter.paint(frame("> "))
    #expect(!marked(bytes).contains("<"))
  }

  @Test("a mark stands behind the erasure of its row, which would remove it")
  func order() {
    var painter = painter()
    let bytes = painter.paint(
      frame("> "), above: lines("a"), answers: [.init(start: 0, output: 1, end: 1)])
    #expect(
      String(decoding: bytes, as: UTF8.self).contains("\u{1B}[K\u{1B}]133;A;redraw=0\u{1B}\\a"))
  }

  /// What an attacker may send: the ends of strings, and the separators of fields.
  private let hostile = SafeText(body: "a;b\u{07}\u{1B}\\\u{9C}\u{1B}]52;c;eA==\u{07}\nc\t")

  private func sent(_ kind: DesktopNotification, _ wrapper: DesktopNotification.Wrapper? = nil)
    -> String
  {
    String(
      decoding: kind.bytes(title: hostile, body: hostile, identifier: "x-1", through: wrapper),
      as: UTF8.self)
  }

  @Test("no text ends its notification, or one of its fields")
  func notifications() {
    let text = "a,b^G^[\\<U+009C>^[]52,c,eA==^G c "
    #expect(sent(.osc9) == "\u{1B}]9;\(text): \(text)\u{1B}\\")
    #expect(sent(.osc777) == "\u{1B}]777;notify;\(text);\(text)\u{1B}\\")
    let parts = sent(.osc99).matches(of: #/\e\]99;([^;]*);([A-Za-z0-9+\/=]*)\e\\/#)
    #expect(parts.map { String($0.0) }.joined() == sent(.osc99))
    #expect(
      parts.map { String($0.1) } == [
        "i=x-1:d=0:e=1:o=unfocused", "i=x-1:p=body:e=1:o=unfocused",
      ])
    #expect(parts.allSatisfy { $0.2.hasPrefix("YTtiXkdeW1w8VSswMDlDPl5bXTUyO2M7ZUE9PV5HIGMg") })
  }

  @Test("tmux and screen pass a notification on as one string of theirs")
  func wrapped() {
    let tmux = sent(.osc777, .tmux)
    #expect(
      tmux.hasPrefix("\u{1B}Ptmux;\u{1B}\u{1B}]777;notify;") && tmux.hasSuffix("\u{07}\u{1B}\\"))
    let screen = sent(.osc9, .screen)
    #expect(screen.hasPrefix("\u{1B}P\u{1B}]9;") && screen.hasSuffix("\u{07}\u{1B}\\"))
    #expect(screen.dropLast(2).utf8.count { $0 == 0x1B } == 2)
    // It would take these letters for BEL and ESC.
    for kind in [DesktopNotification.osc9, .osc777, .osc99] {
      let bytes = kind.bytes(
        title: "万", body: "阛]52;", identifier: "x", through: .screen)
      #expect(bytes.allSatisfy { $0 < 0x80 }, "\(kind)")
    }
  }

  @Test("only the answer to the question says that OSC 99 is known")
  func answers() {
    func isAnswer(_ text: String) -> Bool {
      DesktopNotification.isReport(.reply(Array(text.utf8)))
    }
    #expect(isAnswer("\u{1B}]99;i=hobnob:p=?;p=title,body\u{1B}\\"))
    #expect(!isAnswer("\u{1B}]99;i=hobnob-5;\u{1B}\\") && !isAnswer("\u{1B}]11;rgb:0/0/0\u{07}"))
  }

  @Test(
    "the terminal's name says how it notifies, and whether its title can be set",
    arguments: [
      (["TERM": "xterm-256color"], nil, true), (["TERM": "xterm-kitty"], .osc9, true),
      (["TERM": "foot"], .osc777, true),
      (["TERM": "xterm", "TERM_PROGRAM": "iTerm.app"], .osc9, true),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], .osc777, true),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "ghostty", "TMUX": "x"], nil, true),
      (["TERM": "screen", "TERM_PROGRAM": "ghostty"], nil, false), (["TERM": "linux"], nil, false),
      (["TERM": "eterm-color", "TMUX": "x"], nil, false), (["TERM": "tmux-256color"], nil, true),
      (["TERM": "vt220"], nil, false), (["TERM": "xterm-256color", "STY": "1.x"], nil, false),
    ] as [([String: String], DesktopNotification?, Bool)])
  func names(variables: [String: String], kind: DesktopNotification?, restoresTitle: Bool) {
    let capabilities = Painter.TerminalCapabilities(environment: { variables[$0] })
    #expect(capabilities.notifications == kind && capabilities.restoresTitle == restoresTitle)
  }
}
