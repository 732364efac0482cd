// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The user of this process, and users and groups from `/etc/passwd` and `/etc/group` (rule 11.8).
///
/// The C library asks name services for these, and loads a shared library for each: a static
/// program that calls `getpwuid` crashes if `/etc/nsswitch.conf` names an incompatible one.
package enum Login {
  /// The user's home folder: `HOME`, or the one in `/etc/passwd` if `HOME` is not set, which cron
  /// may leave out.
  package static func home(_ environment: [String: String]) -> String? {
    if let home = environment["HOME"], !home.isEmpty { return home }
    return home(of: { $0[2] == String(getuid()) })
  }

  /// The home folder of the user with that name.
  package static func home(of name: String) -> String? {
    home(of: { $0[0] == name })
  }

  private static func home(of isWanted: ([Substring]) -> Bool) -> String? {
    guard let home = field(5, of: "/etc/passwd", where: isWanted), !home.isEmpty else { return nil }
    return home
  }

  /// The user's login name; nil if neither the environment nor `/etc/passwd` has it.
  package static func name(_ environment: [String: String]) -> String? {
    for variable in ["LOGNAME", "USER"] {
      if let name = environment[variable], !name.isEmpty { return name }
    }
    return name(of: getuid())
  }

  package static func name(of user: uid_t) -> String? {
    field(0, of: "/etc/passwd") { $0[2] == String(user) }
  }

  package static func name(ofGroup group: gid_t) -> String? {
    field(0, of: "/etc/group") { $0[2] == String(group) }
  }

  /// Whether this process has the rights of a group.
  package static func isMember(of group: gid_t) -> Bool {
    if getegid() == group { return true }
    var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
    let count = Int(getgroups(Int32(groups.count), &groups))
    return groups.prefix(max(0, count)).contains(group)
  }

  /// A field of the first matching line of a file such as passwd(5).
  private static func field(
    _ index: Int, of path: String, where isWanted: ([Substring]) -> Bool
  ) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let text = String(decoding: (try? readAll(file)) ?? [], as: UTF8.self)
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count > max(index, 2), isWanted(fields) { return String(fields[index]) }
    }
    return nil
  }
}
