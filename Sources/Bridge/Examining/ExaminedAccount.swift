// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import Sentences
import Storage

/// An account with which a program is examined: what hobnob would store of it, in memory. Its
/// methods wait.
@MainActor
package final class ExaminedAccount {
  /// Where the program is, and the account that it is given.
  package struct Options {
    package var program: String
    package var address: String?
    package var secret: String?
    package var settings: [String: String] = [:]
    /// The account's folder.
    package var folder: String

    package init(program: String, folder: String) {
      (self.program, self.folder) = (program, folder)
    }
  }

  /// What a program has made of an entry.
  enum Answer: Hashable { case sent, failed }

  /// A message that the program has told of.
  struct Told: Hashable {
    var conversation: JSON
    var id: String
    var text: String
    var isMine: Bool
  }

  let options: Options
  private let parser: JSONParser
  private(set) var hello: BridgeHello?
  /// The faults of the program's lines, as sentences.
  private(set) var faults: [String] = []
  private(set) var answers: [Int64: Answer] = [:]
  /// Since the last start.
  private(set) var told: [Told] = []
  private(set) var hasGap = false
  /// How many lines have come.
  private(set) var lineCount = 0
  private(set) var isUp = false
  private(set) var asked: String?
  private(set) var reason: String?
  /// By archive, as they would be stored.
  var marks: [String: String] = [:]
  private var kept: [String: String] = [:]
  /// Where the owner is.
  var rooms = KnownRooms()
  private var uncommitted: (marks: [String: String], told: [Told])?
  private var program: StartedProgram?

  package init(_ options: Options) throws {
    self.options = options
    parser = try JSONParser()
  }

  // MARK: The program

  /// Starts the program and logs in.
  ///
  /// - Returns: the reason for a failure; nil if the program is up.
  func start(errors: ChildProcess.Stream = .null) -> String? {
    kill()
    (told, hasGap, isUp, reason, uncommitted) = ([], false, false, nil, nil)
    guard let started = StartedProgram(options.program, in: options.folder, errors: errors) else {
      return filled(("%1 could not be run: %2.", [options.program, SystemFailure().reason]))
    }
    program = started
    hello = nil
    guard read(within: 30_000, until: { self.hello != nil }) else {
      return faults.last ?? translated("it did not say hello within 30 seconds")
    }
    write("start", start)
    guard read(within: 60_000, until: { self.isUp || self.reason != nil || self.asked != nil })
    else {
      return translated("it was not up within a minute after start")
    }
    if let asked { return filled(("it asks a question (%1); check cannot answer", [asked])) }
    return reason
  }

  private var start: [JSONName: JSON] {
    let address = options.address ?? hello?.example ?? ""
    return [
      .version: .integer(Int64(BridgeTable.version)), .account: .text("check:" + address),
      .address: .text(address), .secret: options.secret.map(JSON.text) ?? .null,
      .settings: .object(options.settings.mapValues(JSON.text)),
      .kept: .object(kept.mapValues(JSON.text)), .marks: .object(marks.mapValues(JSON.text)),
      .rooms: .array([]), .folder: .text(options.folder),
    ]
  }

  func kill() { program?.kill() }

  func forgetFaults() { faults = [] }

  func forgetAnswer(to entry: Int64) { answers[entry] = nil }

  /// Closes the program's input.
  ///
  /// - Returns: its exit status; nil if it still runs after so many milliseconds.
  func end(within patience: Int64) -> Int32? {
    program?.closeInput()
    return program?.exitStatus(within: patience)
  }

  func hasEnded(within patience: Int64) -> Bool { program?.exitStatus(within: patience) != nil }

  func write(_ type: String, _ members: [JSONName: JSON]) {
    write(BridgeWriting.line(type, members))
  }

  func write(_ line: String) {
    if program?.write(line) == false {
      faults.append(translated("it does not read what hobnob writes"))
    }
  }

  /// Reads lines until something is so.
  ///
  /// - Parameter patience: milliseconds in all.
  @discardableResult
  func read(within patience: Int64, until isDone: () -> Bool) -> Bool {
    let end = Clock.steady() + patience
    while !isDone() {
      switch program?.next(within: max(0, end - Clock.steady())) ?? .end {
      case .line(let bytes):
        lineCount += 1
        take(bytes)
      case .end, .none: return isDone()
      }
    }
    return true
  }

  // MARK: Its lines

  private func take(_ bytes: [UInt8]) {
    do throws(BridgeFault) {
      guard bytes.count <= BridgeLimits.line else {
        throw BridgeFault(translated("the network's program sent a line of more than 1 MiB"))
      }
      guard let line = try BridgeLine(bytes, with: parser) else { return }
      if hello == nil, line.type != "hello" {
        throw BridgeFault(
          filled(("the first line is “%1” instead of “%2”", [line.type, "hello"])))
      }
      try rooms.note(line)
      if let hello {
        try BridgeEvents(rules: hello.rules, own: options.address ?? hello.example).check(line)
      }
      try take(line)
    } catch {
      faults.append(error.remark.text)
    }
  }

  private func take(_ line: BridgeLine) throws(BridgeFault) {
    let entry = line[.entry].integer ?? 0
    switch line.type {
    case "hello": hello = try BridgeHello(line)
    case "up": isUp = true
    case "down": reason = line[.reason].text
    case "ask": asked = line[.text].text
    case "sent": answers[entry] = .sent
    case "failed": answers[entry] = .failed
    case "keep": kept[line[.name].text ?? ""] = line[.value].text
    case "gap": hasGap = true
    case "begin": uncommitted = ([:], [])
    case "mark": note { $0.marks[line[.archive].text ?? ""] = line[.mark].text }
    case "message":
      let message = Told(
        conversation: line[.conversation], id: line[.id].text ?? "", text: line[.text].text ?? "",
        isMine: line[.mine].flag ?? false)
      note { $0.told.append(message) }
    case "commit":
      guard let batch = uncommitted else {
        throw BridgeFault(filled(("“%1” without “%2”", ["commit", "begin"])))
      }
      uncommitted = nil
      marks.merge(batch.marks) { $1 }
      told += batch.told
      if let number = line[.batch].integer { write("stored", [.batch: .integer(number)]) }
    default: break
    }
  }

  /// Outside a batch, each line counts at once.
  private func note(_ change: (inout (marks: [String: String], told: [Told])) -> Void) {
    guard var batch = uncommitted else {
      var single: (marks: [String: String], told: [Told]) = ([:], [])
      change(&single)
      marks.merge(single.marks) { $1 }
      told += single.told
      return
    }
    change(&batch)
    uncommitted = batch
  }
}
