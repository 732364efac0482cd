// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Testing

@Suite("5.1: Saving the draft")
struct DraftClockTests {
  @Test("One idle second after the last change")
  func idleSecond() {
    var clock = DraftClock()
    #expect(clock.deadline == nil)
    clock.changed(to: LineDraft("a"), at: 0)
    clock.changed(to: LineDraft("ab"), at: 900)
    #expect(clock.deadline == 1900)
    // Asking again with the same draft does not put it off.
    clock.changed(to: LineDraft("ab"), at: 1500)
    #expect(clock.deadline == 1900)
    #expect(clock.unsaved == LineDraft("ab"))
    clock.stored(LineDraft("ab"))
    #expect(clock.deadline == nil && clock.unsaved == nil)
  }

  @Test("An unchanged draft is not written again")
  func equal() {
    var clock = DraftClock(stored: LineDraft("a"))
    clock.changed(to: LineDraft("ab"), at: 0)
    clock.changed(to: LineDraft("a"), at: 10)
    #expect(clock.deadline == nil && clock.unsaved == nil)
    clock.changed(to: LineDraft("b"), at: 20)
    clock.stored(LineDraft("b"))
    #expect(clock.deadline == nil && clock.unsaved == nil)
  }

  @Test("Caret and spans belong to it, and a letter's spelling; an empty one is empty")
  func equality() {
    #expect(LineDraft("ab", caret: 1) != LineDraft("ab", caret: 2))
    #expect(LineDraft("ab", spans: [Span(range: 0..<2, identity: "x")]) != LineDraft("ab"))
    #expect(LineDraft("\u{E9}", caret: 0) != LineDraft("e\u{301}", caret: 0))
    #expect(LineDraft("", caret: 3) == LineDraft())
  }

  @Test("What could not be written still has to be")
  func failedWrite() {
    var clock = DraftClock()
    clock.changed(to: LineDraft("a"), at: 0)
    clock.stored(LineDraft("before"))
    #expect(clock.unsaved == LineDraft("a"))
    clock.stored(LineDraft("a"))
    #expect(clock.unsaved == nil)
  }

  @Test("A sent text is no longer a draft, and an emptied one has to be removed")
  func sentAndEmptied() {
    var clock = DraftClock(stored: LineDraft("a"))
    clock.changed(to: LineDraft(), at: 0)
    #expect(clock.unsaved?.isEmpty == true)
    clock.stored(LineDraft())
    #expect(clock.unsaved == nil)
  }
}

@Suite("2.10: Mentions in the text")
@MainActor
struct SpanTests {
  /// Writes spans as `[…]` and the caret as `|`.
  private func parsed(_ text: String) -> (text: String, caret: Int, spans: [Span]) {
    var (plain, caret, spans, start) = ("", 0, [Span](), 0)
    for letter in text {
      switch letter {
      case "[": start = plain.utf8.count
      case "]": spans.append(Span(range: start..<plain.utf8.count, identity: "\(spans.count)"))
      case "|": caret = plain.utf8.count
      default: plain.append(letter)
      }
    }
    return (plain, caret, spans)
  }

  @Test(
    "Typing in it makes it plain text; text before and behind does not",
    arguments: [
      ("[@Anna] |", "hi [@Anna] |"), ("[@Anna]", "@[@Anna]"), ("[@Anna]", "[@Anna]a|"),
      ("[@Anna] [@Ben]", "@Anx|na [@Ben]"),
      ("[@Anna]", "[@An|na]"), ("[@Anna]", "@Ann|"), ("[@Anna] x", "[@Anna] |"),
      ("a[@é]b", "aa|[@é]b"), ("[@a][@b]", "[@a]x|[@b]"), ("x[@a]", "|[@a]"),
      ("[@Anna]", "@|@Anna"), ("", "|x"), ("[@Anna]", "|"), ("x [@Anna]", "x @Annx|a"),
    ])
  func carried(_ before: String, _ after: String) {
    let (old, new) = (parsed(before), parsed(after))
    // A caret that is not written stands where one types before the text.
    let caret = after.contains("|") ? new.caret : 1
    let controller = BarController(TypedLine())
    controller.restore(LineDraft(old.text, spans: old.spans))
    controller.bar.composed = ComposedText(new.text, caret: caret)
    let spans = controller.spans
    if after == "@|@Anna" {
      #expect(spans == [Span(range: 1..<6, identity: "0")])
    } else {
      #expect(spans.map(\.range) == new.spans.map(\.range), "\(before) → \(after)")
    }
  }

