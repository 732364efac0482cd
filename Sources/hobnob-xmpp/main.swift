// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Networks
import Platform
import Sentences
import XMPP

signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
setlocale(LC_CTYPE, "")
Catalogue.open(in: ProgramFile.shareFolders("locale"))
exit(
  NetworkProgram(
    kind: "xmpp", arguments: Array(CommandLine.arguments.dropFirst()),
    example: "you@example.org", readAddress: accountAddress,
    options: accountOptions,
    registration: .possible { registerAccount($0, password: $1, settings: $2) },
    lacks: { KeyKeeper.missingLibrary },
    makeWire: {
      let files = AccountFiles(environment: OwnFolder.environment)
      return try XMPPWire($0, $1, loop: $2, names: $3, keys: KeyKeeper(for: $0, files: files))
    }
  ).run())
