// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import StyledText

/// A line of an inputrc, and its position if it is from a file.
package struct KeyBinding: Sendable {
  package let line: String
  private let source: SafeText?
  /// How many complaints hobnob had made when it read the line. This puts readline's complaints
  /// about the line in their place among the others.
  private let complaintsBefore: Int

  package init(_ line: String, from source: SafeText? = nil, complaintsBefore: Int = 0) {
    (self.line, self.source, self.complaintsBefore) = (line, source, complaintsBefore)
  }

  /// readline's complaint about the line, with the line's position.
  package func complaint(_ sentence: SafeText) -> SafeText {
    source.map { say("%1: %2", $0, sentence) } ?? sentence
  }

  /// readline's complaints and the others, together in the order of the lines.
  ///
  /// - Parameter bind: binds a line, and returns readline's complaints.
  package static func complaints(
    of bindings: [KeyBinding], among others: [SafeText], bind: (String) -> [SafeText]
  ) -> [SafeText] {
    var rest = others[...]
    var all: [SafeText] = []
    for binding in bindings {
      let before = rest.prefix(max(0, binding.complaintsBefore - rest.startIndex))
      all += before
      rest = rest.dropFirst(before.count)
      all += bind(binding.line).map(binding.complaint)
    }
    return all + rest
  }
}

