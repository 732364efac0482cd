// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import StyledText

/// `hobnob check` (rule 11.3).
extension Launch {
  /// Looks whether the store is whole and safe, and tells what the terminal can do.
  public func check() throws -> Int32 {
    let output = StandardOutput()
    let rc = try loadRc { StandardError.say($0) }
    let store = try openStore(create: false)
    defer { store.close() }
    output.write(say("Store: %1", SafeText(line: store.path)))
    var isSound = true
    for finding in try store.check() {
      let text = sentence(for: finding)
      if finding.severity == .damage {
        isSound = false
        StandardError.say(text)
      } else {
        output.write("  " + text)
      }
    }
    let term = environment["TERM"] ?? ""
    output.write(
      say("Terminal: %1", term.isEmpty ? say("none (TERM is not set)") : SafeText(line: term)))
    output.write(
      say(
        "  Characters: %1",
        SafeText(line: nl_langinfo(Int32(CODESET)).map { String(cString: $0) } ?? "")))
    let widths = rc.settings.widths(environment: environment)
    let rule =
      switch widths.clusters {
      case .codePoints: say("each code point by itself (width codepoints)")
      case .joined: say("joined emoji as one, as tmux does (width tmux)")
      case .graphemes: say("each emoji as one (width unicode)")
      }
    output.write(say("  Columns of emoji: %1", rule))
    output.write(
      (environment["NO_COLOR"] ?? "").isEmpty
        ? say("  Colours: yes") : say("  Colours: no (NO_COLOR is set)"))
    try output.finish()
    return isSound ? 0 : 1
  }
}

/// What a check of the store found, as a sentence.
func sentence(for finding: Finding) -> SafeText {
  fill(finding.sentence.key, finding.sentence.arguments.map { SafeText(line: $0) })
}
