// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// What an account on a server costs, on a Prosody of this machine.
@MainActor enum Accounts {
  static func measure(
    _ program: Program, in folder: ScratchFolder, keys: Int, rounds: Int
  ) throws -> [Figure] {
    if let missing = LocalServer.missing {
      complain("accounts are not measured: \(missing) is not installed")
      return []
    }
    guard let network = program.network else {
      complain("accounts are not measured: there is no hobnob-xmpp beside \(program.built)")
      return []
    }
    complain("accounts: a server …")
    // What the server takes from its disk, and how, is not what is measured: its own storage reads
    // the whole archive for each page.
    let server = try LocalServer(
      in: folder, named: "server", names: ["anna", "ben", "cem", "dora", "emil"],
      settings: """
        storage = { archive = "memory" }
        storage_archive_item_limit = 100000
        max_archive_query_results = 250
        """)
    // Its idleness is long: that of all that is measured meanwhile.
    let idle = try NetworkChild(
      network, "\(folder.path)/idle/store.sqlite", name: "cem", at: server)
    _ = try idle.start()
    let idleness = try Idleness(of: idle.process)

    var figures: [Figure] = []
    complain("accounts: archives …")
    figures += attempt("archives") { try CatchUp.measure(network, in: folder, at: server) }
    complain("accounts: a room of \(Crowd.size) people …")
    figures += attempt("a large room") {
      try BigRoom.measure(program, network, in: folder, at: server)
    }
    complain("accounts: the shell with one and without …")
    figures += attempt("a shell with an account") {
      try WithAccount.measure(
        program, network, in: folder, at: server, keys: keys, rounds: rounds)
    }
    complain("accounts: beside profanity …")
    figures += attempt("beside profanity") {
      try Profanity.measure(program, network, in: folder, at: server, name: "emil")
    }
    return figures + attempt("idleness") { try idleness.figures() }
  }

  /// What fails takes no other figure with it, and is not reached.
  static func attempt(_ name: String, _ body: () throws -> [Figure]) -> [Figure] {
    do {
      return try body()
    } catch {
      return [Figure(name: name, measured: "not measured: \(error)", isReached: false)]
    }
  }
}
