// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// The addresses of messages' files on a network.
  static let links = """
    -- NULL for a file that was never on a network.
    ALTER TABLE attachment ADD COLUMN link TEXT;
    """
}
