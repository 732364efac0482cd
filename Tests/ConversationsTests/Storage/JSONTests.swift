// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Conversations

@Suite("JSON") struct JSONTests {
  private let database = try! Database(path: ":memory:", patience: 0)

  @Test("a value is the same after it was written and read")
  func roundTrips() throws {
    let values: [JSON] = [
      .null, .flag(true), .flag(false), .integer(0), .integer(.min), .integer(.max), .text(""),
      .text("a\"b\\c\n\t\u{0}\u{1F}\u{7F}é🐗\u{2028}"),
      .text("\u{0}\(Character(Unicode.Scalar(0xFDD0)!))"),
      .text("\\u0000"), .array([]),
      .object([:]), .array([.array([.integer(1)]), .object(["a": .array([.text("x")])]), .null]),
      .object(["": .text("empty"), "0": .integer(1), "b c": .object(["d": .flag(false)])]),
    ]
    for value in values + [.array(values)] {
      #expect(try JSON(value.line, database) == value, "\(value.line)")
    }
    #expect(
      JSON.object(["b": .integer(1), "a": .null, "A": .text("x")]).line == #"{"A":"x","b":1}"#)
  }

  @Test("what is no JSON, or no such value, is neither guessed nor a fault")
  func strange() throws {
    for text in ["", " ", "{", "[1,]", "nothing", "{\"a\":1} x", "\u{0}", "1\u{0}"] {
      #expect(try JSON(text, database) == nil, "\(text)")
      let row = try database.first("SELECT ? AS text", text) { $0.json("text") }
      #expect(row == .null, "\(text)")
    }
    #expect(try database.first("SELECT NULL") { $0.json() } == .null)
    #expect(
      try JSON("[1.5, 1e3, 99999999999999999999]", database)?.items == [
        .otherNumber, .otherNumber, .otherNumber,
      ])
    let object = try #require(try JSON(#" {"a": 1, "a": 2, "b": null} "#, database))
    #expect(object["a"].integer == 1 && object["b"] == .null && object["c"] == .null)
    #expect(object.text == nil && object.items.isEmpty && object["a"]["b"] == .null)
    let deep = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
    #expect(try JSON(deep, database)?.line == deep)
  }
}
