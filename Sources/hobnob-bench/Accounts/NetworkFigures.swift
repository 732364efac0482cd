// SPDX-License-Identifier: GPL-3.0-or-later
import ProsodyFixture

/// Measures an account on a local Prosody server, which the tests set up as well.
enum NetworkFigures {
  static func measure(_ program: BenchedProgram, in folder: ScratchFolder) -> [Figure] {
    guard let network = program.network else {
      note("accounts are not measured: there is no hobnob-xmpp beside \(program.built)")
      return []
    }
    note("accounts: an archive of \(CatchUp.count) messages …")
    do {
      let server = try Prosody(people: ["anna", "ben"], settings: CatchUp.settings)
      return try CatchUp.measure(network, in: folder, at: server)
    } catch {
      return [Figure(name: "an archive", measured: "not measured: \(error)", isReached: false)]
    }
  }
}
