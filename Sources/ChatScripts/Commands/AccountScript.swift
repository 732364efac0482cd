// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatSession
import Conversations
import Glibc
import Sentences
import StyledText

/// `hobnob account register` (rule 11.3): creates an account on a server that lets anyone register.
package struct AccountScript: Subcommand {
  package static let configuration = CommandConfiguration(
    commandName: "account",
    abstract: translated("Create an account on a server that is open to anyone."))
  @OptionGroup package var common: CommonOptions
  @Argument(
    help: .init(translated("The action; the only one is register.")),
    completion: .list(["register"]))
  var verb: String
  @Argument(
    help: .init(
      translated(
        "The address of the new account: you@example.org, or with its network, xmpp:you@example.org."
      )))
  var address: String
  @Option(
    help: .init(translated("The server's host name, if the domain has no DNS (SRV) record for it."))
  )
  var host: String?
  @Option(help: .init(translated("The server's port.")))
  var port: UInt16?
  @Option(help: .init(translated("A file with the certificates to trust.")), completion: .file())
  var ca: String?

  package init() {}

  package func validate() throws {
    if verb != "register" {
      throw ValidationError(
        translated(
          "The command hobnob account only registers new accounts; for the rest, type /account in hobnob."
        ))
    }
  }

  package func run(_ launch: Launch) throws -> Int32 {
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
    let bare = name.kind == nil ? address : String(address.drop { $0 != ":" }.dropFirst())
    var words = [try programs.path(of: programs.kind(of: name)), "--register", bare]
    for (name, value) in [("host", host), ("port", port.map(String.init)), ("ca", ca)] {
      if let value { words.append("\(name)=\(value)") }
    }
    try NetworkPrograms.become(words)
  }
}
