// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Glibc
import Platform
import StyledText
import Terminal

/// `hobnob check` (rule 11.3): checks the store for damage and unsafe permissions, and shows what
/// the terminal can do.
struct CheckScript: Subcommand {
  static let name = "check"
  static let abstract: StaticString =
    "Check the store, and report what the terminal can do."
  static var parameters: [Parameter<Self>] {
    [
      Parameter("--deep", \.deep, "Also check the contents of attached files."),
      Parameter(
        "--compact", \.compact, "Delete expired messages and unneeded files, and free disk space."),
      Parameter("--recover", \.recover, "Recover a damaged store into a new one."),
      Parameter(
        "--backup", \.backup, value: "file", completes: .files,
        "Write a copy of the store to a new file."),
    ]
  }

  var deep = false
  var compact = false
  var recover = false
  var backup: String?

  func validate() throws {
    if recover, deep || compact || backup != nil {
      throw WrongUsage(
        say("--recover cannot be combined with --deep, --compact or --backup."))
    }
  }

  /// - Returns: 1 if anything is wrong; standard error says what.
  func run(_ launch: Launch) throws -> Int32 {
    let output = StandardOutput()
    if recover {
      let status = try launch.recover(output)
      try output.finish()
      return status
    }
    let rc = try launch.loadRc { StandardError.say($0) }
    let store: Store
    do {
      store = try launch.openStore(create: false, shared: backup == nil && launch.options.shared)
    } catch let error as StoreError {
      guard case .corrupt = error else { throw error }
      StandardError.say(sentence(for: error))
      StandardError.say(Self.wayOut)
      return 1
    }
    defer { store.close() }
    output.write(say("Store: %1", SafeText(line: store.path)))
    let faults = try report(store, output)
    if let backup { try backUp(store, to: backup, shared: launch.options.shared, output) }
    if compact {
      guard !faults.contains(where: { $0.severity == .damage && $0.part != .attachments }) else {
        output.flush()
        throw Refusal(say("hobnob did not compact the store, because it is damaged."))
      }
      try compactStore(store, output)
    }
    describeTerminal(rc.settings, launch, output)
    let areComplete = describeSandbox(
      output, isNeeded: (try? store.read { try $0.hasAccounts() }) ?? true)
    try output.finish()
    return faults.isEmpty && areComplete ? 0 : 1
  }

  private static var wayOut: SafeText {
    say(
      "To copy everything that is still readable into a new store next to it, run hobnob check --recover."
    )
  }

  /// - Returns: the faults that the check found.
  @MainActor private func report(
    _ store: Store, _ output: StandardOutput
  ) throws -> [Finding] {
    let findings = try store.upkeep.check(deep: deep)
    for finding in findings where finding.severity == .fine {
      output.write("  " + sentence(for: finding))
    }
    // Keep the output in order if standard output and standard error go to one terminal.
    output.flush()
    let faults = findings.filter { $0.severity != .fine }
    for fault in faults { StandardError.say(sentence(for: fault)) }
    if faults.contains(where: { $0.severity == .damage && $0.part != .attachments }) {
      StandardError.say(Self.wayOut)
    }
    return faults
  }

  @MainActor private func backUp(
    _ store: Store, to path: String, shared: Bool, _ output: StandardOutput
  ) throws {
    try store.upkeep.backup(to: path, shared: shared ? true : nil)
    output.write(say("Backup: %1", SafeText(line: path)))
    let files = StoreName(store.path).with(".attachments")
    if access(files, F_OK) == 0 {
      output.write(
        say(
          "  The copy does not contain the files that were sent; copy the folder %1 as well.",
          SafeText(line: files)))
    }
  }

