// SPDX-License-Identifier: GPL-3.0-or-later
import Bridge
import Conversations
import Glibc
import NetworkInbox
import Networks
import Platform
import Sentences

signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
setlocale(LC_CTYPE, "")
Catalogue.open(in: ProgramFile.shareFolders("locale"))

var arguments = Array(CommandLine.arguments.dropFirst())
let programs = BridgedPrograms.installed(OwnFolder.environment)

if let examination = Examination(arguments) { exit(try examination.run()) }

// The last word is the kind of network, or the name of an account on it.
let name = arguments.last ?? ""
let kind = AccountName(name).kind ?? name
if AccountName.isKind(name), arguments.count > 1 { arguments.removeLast() }

/// What the network's program says of itself, outside the sandbox, where it can be started.
@MainActor
enum Hello {
  private static var known: BridgeHello??

  /// - Parameter patience: milliseconds.
  static func found(within patience: Int64) -> BridgeHello? {
    if let known { return known }
    let hello = (try? programs.path(of: kind)).flatMap {
      StartedProgram.hello(of: $0, within: patience)
    }
    known = hello
    return hello
  }
}

@MainActor
func makeWire(
  _ lease: AccountLease, _ settings: [String: String], _ loop: EventLoop, _ helper: AccountHelper
) throws -> any Wire {
  let files = AccountFiles(environment: OwnFolder.environment)
  let wire = try BridgeWire(
    lease, loop: loop, folder: files.programFolder(of: lease.account, inStoreAt: lease.path)
  ) { ProgramChannel(helper, loop: loop) }
  wire.ask = { [weak wire] question in
    let asked = OwnerQuestion(
      question.text, code: question.code ?? "", isSecret: question.isSecret)
    wire?.report(.asks(asked) { wire?.reply(to: question.id, $0) })
  }
  return wire
}

exit(
  NetworkProgram(
    kind: kind, arguments: arguments,
    example: arguments == ["--example"] ? Hello.found(within: 5_000)?.example ?? "" : "",
    readAddress: { $0.isEmpty ? nil : $0 },
    passwordNeed: { settings, facts in
      if PasswordNeed.isKnownToBeNone(facts) { return .unneeded }
      if settings["password-command"] != nil { return .needed }
      // One that does not introduce itself is started all the same, so that its reason is told.
      return Hello.found(within: BridgeLimits.helloTime)?.hasSecret == true ? .needed : .unneeded
    },
    registration: .impossible(
      filled(("hobnob cannot register accounts on the network %1.", [kind]))),
    hasProgram: true, makeWire: makeWire
  ).run())
