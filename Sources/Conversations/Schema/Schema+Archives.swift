// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// How far back the archive of a conversation was read.
  static let archives = """
    -- The archive's id for the oldest of it that was read; '' where nothing is older, NULL where no
    -- page was read.
    ALTER TABLE conversation ADD COLUMN archive_from TEXT;
    """
}
