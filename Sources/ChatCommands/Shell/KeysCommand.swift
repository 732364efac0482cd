// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import StyledText

/// `/keys`: the key bindings, by purpose; `/keys irssi`: what irssi's keys are here.
@MainActor
struct KeysCommand {
  let context: CommandContext

  func run(_ argument: String) throws -> Step {
    let wanted = MatchFolding.folded(argument)
    if let program = OtherClientHint.Program(rawValue: wanted) {
      return context.table([], OtherClientHint.rows(for: program))
    }
    func matches(_ name: String) -> Bool {
      wanted.isEmpty || MatchFolding.folded(name).contains(wanted)
    }
    let bindings = context.bindings
    let (bound, unbound) = (
      bindings.filter { !$0.keys.isEmpty && $0.function != "do-lowercase-version" },
      bindings.filter { $0.keys.isEmpty }.map(\.function)
    )
    let found: [(String, String)] = bound.compactMap { name, keys in
      let keys = KeyNames.list(keys)
      let exact = keys.split(separator: ", ").filter { MatchFolding.folded(String($0)) == wanted }
      // Do not list every letter.
      if Self.letters.contains(name) {
        return exact.isEmpty ? nil : (name, exact.joined(separator: ", "))
      }
      return exact.isEmpty && !matches(name) ? nil : (name, keys)
    }
    if found.isEmpty, !wanted.isEmpty, case let others = unbound.filter(matches), !others.isEmpty {
      return .tell(
        say(
          "No key is bound to %1. To bind C-x k, for example: /bind \"\\C-xk\": %2",
          SafeText(line: others.joined(separator: ", ")), SafeText(line: others[0])))
    }
    guard !found.isEmpty else {
      throw Refusal(
        argument.isEmpty
          ? say("No keys are bound to functions of hobnob or readline.")
          : say(
            "There is no function or bound key named %1.",
            SafeText(line: argument)))
    }
    return context.list(
      Purpose.allCases.map { purpose in
        let rows = found.filter { Purpose(of: $0.0) == purpose }
        return (
          purpose.heading,
          rows.map { [StyledLine(SafeText(line: $0), .bold), StyledLine(SafeText(line: $1))] }
        )
      })
  }

  /// Functions that insert the key's own character, or add it as a digit to a numeric argument.
  private static let letters: Set = [
    "self-insert", "digit-argument", "vi-arg-digit",
  ]
}

/// The purpose of a function; `hobnob` for those that are not readline's.
private enum Purpose: CaseIterable {
  case hobnob, moving, history, completion, deleting, changing, vi, other

  var heading: SafeText {
    switch self {
    case .hobnob: say("hobnob")
    case .moving: say("Moving")
    case .history: say("History")
    case .completion: say("Completion")
    case .deleting: say("Deleting and putting back")
    case .changing: say("Changing")
    case .vi: say("vi")
    case .other: say("Others")
    }
  }

  init(of function: String) {
    func has(_ parts: [String]) -> Bool { parts.contains { function.contains($0) } }
    if Self.others.contains(function) {
      self = .other
    } else if function.hasPrefix("vi-") {
      self = .vi
    } else if has(["history", "operate-and-get-next", "yank-last-arg", "yank-nth-arg"]) {
      self = .history
    } else if has(["complet"]) {
      self = .completion
    } else if has(Self.deletion) {
      self = .deleting
    } else if has(Self.change) {
      self = .changing
    } else if has(Self.move) {
      self = .moving
    } else {
      self = .hobnob
    }
  }

  private static let deletion = [
    "delete", "kill", "yank", "rubout", "region", "unix-", "undo", "revert-line", "set-mark",
    "exchange-point", "copy-",
  ]
  private static let change = [
    "transpose", "capitalize", "upcase", "downcase", "insert", "overwrite", "tilde-expand",
    "bracketed-paste",
  ]
  private static let move = [
    "forward-", "backward-", "-of-line", "-screen-line", "character-search", "clear-screen",
    "clear-display", "redraw-current-line",
  ]
  private static let others: Set = [
    "abort", "accept-line", "arrow-key-prefix", "call-last-kbd-macro", "dump-functions",
    "dump-macros", "dump-variables", "emacs-editing-mode", "end-kbd-macro",
    "execute-named-command", "prefix-meta", "print-last-kbd-macro", "re-read-init-file",
    "skip-csi-sequence", "start-kbd-macro", "tty-status", "universal-argument", "vi-editing-mode",
  ]
}

extension Arguments {
  static let function = first { query, _ in
    query.context.bindings.filter { !$0.keys.isEmpty }
      .map { Candidate($0.function, hint: KeyNames.list($0.keys)) }
      + OtherClientHint.Program.allCases.map { Candidate($0.rawValue) }
  }
}
