// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// How far back hobnob has read the archive of a conversation.
  static let archives = """
    -- The archive's id for the oldest of it that was read; '' where nothing is older, NULL where no
    -- page was read.
    ALTER TABLE conversation ADD COLUMN archive_from TEXT;
    """
}
