// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import Repeatable

/// Ten years of chat: a store of very many messages in 200 conversations, imported from JSON Lines
/// that this type makes.
struct LifetimeStore {
  static let conversations = 200

  let store: BenchStore
  /// How long `hobnob import` took, in nanoseconds.
  let importTime: Int64
  /// The size of the same text in a plain log of lines `12:03 <name> text`, in bytes.
  let logBytes: Int

  /// Makes the lines, and has the program import them.
  static func make(
    _ program: BenchedProgram, in folder: ScratchFolder, messages: Int
  ) throws -> LifetimeStore {
    let lines = "\(folder.path)/lifetime.jsonl"
    note("writing \(messages) messages as JSON Lines …")
    let logBytes = try write(messages, to: lines)
    note("importing them …")
    mkdir("\(folder.path)/lifetime", 0o700)
    let path = "\(folder.path)/lifetime/store.sqlite"
    let start = now()
    let command = [program.path, "import", "--no-rc", "--as", "anna", "--store", path, lines]
    guard try run(command) == 0 else {
      throw MeasuringError("the import failed: \(command.joined(separator: " "))")
    }
    let importTime = now() - start
    unlink(lines)
    return LifetimeStore(
      store: BenchStore(path: path), importTime: importTime, logBytes: logBytes)
  }

  private static let people = ["anna", "ben"] + (1...38).map { "guest\($0)" }

  private static func room(_ index: Int) -> String { index == 0 ? "#lobby" : "#room\(index)" }

  /// Returns the size of the same text in a plain log, in bytes.
  private static func write(_ messages: Int, to path: String) throws -> Int {
    guard let file = fopen(path, "w") else {
      throw MeasuringError("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    func put(_ line: String) { fputs(line + "\n", file) }
    var dice = FixedRandom(seed: 20_360_601)
    // Make the rooms first, so that no message arrives as new for their members.
    let rooms = (0..<messages).map { _ in
      dice.below(5) == 0 ? 0 : UInt8(dice.below(conversations))
    }
    var counts = [Int](repeating: 0, count: conversations)
    for room in rooms { counts[Int(room)] += 1 }
    let began = Clock.wall() - Int64(messages) * spacing - 60_000

    put(#"{"hobnob":"export","version":1,"exported":"\#(DateParser.text(Clock.wall()))"}"#)
    for name in people {
      put(#"{"type":"participant","identity":"\#(name)","name":"\#(name)"}"#)
    }
    for index in 0..<conversations {
      let name = room(index)
      put(
        #"{"type":"conversation","conversation":"\#(name)","last_number":\#(counts[index])}"#)
      for person in people.prefix(20) {
        put(#"{"type":"member","conversation":"\#(name)","participant":"\#(person)","first":1}"#)
      }
      let read = index % 10 == 9 ? counts[index] / 2 : counts[index]
      put(
        #"{"type":"reader","conversation":"\#(name)","participant":"anna","delivered":\#(read),"#
          + #""seen":\#(read),"read":\#(read)}"#)
    }
    var numbers = [Int](repeating: 0, count: conversations)
    var logBytes = 0
    for (index, pick) in rooms.enumerated() {
      numbers[Int(pick)] += 1
      let sender = people[dice.below(people.count)]
      let text = (0..<(3 + dice.below(12))).map { _ in word(&dice) }.joined(separator: " ")
      logBytes += "12:03 <\(sender)> \(text)\n".utf8.count
      let at = began + Int64(index) * spacing
      let edited =
        dice.below(100) == 0
        ? #","edited":"\#(DateParser.text(at + 9000))","revisions":[{"time":"\#(DateParser.text(at + 9000))","text":"so"}]"#
        : ""
      put(
        #"{"type":"message","uid":"\#(uid(&dice))","conversation":"\#(room(Int(pick)))","#
          + #""number":\#(numbers[Int(pick)]),"time":"\#(DateParser.text(at))","sender":"\#(sender)","#
          + #""kind":"text","state":"sent","text":"\#(text)"\#(edited)}"#)
    }
    put(#"{"type":"end"}"#)
    return logBytes
  }

  /// Milliseconds between two messages: a million fill ten years.
  private static let spacing: Int64 = 315_000

  /// Returns a word: common ones often, rare ones rarely, as people speak.
  private static func word(_ dice: inout FixedRandom) -> String {
    let rank = dice.below(1 + dice.below(1 + dice.below(20_000)))
    return rank < common.count ? common[rank] : "w\(String(rank, radix: 36))"
  }

  private static let common = [
    "the", "is", "tea", "at", "and", "who", "hello", "build", "green", "again", "wants", "lunch",
    "today", "naïve", "über", "漢字", "привет", "🎉", "noon", "by", "lake", "t", "to", "train",
  ]

  private static func uid(_ dice: inout FixedRandom) -> String {
    (0..<6).map { _ in
      let part = String(dice.below(0x1_0000), radix: 16)
      return String(repeating: "0", count: 4 - part.utf8.count) + part
    }.joined()
  }
}
