// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

extension Abilities {
  /// Those of a network of the other sort than XMPP, as IRC: nothing sent changes, nobody learns
  /// how far it got, and a message is short.
  package static var ofIRC: Abilities {
    var abilities = Abilities()
    (abilities.editsWithin, abilities.delivered, abilities.seen) = (0, false, false)
    abilities.blocks = false
    (abilities.largestFile, abilities.longestMessage) = (0, 400)
    return abilities
  }
}
