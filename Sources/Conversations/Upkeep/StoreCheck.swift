// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform
import Sentences

/// A result of `Upkeep.check()`.
package struct Finding: Sendable, CustomStringConvertible {
  package enum Severity: Int, Comparable, Sendable {
    /// All is well.
    case fine = 0
    /// Something is wrong, but nothing is lost.
    case warning = 1
    /// Something is lost, or will be.
    case damage = 2

    package static func < (one: Severity, other: Severity) -> Bool { one.rawValue < other.rawValue }
  }

  /// The part of the store that it is about.
  package enum Part: Sendable { case file, tables, searchIndex, permissions, attachments }

  package var severity: Severity
  package var part: Part
  /// What is wrong, where, and what to do.
  package var sentence: Sentence { (key, arguments) }
  private var key: StaticString
  private var arguments: [String]

  init(_ severity: Severity, of part: Part, _ key: StaticString, _ arguments: String...) {
    self.severity = severity
    self.part = part
    self.key = key
    self.arguments = arguments
  }

  package var description: String { filled(sentence) }
}

/// The single checks of `Upkeep.check`.
struct StoreCheck {
  let store: Store

  func integrity() throws -> [Finding] {
    var faults: [String]
    do {
      faults = try store.database.rows("PRAGMA integrity_check(20)") { $0.text() }
      faults.removeAll { $0 == "ok" }
      faults += try store.database.rows("PRAGMA foreign_key_check") {
        filled(("%1 refers to a missing %2", [$0.text("table"), $0.text("parent")]))
      }
    } catch StoreError.corrupt(_, let detail) {
      faults = [detail]
    }
    if faults.isEmpty { return [Finding(.fine, of: .file, "the file %1 is undamaged", store.path)] }
    return faults.map {
      Finding(
        .damage, of: .file,
        "the file %1 is damaged: %2; make a copy of it before you do anything else",
        store.path, $0)
    }
  }

  /// Compares the tables with those of a new store, so no separate list is needed.
  func schema() throws -> [Finding] {
    func tables(_ database: Database) throws -> Set<String> {
      // SQLite and FTS5 keep tables of their own beside ours.
      Set(
        try database.rows(
          "SELECT type || ' ' || name || ': ' || sql FROM sqlite_schema WHERE sql IS NOT NULL"
        ) { $0.text() }.filter { !$0.contains(" sqlite_") })
    }
    let model = try Database(path: ":memory:", patience: 0)
    try Schema.migrate(model, shared: false)
    let (ours, theirs) = (try tables(model), try tables(store.database))
    if ours == theirs {
      return [
        Finding(.fine, of: .tables, "the tables match version %1", "\(Schema.version)")
      ]
    }
    return ours.symmetricDifference(theirs).sorted().map {
      Finding(
        .damage, of: .tables, "a table is wrong: %1", String($0.prefix { $0 != ":" }))
    }
  }

  /// Checks a temporary copy: FTS5 checks an index only while it holds the lock for writing, and
  /// the check of a large store takes longer than a person who sends a line wants to wait.
  func searchIndex() throws -> [Finding] {
    do {
      // SQLite removes a database without a name when it is closed.
      let copy = try Database(path: "", patience: 0)
      defer { copy.close() }
      try store.upkeep.copy(into: copy)
      // FTS5: rank 1 compares the index with the texts.
      try copy.run("INSERT INTO message_text(message_text, rank) VALUES ('integrity-check', 1)")
      return [Finding(.fine, of: .searchIndex, "the search index matches the messages")]
    } catch StoreError.corrupt {
      return [
        Finding(
          .damage, of: .searchIndex, "the search index does not match the messages of %1",
          store.path
        )
      ]
    }
  }

  /// Whether other computers may use the store at the same time, which SQLite and the bell do not
  /// allow for.
  ///
  /// - Parameter type: the name of the file system, if it is one that computers share.
  func fileSystem(_ type: String?) -> [Finding] {
    guard let type else { return [] }
    return [
      Finding(
        .warning, of: .file,
        "the store %1 is on a network file system (%2): use it from one computer only, because hobnob on another one would not notice new messages and could damage the store",
        store.path, type)
    ]
  }

  func permissions() -> [Finding] {
    let names = [
      store.path, store.path + "-wal", store.path + "-shm", store.files.bell, store.files.shells,
      store.files.attachments, store.files.folder,
    ]
    let findings = names.compactMap { name -> Finding? in
      guard let found = fileStatus(name) else { return nil }
      let others = found.st_mode & (store.isShared ? 0o007 : 0o077)
      // It is harmless that others can list the folder.
      let harmless: mode_t = name == store.files.folder ? 0o055 : 0
      if others & ~harmless == 0 { return nil }
      return Finding(
        .warning, of: .permissions,
        "others may read or write %1 (mode %2); remove this permission with chmod", name,
        String(found.st_mode & 0o7777, radix: 8))
    }
    guard findings.isEmpty else { return findings }
    let fine: StaticString =
      store.isShared
      ? "only its owner and its group may read or write %1" : "nobody else may read or write %1"
    return [Finding(.fine, of: .permissions, fine, store.path)]
  }

  /// Whether the files of messages exist and have the right size.
  ///
  /// - Parameter deep: whether to read them and compare their hashes.
  /// - Returns: nothing if no message has any.
  func attachmentFiles(deep: Bool) throws -> [Finding] {
    let named = try store.database.rows(
      "SELECT hash, bytes, min(name) AS name FROM attachment GROUP BY hash, bytes"
    ) { (hash: $0.hex("hash"), bytes: $0.int("bytes"), name: $0.text("name")) }
    if named.isEmpty { return [] }
    var faults: [Finding] = []
    for (hash, bytes, name) in named {
      guard let size = store.attachmentFolder.size(of: hash) else {
        faults.append(
          Finding(
            .damage, of: .attachments, "the attachment %1 is missing: there is no file %2", name,
            store.attachmentFolder.path(of: hash)))
        continue
      }
      if size != bytes {
        faults.append(
          Finding(
            .damage, of: .attachments,
            "the attachment %1 has %2 bytes instead of %3; attach the same file again",
            name, String(size), String(bytes)))
      } else if deep, (try? store.attachmentFolder.file(of: hash).hashed()) != hash {
        faults.append(
          Finding(
            .damage, of: .attachments,
            "the attachment %1 has changed since it was stored; attach the same file again",
            name))
      }
    }
    if faults.isEmpty {
      return [
        Finding(
          .fine, of: .attachments, "all attachment files are present (%1)",
          String(named.count))
      ]
    }
    let shown = 20
    if faults.count <= shown { return faults }
    return faults.prefix(shown) + [
      Finding(
        .damage, of: .attachments, "and %1 more attachments are damaged",
        String(faults.count - shown))
    ]
  }
}
