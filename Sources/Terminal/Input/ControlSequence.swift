// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A whole `ESC [ … final` from the terminal, and what it means.
///
/// Keys in the newer encodings, kitty's `CSI code;modifiers u` and xterm's modifyOtherKeys
/// `CSI 27;modifiers;code ~`, are translated back into the bytes that an old terminal would send,
/// because readline's key maps consist of these.
struct ControlSequence {
  private let bytes: [UInt8]
  private let final: UInt8
  /// `?`, `>`, `<` or `=` before the parameters: sent by terminals, never by keys.
  private let isPrivate: Bool
  private let hasIntermediate: Bool
  /// Parameters and their parts (`1:2;3`); a missing one is nil.
  private let parameters: [[Int?]]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    final = bytes.last ?? 0
    var body = bytes.dropFirst(2).dropLast()
    isPrivate = body.first.map { (0x3C...0x3F).contains($0) } ?? false
    if isPrivate { body = body.dropFirst() }
    hasIntermediate = body.contains { $0 < 0x30 }
    parameters = body.split(separator: 0x3B, omittingEmptySubsequences: false).map { parameter in
      parameter.split(separator: 0x3A, omittingEmptySubsequences: false).map { part in
        Int(written: String(decoding: part, as: UTF8.self), in: 0...Int(Int32.max))
      }
    }
  }

  var isPasteStart: Bool { isTilde(200) }
  var isPasteEnd: Bool { isTilde(201) }

  /// The events that it stands for; empty if it means nothing, such as the release of a key.
  var events: [KeyEvent] {
    if isPrivate || hasIntermediate { return [.reply(bytes)] }
    let isBare = bytes.count == 3
    switch final {
    case UInt8(ascii: "I") where isBare: return [.focus(true)]
    case UInt8(ascii: "O") where isBare: return [.focus(false)]
    case UInt8(ascii: "R") where !isBare, UInt8(ascii: "c"), UInt8(ascii: "n"), UInt8(ascii: "t"),
      UInt8(ascii: "x"), UInt8(ascii: "y"):
      return [.reply(bytes)]
    case UInt8(ascii: "u"):
      guard let code = value(0) else { return [.key(bytes)] }
      if value(1, part: 1) == 3 { return [] }
      return ModifiedKey(
        code: code, shifted: value(0, part: 1), onLatinLayout: value(0, part: 2),
        modifiers: value(1) ?? 1, text: parameters.count > 2 ? parameters[2].compactMap(\.self) : []
      ).events
    case UInt8(ascii: "~"):
      // This is the end of a paste that never began.
      if isPasteEnd { return [] }
      if value(0) == 27, let modifiers = value(1), let code = value(2) {
        return ModifiedKey(code: code, modifiers: modifiers).events
      }
    default: break
    }
    return functionKey
  }

  /// A function key without the lock keys that kitty reports among its modifiers: kitty sends
  /// `CSI 1;129 A` for Up while Num Lock is on.
  private var functionKey: [KeyEvent] {
    guard parameters.count == 2, let number = value(0), let modifiers = value(1) else {
      return [.key(bytes)]
    }
    if value(1, part: 1) == 3 { return [] }
    let kept = (modifiers - 1) & ~(64 | 128)
    if kept == modifiers - 1 && kept != 0 && parameters[1].count == 1 { return [.key(bytes)] }
    var text = "\u{1B}["
    if kept != 0 {
      text += "\(number);\(kept + 1)"
    } else if final == UInt8(ascii: "~") {
      text += String(number)
    }
    return [.key(Array(text.utf8) + [final])]
  }

  private func value(_ index: Int, part: Int = 0) -> Int? {
    guard index < parameters.count, part < parameters[index].count else { return nil }
    return parameters[index][part]
  }

  private func isTilde(_ number: Int) -> Bool {
    final == UInt8(ascii: "~") && !isPrivate && parameters.count == 1 && value(0) == number
  }
}