/// What a person keeps in an rc file or a theme: lines as typed at the prompt.
package struct RcFile {
  /// The commands that an rc file may contain.
  static let commands: Set<String> = ["set", "alias", "bind", "theme", "source"]

  package var settings = Settings()
  /// The command line for each `/NAME`.
  package var aliases: [String: String] = [:]
  /// Lines for readline, in order.
  package var bindings: [KeyBinding] = []
  /// For finding the files that a line names.
  let environment: [String: String]
  private let reserved: () -> Set<String>
  /// The files being read, to detect loops.
  private var open: [String] = []
  /// The line being read, from 1.
  private var number = 0
  /// How many complaints the earlier lines caused, including those in files that they name.
  private var complaintsBefore = 0
  /// How many bytes hobnob may still read of a file and all files that it names, together.
  private var bytesLeft = 0

  /// The maximum size of a file together with those that it names, in bytes. Applying more
  /// lines than fit into that would keep the person waiting.
  static let mostBytes = 1_000_000
  /// The maximum number of complaints about a file.
  private static let mostComplaints = 20

  /// - Parameter reserved: names of commands, which cannot be aliases.
  package init(
    environment: [String: String] = [:], reserved: @autoclosure @escaping () -> Set<String> = []
  ) {
    (self.environment, self.reserved) = (environment, reserved)
  }

  /// `$XDG_CONFIG_HOME/hobnob/hobnobrc`, or below `~/.config`.
  package static func defaultPath(environment: [String: String]) -> String {
    (OwnFolder.config.path(environment) ?? "") + "/hobnobrc"
  }

  /// Reads a file and adds it to the current values. Reports errors by line number to `complain`;
  /// the other lines apply.
  ///
  /// - Throws: a ``Refusal`` if the file cannot be read, or is missing although it must exist.
  package mutating func read(
    _ path: String, mustExist: Bool = true, complain: (SafeText) -> Void
  ) throws {
    let shown = SafeText(line: path)
    guard !open.contains(path), open.count < 16 else {
      throw Refusal(say("%1 sources itself, so hobnob does not read it again.", shown))
    }
    if open.isEmpty { bytesLeft = Self.mostBytes }
    guard let text = try Self.text(of: path, mustExist: mustExist, mostBytes: bytesLeft) else {
      return
    }
    bytesLeft -= text.utf8.count
    open.append(path)
    defer { open.removeLast() }
    var complaints = 0
    parse(text) { number, sentence in
      complaints += 1
      if complaints <= Self.mostComplaints {
        complain(say("%1, line %2: %3", shown, SafeText(number), sentence))
      }
    }
    let unnamed = complaints - Self.mostComplaints
    if unnamed > 0 {
      complain(
        unnamed == 1
          ? say("%1: 1 more line is wrong.", shown)
          : say("%1: %2 more lines are wrong.", shown, SafeText(unnamed)))
    }
  }

  private static func text(of path: String, mustExist: Bool, mostBytes: Int) throws -> String? {
    let shown = SafeText(line: path)
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT, !mustExist { return nil }
      throw Refusal(say("%1 cannot be read: %2.", shown, systemReason()))
    }
    defer { close(descriptor) }
    // Dotfiles are often links; their target must belong to the person or the system.
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_uid == getuid() || status.st_uid == 0 else {
      throw Refusal(
        say(
          "hobnob does not read %1, which belongs to someone else. --no-rc starts without it.",
          shown))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Refusal(say("hobnob cannot read settings from %1.", shown))
    }
    let tooLong = Refusal(
      say(
        "%1 is too long: a settings file and the files it sources may have up to %2 in all.",
        shown, SafeText(line: Attachment.size(Self.mostBytes))))
    let bytes: [UInt8]
    do {
      // Do not trust the stated size: the file may grow, and some system files have none.
      bytes = try readAll(descriptor) { if $0 > mostBytes { throw tooLong } else { true } }
    } catch let failure as SystemFailure {
      throw Refusal(say("%1 cannot be read: %2.", shown, systemReason(failure.code)))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Parses the text of a file: one command a line, `#` begins a comment line.
  mutating func parse(_ text: String, complain: (Int, SafeText) -> Void) {
    let before = complaintsBefore
    var complaints = 0
    func tell(_ number: Int, _ sentence: SafeText) {
      complaints += 1
      complain(number, sentence)
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = String(line).trimmingBlanks
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      number = index + 1
      complaintsBefore = before + complaints
      do {
        try apply(line) { tell(index + 1, $0) }
      } catch {
        tell(index + 1, sentence(for: error))
      }
    }
  }

  /// Applies one line, with or without its `/`.
  package mutating func apply(_ line: String, complain: (SafeText) -> Void) throws {
    let bare = line.hasPrefix("/") ? line.dropFirst() : line[...]
    let name = String(bare.prefix { !$0.isWhitespace })
    let rest = String(bare.dropFirst(name.count)).trimmingBlanks
    switch name {
    case "set":
      let words = rest.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
      if let name = words.first, [KeepSetting.name, NotifySetting.name].contains(name) {
        throw KeepSetting.belongsToAConversation(name)
      }
      guard words.count == 2 else {
        throw Refusal(say("In a file, /set needs a name and a value."))
      }
      try settings.change(words[0], to: words[1].trimmingBlanks, commands: reserved())
    case "alias": try alias(rest)
    case "bind":
      guard !rest.isEmpty else {
        throw Refusal(say("In a file, /bind needs a line of an inputrc."))
      }
      let source = open.last.map { say("%1, line %2", SafeText(line: $0), SafeText(number)) }
      bindings.append(KeyBinding(rest, from: source, complaintsBefore: complaintsBefore))
    case "theme":
      guard let path = SharedFiles.theme(rest, environment: environment) else {
        throw Self.noTheme(rest, environment: environment)
      }
      try read(path, complain: complain)
    case "source": try read(Self.expanded(rest, environment), complain: complain)
    default:
      throw Refusal(
        say(
          "%1 does not work in an rc file; /set, /alias, /bind, /theme and /source do.",
          SafeText(line: line.hasPrefix("/") ? "/" + name : name)))
    }
  }

  static func noTheme(_ name: String, environment: [String: String]) -> Refusal {
    Refusal(
      say(
        "There is no theme %1; the themes are %2.", SafeText(line: name),
        SafeText(line: SharedFiles.themes(environment: environment).joinedAsList())))
  }

  /// Expands `~/` at the start of a path.
  package static func expanded(_ path: String, _ environment: [String: String]) -> String {
    path.hasPrefix("~/") ? (environment["HOME"] ?? "") + path.dropFirst(1) : path
  }

  /// `NAME COMMAND…` makes `/NAME` an alias for a command line; `NAME` alone removes it.
  ///
  /// - Returns: the name, without `/`.
  @discardableResult
  package mutating func alias(_ argument: String) throws -> String {
    let name = String(argument.prefix { !$0.isWhitespace })
    let bare = name.hasPrefix("/") ? String(name.dropFirst()) : name
    let meaning = String(argument.dropFirst(name.count)).trimmingBlanks
    guard !bare.isEmpty, !bare.contains("/") else {
      throw Refusal(say("An alias needs a name: /alias j /join."))
    }
    guard !reserved().contains(bare) else {
      throw Refusal(say("/%1 is already a command.", SafeText(line: bare)))
    }
    guard !meaning.isEmpty else {
      guard aliases.removeValue(forKey: bare) != nil else {
        throw Refusal(say("There is no alias /%1.", SafeText(line: bare)))
      }
      return bare
    }
    aliases[bare] = meaning.hasPrefix("/") ? meaning : "/" + meaning
    return bare
  }
}
