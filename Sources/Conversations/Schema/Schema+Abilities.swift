// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  static let abilities = """
    -- What people can do in the account's conversations; '' for everything.
    ALTER TABLE account ADD COLUMN abilities TEXT NOT NULL DEFAULT '';
    -- The same for one conversation; NULL for what its account says.
    ALTER TABLE conversation ADD COLUMN abilities TEXT;
    """
}
