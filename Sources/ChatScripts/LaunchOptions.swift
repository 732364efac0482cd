// SPDX-License-Identifier: GPL-3.0-or-later

/// The options of every command.
package struct LaunchOptions: Sendable {
  package var store: String?
  package var shared = false
  package var `as`: String?
  package var rc: String?
  package var noRc = false
  package var plain = false
}
