// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Networks
import Platform
import Sentences
import Storage

/// Lets a person talk to a program: `hobnob bridge try`. It shows each line with what it means and
/// what is wrong with it.
@MainActor
package final class ProgramTrial {
  private let options: ExaminedAccount.Options
  private let parser: JSONParser
  private let program: StartedProgram
  private var forms = TypedLine()
  private var typed: [UInt8] = []
  private var isStarted = false
  private var rooms = KnownRooms()
  private var events: BridgeEvents?

  /// - Returns: nil if the program cannot be run, with the reason in `errno`.
  package init?(_ options: ExaminedAccount.Options) throws {
    self.options = options
    parser = try JSONParser()
    guard let program = StartedProgram(options.program, in: options.folder, errors: .ours) else {
      return nil
    }
    self.program = program
  }

  /// Talks until the program or the input ends.
  ///
  /// - Returns: the program's exit status.
  package func run() -> Int32 {
    while true {
      // Before it has the line `start`, a program reads nothing else.
      switch program.next(within: 3_600_000, unless: isStarted ? 0 : -1) {
      case .line(let line): show(line)
      case .end:
        let status = program.exitStatus(within: 5_000)
        tell(
          filled(("%1 ended with status %2", [options.program, status.map(String.init) ?? "?"])))
        return status ?? 1
      case .none: if !readInput() { return end() }
      }
    }
  }

  private func end() -> Int32 {
    program.closeInput()
    while case .line(let line) = program.next(within: 5_000) { show(line) }
    if let status = program.exitStatus(within: 5_000) { return status }
    tell(translated("it still runs 5 seconds after the end of its input"))
    return 1
  }

  private func tell(_ sentence: String) {
    _ = Array((sentence.withoutControls + "\n").utf8).withUnsafeBytes { try? writeAll(1, $0) }
  }

  // MARK: From the program

  private func show(_ bytes: [UInt8]) {
    tell("< " + Self.printable(bytes))
    do throws(BridgeFault) {
      guard let line = try BridgeLine(bytes, with: parser) else {
        return tell("  " + translated("hobnob does not know this type and ignores the line"))
      }
      tell("  " + (BridgeMeaning.ofProgramLine(line.type) ?? ""))
      let known = Set(
        BridgeTable.fromProgram.first { $0.name == line.type }?.members.map(\.name) ?? [])
      if case .object(let members) = line.members {
        let others = members.keys.filter { name in
          name != JSONName.type.rawValue && !known.contains { $0.rawValue == name }
        }
        if !others.isEmpty {
          tell("  " + filled(("hobnob ignores %1", [others.sorted().joined(separator: ", ")])))
        }
      }
      for word in line.unknownAbilities { tell("  " + word) }
      try rooms.note(line)
      if line.type == "hello" { try start(after: BridgeHello(line)) }
      try events?.check(line)
      if line.type == "commit", let batch = line[.batch].integer {
        write("stored", [.batch: .integer(batch)])
      }
    } catch {
      tell("  ! " + error.remark.text)
    }
  }

  private static func printable(_ bytes: [UInt8]) -> String {
    String(
      String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar -> Character in
        scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
      })
  }

  private func start(after hello: BridgeHello) {
    let address = options.address ?? hello.example
    write(
      "start",
      [
        .version: .integer(Int64(BridgeTable.version)), .account: .text("try:" + address),
        .address: .text(address), .secret: options.secret.map(JSON.text) ?? .null,
        .settings: .object(options.settings.mapValues(JSON.text)), .kept: .object([:]),
        .marks: .object([:]), .rooms: .array([]), .folder: .text(options.folder),
      ])
    isStarted = true
    events = BridgeEvents(rules: hello.rules, own: address)
    tell(
      translated(
        "Type a line of JSON, or one of these, where a conversation is the address of a room, or @ and the address of a person; C-d ends."
      ))
    for form in TypedLine.forms { tell("  " + form) }
  }

  // MARK: To the program

  private func write(_ type: String, _ members: [JSONName: JSON]) {
    write(BridgeWriting.line(type, members))
  }

  private func write(_ line: String) {
    tell("> " + Self.printable(Array(line.utf8)))
    program.write(line)
  }

  /// - Returns: false at the end of the input.
  private func readInput() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = read(0, &chunk, chunk.count)
    if count <= 0 { return count < 0 && errno == EINTR }
    typed += chunk[..<count]
    while let end = typed.firstIndex(of: 0x0A) {
      let line = String(decoding: typed[..<end], as: UTF8.self)
      typed.removeSubrange(...end)
      if !line.isEmpty { take(line) }
    }
    return true
  }

  private func take(_ line: String) {
    guard !line.hasPrefix("{") else {
      do throws(BridgeFault) {
        if try BridgeLine(Array(line.utf8), of: BridgeTable.fromHobnob, with: parser) == nil {
          tell("  ! " + translated("hobnob writes no lines of this type"))
        }
      } catch {
        tell("  ! " + error.remark.text)
      }
      return write(line)
    }
    if let (type, members) = forms.meaning(of: line) { return write(type, members) }
    tell("  ! " + translated("That is neither JSON nor one of these forms:"))
    for form in TypedLine.forms { tell("  " + form) }
  }
}
