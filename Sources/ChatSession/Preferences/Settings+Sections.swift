// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The settings by subject, as in hobnobrc(5).
extension Settings {
  private static let names: [(heading: SafeText, settings: [String])] = [
    (
      say("You and others"),
      [
        "nick", "typing", "receipts", "typing-timeout", "bell", "highlight", "notify-command",
      ]
    ),
    (
      say("The line"),
      [
        "confirm-clear", "slash-guard", "up-edits-last", "hold-while-typing", "max-input-rows",
        "message-limit", "counter", "attachment-limit", "ask-lines",
      ]
    ),
    (
      say("Completion and markdown"),
      [
        "live-menu", "max-menu-rows", "bare-names", "emoji-style", "close-by-double-space",
        "styling",
      ]
    ),
    (
      say("Looks"),
      [
        "prompt-style", "accent", "placeholder", "send-item", "attach-item", "toolbar", "separator",
        "menu-style", "bubble", "colour-names", "timestamps", "numbers", "name-width", "wrap",
        "events",
      ]
    ),
    (say("Other programs"), ["open-command", "pager", "fold-lines"]),
    (say("The terminal"), ["background", "links", "width", "ambiguous", "accessible"]),
  ]

  /// Every setting of the table once; those in no section form a last one.
  static let sections: [(heading: SafeText, entries: [Entry])] = {
    let named = Set(names.flatMap(\.settings))
    let parts = names.map { part in
      (heading: part.heading, entries: part.settings.compactMap { entry($0) })
    }
    let others = table.filter { !named.contains($0.name) }
    return parts + [(heading: say("Others"), entries: others)]
  }()
}
