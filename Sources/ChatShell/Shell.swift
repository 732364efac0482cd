// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// A person at a prompt: the conversation that is open, what a typed line means, and what is
/// shown of what others do. Knows no terminal; a ``Face`` does.
@MainActor
final class Shell {
  let store: Store
  var me: Participant
  var settings: Settings
  /// What `/NAME` stands for, by name.
  var aliases: [String: String] = [:]
  let environment: [String: String]
  weak var face: (any Face)?
  /// Monotonic milliseconds, for typing and time limits.
  let clock: @MainActor () -> Int64

  /// What is open; nil only before the first conversation is entered.
  var conversation: Conversation?
  var membership = Membership.member
  var isMember: Bool { membership == .member }
  var shellID: ShellID?
  var printer: MessagePrinter
  var typing = TypingList()
  var signals = TypingSignals()
  var editing: EditMode?
  /// What `+:` is being typed about: the message that was newest then (rule 7.8).
  var reactionTarget: Message?
  /// The files that wait to be sent with the line (rule 8.1).
  var files = WaitingFiles()
  /// People who were looked at for names like another's since names may have changed.
  var recognised: Set<ID<Participant>> = []
  /// Nil while they may be others than they were.
  var knownPeople: KnownPeople?
  /// Who said something in the open conversation since they were last looked at, and the number.
  var spoken: [ID<Participant>: Int] = [:]
  /// Emoji by their shortcodes, read when the first is asked for.
  let emoji: EmojiTable
  /// What was typed over a message and not saved, by message (rule 3.4).
  var abandonedEdits: [ID<Message>: String] = [:]
  var editedMessage: Message?
  /// What stood in the editor last that was no command.
  var typedOverMessage: String?
  /// A text that may have been meant as `/cancel`; it is saved when Return comes again.
  var doubtedEdit: String?
  /// Lines that wait for a store that somebody else has locked (rule 1.2).
  var waiting = WaitingLines()
  /// Writes nobody is told about, to be tried again while the store is locked.
  var postponed = PostponedWrites()
  /// Lines of the input history so far: each is a write of its own.
  private var rememberedLines = 0
  /// Unread messages of other conversations.
  var unread: [ID<Conversation>: (name: String, count: Int)] = [:]
  var newestOwn: Message?
  var here: [Presence] = []
  var position: Int64 = 0
  /// The number up to which the open conversation is on the screen.
  var printedUpTo = 0
  /// What was printed and is not on the screen yet, for all that is known: up to which number.
  var printed: [ID<Conversation>: Int] = [:]
  /// What of it was unread at the entrance and is not on the screen yet; nil when all of it is.
  var backlog: Backlog?
  /// The next portion of the backlog comes in the next turn of the loop.
  var isMoreUnderWay = false
  /// The first prompt does not stand yet; nobody waits for what is not on it.
  var isStarting = false
  /// Messages are kept back while a line is being typed in plain mode.
  var isHolding = false
  /// The terminal's window has the focus, or does not tell (rule 7.3).
  var isFocused = true
  /// Something was printed where nobody looked: the others are told with the focus.
  var owesSeen = false
  /// Printing is held (`/pause`, rule 7.6), and what is held.
  var isPaused = false
  var held = HeldLines()
  /// Own messages that wait for a network, and that it refused.
  var unsent = (waiting: 0, failed: 0)
  /// What I left word of while I am away.
  var away: String?
  /// Where the next page of the last search begins.
  var lastSearch: SearchPlace?
  /// Programs that run beside the shell.
  let programs = DetachedPrograms()
  var notifier = Notifier()

  var glyphs: Glyphs { printer.options.glyphs }

  init(
    store: Store, me: Participant, settings: Settings, environment: [String: String],
    glyphs: Glyphs, clock: @escaping @MainActor () -> Int64
  ) {
    self.store = store
    self.me = me
    self.settings = settings
    self.environment = environment
    self.clock = clock
    emoji = EmojiTable.load(SharedFiles.path("emoji.tsv", environment: environment) ?? "")
    printer = MessagePrinter(options: .init(glyphs: glyphs), me: me.id)
    applySettings()
  }

  /// Brings what depends on settings in line with them.
  func applySettings() {
    printer.options.timestamps = settings.timestamps != .off
    printer.options.textMarks.isStyled = settings.styling
    printer.options.textMarks.me = Style([.bold, .reverse], foreground: settings.looks.color)
    nameMyself()
    printer.options.numbers = settings.numbers
    printer.options.folding.mostLines = settings.foldLines
    printer.options.styling = settings.styling ? .standard : .off
    printer.options.colourNames = settings.looks.colourNames
    printer.options.ownAtRight = settings.looks.bubble == .right
    printer.options.widths = settings.widths(environment: environment)
    typing.timeout = Int64(settings.typingTimeout) * 1000
    // What is printed from now on may look otherwise.
    printer.endRun()
    face?.refresh()
  }

