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
  enum Answer: Hashable {
    /// With the id of the message, if it has one.
    case sent(id: String?)
    case failed(reason: String)
  }

  /// A message that the program has told of.
  struct Told: Hashable {
    var conversation: JSON
    var id: String
    var text: String
    var isMine: Bool
    /// The uid of the entry that it repeats.
    var uid: String?
  }

  /// A change of the owner that the program has told of: an edit, or one emoji of a reaction.
  struct Change: Hashable {
    var conversation: JSON
    var id: String
    var content: JSON
  }

  /// A page of older messages, which the program has told in a batch.
  struct Page {
    var conversation: JSON
    /// Empty if nothing is older.
    var from: String
    /// Empty if the page ends with the newest message.
    var until: String
    var messages: [Told] = []
    /// Whether each message says that it is past.
    var isPast = true
  }

  /// What counts once its batch has ended.
  fileprivate struct News {
    var marks: [String: String] = [:]
    var told: [Told] = []
    var changes: [(change: Change, id: String?)] = []
    var page: Page?
  }

  let options: Options
  private let parser: JSONParser
  private(set) var hello: BridgeHello?
  /// The faults of the program's lines, as sentences.
  private(set) var faults: [String] = []
  private(set) var answers: [Int64: Answer] = [:]
  /// The answer to each request, by its number: a sentence, or empty if the program did it.
  private(set) var replies: [Int64: String] = [:]
  /// Sentences about words of the program that hobnob does not know, each once.
  private(set) var notes: [String] = []
  /// What the program says of a conversation, where that is not as in `hello`.
  private var abilitiesHere: [JSON: Abilities] = [:]
  private(set) var pages: [Page] = []
  /// The changes, each with its ids. Without an id it counts how often a run of the program told it.
  private(set) var changes: [Change: Set<String>] = [:]
  private var changesInRun: [Change: Int] = [:]
  /// Since the last start.
  private(set) var told: [Told] = []
  private(set) var hasGap = false
  /// How many lines have come.
  private(set) var lineCount = 0
  private(set) var isUp = false
  /// A question without an answer, as a sentence.
  private(set) var asked: String?
  /// The names of the questions that were answered since the last start.
  private var repliedTo: Set<String> = []
  private(set) var reason: String?
  /// By archive, as they would be stored.
  var marks: [String: String] = [:]
  private var kept: [String: String] = [:]
  /// Where the owner is.
  var rooms = KnownRooms()
  private var uncommitted: News?
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
    (asked, repliedTo, changesInRun, abilitiesHere) = (nil, [], [:], [:])
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
    return asked ?? reason
  }

  private var start: [JSONName: JSON] {
    let address = options.address ?? hello?.example ?? ""
    return [
      .version: .integer(Int64(BridgeTable.version)), .account: .text("check:" + address),
      .address: .text(address), .secret: options.secret.map(JSON.text) ?? .null,
      .settings: .object(options.settings.mapValues(JSON.text)),
      .kept: .object(kept.mapValues(JSON.text)), .marks: .object(marks.mapValues(JSON.text)),
      .rooms: .array(rooms.rooms.sorted().map { .members([.room: .text($0)]) }),
      .folder: .text(options.folder),
    ]
  }

  /// What people can do in a conversation, as the program says.
  func abilities(in place: JSON) -> Abilities? {
    abilitiesHere[place]
      ?? (place[.room] == .null ? hello?.abilities.direct : hello?.abilities.rooms)
  }

  func kill() { program?.kill() }

  func forgetFaults() { faults = [] }

  /// Of an entry, or of a request.
  func forgetAnswer(to number: Int64) { (answers[number], replies[number]) = (nil, nil) }

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
      for note in line.unknownAbilities where !notes.contains(note) { notes.append(note) }
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
    case "ask": reply(to: line)
    case "sent": answers[entry] = .sent(id: line[.id].text)
    case "failed": answers[entry] = .failed(reason: line[.reason].text ?? "")
    case "answer": replies[line[.request].integer ?? 0] = line[.text].text ?? ""
    case "keep": kept[line[.name].text ?? ""] = line[.value].text
    case "gap": hasGap = true
    case "can":
      abilitiesHere[line[.conversation]] =
        line[.can] == .null ? nil : Abilities(program: line[.can])
    case "begin": uncommitted = News()
    case "mark": note { $0.marks[line[.archive].text ?? ""] = line[.mark].text }
    case "page":
      guard uncommitted != nil else {
        throw BridgeFault(
          filled(("“%1” is not between “%2” and “%3”", ["page", "begin", "commit"])))
      }
      uncommitted?.page = Page(
        conversation: line[.conversation], from: line[.from].text ?? "",
        until: line[.until].text ?? "")
    case "message": note { $0.take(line) }
    case "edited", "reaction": note { $0.takeChange(line) }
    case "commit":
      guard let batch = uncommitted else {
        throw BridgeFault(filled(("“%1” without “%2”", ["commit", "begin"])))
      }
      uncommitted = nil
      add(batch)
      if let number = line[.batch].integer { write("stored", [.batch: .integer(number)]) }
    default: break
    }
  }

  /// Answers a question with the option of its name.
  private func reply(to line: BridgeLine) {
    let name = line[.ask].text ?? ""
    guard let answer = options.settings[name], repliedTo.insert(name).inserted else {
      asked =
        repliedTo.contains(name)
        ? filled(
          ("it does not take the answer to its question “%1” (%2)", [name, line[.text].text ?? ""]))
        : filled(
          (
            "it asks “%1” (%2), which nobody can answer while check runs; give the answer beforehand, with --option %1=ANSWER",
            [name, line[.text].text ?? ""]
          ))
      return
    }
    write("reply", [.ask: .text(name), .text: .text(answer)])
  }

  /// Outside a batch, each line counts at once.
  private func note(_ change: (inout News) -> Void) {
    guard var batch = uncommitted else {
      var single = News()
      change(&single)
      return add(single)
    }
    change(&batch)
    uncommitted = batch
  }

  private func add(_ news: News) {
    marks.merge(news.marks) { $1 }
    told += news.told
    if let page = news.page { pages.append(page) }
    for (change, id) in news.changes {
      changesInRun[change, default: 0] += 1
      // A program that was killed may tell again what it told before.
      changes[change, default: []].insert(id ?? "\(changesInRun[change] ?? 0)")
    }
  }
}

extension ExaminedAccount.News {
  fileprivate mutating func take(_ line: BridgeLine) {
    let message = ExaminedAccount.Told(
      conversation: line[.conversation], id: line[.id].text ?? "", text: line[.text].text ?? "",
      isMine: line[.mine].flag ?? false, uid: line[.uid].text)
    told.append(message)
    page?.messages.append(message)
    if line[.past].flag != true { page?.isPast = false }
  }

  fileprivate mutating func takeChange(_ line: BridgeLine) {
    // All emoji of a person, told twice, are still the same.
    guard line[.mine].flag == true, line[.all] == .null else { return }
    let content = line.type == "edited" ? line[.text] : .array([line[.emoji], line[.removed]])
    changes.append(
      (
        ExaminedAccount.Change(
          conversation: line[.conversation], id: line[.id].text ?? "", content: content),
        line[.change].text
      ))
  }
}
