// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The file of this program, and the folders installed beside it.
package enum ProgramFile {
  /// Its path, with links resolved; nil if the system does not tell.
  package static var path: String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }

  /// Candidates for a folder such as `share/locale`, in the five folders above the program's own,
  /// so that a moved installation or a checkout finds its files. They need not exist.
  package static func folders(_ name: String, above program: String) -> [String] {
    var folders: [String] = []
    var parts = program.split(separator: "/").dropLast()
    for _ in 0..<5 where !parts.isEmpty {
      parts.removeLast()
      let folder = parts.map { "/" + $0 }.joined()
      // Anyone could have put a file into a folder that everybody may write to, such as /tmp.
      if !isWritableByAll(folder.isEmpty ? "/" : folder) { folders.append(folder + "/" + name) }
    }
    return folders
  }

  /// Candidates for a folder of `share`, such as `locale`: above the program, then in `/usr/local`
  /// and `/usr`.
  package static func shareFolders(_ name: String) -> [String] {
    (path.map { folders("share/" + name, above: $0) } ?? [])
      + ["/usr/local/share/", "/usr/share/"].map { $0 + name }
  }

  private static func isWritableByAll(_ folder: String) -> Bool {
    var found = stat()
    return stat(folder, &found) == 0 && found.st_mode & S_IWOTH != 0
  }
}