  /// What I am called, for mentions to be found.
  func nameMyself() {
    printer.options.textMarks.myNames = TextMarks(naming: me).myNames
  }

  var rules: LineRules {
    LineRules(
      messageLimit: settings.messageLimit, slashGuard: settings.slashGuard,
      takesNewlines: Set(Command.table.filter(\.takesNewlines).map(\.name)))
  }

  // MARK: A typed line

  /// Carries out a line. Throws what is to be said when the line has to stay.
  func take(_ text: String) throws {
    if editing != nil { return try patiently { try takeInEditMode(text) } }
    if let emoji = try reaction(in: text) { return try react(with: emoji, typed: text) }
    switch rules.judge(text) {
    case .blank:
      guard files.isEmpty else { return try send("", typed: "") }
      throw Refusal(SafeText())
    case .overLimit(let count, let limit): throw tooLong(count, limit)
    case .slashGuard:
      throw Refusal(
        say(
          "A command has to begin with /, without blanks before it. To send this line, begin it with //, or /set slash-guard off."
        ))
    case .commandWithNewlines(let name):
      let known = unaliased(text).dropFirst().prefix { !$0.isWhitespace }
      guard Command.named(String(known)) != nil else { throw Refusal(Self.unknown(name)) }
      throw Refusal(
        say(
          "/%1 takes one line. To send a text that begins with /, begin it with //.",
          SafeText(line: name)))
    case .command(let line):
      try patiently { try run(line) }
      rememberCommand(text)
    case .message(let body): try send(body, typed: text)
    }
  }

  private func react(with emoji: String, typed text: String) throws {
    guard let target = reactionTarget ?? newestForReaction() else {
      throw Refusal(say("There is no message here to react to."))
    }
    try react(to: target, with: emoji)
    rememberCommand(text)
    reactionTarget = nil
  }

  /// How long a command waits for the store, in milliseconds: shells that note what they have shown
  /// hold it for a moment with every message, which is no reason to refuse a command, and nobody
  /// feels the keyboard wait for it.
  private static let commandPatience: Int32 = 100

  private func patiently(_ body: () throws -> Void) throws {
    guard face?.isInteractive == true, store.patience < Self.commandPatience else {
      return try body()
    }
    let former = store.patience
    store.patience = Self.commandPatience
    defer { store.patience = former }
    try body()
  }

  /// Carries out a command line, `/` included.
  func run(_ line: String) throws {
    let line = unaliased(line)
    let name = String(line.dropFirst().prefix { !$0.isWhitespace })
    let rest = line.dropFirst(1 + name.count).drop { $0.isWhitespace }
    guard let command = Command.named(name) else { throw Refusal(Self.unknown(name)) }
    // Completion leaves a space behind a name; only a text is kept as it was typed.
    try command.run(self, command.takesNewlines ? String(rest) : String(rest).trimmingBlanks)
  }

  private static func unknown(_ name: String) -> SafeText {
    let shown = SafeText(line: name)
    if name.contains("/") {
      return say("/%1 is no command. To send a text that begins with /, begin it with //.", shown)
    }
    if name.isEmpty { return say("A command's name has to follow /. /help lists them.") }
    if let near = Command.nearest(to: name) {
      return say(
        "/%1 is no command. Did you mean /%2? /help lists them.", shown, SafeText(line: near.name))
    }
    return say("/%1 is no command. /help lists them; to send the line, begin it with //.", shown)
  }

  /// Commands enter the input history too (rule 1.12).
  private func rememberCommand(_ line: String) {
    if shellID != nil { rememberUnsent(line) }
  }

  /// A line enters the input history without a message that it became.
  func rememberUnsent(_ line: String) {
    rememberInStore(line)
    face?.remember(line)
  }

  /// The same without this shell finding it by Up already.
  func rememberInStore(_ line: String) {
    let (me, shellID) = (me.id, shellID ?? "")
    rememberedLines += 1
    let key = Self.historyKeys + String(rememberedLines)
    let write: PostponedWrites.Write = { [store] in
      try store.appendHistory(line, of: me, shell: shellID)
    }
    // Behind those that wait: newest last.
    if isHistoryWaiting { postponed[key] = write } else { postpone(key, write) }
  }

  private var isHistoryWaiting: Bool {
    postponed.keys.contains { $0.hasPrefix(Self.historyKeys) }
  }

  // MARK: Sending

  func requireConversation() throws -> Conversation {
    guard let conversation else {
      throw Refusal(say("No conversation is open; /join ROOM enters one."))
    }
    return conversation
  }

  /// The open conversation, for what its others would notice (rule 1.13).
  func requireMembership() throws -> Conversation {
    let conversation = try requireConversation()
    guard isMember else {
      let name = SafeText(name: conversation.name)
      throw Refusal(
        membership == .left
          ? say("You are not in %1; /join %1 enters it again.", name)
          : say("You are not in %1; /join %1 enters it.", name))
    }
    return conversation
  }

