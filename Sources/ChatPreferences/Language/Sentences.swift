// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Sentences
import StyledText

/// Why hobnob did not carry out a line, as a sentence for the person who typed it.
package struct Refusal: Error {
  package let sentence: SafeText

  package init(_ sentence: SafeText) { self.sentence = sentence }
}

/// An error in the command line itself: status 64 (rule 11.4).
package struct WrongUsage: Error {
  package let sentence: SafeText

  package init(_ sentence: SafeText) { self.sentence = sentence }
}

/// The sentence for any error: what happened, to what, and what to do.
package func sentence(for error: any Error) -> SafeText {
  func said(_ sentence: Sentence) -> SafeText {
    // A path or a name, such as the program's own, stays as it is, even at the start.
    let key = translated(sentence.key)
    return finished(
      say(sentence), isCapital: !key.hasPrefix("%") && !key.hasPrefix("hobnob "))
  }
  switch error {
  case let refusal as Refusal: return refusal.sentence
  case let wrong as WrongUsage: return wrong.sentence
  case let error as SearchError: return said(error.sentence)
  case let error as StoreError: return said(error.sentence)
  case let error as RuleError: return said(error.sentence)
  case let error as AttachmentError: return said(error.sentence)
  case let error as AccountFileError: return said(error.sentence)
  case let error as BridgedProgramError: return said(error.sentence)
  default: return say("Something failed: %1", SafeText(line: "\(error)"))
  }
}

/// Adds a capital at the start and a full stop at the end, as in the shell's own sentences.
private func finished(_ sentence: SafeText, isCapital: Bool) -> SafeText {
  guard let first = sentence.string.first, let last = sentence.string.last else { return sentence }
  let head = SafeText(line: isCapital ? first.uppercased() : String(first))
  let rest = SafeText(line: String(sentence.string.dropFirst()))
  return head + rest + (".!?。！？".contains(last) ? "" : ".")
}

/// The sentence for a system call's failure.
package func systemReason(_ code: Int32 = errno) -> SafeText {
  strerror(code).map { SafeText(line: String(cString: $0)) } ?? say("error %1", SafeText(Int(code)))
}
