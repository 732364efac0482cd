// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Sentences

/// The programs `hobnob-net-NAME` of networks that `hobnob-bridge` serves, beside hobnob's own
/// programs or in the user's own folder, and never from `PATH`. hobnob-bridge(7) explains them.
///
/// The user's own folder is beside the file of accounts, where no network process can write: these
/// programs run outside the sandbox.
package struct BridgedPrograms: Sendable {
  /// In the order of search; the last is the user's own.
  package let folders: [String]
  /// Nobody but the user and root decides what is below it.
  private let home: String?

  package init(in folders: [String], home: String? = nil) {
    (self.folders, self.home) = (folders, home)
  }

  /// - Parameters:
  ///   - environment: `XDG_CONFIG_HOME`, `HOME`.
  ///   - program: the path of this program.
  package static func installed(
    _ environment: [String: String], program: String = ProgramFile.path ?? ""
  ) -> BridgedPrograms {
    let folder = StoreFiles.split(program).folder
    var folders = [folder + "/networks"]
    if folder.hasSuffix("/bin") { folders = [folder.dropLast(3) + "libexec/hobnob/networks"] }
    // Only a program that was built in a checkout takes those of its sources.
    if let build = program.ranges(of: "/.build").last {
      folders.append(program[..<build.lowerBound] + "/share/networks")
    }
    folders += [OwnFolder.config.path(environment)].compactMap { $0 }.map { $0 + "/networks" }
    return BridgedPrograms(in: folders, home: Login.home(environment))
  }

  private static let prefix = "hobnob-net-"

  /// The name of a network's program.
  package static func name(of kind: String) -> String { prefix + kind }

  /// The kinds of network for which there is a program, in any order.
  package var kinds: Set<String> {
    var kinds: Set<String> = []
    for folder in folders {
      for name in Self.names(in: folder) where name.hasPrefix(Self.prefix) {
        let kind = String(name.dropFirst(Self.prefix.count))
        if AccountName.isKind(kind), access(folder + "/" + name, X_OK) == 0 { kinds.insert(kind) }
      }
    }
    return kinds
  }

  private static func names(in folder: String) -> [String] {
    (try? OpenFile(folder: folder, following: true).names()) ?? []
  }

  /// The program of a network, with links resolved.
  ///
  /// - Throws: ``BridgedProgramError`` if there is none, or if others could change it.
  package func path(of kind: String) throws(BridgedProgramError) -> String {
    let paths = AccountName.isKind(kind) ? folders.map { "\($0)/\(Self.prefix)\(kind)" } : []
    guard let found = paths.first(where: { access($0, F_OK) == 0 }) else {
      throw .missing(kind: kind, folders: [folders.first, folders.last].compactMap(\.self))
    }
    guard let path = realPath(found) else {
      throw .unusable(path: found, reason: SystemFailure().reason)
    }
    try check(path)
    guard access(path, X_OK) == 0, fileStatus(path).map({ $0.st_mode & S_IFMT }) == S_IFREG else {
      throw .unexecutable(path: path)
    }
    return path
  }

  /// Checks that nobody else can change a file or, up to the user's home, replace a folder on the
  /// way to it, as sshd(8) does with `StrictModes`.
  private func check(_ path: String) throws(BridgedProgramError) {
    var path = path
    repeat {
      guard let found = fileStatus(path) else {
        throw .unusable(path: path, reason: SystemFailure().reason)
      }
      if found.st_uid != geteuid(), found.st_uid != 0 { throw .foreign(path: path) }
      // In a folder such as /tmp, others cannot replace what is the user's.
      let isShared = found.st_mode & S_IFMT == S_IFDIR && found.st_mode & S_ISVTX != 0
      if found.st_mode & 0o022 != 0, !isShared { throw .writableByOthers(path: path) }
      if path == home || path == "/" { return }
      path = StoreFiles.split(path).folder
    } while true
  }
}

/// Why hobnob does not start the program of a network.
package enum BridgedProgramError: Error, Hashable, Sendable {
  case missing(kind: String, folders: [String])
  case foreign(path: String)
  /// Other users may write to it, or to a folder on the way to it.
  case writableByOthers(path: String)
  case unexecutable(path: String)
  /// The system refuses it, in the system's words.
  case unusable(path: String, reason: String)

  package var sentence: Sentence {
    switch self {
    case .missing(let kind, let folders):
      (
        "there is no program hobnob-net-%1 in %2",
        [kind, folders.joined(separator: ", ")]
      )
    case .foreign(let path):
      ("%1 belongs to another user; hobnob starts only programs that you or root own", [path])
    case .writableByOthers(let path):
      ("others may write to %1, which would run as you; chmod go-w %1 and try again", [path])
    case .unexecutable(let path):
      ("%1 is not an executable file; chmod +x %1 and try again", [path])
    case .unusable(let path, let reason): ("%1 cannot be used: %2", [path, reason])
    }
  }
}
