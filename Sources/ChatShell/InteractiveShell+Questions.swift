// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import ChatScripts
import ChatSession
import Composer
import Glibc
import LineEditing
import StyledText

/// Questions before an action; the next key is the answer.
extension InteractiveShell {
  /// Shows a question, which the next key answers.
  func ask(_ question: Question) {
    notice = nil
    if editor.displayMode == .plain { editor.print(question.numbered) } else { refresh() }
    editor.question = { [weak self] key in self?.answer(question, key) ?? true }
  }

  /// - Returns: false if the key is not an answer, and is typed.
  private func answer(_ question: Question, _ answer: Answer) -> Bool {
    notice = nil
    defer { refresh() }
    var key: Character?
    switch answer {
    case .accept: key = Question.enter
    case .letter(let letter): key = letter
    case .leave, .other: break
    }
    // In plain mode the answers have numbers.
    if editor.displayMode == .plain, let number = key?.wholeNumberValue,
      question.answers.indices.contains(number - 1)
    {
      key = question.answers[number - 1].key
    }
    let intent = answer == .leave ? .nothing : question.intent(of: key)
    tell(.answered(intent))
    switch intent {
    case .paste(let text):
      editor.insert(text)
      textChanged()
    case .clear:
      willEmpty()
      editor.empty()
    case .send(let form):
      confirmedForm = form
      editor.pressReturn()
      confirmedForm = nil
    default: break
    }
    return intent != .typing
  }

  /// Whether to ask about a long text before sending it (rule 1.9). If so, the line stays.
  func asksBefore(sending text: String) -> Bool {
    guard confirmedForm == nil, settings.askLines > 0, session.mode.isDraft,
      session.open.isMember,
      settings.lineRules.allowsSending(text)
    else { return false }
    let said = LineRules.withoutNewlinesAtEnd(text)
    let lines = said.utf8.count { $0 == UInt8(ascii: "\n") } + 1
    let messages = session.messageCount(of: text)
    let isCut = messages > OpenConversation.messagesUnasked
    guard lines > settings.askLines || isCut else { return false }
    // A command cannot become a file.
    let isText = !LineRules.isCommand(text) && session.open.takesFiles
    let count = isCut ? OpenConversation.written(messageCount: messages) : SafeText(lines)
    var answers: [Question.Answer] = [(Question.enter, say("send"), .send(.text))]
    if isText { answers.append(("f", say("send as a file"), .send(.file))) }
    tell(
      .ask(
        Question(
          isCut ? say("%1 messages.", count) : say("%1 lines.", count), answers,
          otherwise: say("any other key: go back"), .nothing)))
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
