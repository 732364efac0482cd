// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Sentences

/// What owners can set for accounts on XMPP only.
package var accountOptions: [AccountOption] {
  [.number("keep-alive", in: 1...86_400)]
}
