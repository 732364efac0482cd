// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatSession
import Composer
import Conversations
import Glibc
import LineEditing
import Platform
import StyledText
import Terminal

/// The line while the store cannot be opened yet because somebody else has it locked: what is typed
/// stays and is there when the shell begins. Return sends nothing.
@MainActor
final class StartingLine<Opened> {
  /// How long it waits, in milliseconds.
  private let patience: Int64 = 10_000
  private let interval = 50

  private let editor: LineEditor
  private let loop: EventLoop
  private let path: String
  private var outcome: Result<Opened, any Error>?
  private var isKept = false
  private var deadline: Int64 = 0
  /// What was typed when the person left; it waits for the store a moment longer.
  private var left: Composer.Draft?
  /// Stores what was typed in what was opened, and says where.
  private let keep: @MainActor (Opened, Composer.Draft) throws -> SafeText

  init(
    editor: LineEditor, loop: EventLoop, path: String,
    keep: @escaping @MainActor (Opened, Composer.Draft) throws -> SafeText
  ) {
    self.keep = keep
    self.editor = editor
    self.loop = loop
    self.path = path
  }

  /// Tries `open` again and again; the editor is started, and stays so when there is a store.
  ///
  /// - Throws: what `open` threw last, after the patience or when the person leaves.
  func wait(_ open: @escaping @MainActor () throws -> Opened) throws -> Opened {
    editor.handler = { [weak self] in self?.handle($0) ?? false }
    deadline = loop.now + patience
    if editor.face == .tty {
      editor.bar.zones[.status] = [Item(id: "left", line: StyledLine(waiting, .dim))]
    } else {
      editor.print([StyledLine(waiting)])
    }
    editor.start(prompt: StyledLine("hobnob> ", .dim))
    editor.draw()
    loop.handleSignals([SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGWINCH]) { [weak self] signal in
      switch signal {
      case SIGINT: self?.editor.clearLine()
      case SIGTSTP: self?.editor.suspend()
      case SIGWINCH: self?.editor.resized()
      default: self?.giveUp()
      }
    }
    tryAgain(open)
    if outcome == nil { loop.run() }
    if case .failure = outcome {
      if !editor.isEmpty, !isKept {
        // The last resort: what cannot be stored at least stands on the screen, all of it.
        let text = SafeText(body: editor.text).lines.joined(separator: " ")
        editor.print([Transcript.error(say("Not sent:") + " " + text)])
      }
      editor.stop()
    }
    return try (outcome ?? .failure(StoreError.locked(path: path))).get()
  }

  private var waiting: SafeText {
    say("Waiting for the store, which another process has locked: %1", SafeText(line: path))
  }

  private func tryAgain(_ open: @escaping @MainActor () throws -> Opened) {
    do {
      let opened = try open()
      guard let left else { return finish(.success(opened)) }
      let sentence = try keep(opened, left)
      isKept = true
      finish(.failure(Refusal(sentence)))
    } catch StoreError.locked where loop.now < deadline {
      loop.after(milliseconds: interval) { [weak self] in
        if let self, outcome == nil { tryAgain(open) }
      }
    } catch {
      finish(.failure(error))
    }
  }

  private func giveUp() {
    guard left == nil else { return }
    guard !editor.isEmpty, !LineRules.isCommand(editor.text) else {
      return finish(.failure(StoreError.locked(path: path)))
    }
    left = Composer.Draft(editor.text, caret: editor.caret)
    deadline = loop.now + patience
  }

  private func finish(_ outcome: Result<Opened, any Error>) {
    self.outcome = self.outcome ?? outcome
    loop.stop()
  }

  private func handle(_ event: LineEvent) -> Bool {
    switch event {
    case .accepted, .cannotSuspend: editor.bell()
    case .clearing(let isEmpty): return isEmpty
    case .endOfInput, .lostTerminal: giveUp()
    case .completing: return true
    default: break
    }
    return false
  }
}
