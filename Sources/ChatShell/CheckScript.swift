// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import StyledText

/// What `hobnob check` is told (rule 11.3).
public struct CheckOptions: Sendable {
  /// Reads the files of all attachments, too.
  public var isDeep = false
  /// Forgets what conversations do not keep, removes files nobody names, gives back space.
  public var compacts = false
  /// Writes what can be read of the store into a new one.
  public var recovers = false
  /// Where a copy of the store is written to.
  public var backup: String?

  public init() {}
}

/// `hobnob check` (rule 11.3).
extension Launch {
  /// Looks whether the store is whole and safe, and tells what the terminal can do.
  ///
  /// - Returns: 1 when anything is not as it should be; standard error says what.
  public func check(_ options: CheckOptions) throws -> Int32 {
    let output = StandardOutput()
    if options.recovers {
      let status = try recover(output)
      try output.finish()
      return status
    }
    let rc = try loadRc { StandardError.say($0) }
    let store: Store
    do {
      store = try openStore(create: false, shared: options.backup == nil && self.options.isShared)
    } catch let error as StoreError {
      guard case .corrupt = error else { throw error }
      StandardError.say(sentence(for: error))
      StandardError.say(Self.wayOut)
      return 1
    }
    defer { store.close() }
    output.write(say("Store: %1", SafeText(line: store.path)))
    let faults = try report(store, isDeep: options.isDeep, output)
    if let path = options.backup { try backUp(store, to: path, output) }
    if options.compacts {
      guard !faults.contains(where: { $0.severity == .damage && $0.part != .attachments }) else {
        output.flush()
        throw Refusal(say("It was not compacted, since it is damaged."))
      }
      try compact(store, output)
    }
    describeTerminal(rc.settings, output)
    try output.finish()
    return faults.isEmpty ? 0 : 1
  }

  private static var wayOut: SafeText {
    say("hobnob check --recover writes what can be read of it into a new store beside it.")
  }

  /// - Returns: what is not as it should be.
  private func report(
    _ store: Store, isDeep: Bool, _ output: StandardOutput
  ) throws -> [Finding] {
    let findings = try store.check(deep: isDeep)
    for finding in findings where finding.severity == .fine {
      output.write("  " + sentence(for: finding))
    }
    // In the order in which they are read where both go to one terminal.
    output.flush()
    let faults = findings.filter { $0.severity != .fine }
    for fault in faults { StandardError.say(sentence(for: fault)) }
    if faults.contains(where: { $0.severity == .damage && $0.part != .attachments }) {
      StandardError.say(Self.wayOut)
    }
    return faults
  }

  private func backUp(_ store: Store, to path: String, _ output: StandardOutput) throws {
    try store.backup(to: path, shared: options.isShared ? true : nil)
    output.write(say("Backup: %1", SafeText(line: path)))
    let files = StoreName(store.path).with(".attachments")
    if access(files, F_OK) == 0 {
      output.write(
        say("  The files that were sent are not in it; copy the folder %1.", SafeText(line: files)))
    }
  }

  private func compact(_ store: Store, _ output: StandardOutput) throws {
    let now = Store.wallClock()
    var forgotten = 0
    while case let count = try store.forgetOld(now: now, budget: 500), count > 0 {
      forgotten += count
    }
    let removed = try store.pruneAttachments(now: now)
    let bytes = try store.compact()
    output.write(say("Compacted:"))
    output.write(say("  messages forgotten: %1", SafeText(forgotten)))
    output.write(
      say(
        "  files removed: %1 (%2)", SafeText(removed.files),
        SafeText(line: Attachment.size(removed.bytes))))
    output.write(say("  space given back: %1", SafeText(line: Attachment.size(bytes))))
  }

  // MARK: The terminal

  private func describeTerminal(_ settings: Settings, _ output: StandardOutput) {
    let term = environment["TERM"] ?? ""
    output.write(
      say("Terminal: %1", term.isEmpty ? say("none (TERM is not set)") : SafeText(line: term)))
    let codeset = nl_langinfo(Int32(CODESET)).map { String(cString: $0) } ?? ""
    output.write(
      codeset == "UTF-8"
        ? say("  Characters: UTF-8")
        : say(
          "  Characters: UTF-8, and marks in ASCII, since the locale says %1; C.UTF-8 is one that says UTF-8",
          // What the C library calls plain ASCII.
          codeset == "ANSI_X3.4-1968" ? "ASCII" : SafeText(line: codeset)))
    let widths = settings.widths(environment: environment)
    let rule =
      switch widths.clusters {
      case .codePoints: say("each code point by itself (width codepoints)")
      case .joined: say("joined emoji as one, as tmux does (width tmux)")
      case .graphemes: say("each emoji as one (width unicode)")
      }
    output.write(say("  Columns of emoji: %1", rule))
    output.write(
      (environment["NO_COLOR"] ?? "").isEmpty
        ? say("  Colours: yes") : say("  Colours: no (NO_COLOR is set)"))
  }
}

/// What a check of the store found, as a sentence.
func sentence(for finding: Finding) -> SafeText {
  fill(finding.sentence.key, finding.sentence.arguments.map { SafeText(line: $0) })
}
