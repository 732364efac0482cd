// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A person's settings and aliases, and where to find their files.
@MainActor
package struct Preferences {
  package private(set) var settings: Settings
  /// The command line for each `/NAME`.
  package private(set) var aliases: [String: String]
  package let environment: [String: String]
  package let glyphs: Glyphs
  /// Emoji by their shortcodes, read at the first use.
  package let emoji: EmojiTable
  /// The networks that accounts can be on.
  package let networks: NetworkPrograms

  package init(
    _ rc: RcFile, environment: [String: String], glyphs: Glyphs,
    networks: NetworkPrograms = .installed
  ) {
    settings = rc.settings
    aliases = rc.aliases
    self.environment = environment
    self.glyphs = glyphs
    self.networks = networks
    emoji = Self.emojiTable(environment: environment)
  }

  package static func emojiTable(environment: [String: String]) -> EmojiTable {
    EmojiTable.load(SharedFiles.path("emoji.tsv", environment: environment) ?? "")
  }

  /// The current values of everything that `/source` and `/theme` change.
  ///
  /// - Parameter reserved: names of commands, which cannot be aliases.
  package func asFile(reserved: Set<String>) -> RcFile {
    var rc = RcFile(environment: environment, reserved: reserved)
    rc.settings = settings
    rc.aliases = aliases
    return rc
  }

  package mutating func adopt(_ rc: RcFile) {
    settings = rc.settings
    aliases = rc.aliases
  }

  /// - Parameter commands: the names of all commands, one of which may be meant.
  /// - Throws: a ``Refusal`` for an unknown setting or an invalid value.
  package mutating func change(
    _ name: String, to value: String, commands: Set<String> = []
  ) throws {
    try settings.change(name, to: value, commands: commands)
  }

  /// Replaces an alias with its command line, once only, so that no alias calls itself.
  package func unaliased(_ line: String) -> String {
    let name = String(line.dropFirst().prefix { !$0.isWhitespace })
    guard let meaning = aliases[name] else { return line }
    return meaning + line.dropFirst(1 + name.count)
  }
}
