// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import StyledText

/// The settings a person keeps: lines as typed at the prompt, `/set typing off`.
struct RcFile {
  var settings = Settings()
  /// `/set nick NAME`: who this person is where the command line does not say.
  var nick: String?

  /// `$XDG_CONFIG_HOME/hobnob/hobnobrc`, or below `~/.config`.
  static func defaultPath(environment: [String: String]) -> String {
    if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
      return base + "/hobnob/hobnobrc"
    }
    return (environment["HOME"] ?? "") + "/.config/hobnob/hobnobrc"
  }

  /// Reads a file. What is wrong in it is told by line number to `complain`; the rest applies.
  ///
  /// - Throws: a ``Refusal`` where the file cannot be read, or was named and is missing.
  static func load(
    _ path: String, mustExist: Bool, complain: (SafeText) -> Void
  ) throws -> RcFile {
    let shown = SafeText(line: path)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT, !mustExist { return RcFile() }
      throw Refusal(say("%1 cannot be read: %2.", shown, systemReason()))
    }
    defer { close(descriptor) }
    // Dotfiles are often links; what they lead to has to be the person's own or the system's.
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_uid == getuid() || status.st_uid == 0 else {
      throw Refusal(
        say("%1 belongs to someone else; it is not read. --no-rc starts without it.", shown))
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 { throw Refusal(say("%1 cannot be read: %2.", shown, systemReason())) }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return parse(String(decoding: bytes, as: UTF8.self)) { number, sentence in
      complain(say("%1, line %2: %3", shown, SafeText(number), sentence))
    }
  }

  /// Reads the text of a file: one command a line, `#` begins a comment line.
  static func parse(_ text: String, complain: (Int, SafeText) -> Void) -> RcFile {
    var rc = RcFile()
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let command = words.first, !command.hasPrefix("#") else { continue }
      guard command == "/set" || command == "set" else {
        complain(
          index + 1,
          say("%1 cannot stand in an rc file; /set NAME VALUE can.", SafeText(line: command)))
        continue
      }
      guard words.count == 3 else {
        complain(index + 1, say("/set takes a name and a value here."))
        continue
      }
      if words[1] == "nick" {
        rc.nick = words[2]
      } else if let entry = Settings.entry(words[1]) {
        if !entry.set(&rc.settings, words[2]) {
          let values =
            entry.values.isEmpty
            ? say("a number") : SafeText(line: entry.values.joined(separator: ", "))
          complain(
            index + 1,
            say(
              "%1 cannot be %2; it takes %3.", SafeText(line: words[1]), SafeText(line: words[2]),
              values))
        }
      } else {
        complain(index + 1, say("%1 is no setting; /set lists them.", SafeText(line: words[1])))
      }
    }
    return rc
  }
}