  /// One text after the other; what is written with brackets is to be a span at the end.
  @Test(
    "a text restored whole has its mentions; one that was typed into stays plain",
    arguments: [
      // A caret that goes into it, a look into the history, C-c and C-_.
      ["hi [@Ben] |", "hi [@B|en] ", "hi [@Ben] |"],
      ["hi [@Ben] |", "old line|", "older|", "hi [@Ben] |"],
      ["hi [@Ben] x|", "|", "hi [@Ben] x|"],
      ["[@Ben] [@Anna]|", "[@Ben] |", "[@Ben] [@Anna]|"],
      // Undo of the acceptance and redo; a kill and a yank.
      ["hi [@Ben] |", "hi @B|", "hi [@Ben] |"],
      ["hi [@Ben] you|", "hi |", "hi [@Ben] you|"],
      // A letter in it and out again.
      ["hi [@Ben] |", "hi @Bx|en ", "hi @B|en "],
      ["hi [@Ben]|", "hi @Be|", "hi @Ben|"],
      // Another text.
      ["hi [@Ben] |", "|", "hi @Ben and|"],
    ])
  func followed(steps: [String]) {
    let line = BarController(TypedLine())
    let first = parsed(steps[0])
    line.restore(LineDraft(first.text, spans: first.spans))
    for step in steps.dropFirst() {
      let next = parsed(step)
      line.bar.composed = ComposedText(next.text, caret: next.caret)
      #expect(line.spans.map(\.range) == next.spans.map(\.range), "\(step)")
    }
  }

  @Test("undo restores a mention whole, even by a letter; marks around it leave it whole")
  func followedByUndo() {
    let mention = [Span(range: 3..<7, identity: "ben")]
    let line = BarController(TypedLine())
    line.restore(LineDraft("hi @Ben", caret: 5, spans: mention))
    line.type(.text("x"))
    #expect(line.spans.isEmpty)
    line.type(.undo)
    #expect(line.spans == mention)

    line.replace(3..<7, with: "*@Ben*", caret: 9)
    #expect(line.spans == [Span(range: 4..<8, identity: "ben")])
    line.replace(3..<9, with: "@Ben", caret: 7)
    #expect(line.spans == mention)
    line.replace(0..<7, with: "`hi @Ben`", caret: 9)
    #expect(line.spans == [Span(range: 4..<8, identity: "ben")])
    line.replace(0..<6, with: "*`hi @B*", caret: 8)
    #expect(line.spans.isEmpty)
  }

  @Test("a text with mentions of its own forgets those of the line before")
  func followedAfresh() {
    let line = BarController(TypedLine())
    line.restore(LineDraft("@Ben", spans: [Span(range: 0..<4, identity: "ben")]))
    line.bar.composed = ComposedText()
    line.begin(with: [])
    line.bar.composed = ComposedText("@Ben")
    #expect(line.spans.isEmpty)
  }

  @Test(
    "M-Backspace takes a word of a span, then the rest",
    arguments: [
      ("hi [@Nathan Tannar]|", "hi [@Nathan]|"), ("hi [@Nathan]|", "hi |"),
      ("[@Nathan Tan|nar] x", "[@Nathan|nar] x"), ("[@A B C]|", "[@A B]|"),
      ("[@Nathan |Tannar]", "| Tannar"), ("[@Nathan |Tannar] [@B]", "|Tannar [@B]"),
      ("[@a] [@b c]|", "[@a] [@b]|"),
    ])
  func deletingWords(_ before: String, _ after: String) throws {
    let (text, caret, spans) = parsed(before)
    let deletion = try #require(Span.deletingWord(before: caret, in: text, spans: spans))
    var bytes = Array(text.utf8)
    bytes.removeSubrange(deletion.range)
    let left = String(decoding: bytes, as: UTF8.self)
    let expected = parsed(after)
    if after == "| Tannar" {
      #expect(marking(left, deletion.range.lowerBound) == "|Tannar")
      #expect(deletion.spans.isEmpty)
    } else {
      #expect(marking(left, deletion.range.lowerBound) == marking(expected.text, expected.caret))
      #expect(deletion.spans.map(\.range) == expected.spans.map(\.range))
    }
  }

  @Test("Outside a span the line editor's own word counts")
  func outside() {
    let spans = [Span(range: 3..<8, identity: "a")]
    #expect(Span.deletingWord(before: 3, in: "hi @Anna x", spans: spans) == nil)
    #expect(Span.deletingWord(before: 9, in: "hi @Anna x", spans: spans) == nil)
    #expect(Span.deletingWord(before: 4, in: "hi @Anna x", spans: []) == nil)
  }
}
