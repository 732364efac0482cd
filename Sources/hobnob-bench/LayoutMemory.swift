// SPDX-License-Identifier: GPL-3.0-or-later
import CAllocations
import Composer
import StyledText

/// What laying out the bar after a key asks of malloc: it must not grow with the text.
enum LayoutMemory {
  static func measure(keys: Int) throws -> [Figure] {
    let small = try perKey(inTextOf: 1_000, keys: keys)
    let large = try perKey(inTextOf: 100_000, keys: keys)
    let ratio = Double(large.bytes) / Double(max(1, small.bytes))
    return [
      Figure(
        name: "memory asked for by a layout, text of 100 KB",
        measured: "\(large.bytes) bytes in \(large.count)",
        beside: "of 1 KB \(small.bytes) bytes in \(small.count): \(times(ratio))",
        target: "≤ 1.5×", isReached: ratio <= 1.5)
    ]
  }

  /// - Returns: what one layout asked for, on average over keys typed at the end, in the middle and
  ///   at the start; frees are not subtracted.
  private static func perKey(inTextOf bytes: Int, keys: Int) throws -> (bytes: Int, count: Int) {
    let line = "words of a long text, some wide 漢字, some *bold* ones, 🎉 too\n"
    let text = String(repeating: line, count: bytes / line.utf8.count + 1)
    var bar = InputBar(prompt: "#lobby> ")
    bar.composed = ComposedText(text)
    var cache = LayoutCache()
    let widths = Widths()
    func layOut() { _ = bar.layout(size: 24, columns: 80, widths: widths, cache: &cache) }
    var total = (bytes: 0, count: 0)
    var rounds = 0
    let length = text.utf8.count
    for start in [length, length / 2, 0] {
      bar.composed.caret = Motion.clampedToGrapheme(in: text, offset: start)
      layOut()
      for _ in 0..<keys {
        bar.composed.insert("x")
        let before = (callocations_bytes(), callocations_count())
        layOut()
        total.bytes += callocations_bytes() - before.0
        total.count += callocations_count() - before.1
        rounds += 1
      }
    }
    guard total.count > 0 else {
      throw MeasuringError("nothing was counted: another malloc is in use")
    }
    return (total.bytes / rounds, total.count / rounds)
  }
}
