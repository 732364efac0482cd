// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Storage
import Testing

@testable import Bridge

/// What a person can type in `hobnob bridge try`.
@Suite("The short forms of lines for a program") struct TypedLineTests {
  private func line(_ typed: String) throws -> String? {
    var forms = TypedLine()
    guard let (type, members) = forms.meaning(of: typed) else { return nil }
    let line = BridgeWriting.line(type, members)
    #expect(
      try BridgeLine(Array(line.utf8), of: BridgeTable.fromHobnob, with: JSONParser()) != nil,
      "\(typed)")
    return line.replacing(/"uid":"[^"]*"/, with: #""uid":"u""#)
  }

  @Test(
    "each means a line that hobnob could write",
    arguments: [
      (
        "send @bot hello there",
        #"{"conversation":{"person":"bot"},"entry":1,"kind":"text","text":"hello there","type":"send","uid":"u"}"#
      ),
      (
        "edit tea m1 hello, all of you",
        #"{"conversation":{"room":"tea"},"entry":1,"id":"m1","text":"hello, all of you","type":"edit","uid":"u"}"#
      ),
      (
        "delete tea m1",
        #"{"conversation":{"room":"tea"},"entry":1,"id":"m1","type":"delete","uid":"u"}"#
      ),
      (
        "react tea m1 👍",
        #"{"all":["👍"],"conversation":{"room":"tea"},"emoji":"👍","entry":1,"id":"m1","type":"react","uid":"u"}"#
      ),
      ("typing tea off", #"{"active":false,"conversation":{"room":"tea"},"type":"typing"}"#),
      (
        "seen @bot m1",
        #"{"conversation":{"person":"bot"},"id":"m1","state":"seen","type":"receipt"}"#
      ),
      (
        "request history @bot",
        #"{"count":20,"request":1,"target":"bot","type":"request","verb":"history"}"#
      ),
      (
        "request history tea 5 m1",
        #"{"count":5,"request":1,"target":"tea","text":"m1","type":"request","verb":"history"}"#
      ),
      (
        "request kick tea ben too loud",
        #"{"person":"ben","request":1,"target":"tea","text":"too loud","type":"request","verb":"kick"}"#
      ),
      (
        "request topic tea green, or black",
        #"{"request":1,"target":"tea","text":"green, or black","type":"request","verb":"topic"}"#
      ),
      ("request decline", #"{"request":1,"type":"request","verb":"decline"}"#),
      ("reply code 47 11", #"{"ask":"code","text":"47 11","type":"reply"}"#),
      ("stop", #"{"type":"stop"}"#),
    ])
  func meansLine(typed: String, written: String) throws {
    #expect(try line(typed) == written)
  }

  @Test(
    "what has another form means nothing",
    arguments: [
      "", "hello", "send @bot", "edit tea m1", "delete tea", "react tea m1", "typing tea maybe",
      "seen tea", "request", "request history", "request history tea many",
      "request history tea 0", "request history tea 5 m1 m2", "request kick tea", "reply code",
      "stop it",
    ])
  func refuses(typed: String) throws {
    #expect(try line(typed) == nil)
  }
}
