// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

/// A tmux server of its own: the terminal most people will run hobnob in, with a scrollback that
/// re-wraps.
final class Tmux {
  private let folder: String
  private let home: Home
  private var opened = 0

  init(home: Home) throws {
    folder = try temporaryFolder()
    self.home = home
    let settings = """
      set -g history-limit 100000
      set -g status off
      set -s escape-time 0
      set -g default-terminal tmux-256color
      set -g default-shell /bin/sh
      """
    try settings.write(toFile: folder + "/conf", atomically: false, encoding: .utf8)
  }

  deinit {
    _ = try? run("kill-server")
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Opens a window of a session of its own, of the given size.
  func open(_ command: [String], rows: Int = 24, columns: Int = 80) throws -> Pane {
    opened += 1
    let name = "s\(opened)"
    try run(
      ["new-session", "-d", "-s", name, "-x", "\(columns)", "-y", "\(rows)", "--"] + command)
    return Pane(tmux: self, name: name)
  }

  /// Opens a shell of hobnob's.
  func shell(
    as name: String, _ arguments: [String] = [], rows: Int = 24, columns: Int = 80
  ) throws -> Pane {
    try open([Home.program, "--as", name] + arguments, rows: rows, columns: columns)
  }

  @discardableResult
  fileprivate func run(_ arguments: String..., input: String = "") throws -> String {
    try run(arguments, input: input)
  }

  @discardableResult
  fileprivate func run(_ arguments: [String], input: String = "") throws -> String {
    let command = ["tmux", "-S", folder + "/socket", "-f", folder + "/conf"] + arguments
    let finished = try Program(command, input: input, environment: home.environment).finish()
    guard finished.status == 0 else { throw Failure(what: "\(arguments): \(finished.errors)") }
    return finished.output
  }

  struct Failure: Error {
    var what: String
  }

  /// One terminal in tmux.
  struct Pane {
    fileprivate let tmux: Tmux
    fileprivate let name: String

    /// Types text, as a keyboard would, newlines as Return.
    func type(_ text: String) throws {
      try tmux.run("load-buffer", "-b", name, "-", input: text)
      try tmux.run("paste-buffer", "-d", "-b", name, "-t", name)
    }

    /// Presses keys by tmux's names for them: `Enter`, `C-r`, `M-4`, `Escape`.
    func press(_ keys: String...) throws {
      try tmux.run(["send-keys", "-t", name] + keys)
    }

    /// Pastes text with the brackets a terminal puts around a paste.
    func paste(_ text: String) throws {
      try tmux.run("load-buffer", "-b", name, "-", input: text)
      try tmux.run("paste-buffer", "-d", "-p", "-r", "-b", name, "-t", name)
    }

    func resize(rows: Int, columns: Int) throws {
      try tmux.run("resize-window", "-t", name, "-x", "\(columns)", "-y", "\(rows)")
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
    /// first begin with blanks (13.7).
    func unbrokenHistory() throws -> [String] {
      try history().reduce(into: []) { lines, row in
        guard row.hasPrefix("  "), let last = lines.indices.last else { return lines.append(row) }
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
      var lines = try tmux.run(arguments).components(separatedBy: "\n").map { line in
        String(line.reversed().drop { $0 == " " }.reversed())
      }
      while lines.last == "" { lines.removeLast() }
      return lines
    }
  }
}
