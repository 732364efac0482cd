// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

/// A tmux server of its own: the terminal most people will run hobnob in, with a scrollback that
/// re-wraps.
final class Tmux {
  private let folder: String
  private let control: TmuxControl
  private var opened = 0

  init(home: Home) throws {
    folder = try temporaryFolder()
    let settings = """
      set -g history-limit 100000
      set -g status off
      set -s escape-time 0
      set -g default-terminal tmux-256color
      set -g default-shell /bin/sh
      """
    try settings.write(toFile: folder + "/conf", atomically: false, encoding: .utf8)
    // The server lives as long as this session.
    control = try TmuxControl(
      folder: folder, settings: folder + "/conf", environment: home.environment,
      ["new-session", "-d", "cat"])
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Opens a window of a session of its own, of the given size.
  func open(_ command: [String], rows: Int = 24, columns: Int = 80) throws -> Pane {
    opened += 1
    let name = "s\(opened)"
    try control.run(
      ["new-session", "-d", "-s", name, "-x", "\(columns)", "-y", "\(rows)", "--"] + command)
    return Pane(tmux: control, name: name)
  }

  /// Opens a hobnob shell.
  func shell(
    as name: String, _ arguments: [String] = [], rows: Int = 24, columns: Int = 80
  ) throws -> Pane {
    try open([Home.program, "--as", name] + arguments, rows: rows, columns: columns)
  }

  /// One terminal in tmux.
  struct Pane {
    fileprivate let tmux: TmuxControl
    fileprivate let name: String

    /// Types text, as a keyboard would, newlines as Return.
    func type(_ text: String) throws {
      try tmux.run(["set-buffer", "-b", name, "--", text])
      try tmux.run(["paste-buffer", "-d", "-b", name, "-t", name])
    }

    /// Presses keys by tmux's names for them: `Enter`, `C-r`, `M-4`, `Escape`.
    func press(_ keys: String...) throws {
      try tmux.run(["send-keys", "-t", name] + keys)
    }

    /// Pastes text with the brackets a terminal puts around a paste.
    func paste(_ text: String) throws {
      try tmux.run(["set-buffer", "-b", name, "--", text])
      try tmux.run(["paste-buffer", "-d", "-p", "-r", "-b", name, "-t", name])
    }

    func resize(rows: Int, columns: Int) throws {
      try tmux.run(["resize-window", "-t", name, "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The rows of the screen.
    func screen() throws -> [String] {
      try lines("capture-pane", "-p", "-t", name)
    }

    /// Every line from the start of the scrollback to the bottom of the screen; rows that tmux
    /// wrapped are one line.
    func history() throws -> [String] {
      try lines("capture-pane", "-p", "-J", "-S", "-", "-t", name)
    }

    /// The same, with the rows put together that a line was broken into between words: all but its
    /// first begin with blanks (13.7), and a message of a run with its number.
    func unbrokenHistory() throws -> [String] {
      try history().reduce(into: []) { lines, row in
        guard row.hasPrefix("  "), !row.contains(#/^ {7,9}\d+ /#), let last = lines.indices.last
        else { return lines.append(row) }
        lines[last] += " " + row.drop { $0 == " " }
      }
    }

    /// Waits until the screen is as wanted; ends the test, with the screen as it was, when it
    /// never is.
    func expect(
      for seconds: Double = 15, sourceLocation: SourceLocation = #_sourceLocation,
      _ condition: ([String]) -> Bool
    ) throws {
      let end = Date(timeIntervalSinceNow: seconds)
      var rows = try screen()
      while !condition(rows), Date() < end {
        poll(nil, 0, 15)
        rows = try screen()
      }
      try #require(
        condition(rows), "on the screen:\n\(rows.joined(separator: "\n"))\n",
        sourceLocation: sourceLocation)
    }

    private func lines(_ arguments: String...) throws -> [String] {
      var lines = try tmux.run(arguments).map { line in
        String(line.reversed().drop { $0 == " " }.reversed())
      }
      while lines.last == "" { lines.removeLast() }
      return lines
    }
  }
}
