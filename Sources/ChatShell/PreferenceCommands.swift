// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText

/// `/alias`, `/bind`, `/keys`, `/source`, `/theme`.
extension Shell {
  /// What `/source` and `/theme` change, as it stands.
  private var preferences: RcFile {
    var rc = RcFile(environment: environment)
    rc.settings = settings
    rc.aliases = aliases
    return rc
  }

  private func adopt(_ rc: RcFile, _ complaints: [SafeText]) {
    settings = rc.settings
    aliases = rc.aliases
    var complaints = complaints
    for line in rc.bindings { complaints += face?.bind(line) ?? [] }
    applySettings()
    complain(complaints)
  }

  func source(_ argument: String) throws {
    guard !argument.isEmpty else { throw usage("source") }
    var rc = preferences
    var complaints: [SafeText] = []
    try rc.read(RcFile.expanded(argument, environment)) { complaints.append($0) }
    adopt(rc, complaints)
  }

  func theme(_ argument: String) throws {
    guard !argument.isEmpty else {
      let names = SharedFiles.themes(environment: environment)
      guard !names.isEmpty else {
        throw Refusal(
          say("No themes were found; they belong into share/hobnob/themes beside the program."))
      }
      return tell(
        say("Themes: %1. /theme NAME takes one.", SafeText(line: names.joined(separator: ", "))))
    }
    var rc = preferences
    var complaints: [SafeText] = []
    try rc.apply("/theme " + argument) { complaints.append($0) }
    adopt(rc, complaints)
  }

  func alias(_ argument: String) throws {
    guard !argument.isEmpty else {
      guard !aliases.isEmpty else { return tell(say("There are no aliases: /alias j /join.")) }
      return answer(
        aliases.sorted { $0.key < $1.key }.map { name, meaning in
          StyledLine(SafeText(line: "/" + name), .bold)
            + StyledLine("  " + SafeText(line: meaning))
        })
    }
    var rc = preferences
    try rc.alias(argument)
    aliases = rc.aliases
  }

  func bind(_ argument: String) throws {
    guard !argument.isEmpty else { throw usage("bind") }
    let complaints = face?.bind(argument) ?? []
    guard complaints.isEmpty else {
      throw Refusal(say("That was not bound: %1.", complaints.joined(separator: "; ")))
    }
  }

  func keys(_ argument: String) throws {
    let wanted = Ranking.folded(argument)
    let bindings = (face?.bindings ?? []).filter {
      $0.function != "self-insert" && $0.function != "digit-argument"
        && $0.function != "do-lowercase-version" && $0.function != "vi-arg-digit"
        && (wanted.isEmpty || Ranking.folded($0.function).contains(wanted))
    }
    guard !bindings.isEmpty else {
      throw Refusal(
        argument.isEmpty
          ? say("No keys are bound here.")
          : say("No key is bound to a function that is called like %1.", SafeText(line: argument)))
    }
    let width = bindings.map(\.function.count).max() ?? 0
    answer(
      bindings.map { binding in
        let blanks = String(repeating: " ", count: width - binding.function.count + 2)
        return StyledLine(SafeText(line: binding.function + blanks), .bold)
          + StyledLine(SafeText(line: binding.keys))
      })
  }

  /// An alias put in the place of the name it stands for; once, so that no alias calls itself.
  func unaliased(_ line: String) -> String {
    let name = String(line.dropFirst().prefix { !$0.isWhitespace })
    guard let meaning = aliases[name] else { return line }
    return meaning + line.dropFirst(1 + name.count)
  }
}
