// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

/// A home whose store is full of these texts: messages, names of people and rooms, topics, files,
/// drafts. What an import would refuse is written directly into the store, as anyone who shares it
/// could.
struct HostileHome {
  let home: Home
  let texts: [String]

  init(_ texts: [String], names: [[UInt8]]) throws {
    home = try Home()
    self.texts = texts
    try home.write(
      """
      set pager off
      set bell off
      set notify-command sh \(home.path)/notified
      """, to: ".config/hobnob/hobnobrc")
    try home.write("printf '%s\\n' \"$@\" >> \"$HOME/called\"\n", to: "notified")
    try home.write(try Self.export(texts, people: names.count), to: "all.jsonl")
    let report = try home.run(["import", home.path + "/all.jsonl"])
    try #require(report.status == 0, "\(report)")
    var rows = ""
    for (number, name) in names.enumerated() {
      let text = "CAST(X'" + name.map { String(format: "%02x", $0) }.joined() + "' AS TEXT)"
      rows += "UPDATE participant SET name = \(text), skeleton = '' WHERE identity = 'p\(number)';"
      rows += "UPDATE conversation SET topic = \(text) WHERE name = '#r\(number)';"
      rows +=
        "UPDATE conversation SET name = CAST(X'23' || \(text) || X'\(Self.hex(number))' AS TEXT)"
      rows += " WHERE name = '#r\(number)';"
    }
    let written = try Program(["sqlite3", home.store], input: rows, environment: home.environment)
      .finish()
    try #require(written == .init(status: 0, output: "", errors: ""))
  }

  private static func hex(_ number: Int) -> String {
    String(number).utf8.map { String(format: "%02x", $0) }.joined()
  }

  private static func export(_ texts: [String], people: Int) throws -> String {
    let hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    var lines: [[String: Any]] = [
      ["hobnob": "export", "version": 1, "exported": "2026-11-21T10:00:00.000Z"],
      ["type": "participant", "identity": "anna", "name": "anna"],
      ["type": "conversation", "conversation": "#lobby", "topic": texts[0]],
      ["type": "member", "conversation": "#lobby", "participant": "anna", "first": 1],
    ]
    for number in 0..<people {
      lines.append(["type": "participant", "identity": "p\(number)", "name": "p\(number)"])
    }
    var uid = 0
    func message(_ text: String, _ room: String, _ number: Int) -> [String: Any] {
      uid += 1
      return [
        "type": "message", "uid": String(format: "%032x", uid), "conversation": room,
        "number": number, "time": "2026-11-21T10:00:00Z", "sender": "p\(number % people)",
        "text": text,
        "attachments": [
          ["hash": hash, "name": text, "media_type": "text/plain", "bytes": 4] as [String: Any]
        ],
      ]
    }
    for (number, text) in texts.enumerated() {
      lines.append(message(text, "#lobby", number + 1))
    }
    for number in 0..<people {
      let room = "#r\(number)"
      lines.append(["type": "conversation", "conversation": room, "topic": "t"])
      lines.append(["type": "member", "conversation": room, "participant": "anna", "first": 1])
      lines.append(message(texts[number % texts.count], room, 1))
      if number > 0 {
        lines.append([
          "type": "draft", "conversation": room, "participant": "anna",
          "text": texts[number % texts.count], "caret": 0,
        ])
      }
    }
    lines.append(["type": "file", "hash": hash, "bytes": 4, "offset": 0, "data": "dGVzdA=="])
    lines.append(["type": "end"])
    return try lines.map {
      String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) + "\n"
    }.joined()
  }

  /// What the notifier was called with.
  var notified: String {
    String(
      decoding: FileManager.default.contents(atPath: home.path + "/called") ?? Data(), as: UTF8.self
    )
  }
}
