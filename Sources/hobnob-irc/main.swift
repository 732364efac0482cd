// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import IRC
import Networks
import Platform
import Sentences

signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
setlocale(LC_CTYPE, "")
Catalogue.open(in: ProgramFile.shareFolders("locale"))
exit(
  NetworkProgram(
    kind: "irc", arguments: Array(CommandLine.arguments.dropFirst()),
    example: "you@irc.example.net", readAddress: { IRCAddress($0)?.text },
    options: IRCOptions.all, passwordNeed: IRCOptions.passwordNeed,
    registration: .impossible(
      translated(
        "To register an account on IRC, write to the network's services, such as NickServ.")),
    makeWire: { try IRCWire($0, $1, loop: $2, names: $3) }
  ).run())
