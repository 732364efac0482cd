// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import StyledText

extension Refusal {
  package static func notAnAddress(_ word: String) -> Refusal {
    Refusal(say("%1 is not an address; one looks like ben@example.org.", SafeText(line: word)))
  }
}