/// A key with its modifiers, on its way back to the bytes of an old terminal.
private struct ModifiedKey {
  var code: Int
  /// The character that the key gives with Shift.
  var shifted: Int?
  /// The key in the same place on a Latin keyboard, for control keys on another layout.
  var onLatinLayout: Int?
  /// As sent: 1 and the sum of Shift 1, Alt 2, Control 4, Super 8, Hyper 16, Meta 32, locks.
  var modifiers: Int
  /// The text that the key gives, if the terminal reports it.
  var text: [Int] = []

  private var bits: Int { max(0, modifiers - 1) }
  private var hasShift: Bool { bits & 1 != 0 }
  private var hasAlt: Bool { bits & (2 | 32) != 0 }
  private var hasControl: Bool { bits & 4 != 0 }

  var events: [KeyEvent] {
    // These keys are for the window manager; as letters they would be typed into the line.
    if bits & (8 | 16) != 0 { return [] }
    switch code {
    case 27: return hasAlt ? [.key([0x1B, 0x1B])] : [.escape]
    case 13, 57414: return hasShift && !hasAlt ? [.newline] : key([0x0D])
    case 9: return key(hasShift ? Array("\u{1B}[Z".utf8) : [0x09])
    case 8, 127: return key(hasControl ? [0x08] : [0x7F])
    case 57399...57416:
      return key([Array("0123456789./*-+\r=,".utf8)[code - 57399]])
    case 57417...57427:
      return keypad(["D", "C", "A", "B", "5~", "6~", "H", "F", "2~", "3~", "E"][code - 57417])
    case 57344...63743:
      // This is a key without text, such as the menu key.
      return [.key(Array("\u{1B}[\(code);\(modifiers)u".utf8))]
    default: return character
    }
  }

  private func keypad(_ ending: String) -> [KeyEvent] {
    let kept = bits & 7
    if kept == 0 { return [.key(Array("\u{1B}[\(ending)".utf8))] }
    let (number, final) = ending.count == 2 ? (String(ending.prefix(1)), "~") : ("1", ending)
    return [.key(Array("\u{1B}[\(number);\(kept + 1)\(final)".utf8))]
  }

  private var character: [KeyEvent] {
    if hasControl {
      let pressed = hasShift ? shifted ?? code : code
      let latin = pressed < 0x80 ? pressed : onLatinLayout ?? pressed
      if let control = control(latin) {
        return control == 0x1B && !hasAlt ? [.escape] : key([control])
      }
    }
    if !text.isEmpty && !hasControl && !hasAlt {
      let scalars = text.compactMap { UInt32(exactly: $0).flatMap(Unicode.Scalar.init) }
      return scalars.filter { $0.value >= 0x20 }.map { .key(Array(String(Character($0)).utf8)) }
    }
    var value = code
    if hasShift { value = shifted ?? upperCase(code) }
    guard let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else { return [] }
    return key(Array(String(Character(scalar)).utf8))
  }

  private func upperCase(_ code: Int) -> Int {
    guard let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init) else { return code }
    let upper = scalar.properties.uppercaseMapping.unicodeScalars
    return upper.count == 1 ? Int(upper.first?.value ?? scalar.value) : code
  }

  /// The byte that xterm sends for Control and a key; nil if it sends the key itself.
  private func control(_ code: Int) -> UInt8? {
    switch code {
    case 0x61...0x7A, 0x41...0x5A, 0x5B...0x5F: UInt8(code & 0x1F)
    case 0x20, 0x32, 0x40, 0x60: 0x00
    case 0x33...0x37: UInt8(code - 0x33 + 0x1B)
    case 0x2D, 0x2F: 0x1F
    case 0x7E: 0x1E
    case 0x38, 0x3F: 0x7F
    default: nil
    }
  }

  private func key(_ bytes: [UInt8]) -> [KeyEvent] {
    [.key(hasAlt ? [0x1B] + bytes : bytes)]
  }
}
