// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// A private folder on the disk on which the program was built; it is removed at the end.
struct ScratchFolder {
  let path: String

  init() throws {
    let folder = Self.ownFolder
    var template = Array("\(folder)/hobnob-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw MeasuringError(
        "no folder can be made in \(folder): \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The home folder of every measured program, which this process uses as well.
  static let home: String = {
    let folder = (try? ScratchFolder())?.path ?? "/nonexistent"
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME"] { unsetenv(name) }
    setenv("HOME", folder, 1)
    return folder
  }()

  func remove() {
    _ = try? run(["rm", "-rf", path])
  }

  /// The path of this program.
  static let ownPath: String = {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
  }()

  /// The folder of this program.
  static let ownFolder = "/" + ownPath.split(separator: "/").dropLast().joined(separator: "/")
}
