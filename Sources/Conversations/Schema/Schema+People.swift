// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// The keys that find people by name (`Naming.key`), so that nobody has to read all names to know
  /// whether one is taken. For ASCII, SQLite's lower case is Swift's; without a key, hobnob
  /// compares the name itself.
  static let peopleStep = """
    ALTER TABLE participant ADD COLUMN identity_key TEXT NOT NULL DEFAULT '';
    ALTER TABLE participant ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
    UPDATE participant SET identity_key = lower(identity) WHERE identity NOT GLOB '*[^ -~]*';
    UPDATE participant SET name_key = lower(name) WHERE name NOT GLOB '*[^ -~]*';
    CREATE INDEX participant_identity_key ON participant(identity_key);
    CREATE INDEX participant_name_key ON participant(name_key);
    """
}
