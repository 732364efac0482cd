// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  static let accountStatus = """
    -- `status` is a value from here on (`AccountStatus.storedForm`), no longer a sentence.
    UPDATE account SET status = '';
    """
}
