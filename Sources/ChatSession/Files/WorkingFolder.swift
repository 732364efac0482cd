// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Glibc

/// The folder that the program was started in, and what lies in it and others, for naming files.
enum WorkingFolder {
  /// nil when it is gone.
  static var path: String? {
    guard let folder = getcwd(nil, 0) else { return nil }
    defer { free(folder) }
    return String(cString: folder)
  }

  /// What a path that is being typed could become: the entries of its folder that begin like its
  /// last part, folders with a `/` behind. Hidden ones only where a dot was typed.
  static func candidates(for word: String, home: String?) -> [Candidate] {
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
      // A name that is not UTF-8 cannot stand in the line; see FileURL.
      guard let name, name != ".", name != "..", name.hasPrefix(begun),
        !name.hasPrefix(".") || begun.hasPrefix(".")
      else { continue }
      var status = stat()
      let isFolder = stat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      result.append(Candidate(typed + name + (isFolder ? "/" : "")))
    }
    return result
  }

  /// More than anyone looks through; a folder of a million files is not read to its end at a key.
  private static let most = 2000
}
