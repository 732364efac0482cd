// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatSession
import Composer
import LineEditing
import StyledText

/// What hangs on the line being typed: menu, mentions (rule 2), who is told of changes (rule 9).
typealias LiveCompletion = BarController<LineEditor>

extension BarController where Line == LineEditor {
  convenience init(session: Session, editor: LineEditor) {
    var registry = CompletionRegistry()
    for prefix in Prefix.allCases {
      registry.register(
        prefix.rawValue, source: ShellSource(prefix, of: session), prefix.rules(in: session))
    }
    self.init(editor, registry: registry, argumentSource: ShellArguments(of: session))
    prepare = { [weak session] completion in
      guard let session else { return }
      // No prefix means anything in the name of a conversation.
      completion.registry = session.switcher.isChoosing ? CompletionRegistry() : registry
      completion.arrowsEnter = session.switcher.isChoosing
      let settings = session.preferences.settings
      completion.isLive = settings.liveMenu
      completion.maxRows = max(1, settings.maxMenuRows)
    }
    ring = { [weak editor] in editor?.bell() }
    allowsSending = { [weak session] text in
      session.map {
        $0.rules.allowsSending(text, hasAttachments: !$0.files.waiting.isEmpty)
      } ?? false
    }
  }
}
