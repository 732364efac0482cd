// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Finds what is installed under `share/hobnob`: the emoji table, themes.
///
/// The first of these places that has the file serves it:
///
/// 1. `$HOBNOB_SHARE`
/// 2. `$XDG_DATA_HOME/hobnob`, or `~/.local/share/hobnob`: files that replace hobnob's own
/// 3. `share/hobnob` in a folder above the program, up to five: an installation wherever it was
///    moved to, and a checkout
/// 4. `hobnob` in each of `$XDG_DATA_DIRS`, or in `/usr/local/share` and `/usr/share`
///
/// ```swift
/// SharedFiles.path("emoji.tsv", environment: environment)  // "/usr/share/hobnob/emoji.tsv"
/// ```
package enum SharedFiles {
  /// The path of a file.
  ///
  /// - Parameter name: below `share/hobnob`, such as `emoji.tsv` or `themes/slack.theme`.
  /// - Returns: nil if no folder has it, or if the name would lead out of them.
  static func path(_ name: String, environment: [String: String]) -> String? {
    path(name, in: folders(environment: environment, executable: ProgramFile.path))
  }

  /// The path of a theme, a file of `/set NAME VALUE` lines.
  ///
  /// - Parameter name: as ``themes(environment:)`` lists it: `slack`.
  static func theme(_ name: String, environment: [String: String]) -> String? {
    isThemeName(name) ? path("themes/" + name + themeSuffix, environment: environment) : nil
  }

  /// The names of the themes in all folders, each once, in order.
  package static func themes(environment: [String: String]) -> [String] {
    themes(in: folders(environment: environment, executable: ProgramFile.path))
  }

  // MARK: Places

  /// The folders to search, in order. They need not exist.
  static func folders(environment: [String: String], executable: String?) -> [String] {
    var folders: [String] = []
    if let chosen = environment["HOBNOB_SHARE"], !chosen.isEmpty { folders.append(chosen) }
    if let own = OwnFolder.data.path(environment) { folders.append(own) }
    folders += executable.map { ProgramFile.folders("share/hobnob", above: $0) } ?? []
    let system = environment["XDG_DATA_DIRS"] ?? ""
    folders += (system.isEmpty ? "/usr/local/share:/usr/share" : system).split(separator: ":")
      .filter { $0.hasPrefix("/") }.map { $0 + "/hobnob" }
    return folders
  }

  // MARK: Files

  static func path(_ name: String, in folders: [String]) -> String? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !["", ".", ".."].contains($0) }), !name.utf8.contains(0) else {
      return nil
    }
    return folders.lazy.map { $0 + "/" + name }.first(where: isReadableFile)
  }

  static func themes(in folders: [String]) -> [String] {
    var names: Set<String> = []
    for folder in folders.map({ $0 + "/themes" }) {
      for file in entries(of: folder) where file.hasSuffix(themeSuffix) {
        let name = String(file.dropLast(themeSuffix.count))
        if isThemeName(name), isReadableFile(folder + "/" + file) { names.insert(name) }
      }
    }
    return names.sorted()
  }

  private static let themeSuffix = ".theme"

  /// ASCII letters, digits, `-` and `_`: easy to type after `/theme`, and never a path.
  private static func isThemeName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  private static func entries(of folder: String) -> [String] {
    (try? OpenFile(folder: folder, following: true).names()) ?? []
  }

  private static func isReadableFile(_ path: String) -> Bool {
    var found = stat()
    // Opening a pipe or a device instead would block.
    return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFREG && access(path, R_OK) == 0
  }
}
