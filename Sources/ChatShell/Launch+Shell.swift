// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import Composer
import Conversations
import Glibc
import LineEditing
import StyledText
import Terminal

/// `hobnob open`.
package struct OpenShell: Subcommand {
  package static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Open the shell in a conversation, whatever it is named.")
  @OptionGroup package var common: CommonOptions
  @Argument(help: .conversation) var conversation: String?

  package init() {}

  package func run(_ launch: Launch) throws -> Int32 {
    try launch.shell(conversation, isCertain: true)
  }
}

extension Launch {
  /// `hobnob [CONVERSATION]`. `isCertain`: the name was given with `open`.
  package func shell(_ name: String?, isCertain: Bool = false, subcommands: [String] = []) throws
    -> Int32
  {
    var complaints: [SafeText] = []
    let rc = try loadRc { complaints.append($0) }
    if name?.isEmpty == true || name == "#" || name == "@" {
      throw Refusal(say("%1 names no conversation.", SafeText(line: name ?? "")))
    }
    let loop = EventLoop()
    let editor = isatty(0) == 1 ? try editor(rc.settings, loop) : nil
    // Everything that has to be in the store before the first prompt.
    let open = { @MainActor (patience: Int32?) in
      let store =
        if let patience {
          try openStore(create: true, patience: patience, shared: options.shared)
        } else {
          try openStore()
        }
      store.patience = patience ?? store.patience
      let me = try participant(in: store, rc: rc)
      let shell = Shell(
        store: store, me: me, settings: rc.settings, environment: environment, glyphs: glyphs,
        clock: { loop.now })
      shell.aliases = rc.aliases
      return (
        shell,
        try opened(name, for: shell, isCertain: isCertain, subcommands: subcommands)
      )
    }
    let (shell, opening): (Shell, Opening)
    if let editor {
      do {
        (shell, opening) = try open(300)
      } catch StoreError.locked {
        // The editor holds its delegate weakly.
        let line = StartingLine<(Shell, Opening)>(
          editor: editor, loop: loop, path: try storePath, keep: Self.keep)
        (shell, opening) = try withExtendedLifetime(line) { try line.wait { try open(0) } }
      }
    } else {
      (shell, opening) = try open(nil)
    }
    defer { shell.store.close() }
    guard let editor else {
      for complaint in complaints { StandardError.say(complaint) }
      return try BatchShell(shell: shell, output: StandardOutput()).run(
        opening: opening.conversation)
    }
    let interactive = InteractiveShell(shell: shell, editor: editor, loop: loop)
    return try interactive.run(
      opening: opening.conversation, bindings: rc.bindings,
      greeting: greeting(shell.me, opening), complaints: complaints)
  }

  /// Stores what was typed before a shell could begin as the draft of what it would have opened.
  private static func keep(
    _ opened: (shell: Shell, opening: Opening), _ draft: Composer.Draft
  ) throws -> SafeText {
    let (store, me) = (opened.shell.store, opened.shell.me.id)
    let place = opened.opening.conversation
    let other = try store.draft(of: me, in: place.id)
    try store.setDraft(Conversations.Draft(draft).before(other), of: me, in: place.id)
    store.close()
    return say("Your line for %1 is the draft there.", SafeText(name: place.name))
  }

  /// The line of a shell at a terminal.
  private func editor(_ settings: Settings, _ loop: EventLoop) throws -> LineEditor {
    guard StandardDescriptors.outputIsWritable else {
      throw Refusal(say("Standard output is closed; a shell needs somewhere to print."))
    }
    let term = environment["TERM"] ?? ""
    let isPlain =
      options.plain || settings.accessible || environment["HOBNOB_ACCESSIBLE"] == "1"
      || term.isEmpty || term == "dumb" || isatty(1) == 0
    return LineEditor(
      face: isPlain ? .plain : .tty, loop: loop, device: try TerminalDevice(),
      widths: settings.widths(environment: environment),
      looks: Painter.Looks(environment: { environment[$0] }))
  }

  /// Said where nothing has been said yet.
  private func greeting(_ me: Participant, _ opening: Opening) -> [StyledLine] {
    guard opening.conversation.lastNumber == 0 else { return [] }
    let name = SafeText(name: opening.conversation.name)
    return [
      StyledLine(say("You are %1 in %2, on this machine.", SafeText(name: me.name), name))
    ] + (opening.isNew ? [StyledLine(say("%1 is new; nobody else is in it.", name))] : []) + [
      StyledLine(
        say("A second terminal with hobnob --as NAME is someone to talk to. /help helps."),
        .dim)
    ]
  }

  /// What a shell begins in.
  private struct Opening {
    var conversation: Conversation
    /// It was made just now, by its name: which may be a slip of the pen.
    var isNew = false
  }

  /// The conversation that is opened: the named one, else the last one, else the one where something
  /// was said last, else #lobby. Nobody is brought back to a room that they left.
  private func opened(
    _ name: String?, for shell: Shell, isCertain: Bool, subcommands: [String]
  ) throws -> Opening {
    let store = shell.store
    let me = shell.me.id
    guard let name else {
      guard let last = try store.lastConversation(of: me),
        let conversation = try store.conversation(last, for: me)
      else { return Opening(conversation: try joined("lobby", shell)) }
      if try store.isMember(me, of: last) { return Opening(conversation: conversation) }
      let recent = try store.listing(for: me).first?.conversation
      return Opening(conversation: try recent ?? joined("lobby", shell))
    }
    if name.hasPrefix("@") { return Opening(conversation: try shell.find(name)) }
    let isNew = try store.room(name, create: false) == nil
    if isNew, !isCertain, !name.hasPrefix("#"),
      let near = subcommands.first(where: { Command.distance($0, name) <= 1 })
    {
      throw Refusal(
        say(
          "There is no room #%1. Did you mean hobnob %2? hobnob open %1 makes the room.",
          SafeText(line: name), SafeText(line: near)))
    }
    return Opening(conversation: try joined(name, shell), isNew: isNew)
  }

  private func joined(_ name: String, _ shell: Shell) throws -> Conversation {
    guard let room = try shell.store.room(name, create: true) else {
      throw RuleError.noSuchRoom(name)
    }
    if try !shell.store.isMember(shell.me.id, of: room.id) {
      try shell.store.join(shell.me.id, room.id)
    }
    return room
  }
}
