// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

/// What a program that uses the library cannot express.
@Suite("decision 8: mistakes that do not compile") struct CompilerTests {
  /// Compiles a function with a store, a person and a room.
  ///
  /// - Returns: what the compiler writes, and whether it succeeds.
  private func compile(_ body: String) throws -> (text: String, isCompiled: Bool) {
    let source = NSTemporaryDirectory() + "hobnob-\(UUID().uuidString).swift"
    defer { unlink(source) }
    try """
    import Conversations
    func body(_ store: Store, _ me: Participant, _ room: Conversation) throws {
      \(body)
    }
    """.write(toFile: source, atomically: true, encoding: .utf8)
    let built = Bundle.main.bundlePath
    let sources = (#filePath as NSString).pathComponents.dropLast(4) + ["Sources"]
    let folders = [NSString.path(withComponents: Array(sources)), built]
    let maps = try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: folder)
        .map { folder + "/" + $0 + "/module.modulemap" }
        .filter { FileManager.default.fileExists(atPath: $0) }
        .flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // The rules on borrowing are checked after the types, in SIL.
    process.arguments =
      ["swiftc", "-emit-sil", "-o", "/dev/null", "-I", built + "/Modules"] + maps + [source]
    let output = Pipe()
    process.standardError = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: bytes, as: UTF8.self)
    return (text, process.terminationStatus == 0)
  }

  /// - Returns: the compiler's errors, or nothing if it has none.
  private func errors(in body: String) throws -> String {
    let (text, isCompiled) = try compile(body)
    #expect(isCompiled == text.isEmpty, "\(text)")
    return text.split(separator: "\n").filter { $0.contains(" error: ") && $0.first == "/" }
      .joined(separator: "\n")
  }

  @Test("correct reads and writes compile, so the errors below are the mistakes' own")
  func compiles() throws {
    let body = """
      try store.read { snapshot in _ = try snapshot.conversation(room.id, for: me.id) }
        try store.writeDurably { transaction in
          try transaction.send("tea", in: room.id, by: me.id)
        }
      """
    #expect(try errors(in: body) == "")
  }

  @Test(
    "a mistake is an error",
    arguments: [
      (
        "a change in a snapshot",
        "try store.read { snapshot in try snapshot.setTopic(\"tea\", of: room.id, by: me.id) }",
        "requires the types 'ReadOnly' and 'Durable' be equivalent"
      ),
      (
        "a message that a power cut could lose",
        "try store.write { transaction in try transaction.send(\"tea\", in: room.id, by: me.id) }",
        "requires the types 'Writable' and 'Durable' be equivalent"
      ),
      (
        "a durable write from a transaction that is not",
        "try store.write { transaction in try transaction.writeDurably { _ in } }",
        "value of type 'Transaction' (aka 'Access<Writable>') has no member 'writeDurably'"
      ),
      (
        "a transaction made by hand",
        "try store.read { snapshot in _ = Transaction(connection: snapshot.connection) }",
        "initializer is inaccessible"
      ),
      (
        "the handle of a snapshot, for one of one's own",
        "try store.read { snapshot in _ = snapshot.connection }",
        "'connection' is inaccessible"
      ),
      (
        "a mode of one's own, which may write, in a read",
        """
        enum Mine: MayWrite {}
          try store.read { snapshot in
            let forged: Access<Mine> = snapshot
            try forged.noteSeen(by: me.id, in: room.id, upTo: 1, sendReceipt: true)
          }
        """,
        "cannot assign value of type 'Snapshot' (aka 'Access<ReadOnly>') to type 'Access<Mine>'"
      ),
      (
        "a snapshot in a structure that outlives it",
        """
        struct Kept: ~Copyable { let snapshot: Snapshot }
          try store.read { snapshot in _ = Kept(snapshot: snapshot) }
        """,
        "'snapshot' is borrowed and cannot be consumed"
      ),
      (
        "a store closed by a transaction", "try store.write { $0.close() }",
        "has no member 'close'"
      ),
      (
        "a snapshot kept beyond its closure",
        "var kept: Snapshot?; try store.read { snapshot in kept = snapshot }; _ = kept",
        "implicit conversion to 'Snapshot?' (aka 'Optional<Access<ReadOnly>>') is consuming"
      ),
      (
        "a transaction kept beyond its closure",
        "var kept: Transaction?; try store.write { running in kept = running }; _ = kept",
        "(aka 'Optional<Access<Writable>>') is consuming"
      ),
      (
        "statements of one's own", "_ = store.database",
        "'database' is inaccessible"
      ),
    ])
  func refuses(mistake: String, body: String, error: String) throws {
    let errors = try errors(in: body)
    #expect(errors.contains(error), "\(mistake): \(errors)")
  }

  // Swift 6.3 crashes here instead of naming the mistake. Once it does, move these to the list above.
  @Test(
    "a closure cannot take an access along",
    arguments: [
      "let f = try store.read { snapshot in { try snapshot.position } }; _ = try f()",
      "try store.write { running in Task { try running.position } }",
    ])
  func captures(body: String) throws {
    #expect(try !compile(body).isCompiled)
  }
}
