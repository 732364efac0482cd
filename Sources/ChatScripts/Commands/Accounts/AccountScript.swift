// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Glibc
import StyledText

/// `hobnob account register` (rule 11.3): creates an account on a server that lets anyone register.
struct AccountScript: Subcommand {
  static let name = "account"
  static let abstract: StaticString =
    "Create an account on a server that is open to anyone."
  static var parameters: [Parameter<Self>] {
    [
      Parameter(
        "VERB", \.verb, completes: .words(["register"]), "The action; the only one is register."),
      Parameter(
        "ADDRESS", \.address,
        "The address of the new account: you@example.org, or with its network, xmpp:you@example.org."
      ),
      Parameter(
        "--host", \.host, value: "host",
        "The server's host name, if the domain has no DNS (SRV) record for it."),
      Parameter("--port", \.port, value: "port", "The server's port."),
      Parameter(
        "--ca", \.ca, value: "file", completes: .files, "A file with the certificates to trust."),
    ]
  }

  var verb = ""
  var address = ""
  var host: String?
  var port: UInt16?
  var ca: String?

  func validate() throws {
    if verb != "register" {
      throw WrongUsage(
        say(
          "The command hobnob account only registers new accounts; for the rest, type /account in hobnob."
        ))
    }
  }

  func run(_ launch: Launch) throws -> Int32 {
    // Check this before asking for a password.
    if let ca, access(ca, R_OK) != 0 {
      throw Refusal(
        say(
          "%1 cannot be read (%2); --ca needs a file with certificates.", SafeText(line: ca),
          systemReason()))
    }
    let name = AccountName(address)
    let programs = NetworkPrograms.installed
    // The network's program knows how to write its addresses.
    var words = ["--register", name.written]
    for (name, value) in [("host", host), ("port", port.map(String.init)), ("ca", ca)] {
      if let value { words.append("\(name)=\(value)") }
    }
    try NetworkPrograms.become(programs.command(programs.kind(of: name), words))
  }
}
