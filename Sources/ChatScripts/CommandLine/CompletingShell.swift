// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A shell that completes hobnob's command line. Its script passes the line to hobnob, which knows
/// what may come there.
enum CompletingShell: String {
  case bash, zsh, fish

  static let option = "--generate-completion-script"
  /// The word with which a script asks.
  static let question = "---completion"
  /// The exit status for a word that is the path of a file, which shells complete themselves.
  static let statusForFiles: Int32 = 3

  /// A line up to the caret, with its words as typed.
  struct Line {
    let words: [String]
    /// The end of the last word that the shell replaces; nil if it replaces all of it.
    var replaced: String?
  }

  /// - Parameter words: what the script passes.
  func line(_ words: [String]) -> Line {
    guard self == .bash else { return Line(words: words) }
    return Line(words: Self.typedWords(words.last ?? ""), replaced: words.first)
  }

  private static func typedWords(_ line: String) -> [String] {
    var words = [""]
    var quote: Character?
    var isEscaped = false
    for next in line {
      if isEscaped {
        isEscaped = false
      } else if next == "\\", quote != "'" {
        isEscaped = true
      } else if next == quote {
        quote = nil
      } else if quote == nil, next == "'" || next == "\"" {
        quote = next
      } else if quote == nil, next.isWhitespace {
        if words.last != "" { words.append("") }
        continue
      }
      words[words.count - 1].append(next)
    }
    return words
  }

  /// Writes a candidate as the script expects it.
  ///
  /// - Returns: nil if the candidate does not complete the typed word; bash would insert it anyway.
  func written(_ candidate: (name: String, help: SafeText?), for line: Line) -> SafeText? {
    let (name, help) = candidate
    switch self {
    case .bash: return Self.quoted(name, for: line).map { SafeText(line: $0) }
    case .zsh:
      // A colon comes before the explanation.
      let escaped = String(name.flatMap { #"\:"#.contains($0) ? ["\\", $0] : [$0] })
      return SafeText(line: escaped) + (help.map { ":" + $0 } ?? "")
    case .fish: return SafeText(line: name) + (help.map { SafeText(body: "\t") + $0 } ?? "")
    }
  }

  /// Quotes a name, as bash does only for names of files, and cuts off what bash keeps.
  ///
  /// - Returns: nil if the name does not complete the typed word.
  private static func quoted(_ name: String, for line: Line) -> String? {
    let typed = line.words.last ?? ""
    guard name.hasPrefix(TypedWord.withoutQuotes(typed)) else { return nil }
    let result =
      switch typed.first {
      case "'":
        "'"
          + name.split(separator: "'", omittingEmptySubsequences: false)
          .joined(separator: #"'\''"#)
      case "\"": "\"" + name.flatMap { #"\"$`"#.contains($0) ? ["\\", $0] : [$0] }
      default:
        String(
          name.flatMap {
            $0.isLetter || $0.isNumber || "-_./@:=+,%".contains($0) ? [$0] : ["\\", $0]
          })
      }
    // For bash a word begins after `@`, `:` and `=`. It replaces that word and keeps what is before.
    guard let replaced = line.replaced, typed.hasSuffix(replaced) else { return result }
    return String(result.dropFirst(typed.count - replaced.count))
  }

  var script: String {
    switch self {
    case .bash:
      #"""
      _hobnob() {
          local name
          COMPREPLY=()
          while IFS= read -r name; do
              COMPREPLY+=("${name}")
          done < <("$1" ---completion bash "$2" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
          wait $!
          (($? == 3)) && compopt -o default
      }
      complete -F _hobnob hobnob
      """#
    case .zsh:
      #"""
      #compdef hobnob
      _hobnob() {
          local text
          local -a names
          text="$("${words[1]}" ---completion zsh "${(@)words[1,CURRENT-1]}" "${PREFIX}" 2>/dev/null)"
          if (($? == 3)); then
              compset -P '--*='
              _files
          elif [[ -n "${text}" ]]; then
              names=("${(@f)text}")
              _describe -V '' names
          fi
      }
      if [[ "${funcstack[1]}" = _hobnob ]]; then
          _hobnob "${@}"
      else
          compdef _hobnob hobnob
      fi
      """#
    case .fish:
      #"""
      function __hobnob_candidates
          set -l tokens -o
          test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3; and set tokens --tokens-raw
          set -l words (commandline $tokens -pc)
          set -l word "$(commandline -ct)"
          set -l names (command $words[1] ---completion fish $words $word 2>/dev/null)
          if test $status -ne 3
              string join \n -- $names
              return
          end
          set -l option (string match -r -- '^--[^=]*=' $word)
          for path in (__fish_complete_path (string replace -- "$option" '' $word))
              printf '%s%s\n' "$option" $path
          end
      end
      complete -c hobnob -fka '(__hobnob_candidates)'
      """#
    }
  }
}
