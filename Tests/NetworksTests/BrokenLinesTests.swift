// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Networks

@Suite("Sentences beside the prompt of a network's process") struct BrokenLinesTests {
  @Test("lines break between words, and a long word stays whole for the terminal to break")
  func breaks() {
    #expect("Type the code: ".broken(at: 9) == "Type the\ncode: ")
    #expect("Type the code".broken(at: 13) == "Type the code")
    #expect("To https://example.org/long now".broken(at: 10) == "To\nhttps://example.org/long\nnow")
    #expect("".broken(at: 10) == "")
    #expect("a  b".broken(at: 3) == "a \nb")
  }
}
