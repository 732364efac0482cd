// SPDX-License-Identifier: GPL-3.0-or-later

/// The lesson that a person has reached in `/tutorial`. It lasts as long as their shell.
package struct Tutorial {
  /// What a person did.
  package enum Action {
    case sent(namesSomeone: Bool)
    case corrected, reacted
    /// Went to another conversation, by a key or a command.
    case went
    /// Ran a command, by its name.
    case ran(String)
  }

  /// What to do, in order.
  package enum Lesson: Int, CaseIterable {
    case write, correct, mention, react, enter, goBack, find, help

    fileprivate func asks(for action: Action) -> Bool {
      switch (self, action) {
      case (.write, .sent), (.correct, .corrected), (.mention, .sent(namesSomeone: true)),
        (.react, .reacted), (.enter, .went), (.goBack, .went):
        true
      case (.find, .ran(let command)): command == "search"
      case (.help, .ran(let command)): command == "help"
      default: false
      }
    }
  }

  package private(set) var lesson: Lesson
  /// Whether the person has done what the lesson asks for.
  package private(set) var isDone = false

  package init(lesson: Lesson = .write) { self.lesson = lesson }

  package mutating func note(_ action: Action) { if lesson.asks(for: action) { isDone = true } }

  /// The tutorial at the next lesson; nil after the last.
  package var next: Tutorial? { Lesson(rawValue: lesson.rawValue + 1).map { Tutorial(lesson: $0) } }
}
