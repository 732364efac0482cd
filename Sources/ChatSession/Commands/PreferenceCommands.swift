// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText

/// `/alias`, `/bind`, `/source`, `/theme`.
@MainActor
struct PreferenceCommands: SessionPart {
  let session: Session

  private func adopt(_ rc: RcFile, _ complaints: [SafeText]) {
    session.preferences.adopt(rc)
    session.applyPreferences()
    transcript.complain(complaints)
    if !rc.bindings.isEmpty { emit(.bind(rc.bindings, mustWork: false)) }
  }

  func source(_ argument: String) throws {
    guard !argument.isEmpty else { throw usage("source") }
    var rc = session.preferences.asFile
    var complaints: [SafeText] = []
    try rc.read(RcFile.expanded(argument, session.preferences.environment)) {
      complaints.append($0)
    }
    adopt(rc, complaints)
  }

  func theme(_ argument: String) throws {
    guard !argument.isEmpty else {
      let names = SharedFiles.themes(environment: session.preferences.environment)
      guard !names.isEmpty else {
        throw Refusal(
          say("No themes were found; they belong in share/hobnob/themes beside the program."))
      }
      return tell(
        say("Themes: %1. /theme NAME applies one.", SafeText(line: names.joined(separator: ", "))))
    }
    var rc = session.preferences.asFile
    var complaints: [SafeText] = []
    try rc.apply("/theme " + argument) { complaints.append($0) }
    adopt(rc, complaints)
  }

  func alias(_ argument: String) throws {
    guard !argument.isEmpty else {
      guard !session.preferences.aliases.isEmpty else {
        return tell(say("There are no aliases; /alias j /join makes one."))
      }
      return transcript.answer(
        session.preferences.aliases.sorted { $0.key < $1.key }.map { name, meaning in
          StyledLine(SafeText(line: "/" + name), .bold)
            + StyledLine("  " + SafeText(line: meaning))
        })
    }
    var rc = session.preferences.asFile
    let name = try rc.alias(argument)
    session.preferences.adopt(rc)
    let shown = SafeText(line: name)
    emit(
      .notice(
        rc.aliases[name].map {
          say(
            "/%1 is %2, until you leave (to keep it: hobnobrc)", shown,
            SafeText(line: $0))
        } ?? say("/%1 is no longer an alias", shown)))
  }

  func bind(_ argument: String) throws {
    guard !argument.isEmpty else { throw usage("bind") }
    emit(.bind([KeyBinding(argument)], mustWork: true))
  }
}
