// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// What a network asks the account's owner, such as a code that it has sent by SMS.
package struct OwnerQuestion: Hashable, Sendable {
  package var text: String
  /// What a QR code beside the question says; empty for none.
  package var code: String
  /// Whether nobody may see the answer as it is typed.
  package var isSecret: Bool

  package init(_ text: String, code: String = "", isSecret: Bool = false) {
    (self.text, self.code, self.isSecret) = (text, code, isSecret)
  }
}

/// The questions of a network process to the process at its owner's terminal, over pipes: neither
/// questions nor answers are stored. A question is the lines `ask NUMBER`, with `secret` behind it
/// if the answer is, then the text, then the code. An answer is a line of the number and the text.
@MainActor
final class OwnerQuestions {
  private let loop: EventLoop
  private let input: Int32
  private let output: Int32
  private var isOpen = true
  private var received: [UInt8] = []
  private var lastNumber = 0
  private var waiting: ((String) -> Void)?

  /// - Parameters:
  ///   - input: the descriptor of the answers.
  ///   - output: the descriptor of the questions.
  init(loop: EventLoop, input: Int32 = 0, output: Int32 = 1) {
    (self.loop, self.input, self.output) = (loop, input, output)
    loop.watch(input) { [weak self] in self?.read() }
  }

  /// Asks the owner, instead of the question before, if that one is not answered yet.
  ///
  /// - Returns: false if nobody is at the terminal any more.
  func ask(_ question: OwnerQuestion, _ then: @escaping (String) -> Void) -> Bool {
    lastNumber += 1
    let first = "ask \(lastNumber)" + (question.isSecret ? " secret" : "")
    let lines = [first, question.text.withoutControls, question.code.withoutControls]
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    guard isOpen, (try? bytes.withUnsafeBytes { try writeAll(output, $0) }) != nil else {
      return false
    }
    waiting = then
    return true
  }

  private func read() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(input, &chunk, chunk.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      isOpen = false
      return loop.unwatch(input)
    }
    received += chunk[..<count]
    while let end = received.firstIndex(of: 0x0A) {
      let line = String(decoding: received[..<end], as: UTF8.self)
      received.removeSubrange(...end)
      let number = line.prefix { $0 != " " }
      // Nobody waits for the answer to an earlier question.
      guard Int(number) == lastNumber, let then = waiting else { continue }
      waiting = nil
      then(String(line.dropFirst(number.count + 1)))
    }
  }
}
