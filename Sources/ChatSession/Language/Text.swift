// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

extension String {
  /// Without white space at either end.
  var trimmingBlanks: String {
    let head = drop { $0.isWhitespace }
    let tail = head.reversed().drop { $0.isWhitespace }
    return String(String(tail.reversed()))
  }

  /// No letter of it is anything but ASCII.
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

  /// The start of a text with at most so many bytes: whole characters, or, where the first one alone
  /// is longer, whole code points.
  func start(bytes most: Int) -> Substring {
    guard utf8.count > most else { return self[...] }
    var end = utf8.index(startIndex, offsetBy: most)
    while end > startIndex, utf8[end] & 0xC0 == 0x80 { utf8.formIndex(before: &end) }
    let start = self[..<end]
    // The last one may go on behind the end.
    let last = start.index(before: end)
    return last > startIndex ? start[..<last] : start
  }
}

extension DeliveryState {
  /// In one word.
  package var word: SafeText {
    switch self {
    case .failed: say("failed")
    case .sending: say("sending")
    case .sent: say("sent")
    case .delivered: say("delivered")
    case .seen: say("seen")
    }
  }
}

extension Message {
  /// That it failed, and why; not every network says that.
  var notSent: SafeText {
    guard let failure, !failure.isEmpty else { return say("not sent") }
    return say("not sent: %1", SafeText(line: failure))
  }
}
