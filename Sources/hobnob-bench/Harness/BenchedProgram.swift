// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The program that is measured, and how it is started.
struct BenchedProgram {
  /// The program as it was built.
  let built: String
  /// A copy of it, as `install` makes one: a file that the linker has written is in the page cache
  /// in smaller pieces than a copied one, and starts slower.
  let path: String
  /// A copy of hobnob-irc, where hobnob looks for it; nil if the given program has none beside it.
  let irc: String?

  /// The prompt of the room in which all figures are measured.
  static let prompt = Array("#lobby> ".utf8)

  /// - Parameters:
  ///   - given: the program to measure; nil for the one beside the benchmark.
  ///   - folder: where to install it for the measurement.
  init(_ given: String?, in folder: ScratchFolder) throws {
    built = given ?? ScratchFolder.ownFolder + "/hobnob"
    path = "\(folder.path)/installed-hobnob"
    guard access(built, X_OK) == 0 else { throw MeasuringError("no program at \(built)") }
    guard try run(["install", built, path]) == 0 else {
      throw MeasuringError("\(built) could not be copied to \(path)")
    }
    irc = try Self.copy("hobnob-irc", beside: built, into: folder)
  }

  private static func copy(
    _ name: String, beside program: String, into folder: ScratchFolder
  ) throws -> String? {
    let beside = "/" + program.split(separator: "/").dropLast().joined(separator: "/") + "/" + name
    guard access(beside, X_OK) == 0 else { return nil }
    let copy = "\(folder.path)/\(name)"
    guard try run(["install", beside, copy]) == 0 else {
      throw MeasuringError("\(beside) could not be copied to \(copy)")
    }
    return copy
  }

  /// Starts a shell of anna's in the lobby.
  func start(_ store: BenchStore, as name: String = "anna") throws -> TerminalChild {
    try TerminalChild(
      [path, "--store", store.path, "--no-rc", "--as", name, "lobby"],
      environment: BenchedProgram.environment)
  }

  /// Starts a shell and waits until it is quiet at its prompt.
  func open(_ store: BenchStore, as name: String = "anna") throws -> TerminalChild {
    let child = try start(store, as: name)
    try child.wait(for: BenchedProgram.prompt)
    child.settle(milliseconds: 200)
    return child
  }

  /// Starts bash and waits for its prompt.
  static func openBash() throws -> (child: TerminalChild, promptAt: Int64) {
    let prompt = "bench> "
    let child = try TerminalChild(
      ["bash", "--norc", "-i"], environment: environment + ["PS1=\(prompt)"])
    let promptAt = try child.wait(for: Array(prompt.utf8))
    child.settle(milliseconds: 20)
    return (child, promptAt)
  }

  /// The environment of every measured program, without anybody's settings.
  static let environment = [
    "HOME=\(ScratchFolder.home)", "INPUTRC=/dev/null", "LANG=C.UTF-8", "TERM=xterm-256color",
    "PATH=/usr/local/bin:/usr/bin:/bin",
  ]
}
