// SPDX-License-Identifier: GPL-3.0-or-later
import ProsodyFixture

/// Measures an account on a local Prosody server, which the tests set up as well.
enum NetworkFigures {
  static func measure(_ program: BenchedProgram, in folder: ScratchFolder) throws -> [Figure] {
    guard let network = program.network else {
      note("accounts are not measured: there is no hobnob-xmpp beside \(program.built)")
      return []
    }
    note("accounts: a server …")
    let server: Prosody
    do {
      server = try Prosody(
        people: ["anna", "ben"], settings: CatchUp.settings + Crowd.settings,
        plugins: [Crowd.plugin: Crowd.text])
    } catch {
      note("accounts are not measured: \(error)")
      return []
    }
    note("accounts: an archive of \(CatchUp.count) messages …")
    let figures = attempt("an archive") { try CatchUp.measure(network, in: folder, at: server) }
    note("accounts: a room of \(Crowd.size) people …")
    return figures
      + attempt("a large room") { try BigRoom.measure(program, network, in: folder, at: server) }
  }

  /// If a measurement fails, only its own figures are marked as not reached.
  private static func attempt(_ name: String, _ body: () throws -> [Figure]) -> [Figure] {
    do {
      return try body()
    } catch {
      return [Figure(name: name, measured: "not measured: \(error)", isReached: false)]
    }
  }
}
