// SPDX-License-Identifier: GPL-3.0-or-later

/// Something that an account's network, or its process, tells the owner although nobody asked.
package struct AccountNotice: Identifiable, Hashable, Sendable {
  /// The kind of notice; the store holds the raw values.
  package enum Kind: String, Hashable, Sendable {
    case plain
    /// It rings, as an invitation does.
    case ringing = "invitation"
  }

  /// The number of the change that wrote it.
  package var id: Int64
  package var kind: Kind
  package var text: Remark
}
