// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Where on a network the files of messages can be fetched.
  static let links = """
    -- NULL for a file that never was on a network.
    ALTER TABLE attachment ADD COLUMN link TEXT;
    """
}
