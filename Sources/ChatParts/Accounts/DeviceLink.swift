// SPDX-License-Identifier: GPL-3.0-or-later

extension String {
  /// Whether it is a link to a device of somebody, with the device's key, as programs show it in QR
  /// codes: `xmpp:ben@example.org?omemo-sid-83686733=…`.
  package var isDeviceLink: Bool { hasPrefix("xmpp:") && contains("?omemo-sid-") }
}
