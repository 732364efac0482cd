// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Notices (kind 2) never count as unread: counting finds them here.
  static let notices =
    "CREATE INDEX message_notice ON message(conversation, number, sender) WHERE kind = 2"
}
