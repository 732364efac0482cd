// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import LineEditing
import StyledText

/// What hangs on the line being typed: menu, mentions (rule 2), who is told of changes (rule 9).
typealias LiveCompletion = BarController<LineEditor>

extension BarController where Line == LineEditor {
  convenience init(shell: Shell, editor: LineEditor) {
    var registry = CompletionRegistry()
    for prefix in Prefix.allCases {
      registry.register(
        prefix.rawValue, source: ShellSource(prefix, of: shell), prefix.rules(in: shell))
    }
    self.init(editor, registry: registry, argumentSource: ShellArguments(of: shell))
    prepare = { [weak shell] completion in
      guard let settings = shell?.settings else { return }
      completion.isLive = settings.liveMenu
      completion.maxRows = max(1, settings.maxMenuRows)
    }
    ring = { [weak editor] in editor?.bell() }
    allowsSending = { [weak shell] text in
      shell.map { $0.rules.allowsSending(text, hasAttachments: !$0.files.isEmpty) } ?? false
    }
  }
}
