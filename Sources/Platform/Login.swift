// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Whose process this is.
package enum Login {
  /// Their folder: `HOME`, which cron may not set, else what the system has on record.
  package static func home(_ environment: [String: String]) -> String? {
    if let home = environment["HOME"], !home.isEmpty { return home }
    guard let entry = getpwuid(getuid()), let folder = entry.pointee.pw_dir else { return nil }
    let home = String(cString: folder)
    return home.isEmpty ? nil : home
  }

  /// The name they have logged in with.
  package static func name(_ environment: [String: String]) -> String {
    for variable in ["LOGNAME", "USER"] {
      if let name = environment[variable], !name.isEmpty { return name }
    }
    if let entry = getpwuid(getuid()) { return String(cString: entry.pointee.pw_name) }
    return "user\(getuid())"
  }
}
