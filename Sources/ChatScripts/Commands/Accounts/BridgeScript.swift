// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import StyledText

/// `hobnob bridge` (rule 11.3): examines the program of a network, for people who write one.
struct BridgeScript: Subcommand {
  static let name = "bridge"
  static let abstract: StaticString =
    "Try or check a program that connects hobnob to a network."
  static var parameters: [Parameter<Self>] {
    [
      Parameter(
        "VERB", \.verb, completes: .words(["try", "check"]),
        "try: talk to the program by hand; check: find out whether it keeps the rules."),
      Parameter(
        "PROGRAM", \.program, completes: .files,
        "The path of the program, or the name of an installed network."),
      Parameter(
        "--address", \.address, value: "address", "The account's address, without the network."),
      Parameter(
        "--secret-file", \.secretFile, value: "file", completes: .files,
        "A file with the account's password in its first line."),
      Parameter(
        "--room", \.room, value: "address",
        "check: the room to write to; without it, check writes to the person \"bot\"."),
      Parameter(
        "--option", \.options, value: "name=value", "An option of the account; can be repeated."),
    ]
  }

  var verb = ""
  var program = ""
  var address: String?
  var secretFile: String?
  var room: String?
  var options: [String] = []

  func validate() throws {
    if !["try", "check"].contains(verb) {
      throw WrongUsage(
        say("The command hobnob bridge is try or check, not %1.", SafeText(line: verb)))
    }
  }

  func run(_ launch: Launch) throws -> Int32 {
    var words = ["--" + verb, program]
    for (name, value) in [("address", address), ("secret-file", secretFile), ("room", room)] {
      if let value { words.append("\(name)=\(value)") }
    }
    try NetworkPrograms.become(NetworkPrograms.installed.bridge(words + options))
  }
}
