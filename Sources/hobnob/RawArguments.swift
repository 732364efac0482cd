// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// The command line, whose bytes need not be UTF-8.
enum RawArguments {
  private static let pathOption = "--attach"

  /// The words of the command line. Bytes of a text that are not UTF-8 are repaired; the path of a
  /// file to attach becomes the URL of that file, which keeps every byte.
  static var all: [String] {
    var result: [String] = []
    for argument in bytes {
      let joined = pathOption + "="
      if let text = String(validating: argument, as: UTF8.self) {
        result.append(text)
      } else if result.last == pathOption {
        result.append(url(argument))
      } else if argument.starts(with: joined.utf8) {
        result.append(joined + url(argument.dropFirst(joined.utf8.count)))
      } else {
        result.append(String(decoding: argument, as: UTF8.self))
      }
    }
    return result
  }

  private static var bytes: [[UInt8]] {
    (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] }.map {
      Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))
    }
  }

  private static func url(_ path: some Collection<UInt8>) -> String {
    guard path.first != UInt8(ascii: "/"), let folder = getcwd(nil, 0) else {
      return FileURL.written(path)
    }
    defer { free(folder) }
    let here = UnsafeRawBufferPointer(start: folder, count: strlen(folder))
    return FileURL.written(Array(here) + [UInt8(ascii: "/")] + path)
  }
}
