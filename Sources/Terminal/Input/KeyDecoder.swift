// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// Turns the bytes of the keyboard into complete keys.
///
/// It is a state machine that takes one byte after the other, so it makes no difference where a
/// read ends. No key is lost: an unfinished sequence is returned as the keys that it may have been.
/// An answer of the terminal is never returned as keys, even if its pieces come late (1.15).
///
/// Some input is ambiguous. Alt-`]` or Alt-`P`, followed at once by the beginning of an answer,
/// counts as an answer until a control byte or `timeOut`. Shift-F3 of xterm counts as a cursor
/// position report.
package struct KeyDecoder: Sendable {
  private enum State {
    case ground
    /// ESC.
    case escape
    /// ESC ESC: Alt-Escape, or Alt and a key that sends a sequence.
    case escapeEscape
    /// ESC [ and parameters.
    case csi
    /// ESC [ [: a function key of the Linux console; one byte follows.
    case consoleKey
    /// ESC O.
    case ss3
    /// ESC ], ESC P or ESC _, and nothing more yet: an answer, or Alt and that key.
    case stringStart
    /// An answer that ends with BEL or ESC \.
    case string
    /// ESC inside an answer.
    case stringEscape
    /// The beginning of a character, perhaps after ESC.
    case utf8
    /// Between the marks of a bracketed paste.
    case paste
  }

  /// No key and no expected answer is longer; a longer sequence is garbage.
  private static let longestControlSequence = 256
  private static let longestString = 1 << 16
  /// Milliseconds in which the rest of a letter, or of an answer that the terminal owes, may arrive.
  private static let patience: Int64 = 1000
  /// Milliseconds in which the next byte of any other answer may arrive.
  private static let answerPatience: Int64 = 50
  /// Milliseconds of silence after which a C-c by itself is a key, and not part of a paste.
  package static let pasteSilence: Int64 = 100

  private var state = State.ground
  /// The bytes since the sequence began.
  private var pending: [UInt8] = []
  private var pasted = PastedBytes()
  /// How many of the pending bytes were already returned as a key, because nothing followed in time.
  private var returned = 0
  /// What was returned as keys because nothing followed in time: ESC, perhaps with the first bytes
  /// of an answer.
  private var givenUp: [UInt8] = []
  /// When the last byte arrived.
  private var lastAt: MonotonicTime = 0

  /// Milliseconds that an ESC waits for the rest of a sequence; nil: until the next key.
  package var escapeTimeout: Int64? = 100
  /// Whether the terminal still has to answer a question.
  package var awaitsAnswer = false
  /// Whether the terminal has ever marked a paste.
  package private(set) var hasSeenPasteMark = false

  package init() {}

  /// Whether a lone ESC or an incomplete sequence waits for its rest; if nothing arrives, call
  /// `timeOut`. An open paste does not count.
  package var isWaiting: Bool { state != .ground && state != .paste }

  /// When to call `timeOut`; nil if only the next byte can end the
  /// wait.
  package var deadline: MonotonicTime? {
    let pause: Int64? =
      switch state {
      case .ground, .paste: nil
      case .utf8: Self.patience
      // readline would wait for its end as well, and the program for that of an answer.
      case .csi: nil
      case .string, .stringEscape: isAnswer ? nil : answerPause
      // The program asks nothing whose answer begins with ESC P or ESC _.
      case .stringStart: pending[1] == UInt8(ascii: "]") ? answerPause : pauseAfterKey
      // Many terminals never answer, and there Escape must not wait a second for them.
      case .escape: awaitsAnswer ? pauseAfterKey : escapeTimeout
      case .escapeEscape, .consoleKey, .ss3: escapeTimeout
      }
    return pause.map { lastAt + $0 }
  }

  private var pauseAfterKey: Int64? { escapeTimeout.map { max($0, Self.answerPatience) } }
  private var answerPause: Int64? { awaitsAnswer ? Self.patience : pauseAfterKey }

  /// Whether the string that has begun can only be an answer: nobody types this much of one.
  private var isAnswer: Bool {
    (state == .string || state == .stringEscape) && StringAnswer.isCertain(pending)
  }

  /// Whether a paste has begun but not ended.
  package var isPasting: Bool { state == .paste }

  /// Decodes bytes that were read.
  ///
  /// A paste whose end never arrives would swallow all later keys. So a C-c that is read by itself,
  /// ``pasteSilence`` after the byte before it, ends the paste: no terminal pauses that long in the
  /// middle of a paste and then continues with that single byte.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of one read.
  ///   - now: when they were read.
  /// - Returns: the keys that are complete now, in order.
  package mutating func decode(_ bytes: [UInt8], at now: MonotonicTime = 0) -> [KeyEvent] {
    if bytes.isEmpty { return [] }
    // The most common case: one letter.
    if bytes.count == 1, state == .ground, givenUp.isEmpty, (0x20...0x7E).contains(bytes[0]) {
      lastAt = now
      return [.key(bytes)]
    }
    if let events = resume(with: bytes, at: now) { return events }
    givenUp = []
    var events: [KeyEvent] = []
    let silence = now - lastAt
    lastAt = now
    // A focus report in a separate read, in the middle of a paste, was never typed.
    if state == .paste, bytes.count == 3, bytes[0] == 0x1B, let focus = Self.focus(bytes[1...]) {
      return [focus]
    }
    if bytes == [0x03], state == .paste, silence >= Self.pasteSilence {
      return [.unfinishedPaste(finishPaste())]
    }
    // A single key, long after an answer that was never finished, is not its rest.
    if isAnswer, bytes.count == 1, silence > Self.patience { flush(&events) }
    for byte in bytes { decodeByte(byte, &events) }
    return events
  }

  /// Decodes bytes as the rest of a sequence whose beginning was already returned as a key.
  ///
  /// - Returns: nil if they are not its rest.
  private mutating func resume(with bytes: [UInt8], at now: MonotonicTime) -> [KeyEvent]? {
    if givenUp.isEmpty { return nil }
    var decoder = self
    (decoder.pending, decoder.returned, decoder.givenUp) = (givenUp, givenUp.count, [])
    decoder.state = [.escape, .stringStart, .string][min(givenUp.count, 3) - 1]
    let events = decoder.decode(bytes, at: now)
    let isSoon = awaitsAnswer || now - lastAt <= Self.answerPatience
    let isRest: Bool
    switch events.first {
    // Nobody types a whole report in one read.
    case .focus, .reply, .paste: isRest = true
    case .key(let key): isRest = isSoon && key.count > givenUp.count + 1
    case nil:
      isRest =
        switch decoder.state {
        case .paste: true
        case .string: isSoon || decoder.isAnswer
        case .csi, .stringStart: isSoon
        default: false
        }
    default: isRest = false
    }
    guard isRest else { return nil }
    self = decoder
    return events
  }

  /// Call this when nothing more has arrived for a while: returns the keys that were held back. An
  /// unfinished paste stays open.
  package mutating func timeOut() -> [KeyEvent] {
    var events: [KeyEvent] = []
    if [.escape, .stringStart, .string].contains(state), !isAnswer { givenUp = pending }
    if isWaiting { flush(&events) }
    return events
  }

  /// Call this when no more bytes will come: returns what has arrived of a paste.
  package mutating func end() -> [KeyEvent] {
    state == .paste ? [.unfinishedPaste(finishPaste())] : []
  }

  /// A report of the focus without its ESC.
  private static func focus(_ bytes: ArraySlice<UInt8>) -> KeyEvent? {
    switch Array(bytes) {
    case [0x5B, 0x49]: .focus(true)
    case [0x5B, 0x4F]: .focus(false)
    default: nil
    }
  }

  private mutating func decodeByte(_ byte: UInt8, _ events: inout [KeyEvent]) {
    switch state {
    case .ground: decodeInGround(byte, &events)
    case .escape: decodeAfterEscape(byte, &events)
    case .escapeEscape:
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
        pending.append(byte)
        state = byte == UInt8(ascii: "[") ? .csi : .ss3
      } else {
        flush(&events)
        decodeInGround(byte, &events)
      }
    case .csi: decodeInControlSequence(byte, &events)
    case .consoleKey:
      events.append(.key(finish(byte)))
    case .ss3:
      if (0x30...0x39).contains(byte) {
        continueSequence(byte, &events)
      } else if (0x20...0x7E).contains(byte) {
        events.append(.key(finish(byte)))
      } else {
        restart(with: byte, &events)
      }
    case .stringStart:
      if StringAnswer.canBegin(with: byte, after: pending[1]) {
        pending.append(byte)
        state = .string
      } else {
        restart(with: byte, &events)
      }
    case .string: decodeInString(byte, &events)
    case .stringEscape:
      if byte == UInt8(ascii: "\\") {
        events.append(.reply(finish(byte)))
      } else {
        // Somebody typed these keys, which look like an answer, or the rest of an answer is lost.
        pending.removeLast()
        state = .string
        flush(&events)
        decodeInGround(0x1B, &events)
        decodeByte(byte, &events)
      }
    case .utf8: decodeInCharacter(byte, &events)
    case .paste: decodeInPaste(byte, &events)
    }
  }

  private mutating func decodeInGround(_ byte: UInt8, _ events: inout [KeyEvent]) {
    switch byte {
    case 0x1B:
      (pending, returned) = ([byte], 0)
      state = .escape
    case 0..<0x80:
      events.append(.key([byte]))
    case 0xC2...0xF4:
      (pending, returned) = ([byte], 0)
      state = .utf8
    default:
      events.append(.key(Self.replacement))
    }
  }

  private mutating func decodeAfterEscape(_ byte: UInt8, _ events: inout [KeyEvent]) {
    pending.append(byte)
    switch byte {
    case 0x1B: state = .escapeEscape
    case UInt8(ascii: "["): state = .csi
    case UInt8(ascii: "O"): state = .ss3
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"): state = .stringStart
    case 0xC2...0xF4: state = .utf8
    case 0x80...: flush(&events)
    default:
      state = .ground
      events.append(.key(pending))
    }
  }

  private mutating func decodeInString(_ byte: UInt8, _ events: inout [KeyEvent]) {
    switch byte {
    case 0x07: events.append(.reply(finish(byte)))
    case 0x1B:
      pending.append(byte)
      state = .stringEscape
    case 0..<0x20, 0x7F:
      // No answer contains a control byte, but a person who typed this will press Return at some
      // point.
      restart(with: byte, &events)
    default:
      pending.append(byte)
      if pending.count > Self.longestString { flush(&events) }
    }
  }

  private mutating func decodeInControlSequence(_ byte: UInt8, _ events: inout [KeyEvent]) {
    let introducer = pending[1] == 0x1B ? 3 : 2
    switch byte {
    case UInt8(ascii: "[") where pending.count == introducer:
      pending.append(byte)
      state = .consoleKey
    case 0x20...0x3F: continueSequence(byte, &events)
    case 0x40...0x7E:
      let sequence = finish(byte)
      deliver(Array(sequence.dropFirst(introducer - 2)), isMeta: introducer == 3, &events)
    default: restart(with: byte, &events)
    }
  }

  private mutating func deliver(
    _ sequence: [UInt8], isMeta: Bool, _ events: inout [KeyEvent]
  ) {
    let control = ControlSequence(sequence)
    if control.isPasteStart || control.isPasteEnd { hasSeenPasteMark = true }
    if control.isPasteStart {
      if isMeta { events.append(.escape) }
      state = .paste
      return
    }
    for event in control.events {
      if !isMeta {
        events.append(event)
      } else if case .key(let bytes) = event {
        events.append(.key([0x1B] + bytes))
      } else {
        // This is an Escape, directly followed by something that was not typed.
        events += [.escape, event]
      }
    }
  }

  private mutating func decodeInCharacter(_ byte: UInt8, _ events: inout [KeyEvent]) {
    let start = pending[0] == 0x1B ? 1 : 0
    let lead = pending[start]
    let isSecond = pending.count == start + 1
    let valid: ClosedRange<UInt8> =
      switch (lead, isSecond) {
      case (0xE0, true): 0xA0...0xBF
      case (0xED, true): 0x80...0x9F
      case (0xF0, true): 0x90...0xBF
      case (0xF4, true): 0x80...0x8F
      default: 0x80...0xBF
      }
    guard valid.contains(byte) else {
      restart(with: byte, &events)
      return
    }
    pending.append(byte)
    let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    if pending.count == start + length {
      state = .ground
      events.append(.key(pending))
    }
  }

  private mutating func decodeInPaste(_ byte: UInt8, _ events: inout [KeyEvent]) {
    if pasted.add(byte) { events.append(.paste(finishPaste())) }
  }

  private mutating func finishPaste() -> [UInt8] {
    state = .ground
    return pasted.take()
  }

  private mutating func continueSequence(_ byte: UInt8, _ events: inout [KeyEvent]) {
    pending.append(byte)
    if pending.count > Self.longestControlSequence { flush(&events) }
  }

  private mutating func finish(_ byte: UInt8) -> [UInt8] {
    pending.append(byte)
    state = .ground
    return pending
  }

  private mutating func restart(with byte: UInt8, _ events: inout [KeyEvent]) {
    flush(&events)
    decodeInGround(byte, &events)
  }

  /// Returns the pending bytes as the keys that they may have been; drops an answer.
  private mutating func flush(_ events: inout [KeyEvent]) {
    let (bytes, isDropped, former) = (pending, isAnswer, returned)
    state = .ground
    (pending, returned) = ([], 0)
    if isDropped { return }
    guard former == 0 else {
      for byte in bytes.dropFirst(former) { decodeByte(byte, &events) }
      return
    }
    guard bytes.first == 0x1B else {
      events += bytes.map { _ in .key(Self.replacement) }
      return
    }
    guard bytes.count > 1 else {
      events.append(.escape)
      return
    }
    var rest = bytes.dropFirst(2)
    if bytes[1] >= 0x80 {
      // This was Alt and a broken character.
      events.append(.key([0x1B] + Self.replacement))
    } else if bytes[1] == 0x1B && !rest.isEmpty {
      events += [.escape, .key([0x1B, rest.removeFirst()])]
    } else {
      events.append(.key([0x1B, bytes[1]]))
    }
    // These bytes do not begin another sequence, since an ESC would have ended the first one.
    for byte in rest { decodeByte(byte, &events) }
    if state == .utf8 { flush(&events) }
  }

  /// U+FFFD.
  private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
}
