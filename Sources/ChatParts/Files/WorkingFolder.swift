// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Glibc

/// The working folder of the program, and the names in it and other folders, for completing paths.
package enum WorkingFolder {
  /// The path of the folder; nil if it no longer exists.
  package static var path: String? {
    guard let folder = getcwd(nil, 0) else { return nil }
    defer { free(folder) }
    return String(cString: folder)
  }

  /// Completions of a path: the entries of its folder that begin like its last part; folders end
  /// with a `/`. Hidden entries are offered only after a typed dot.
  package static func candidates(for word: String, home: String?) -> [Candidate] {
    let slash = word.lastIndex(of: "/").map { word.index(after: $0) } ?? word.startIndex
    let typed = String(word[..<slash])
    let begun = word[slash...]
    var folder = typed.hasPrefix("~/") ? (home ?? "") + "/" + typed.dropFirst(2) : typed
    if folder.isEmpty { folder = "." }
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var result: [Candidate] = []
    while let entry = readdir(directory), result.count < most {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      // The line cannot hold a name that is not UTF-8; see FileURL.
      guard let name, name != ".", name != "..", name.hasPrefix(begun),
        !name.hasPrefix(".") || begun.hasPrefix(".")
      else { continue }
      var status = stat()
      let isFolder = stat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      result.append(Candidate(typed + name + (isFolder ? "/" : "")))
    }
    return result
  }

  /// How many entries to offer at most: a key press must not read a folder of a million files to
  /// its end.
  private static let most = 2000
}
