// SPDX-License-Identifier: GPL-3.0-or-later
import ProsodyFixture

/// What an account on a server costs, on a Prosody of this machine: the one that the tests use.
enum NetworkFigures {
  static func measure(_ program: BenchedProgram, in folder: ScratchFolder) throws -> [Figure] {
    guard let network = program.network else {
      complain("accounts are not measured: there is no hobnob-xmpp beside \(program.built)")
      return []
    }
    complain("accounts: a server …")
    let server: Prosody
    do {
      server = try Prosody(
        people: ["anna", "ben"], settings: CatchUp.settings + Crowd.settings,
        plugins: [Crowd.plugin: Crowd.text])
    } catch {
      complain("accounts are not measured: \(error)")
      return []
    }
    complain("accounts: an archive of \(CatchUp.count) messages …")
    let figures = attempt("an archive") { try CatchUp.measure(network, in: folder, at: server) }
    complain("accounts: a room of \(Crowd.size) people …")
    return figures
      + attempt("a large room") { try BigRoom.measure(program, network, in: folder, at: server) }
  }

  /// A failure costs only its own figures, which then count as missed.
  private static func attempt(_ name: String, _ body: () throws -> [Figure]) -> [Figure] {
    do {
      return try body()
    } catch {
      return [Figure(name: name, measured: "not measured: \(error)", isReached: false)]
    }
  }
}
