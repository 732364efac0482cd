// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatSession
import Composer
import Glibc
import LineEditing
import StyledText

/// Questions before an action; the next key is the answer.
extension InteractiveShell {
  /// Asks a question that the next key answers. If the body returns false, the key is not an answer
  /// and is typed. A question about a text takes any key, so that a mistaken key does not change
  /// the text.
  ///
  /// - Parameter question: with a newline before each key that answers it, and before the others.
  func ask(_ question: SafeText, then body: @escaping (Answer) -> Bool) {
    let isPlain = editor.displayMode == .plain
    let keys = isPlain ? Self.keys(of: question) : []
    editor.question = { [weak self] answer in
      guard let self else { return true }
      notice = nil
      defer { refresh() }
      if case .letter(let digit) = answer, let number = digit.wholeNumberValue,
        keys.indices.contains(number - 1)
      {
        return body(keys[number - 1])
      }
      return body(answer)
    }
    if isPlain {
      editor.print(Self.numbered(question))
    } else {
      show(notice: question.lines.joined())
    }
  }

  /// A question and its answers as a numbered list, for people who listen (rule 11.5).
  private static func numbered(_ question: SafeText) -> [StyledLine] {
    let lines = question.lines
    return lines.enumerated().map { index, line in
      let (isAnswer, text) = (index > 0 && index < lines.count - 1, line.string)
      let isWord: (Character) -> Bool = { !" ,、".contains($0) }
      guard let first = text.firstIndex(where: isWord), let last = text.lastIndex(where: isWord)
      else { return StyledLine(line) }
      return StyledLine((isAnswer ? SafeText(index) + " " : "") + line[first...last])
    }
  }

  /// The keys that answer a question, in its order.
  private static func keys(of question: SafeText) -> [Answer] {
    question.lines.dropFirst().dropLast().map { line in
      let key = line.string.prefix { $0 != ":" }.filter { $0 != " " }
      return key.count == 1 ? .letter(Character(key)) : .accept
    }
  }

  /// Asks the session's question (rule 13.4): only keys that answer it have an effect.
  func ask(_ question: SafeText, _ answers: [Character: Intent]) {
    editor.whenLineBegins { [self] in
      ask(question) { [self] answer in
        switch answer {
        case .letter(let key):
          guard let meant = answers[key] else { return key == "n" }
          tell(.answered(meant))
        case .accept, .leave: break
        case .other: return false
        }
        return true
      }
    }
  }

  /// Whether to ask about a long text before sending it (rule 1.9). If so, the line stays.
  func asksBefore(sending text: String) -> Bool {
    guard confirmedForm == nil, settings.askLines > 0, session.mode.isDraft,
      session.open.isMember,
      session.rules.allowsSending(text)
    else { return false }
    let said = LineRules.withoutNewlinesAtEnd(text)
    let lines = said.utf8.count { $0 == UInt8(ascii: "\n") } + 1
    let messages = session.messageCount(of: text)
    let isCut = messages > Session.messagesUnasked
    guard lines > settings.askLines || isCut else { return false }
    // A command cannot become a file.
    let isText = !LineRules.isCommand(text) && session.takesFiles
    let count = isCut ? Session.written(messageCount: messages) : SafeText(lines)
    let question =
      switch (isCut, isText) {
      case (true, true):
        say(
          "%1 messages.\n Return: send,\n f: send as a file,\n any other key: go back",
          count)
      case (true, false):
        say("%1 messages.\n Return: send,\n any other key: go back", count)
      case (false, true):
        say("%1 lines.\n Return: send,\n f: send as a file,\n any other key: go back", count)
      case (false, false): say("%1 lines.\n Return: send,\n any other key: go back", count)
      }
    ask(question) { [self] answer in
      switch answer {
      case .accept: confirmedForm = .text
      case .letter("f") where isText: confirmedForm = .file
      default: return true
      }
      editor.pressReturn()
      confirmedForm = nil
      return true
    }
    return true
  }

  /// Handles Return on a text; a long one is sent in the form that the person chose.
  func enter(_ text: String) -> Bool {
    guard confirmedForm == .file else { return tell(.entered(text)) }
    let said = LineRules.withoutNewlinesAtEnd(text)
    guard let (path, file) = TemporaryFile.make(environment: session.preferences.environment) else {
      complain(
        say(
          "hobnob could not create a file for the text in %1: %2.",
          SafeText(line: TemporaryFile.folder(session.preferences.environment)), systemReason()))
      return false
    }
    defer { unlink(path) }
    defer { close(file) }
    guard TemporaryFile.write(Array((said + "\n").utf8), to: file) else {
      complain(say("The text could not be written to a file: %1.", systemReason()))
      return false
    }
    return tell(.enteredAsFile(text, path: path))
  }
}
