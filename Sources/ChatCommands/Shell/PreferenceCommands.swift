// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Sentences
import StyledText

/// `/alias`, `/bind`, `/source`, `/theme`.
@MainActor
struct PreferenceCommands {
  let context: CommandContext
  /// Names of commands, which cannot be aliases.
  let reserved: Set<String>
  private var preferences: Preferences { context.preferences }

  private func adopt(_ rc: RcFile, _ complaints: [SafeText] = []) -> Step {
    var preferences = preferences
    preferences.adopt(rc)
    var step = Step([.preferences(preferences), .complain(complaints)])
    if !rc.bindings.isEmpty {
      step.effects.append(.bind(rc.bindings, mustWork: false))
    }
    return step
  }

  func readFile(_ argument: String) throws -> Step {
    guard !argument.isEmpty else { throw usage("source") }
    var rc = preferences.asFile(reserved: reserved)
    var complaints: [SafeText] = []
    try rc.read(RcFile.expanded(argument, preferences.environment)) {
      complaints.append($0)
    }
    return adopt(rc, complaints)
  }

  func theme(_ argument: String) throws -> Step {
    guard !argument.isEmpty else {
      let names = SharedFiles.themes(environment: preferences.environment)
      guard !names.isEmpty else {
        throw Refusal(
          say("hobnob found no themes; they belong in share/hobnob/themes beside the program."))
      }
      return .tell(
        say("Themes: %1. /theme NAME applies one.", SafeText(line: names.joinedAsList())))
    }
    var rc = preferences.asFile(reserved: reserved)
    var complaints: [SafeText] = []
    try rc.apply("/theme " + argument) { complaints.append($0) }
    return adopt(rc, complaints)
  }

  func alias(_ argument: String) throws -> Step {
    guard !argument.isEmpty else {
      guard !preferences.aliases.isEmpty else {
        return .tell(say("There are no aliases; /alias j /join makes one."))
      }
      return .answer(
        preferences.aliases.sorted { $0.key < $1.key }.map { name, meaning in
          StyledLine(SafeText(line: "/" + name), .bold)
            + StyledLine(context.glyphs.gap + SafeText(line: meaning))
        })
    }
    var rc = preferences.asFile(reserved: reserved)
    let name = try rc.alias(argument)
    var step = adopt(rc)
    let shown = SafeText(line: name)
    step.effects.append(
      .notice(
        rc.aliases[name].map {
          say(
            "/%1 is %2 until you quit; to keep it, put it in hobnobrc", shown,
            SafeText(line: $0))
        } ?? say("/%1 is no longer an alias", shown)))
    return step
  }

  func bind(_ argument: String) throws -> Step {
    guard !argument.isEmpty else { throw usage("bind") }
    return .effect(.bind([KeyBinding(argument)], mustWork: true))
  }
}

extension Arguments {
  static let theme = first { query, _ in
    SharedFiles.themes(environment: query.context.preferences.environment).map { Candidate($0) }
  }
  static let alias = first { query, _ in
    query.context.preferences.aliases.map { Candidate($0.key, hint: $0.value) }
  }
}
