// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import Composer
import Glibc
import StyledText

/// What readline asks while a key is being handled. Each may change the line, none may feed keys.
@MainActor
protocol ReadlineClient: AnyObject {
  func accept(_ text: String) -> Bool
  func ended(_ text: String?)
  func lineBegan()
  func cancel() -> Bool
  func upOnEmptyLine() -> Bool
  func undo() -> Bool
  func clearScreen()
  func clearLine()
  func run(_ command: LineCommand)
  func liveComplete() -> Bool
  func mentionWord(before offset: Int) -> Int?
  func completions(text: String, caret: Int) -> Completions?
  func write(_ bytes: [UInt8])
  func list(_ labels: [SafeText])
  func print(_ text: String)
  var widths: Widths { get }
}

/// GNU readline as an editing engine; one per process, since all its state is global.
@MainActor
enum Readline {
  /// C callbacks carry no context, so the client they speak to stands here.
  private static weak var client: (any ReadlineClient)?
  /// The answer for the word that readline is about to complete.
  private static var pending: Completions?
  /// The column that Up and Down aim for while nothing else moves the caret.
  private static var goal: (column: Int, offset: Int)?
  private static var prompt: UnsafeMutablePointer<CChar>?

  static func start(for newClient: any ReadlineClient, plain: Bool, prompt: String) {
    precondition(client == nil, "readline is already in use")
    client = newClient
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
      accept: { text in Readline.client?.accept(Readline.string(text)) ?? false },
      ended: { text in Readline.client?.ended(text.map { Readline.string($0) }) },
      line_began: { Readline.client?.lineBegan() },
      cancel: { Readline.client?.cancel() ?? false },
      up_on_empty: { Readline.client?.upOnEmptyLine() ?? false },
      request: { request in
        switch request {
        case creadline_request_clear_screen: Readline.client?.clearScreen()
        case creadline_request_clear_line: Readline.client?.clearLine()
        default: if let command = LineCommand(request) { Readline.client?.run(command) }
        }
      },
      undo: { Readline.client?.undo() ?? false },
      live_complete: { Readline.client?.liveComplete() ?? false },
      mention_word: { offset in
        Readline.client?.mentionWord(before: Int(offset)).map { Int32($0) } ?? -1
      },
      complete: { start, end in Readline.matches(start: Int(start), end: Int(end)) },
      word_end: { text, length, offset in
        Readline.pending = Readline.client?.completions(
          text: String(decoding: Readline.bytes(text, length), as: UTF8.self), caret: Int(offset))
        return Readline.pending.map { Int32($0.word.upperBound) } ?? offset
      },
      write: { bytes, count in
        Readline.client?.write(Array(Readline.bytes(bytes, Int32(clamping: count))))
      },
      list: { matches, count in Readline.list(matches, Int(count)) },
      print: { text in Readline.client?.print(Readline.string(text)) },
      shown: { text, length, caret, prompt, columns in
        Readline.shown(Readline.bytes(text, length), caret, Readline.string(prompt), Int(columns))
      })
    creadline_start(&callbacks, plain, prompt)
  }

  static var line: creadline_line { creadline_line() }

  static func feed(_ bytes: [UInt8]) {
    creadline_feed(bytes, bytes.count)
  }

  /// The text as readline holds it. Bytes that are no UTF-8 become U+FFFD.
  static var text: String {
    let line = creadline_line()
    return String(decoding: bytes(line.text, line.length), as: UTF8.self)
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
    let widths = client?.widths ?? Widths()
    let column =
      if let goal, goal.offset == offset { goal.column } else {
        Motion.column(in: text, offset: offset, widths: widths)
      }
    let target =
      up
      ? Motion.lineAbove(in: text, from: offset, column: column, widths: widths)
      : Motion.lineBelow(in: text, from: offset, column: column, widths: widths)
    guard let target else { return -1 }
    goal = (column, target)
    return Int32(target)
  }

  /// Where what is seen of a long line begins, a UTF-8 offset of its row.
  private static var shownFrom = 0

  /// What readline's own display is to draw for a text, and where the caret is in that; readline
  /// frees it.
  private static func shown(
    _ text: UnsafeBufferPointer<UInt8>, _ caret: UnsafeMutablePointer<Int32>?, _ prompt: String,
    _ columns: Int
  ) -> UnsafeMutablePointer<CChar>? {
    var row = ShownRow(
      text, caret: Int(caret?.pointee ?? 0), widths: client?.widths ?? Widths())
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
    // complete-into-braces and vi's own completion come here without word_end.
    guard let answer = pending ?? client?.completions(text: text, caret: end),
      answer.word.lowerBound >= start, answer.word.lowerBound <= end, !answer.choices.isEmpty
    else { return nil }
    let utf8 = Array(text.utf8)
    // What readline takes for the word may begin with a bracket that is not ours to replace.
    let lead = String(decoding: utf8[start..<answer.word.lowerBound], as: UTF8.self)
    if answer.choices.count == 1 {
      if answer.stepsOverSpace { creadline_step_over_space() }
      return list([lead + answer.choices[0].text + answer.suffix])
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
    client?.list((0..<count).map { SafeText(line: string(matches[$0])) })
  }
}

extension LineCommand {
  init?(_ request: creadline_request) {
    switch request {
    case creadline_request_edit_last: self = .editLast
    case creadline_request_edit_in_editor: self = .editInEditor
    case creadline_request_format_bold: self = .format("*")
    case creadline_request_format_italic: self = .format("_")
    case creadline_request_format_strike: self = .format("~")
    case creadline_request_format_code: self = .format("`")
    case creadline_request_format_preformatted: self = .format("```")
    case creadline_request_format_quote: self = .format(">")
    default: return nil
    }
  }
}