  /// The limit, for what a command says (rule 1.7).
  func checkLength(of body: String) throws {
    let (count, limit) = (LineRules.characters(in: body), settings.messageLimit)
    if limit > 0, count > limit { throw tooLong(count, limit) }
  }

  func tooLong(_ count: Int, _ limit: Int) -> Refusal {
    face?.bell()
    return Refusal(
      say(
        "The message has %1 characters, %2 are allowed; shorten it and press Return again.",
        SafeText(count), SafeText(limit)))
  }

  func send(
    _ body: String, kind: Message.Kind = .text, typed: String, replyTo: ID<Message>? = nil
  ) throws {
    let conversation = try requireMembership()
    try checkLength(of: body)
    let line = WaitingLines.Line(
      typed: typed, body: body, kind: kind, conversation: conversation.id,
      place: conversation.name, since: clock(),
      files: files, mentions: face?.mentions(in: body) ?? [], replyTo: replyTo,
      draft: face?.draftToSend(in: conversation.id))
    files.removeAll()
    // What waits already has to be stored before this.
    if face?.isInteractive == true, !waiting.isEmpty {
      waiting.append(line)
      face?.refresh()
      return
    }
    do {
      try commit(line)
    } catch StoreError.locked where face?.isInteractive == true {
      waiting.append(line)
      face?.tryAgainSoon()
      face?.refresh()
    } catch {
      files = line.files
      throw error
    }
  }

  func commit(_ line: WaitingLines.Line) throws {
    let attachments = try line.files.files.map { file in
      try store.keep(
        fileAt: file.path, name: file.name, type: FileType.sniff(path:),
        limit: settings.attachmentLimit * 1_000_000)
    }
    newestOwn = try store.send(
      line.body, kind: line.kind, in: line.conversation, by: me.id,
      typed: line.typed.isEmpty ? nil : line.typed, shell: shellID, attachments: attachments,
      replyTo: line.replyTo,
      mentions: Span.encoded(line.mentions), draft: line.draft)
    face?.sent(line)
    _ = signals.sentOrCleared(at: clock())
    face?.remember(line.typed)
    letGo()
    catchUp()
    face?.refresh()
  }

  // MARK: Writes that nobody waits for

  /// A write that nobody waits for: done now, or as soon as the store is free.
  func postpone(_ key: String, _ write: @escaping @MainActor () throws -> Void) {
    if isStarting {
      postponed[key] = write
      return
    }
    do {
      try write()
      postponed[key] = nil
    } catch StoreError.locked {
      postponed[key] = write
      face?.tryAgainSoon()
    } catch {
      // Nothing the person typed hangs on it; the next such write says it again.
      postponed[key] = nil
    }
  }

  /// Whether something that was typed still waits for the store: a line, a draft, a line of the
  /// input history.
  var hasUnstoredLines: Bool {
    !waiting.isEmpty
      || postponed.keys.contains {
        $0.hasPrefix(DraftKeeper.keys) || $0.hasPrefix(Self.historyKeys) || $0 == KeptLines.key
      }
  }

  private static let historyKeys = "history "

  /// Tries again what the locked store refused. True: nothing is left.
  func tryPostponed() -> Bool {
    var isHistoryLocked = false
    for key in postponed.keys {
      let isHistory = key.hasPrefix(Self.historyKeys)
      guard let write = postponed[key], !(isHistory && isHistoryLocked) else { continue }
      postpone(key, write)
      if isHistory, postponed[key] != nil { isHistoryLocked = true }
    }
    return postponed.isEmpty
  }

  // MARK: Saying

  static func error(_ sentence: SafeText) -> StyledLine {
    StyledLine(sentence, Style(foreground: .red))
  }

  /// Prints what a command answers, broken between words.
  ///
  /// - Parameter indent: where the second row of each line begins, in columns; nil for what people
  ///   wrote, which the terminal wraps, so that it can be copied whole.
  func answer(_ lines: [StyledLine], indent: Int? = 4) {
    printer.endRun()
    face?.print(indent.map { indent in lines.flatMap { broken($0, indent: indent) } } ?? lines)
  }

  func tell(_ sentence: SafeText) { answer([StyledLine(sentence, .dim)], indent: 0) }

  /// Prints what went wrong.
  func complain(_ sentences: [SafeText]) {
    guard !sentences.isEmpty else { return }
    answer(sentences.map { Self.error($0) }, indent: 0)
  }

  /// A line broken between words to what the face shows.
  func broken(_ line: StyledLine, indent: Int = 0) -> [StyledLine] {
    guard let columns = face?.columns else { return [line] }
    return line.wrapped(
      at: columns, indent: indent + 20 > columns ? min(indent, 2) : indent,
      widths: printer.options.widths)
  }
}
