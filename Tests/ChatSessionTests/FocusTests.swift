// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

@MainActor
@Suite("7.3: The focus of the window")
struct FocusTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna", in: "tea")
    anna.say("one")
  }

  /// How far anna's newest message got.
  private var state: String {
    anna.look()
    return String(anna.picture[1].split(separator: "   ").last ?? "")
  }

  private func focus(_ person: Person, _ isFocused: Bool) {
    person.tell(.focus(isFocused))
    person.tell(.turnEnded)
  }

  @Test("7.3: what a window without focus prints is delivered, and seen once it has the focus")
  func entering() throws {
    let ben = try town.person("ben")
    focus(ben, false)
    ben.say("/join tea")
    ben.say("/switch tea")
    anna.say("two")
    ben.look()
    #expect(state.contains("[2] ✓✓ delivered"))
    focus(ben, true)
    #expect(state.contains("[2] seen"))
  }

  @Test("7.3, 7.6: while output is paused, the focus marks nothing as seen; resuming does")
  func paused() throws {
    let ben = try town.person("ben", in: "tea")
    focus(ben, false)
    anna.say("two")
    ben.look()
    ben.say("/pause")
    focus(ben, true)
    #expect(state.contains("[2] ✓✓ delivered"))
    ben.say("/bottom")
    #expect(state.contains("[2] seen"))
  }

  @Test("7.2, 7.3: a person showing another room has the message delivered, and seen on return")
  func elsewhere() throws {
    let ben = try town.person("ben", in: "tea")
    ben.say("/join lobby")
    anna.say("are you there?")
    ben.look()
    #expect(state.contains("[2] ✓✓ delivered"))
    ben.say("/switch tea")
    #expect(state.contains("[2] seen"))
  }
}
