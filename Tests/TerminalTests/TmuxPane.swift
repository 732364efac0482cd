// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Glibc

/// A real tmux whose one pane shows the bytes it is given. It wraps rows anew on a resize and keeps
/// a scrollback, which libvterm does not do as terminals do.
final class TmuxPane {
  static let isInstalled = ["/usr/bin/tmux", "/usr/local/bin/tmux"]
    .contains { FileManager.default.isExecutableFile(atPath: $0) }

  private let control: TmuxControl
  private let folder: String
  private let pipe: Int32
  private var marks = 0

  init(rows: Int, columns: Int) throws {
    folder = NSTemporaryDirectory() + "hobnob-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let fifo = folder + "/bytes"
    mkfifo(fifo, 0o600)
    // Opened for both, so that opening waits for no one.
    pipe = open(fifo, O_RDWR)
    let environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin", "LC_ALL": "C.UTF-8",
      // The user of a test machine may have no shell to log in with.
      "SHELL": "/bin/sh",
    ]
    control = try TmuxControl(
      folder: folder, environment: environment,
      [
        "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
        "stty raw -echo; exec cat < '\(fifo)'",
      ])
    run(["set-option", "-g", "status", "off"])
    run(["set-option", "-g", "history-limit", "100000"])
    run(["set-option", "-g", "window-size", "manual"])
    run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    // Raw mode is on once a bare line feed does not return the carriage.
    feed(Array("".utf8))
  }

  deinit {
    close(pipe)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Shows bytes, and waits until tmux has taken them all.
  func feed(_ bytes: [UInt8]) {
    marks += 1
    // The title is set behind the bytes.
    let all = bytes + Array("\u{1B}]2;mark \(marks)\u{1B}\\".utf8)
    var rest = all[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
    let end = Date(timeIntervalSinceNow: 10)
    while run(["display-message", "-p", "#{pane_title}"]) != ["mark \(marks)"], Date() < end {
      usleep(100)
    }
  }

  func resize(rows: Int, columns: Int) {
    run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// Scrollback and screen, a wrapped line as one, without the empty rows at the end.
  var history: [String] { lines(["-J", "-S", "-", "-E", "-"]) }

  /// The rows of the screen.
  var screen: [String] { lines([]) }

  /// Row and column of the cursor, from 0.
  var cursor: (row: Int, column: Int) {
    let place =
      run(["display-message", "-p", "#{cursor_y} #{cursor_x}"])
      .first?.split(separator: " ").compactMap { Int($0) } ?? []
    return place.count == 2 ? (place[0], place[1]) : (-1, -1)
  }

  private func lines(_ options: [String]) -> [String] {
    var lines = run(["capture-pane", "-p"] + options).map { line in
      String(decoding: line.utf8.reversed().drop { $0 == 0x20 }.reversed(), as: UTF8.self)
    }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  @discardableResult
  private func run(_ arguments: [String]) -> [String] {
    (try? control.run(arguments)) ?? []
  }
}
