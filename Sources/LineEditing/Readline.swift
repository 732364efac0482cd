// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import Composer
import Glibc
import Platform
import StyledText
import Terminal

/// GNU readline as an editing engine; one per process, since all its state is global.
@MainActor
enum Readline {
  /// C callbacks carry no context, so this is the editor they belong to. While readline handles a
  /// key, the editor may change the line, but must never feed another key.
  private static weak var editor: LineEditor?
  /// The answer for the word that readline is about to complete.
  private static var pending: Completions?
  /// The labels of the candidates that readline was given last.
  private static var labels: [SafeText] = []
  /// The column that Up and Down aim for, as long as no other key moves the caret.
  private static var goal: (column: Int, offset: Int)?

  static func start(
    for newEditor: LineEditor, plain: Bool, echoes: Bool, pages: Bool, prompt: String
  ) {
    precondition(editor == nil, "readline is already in use")
    editor = newEditor
    var callbacks = creadline_callbacks(
      previous_grapheme: { text, length, offset in
        Int32(Motion.previousGrapheme(in: Readline.bytes(text, length), before: Int(offset)))
      },
      next_grapheme: { text, length, offset in
        Int32(Motion.nextGrapheme(in: Readline.bytes(text, length), after: Int(offset)))
      },
      vertical: { text, length, offset, direction in
        Readline.vertical(Readline.bytes(text, length), Int(offset), up: direction < 0)
      },
      event: { event, text in
        Readline.editor?.handleReadline(event, text.map { Readline.string($0) }) ?? false
      },
      mention_word: { offset in
        Readline.editor?.nameWordStart?(Int(offset)).map { Int32($0) } ?? -1
      },
      complete: { start, end in Readline.matches(start: Int(start), end: Int(end)) },
      word_end: { offset, choice in
        let found = Readline.editor?.completions?(Readline.text, Int(offset))
        Readline.pending = choice == 0 ? found : found?.choice(Int(choice)) ?? found
        return Readline.pending.map { Int32($0.word.upperBound) } ?? offset
      },
      write: { bytes, count in
        Readline.editor?.device.write(Array(Readline.bytes(bytes, Int32(clamping: count))))
      },
      list: { matches, count in Readline.list(matches, Int(count)) },
      print: { text in Readline.editor?.print(Readline.string(text)) },
      shown: { text, length, caret, prompt, columns in
        Readline.shown(Readline.bytes(text, length), caret, Readline.string(prompt), Int(columns))
      },
      home: { user in
        let name = Readline.string(user)
        return (name.isEmpty ? Login.home([:]) : Login.home(of: name)).flatMap { strdup($0) }
      })
    creadline_start(&callbacks, plain, echoes, pages, prompt)
  }

  static var line: creadline_line { creadline_line() }

  static func feed(_ bytes: [UInt8]) {
    creadline_feed(bytes, bytes.count)
  }

  /// The last decoded text, and its number.
  private static var seen: (text: String, edition: UInt32) = ("", 0)

  /// readline's text. Invalid UTF-8 becomes U+FFFD.
  static var text: String {
    let edition = creadline_edition()
    if edition != seen.edition {
      let line = creadline_line()
      seen = (String(decoding: bytes(line.text, line.length), as: UTF8.self), edition)
    }
    return seen.text
  }

  private static func bytes(_ text: UnsafePointer<CChar>?, _ length: Int32)
    -> UnsafeBufferPointer<UInt8>
  {
    UnsafeBufferPointer(
      start: text.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) },
      count: Int(length))
  }

  private static func string(_ text: UnsafePointer<CChar>?) -> String {
    text.map { String(cString: $0) } ?? ""
  }

  private static func vertical(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int, up: Bool)
    -> Int32
  {
    let widths = editor?.widths ?? Widths()
    let column =
      if let goal, goal.offset == offset { goal.column } else {
        Motion.unwrappedColumn(in: text, offset: offset, widths: widths)
      }
    let target =
      up
      ? Motion.lineAbove(in: text, from: offset, column: column, widths: widths)
      : Motion.lineBelow(in: text, from: offset, column: column, widths: widths)
    guard let target else { return -1 }
    goal = (column, target)
    return Int32(target)
  }

  /// Where the visible part of a long line begins, as a UTF-8 offset in its row.
  private static var shownFrom = 0

  /// The text and caret that readline's own display should draw for a text; readline frees it.
  private static func shown(
    _ text: UnsafeBufferPointer<UInt8>, _ caret: UnsafeMutablePointer<Int32>?, _ prompt: String,
    _ columns: Int
  ) -> UnsafeMutablePointer<CChar>? {
    var row = ShownRow(
      text, caret: Int(caret?.pointee ?? 0), widths: editor?.widths ?? Widths())
    row.cut(to: columns - prompt.utf8.count, start: &shownFrom)
    caret?.pointee = Int32(row.caret)
    return strdup(row.text)
  }

  // MARK: Completion

  private static func matches(start: Int, end: Int)
    -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  {
    defer { pending = nil }
    let text = Readline.text
    // complete-into-braces and vi's own completion arrive here without word_end.
    guard let answer = pending ?? editor?.completions?(text, end),
      answer.word.lowerBound >= start, answer.word.lowerBound <= end, !answer.choices.isEmpty
    else { return nil }
    let utf8 = Array(text.utf8)
    // readline's word may begin with a bracket that is not ours to replace.
    let lead = String(decoding: utf8[start..<answer.word.lowerBound], as: UTF8.self)
    labels = answer.choices.map(\.label)
    if answer.choices.count == 1 {
      if answer.stepsOverSpace { creadline_step_over_space() }
      return list([lead + answer.common])
    }
    return list([lead + answer.common] + answer.choices.map { lead + $0.text })
  }

  /// A NULL-terminated list that readline frees.
  private static func list(_ strings: [String])
    -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  {
    let size = (strings.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
    guard let memory = malloc(size) else { return nil }
    let list = memory.bindMemory(
      to: UnsafeMutablePointer<CChar>?.self, capacity: strings.count + 1)
    for (index, string) in strings.enumerated() { list[index] = strdup(string) }
    list[strings.count] = nil
    return list
  }

  private static func list(
    _ matches: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int
  ) {
    guard let matches else { return }
    editor?.list(
      labels.count == count ? labels : (0..<count).map { SafeText(line: string(matches[$0])) })
  }
}
