// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  static let addressRules = """
    -- How the network names people and rooms; '' until its process has stored it.
    ALTER TABLE account ADD COLUMN rules TEXT NOT NULL DEFAULT '';
    """
}
