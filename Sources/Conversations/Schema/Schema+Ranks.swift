// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  static let ranks = """
    -- Whether they have ever done something under this identity that nobody else can take.
    ALTER TABLE participant ADD COLUMN proven INTEGER NOT NULL DEFAULT 0;
    -- What somebody may do in a room, in the network's word for it; empty for the usual.
    ALTER TABLE membership ADD COLUMN rank TEXT NOT NULL DEFAULT '';
    """
}
