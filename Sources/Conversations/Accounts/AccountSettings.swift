// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// The owner's settings for an account: where it connects, whom it trusts, and which command prints
/// its password. The settings are in the owner's own file and never in the store (rule 12.7).
package struct AccountSettings: Hashable, Sendable {
  /// Whether hobnob keeps it connected while its owner has a shell.
  package var isWanted: Bool
  /// Values by name: those in ``common``, and the network's own.
  package var values: [String: String]

  /// The names of the options that accounts on every network have.
  package static let common = [
    "host", "port", "ca", "pin", "nick", "fetch", "rooms", "password-command",
  ]

  package init(isWanted: Bool = true, values: [String: String] = [:]) {
    (self.isWanted, self.values) = (isWanted, values)
  }

  package subscript(name: String) -> String? { values[name] }

  /// The files with certificates: those to trust, and the owner's own.
  package var certificates: [String?] { [values["ca"], values["cert"]] }

  /// The largest file, in bytes, to fetch without asking; 0 for none.
  package var fetchLimit: Int64 {
    min(max(0, Int64(values["fetch"] ?? "") ?? 10), 100) * 1_000_000
  }
}

/// Why hobnob does not use the file with the accounts' settings.
package enum AccountFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Other users may write to it, or to its folder.
  case writableByOthers(path: String)
  case foreign(path: String)
  /// It is a folder, a device or a pipe.
  case irregular(path: String)
  case tooLarge(path: String)
  /// The system refuses it, in the system's words.
  case unusable(path: String, reason: String)
  /// Neither `HOME` nor a variable of the XDG directories says where it is.
  case noHome
  /// A value with a line break, which the file cannot hold.
  case brokenLine(name: String)

  package var sentence: Sentence {
    switch self {
    case .writableByOthers(let path):
      (
        "others may write to %1, which decides where your passwords are sent; chmod go-w %1 and try again",
        [path]
      )
    case .foreign(let path):
      ("%1 belongs to another user; hobnob reads accounts only from a file that you own", [path])
    case .irregular(let path): ("%1 cannot be used, since it is not a regular file", [path])
    case .tooLarge(let path): ("%1 cannot be used, since it is larger than a megabyte", [path])
    case .unusable(let path, let reason):
      ("%1 cannot be used: %2", [path, reason])
    case .noHome:
      ("HOME is not set, so there is no place for account settings; set HOME and try again", [])
    case .brokenLine(let name):
      ("%1 cannot have a line break in it", [name])
    }
  }

  package var description: String { filled(sentence) }
}
