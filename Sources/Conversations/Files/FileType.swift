// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// What kind of file something is, judged by its bytes.
public enum FileType {
  /// What a file is when nothing more is known about it.
  public static let unknown = "application/octet-stream"

  /// The MIME type of a regular file, as the program `file` tells it (file(1)); `unknown` where that
  /// is not installed, takes longer than a second, or does not know.
  public static func sniff(path: String) -> String {
    sniff(path: path, program: "file", patience: 1000)
  }

  /// - Parameter patience: milliseconds.
  static func sniff(path: String, program: String, patience: Int64) -> String {
    var found = Glibc.stat()
    guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return unknown }
    // A lone "-" would be the standard input even after "--".
    let name = path.hasPrefix("/") ? path : "./" + path
    let words = [program, "--mime-type", "-b", "-L", "--", name]
    let said = output(of: words, patience: patience).map { String(decoding: $0, as: UTF8.self) }
    return said.flatMap(checked) ?? unknown
  }

  /// A MIME type without parameters, as far as it may go into a header or onto a screen; nil for
  /// anything else. `inode/…` is what `file` calls that which has no bytes to look at.
  package static func checked(_ said: String) -> String? {
    var bytes = said.utf8[...]
    while let last = bytes.last, last == 0x0A || last == 0x20 { bytes.removeLast() }
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, bytes.count <= 127, !parts.contains(where: \.isEmpty),
      parts.joined().allSatisfy(isTypeCharacter), !bytes.starts(with: "inode/".utf8)
    else { return nil }
    return String(bytes)
  }

  private static func isTypeCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
      true
    default:
      false
    }
  }

  /// What a program writes to its standard output, at most 4,096 bytes; nil when it cannot be
  /// started or is not done in time. It has no terminal, no input and no environment of ours.
  private static func output(of words: [String], patience: Int64) -> [UInt8]? {
    guard let ends = ChildProcess.pipe() else { return nil }
    let reader = OpenFile(ends.reading)
    let started = ChildProcess.start(
      words, input: .null, output: .descriptor(ends.writing), errors: .null, group: .own,
      environment: ["LC_ALL=C"])
    close(ends.writing)
    guard let child = started else { return nil }
    defer {
      // Its answer is all that is wanted of it, so there is nothing to wait for.
      kill(-child, SIGKILL)
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }
    return reader.all(upTo: 4096, deadline: Clock.steady() + patience)
  }
}

extension OpenFile {
  /// Reads to the end; nil when that has not come by a time of the monotonic clock.
  fileprivate borrowing func all(upTo limit: Int, deadline: Int64) -> [UInt8]? {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 512)
    while result.count < limit {
      let left = deadline - Clock.steady()
      if left <= 0 { return nil }
      var waited = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waited, 1, Int32(left))
      if ready < 0, errno != EINTR { return nil }
      if ready <= 0 { continue }
      let count = Glibc.read(number, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { return result }
      result += buffer[..<count]
    }
    return result
  }
}