  @MainActor private func compactStore(_ store: Store, _ output: StandardOutput) throws {
    let now = Clock.wall()
    var forgotten = 0
    while case let count = try store.writeIfNeeded({ try $0.forgetOld(now: now, budget: 500) }),
      count > 0
    {
      forgotten += count
    }
    let removed = try store.upkeep.pruneAttachments(now: now)
    let bytes = try store.upkeep.compact()
    output.write(say("Compacted:"))
    output.write(say("  messages deleted: %1", SafeText(forgotten)))
    output.write(
      say(
        "  files removed: %1 (%2)", SafeText(removed.files),
        SafeText(line: Attachment.size(removed.bytes))))
    output.write(say("  disk space freed: %1", SafeText(line: Attachment.size(bytes))))
  }

  /// Prints what the process of an account could not do if somebody took control of it.
  ///
  /// - Parameter isNeeded: whether there is an account.
  /// - Returns: false if it is needed and cannot start because a library is missing; standard error
  ///   says which.
  @MainActor private func describeSandbox(_ output: StandardOutput, isNeeded: Bool) -> Bool {
    let programs = NetworkPrograms.installed
    let kinds = programs.kinds
    var areComplete = true
    for kind in kinds {
      do {
        let program = try programs.command(kind, [])[0]
        guard let words = try NetworkPrograms.sandbox(of: program) else { continue }
        output.write(
          kinds.count > 1
            ? say("Account sandbox (%1): %2", SafeText(line: kind), SafeText(line: words))
            : say("Account sandbox: %1", SafeText(line: words)))
        if let lacking = NetworkPrograms.lackingLibrary(of: program) {
          output.write(say("Encryption: %1", lacking))
        }
      } catch  where isNeeded {
        output.flush()
        StandardError.say(sentence(for: error))
        areComplete = false
      } catch {
        output.write(say("Accounts: %1", sentence(for: error)))
      }
    }
    return areComplete
  }

  // MARK: The terminal

  @MainActor private func describeTerminal(
    _ settings: Settings, _ launch: Launch, _ output: StandardOutput
  ) {
    let environment = launch.environment
    let term = environment["TERM"] ?? ""
    output.write(
      say("Terminal: %1", term.isEmpty ? say("none (TERM is not set)") : SafeText(line: term)))
    let codeset = nl_langinfo(Int32(CODESET)).map { String(cString: $0) } ?? ""
    output.write(
      codeset == "UTF-8"
        ? say("  Characters: UTF-8")
        : say(
          "  Characters: UTF-8, but hobnob prints its own marks in ASCII, because the locale's encoding is %1; set a UTF-8 locale such as C.UTF-8",
          // The C library's name for plain ASCII.
          codeset == "ANSI_X3.4-1968" ? "ASCII" : SafeText(line: codeset)))
    let widths = settings.terminalWidths(environment: environment)
    let rule =
      switch widths.clusters {
      case .codePoints: say("counted by code point (setting: width codepoints)")
      case .joinedAsOne: say("counted as tmux does (setting: width tmux)")
      case .graphemes: say("counted by whole emoji (setting: width unicode)")
      }
    output.write(say("  Width of emoji: %1", rule))
    let looks = Painter.TerminalCapabilities(environment: { environment[$0] })
    output.write(
      looks.colors
        ? say("  Colours: yes")
        : (environment["NO_COLOR"] ?? "").isEmpty
          ? say("  Colours: no (this kind of terminal has none)")
          : say("  Colours: no (NO_COLOR is set)"))
    output.write(background(settings, looks, launch))
  }

  /// Says what the terminal answers when asked for its background.
  @MainActor private func background(
    _ settings: Settings, _ looks: Painter.TerminalCapabilities, _ launch: Launch
  ) -> SafeText {
    // A process in the background would be stopped for touching the terminal.
    guard !launch.isPlain(settings), looks.ignoresStrings, tcgetpgrp(0) == getpgrp(),
      let device = try? TerminalDevice()
    else { return say("  Background: unknown (the terminal was not asked)") }
    return switch device.askBackground(within: Self.patience) {
    case true?: say("  Background: light")
    case false?: say("  Background: dark")
    case nil: say("  Background: the terminal does not say")
    }
  }

  /// Milliseconds to wait for a terminal that answers nothing at all.
  private static let patience: Int64 = 500
}

func sentence(for finding: Finding) -> SafeText {
  say(finding.sentence)
}
