// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// How far back hobnob has read the archive of a conversation.
  static let archives = """
    -- The archive id of the oldest message that was read; '' if nothing is older, NULL if no page
    -- was read.
    ALTER TABLE conversation ADD COLUMN archive_from TEXT;
    """
}
