// SPDX-License-Identifier: GPL-3.0-or-later

/// The input history.
extension Access {
  /// The input history as one shell shows it, the newest line last. The shell's own lines come
  /// after those of the participant's other shells. A line that repeats the previous one is
  /// omitted.
  package func inputHistory(
    of me: ID<Participant>, shell: ShellID, limit: Int
  ) throws -> [String] {
    let own = try database.rows(
      """
      SELECT line FROM history WHERE participant = ? AND shell = ?
      ORDER BY change DESC, id DESC LIMIT ?
      """, me, shell, max(0, limit)
    ) { $0.text() }
    let others = try database.rows(
      """
      SELECT line FROM history WHERE participant = ? AND shell <> ?
      ORDER BY change DESC, id DESC LIMIT ?
      """, me, shell, max(0, limit - own.count)
    ) { $0.text() }
    var lines: [String] = []
    for line in (own + others).reversed() where line != lines.last { lines.append(line) }
    return lines
  }
}

extension Access where Mode: MayWrite {
  /// Adds a line to the input history, unless it repeats the previous one (rule 1.12).
  package func appendHistory(
    _ line: String?, of me: ID<Participant>, shell: ShellID?
  ) throws {
    guard let line, !line.isEmpty else { return }
    let shell = shell ?? presence?.id ?? ""
    let last = try database.first(
      """
      SELECT line FROM history WHERE participant = ? AND shell = ?
      ORDER BY change DESC, id DESC LIMIT 1
      """, me, shell
    ) { $0.text() }
    if last == line { return }
    try database.run(
      "INSERT INTO history(participant, shell, change, line) VALUES (?, ?, ?, ?)", me, shell,
      try nextChange(), line)
  }
}
