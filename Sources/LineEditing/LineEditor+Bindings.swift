// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import StyledText

/// readline's state other than the line: its history, its inputrc, its keys.
extension LineEditor {
  /// The lines that Up and C-r find, newest last.
  package func setHistory(_ lines: [String]) {
    creadline_history_clear()
    for line in lines { creadline_history_add(line) }
  }

  package func addHistory(_ line: String) { creadline_history_add(line) }

  /// Binds one line of an inputrc, for `/bind`. Returns readline's complaints.
  package func bind(_ line: String) -> [SafeText] {
    // Trap: for a line without a colon, readline binds the key of its first letter; for an unknown
    // function, it unbinds the key. Either way a letter would stop working.
    let isSetting = line.hasPrefix("set ") || line.hasPrefix("$")
    if !isSetting {
      guard let colon = line.lastIndex(of: ":") else {
        return [say("a binding needs a key, a colon and a function: \"\\C-xn\": newline")]
      }
      let function = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      guard
        function.hasPrefix("\"") || function.hasPrefix("'") || line.hasSuffix("\"")
          || creadline_knows_function(String(function))
      else {
        return [
          say(
            "readline has no function %1; /keys lists those in use",
            SafeText(line: String(function)))
        ]
      }
    }
    let understood = creadline_bind(line) == 0
    let complaints = takeComplaints()
    return understood || !complaints.isEmpty
      ? complaints : [say("readline does not understand %1", SafeText(line: line))]
  }

  /// readline's complaints about the inputrc.
  package func takeComplaints() -> [SafeText] {
    String(cString: creadline_take_complaints()).split(separator: "\n").map {
      SafeText(line: String($0))
    }
  }

  /// Every function, with its keys in readline's notation, which may be empty.
  package var bindings: [(function: String, keys: String)] {
    final class Found { var all: [(function: String, keys: String)] = [] }
    let found = Found()
    creadline_each_binding(
      { context, name, keys in
        guard let context, let name, let keys else { return }
        Unmanaged<Found>.fromOpaque(context).takeUnretainedValue()
          .all.append((String(cString: name), String(cString: keys)))
      }, Unmanaged.passUnretained(found).toOpaque())
    return found.all
  }
}
