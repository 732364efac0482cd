// SPDX-License-Identifier: GPL-3.0-or-later

/// The colours of a terminal, in shades that are readable on its background: a contrast of at least
/// 4.5:1 on black or on white (WCAG 2.2, success criterion 1.4.3).
public struct Palette: Hashable, Sendable {
  /// How many colours the terminal has.
  public enum Depth: Hashable, Sendable { case sixteen, many, all }

  public var depth: Depth
  /// Whether the background is light; nil if it is unknown. Then the basic colours are the
  /// terminal's own, and names have only colours that are readable on both backgrounds, or no
  /// colour if there are just 16, which a theme may have changed.
  public var isLight: Bool?

  public init(depth: Depth = .sixteen, isLight: Bool? = nil) {
    (self.depth, self.isLight) = (depth, isLight)
  }

  /// The number of colours for names. They follow the circle of hues, from red.
  public static let names = 20

  /// The colour to send to the terminal; nil for the terminal's own.
  public func shown(_ color: Color) -> Color? {
    let shades = isLight.map { $0 ? Shades.light : .dark }
    switch color {
    case .name(let hue):
      let hue = min(Int(hue), Self.names - 1)
      guard let shades else { return nameOnAnyBackground(hue) }
      return depth == .sixteen
        ? .indexed(Self.shared(shades.few, hue)) : exact(shades.names[hue])
    case .indexed(let index) where (1...7).contains(index):
      guard let shades else { return color }
      return depth == .sixteen
        ? .indexed(shades.sixteen[Int(index)]) : exact(shades.basic[Int(index)])
    case .indexed, .rgb: return color
    }
  }

  private func nameOnAnyBackground(_ hue: Int) -> Color? {
    switch depth {
    case .sixteen: nil
    case .many: .indexed(Self.shared(Self.fewOnAnyBackground, hue))
    case .all:
      .rgb(
        UInt8(Self.onAnyBackground[hue] >> 16), UInt8(Self.onAnyBackground[hue] >> 8 & 0xFF),
        UInt8(Self.onAnyBackground[hue] & 0xFF))
    }
  }

  /// A hue's colour if there are fewer colours than hues: neighbouring hues share one.
  private static func shared(_ few: [UInt8], _ hue: Int) -> UInt8 {
    few[hue * few.count / names]
  }

  /// The only colours of the cube that have the contrast on black and on white.
  private static let fewOnAnyBackground: [UInt8] = [131, 29, 63, 98, 163]
  /// Exact colours with that contrast, as red, green and blue.
  private static let onAnyBackground: [UInt32] = [
    0xE42200, 0xBF5600, 0x946F00, 0x747A00, 0x548200, 0x2F8600, 0x078800, 0x008822, 0x00874A,
    0x008470, 0x008097, 0x0076D6, 0x3768FA, 0x665EF8, 0x8A4CFD, 0xB123FD, 0xCC00D7, 0xDB00A4,
    0xE50067, 0xEA0023,
  ]

  public func shown(_ style: Style) -> Style {
    guard style.foreground != nil || style.background != nil else { return style }
    return Style(
      style.attributes, foreground: style.foreground.flatMap { shown($0) },
      background: style.background.flatMap { shown($0) })
  }

  /// A colour of the cube, or its red, green and blue, which no theme of the terminal changes.
  private func exact(_ index: UInt8) -> Color {
    guard depth == .all, index >= 16 else { return .indexed(index) }
    if index >= 232 {
      let level = 8 + 10 * (index - 232)
      return .rgb(level, level, level)
    }
    let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
    let place = Int(index) - 16
    return .rgb(levels[place / 36], levels[place / 6 % 6], levels[place % 6])
  }
}

/// The shades for one kind of background, as indices of the palette of 256 colours. The basic
/// colours are in their usual order: black, red, green, yellow, blue, magenta, cyan, white.
private struct Shades {
  let sixteen: [UInt8]
  let basic: [UInt8]
  let names: [UInt8]
  /// The shades for names on a terminal of 16 colours.
  let few: [UInt8]

  static let dark = Shades(
    sixteen: [0, 9, 2, 3, 14, 13, 6, 15], basic: [16, 203, 77, 185, 75, 213, 80, 231],
    names: [
      209, 137, 136, 184, 149, 76, 34, 78, 35, 43, 45, 75, 69, 147, 141, 171, 201, 206, 218, 204,
    ], few: [9, 3, 2, 6, 14, 13])
  /// Not xterm's green, yellow and cyan: they are too light on white.
  static let light = Shades(
    sixteen: [0, 1, 0, 1, 4, 5, 12, 0], basic: [16, 160, 28, 94, 26, 127, 23, 16],
    names: [
      124, 130, 94, 58, 22, 28, 29, 23, 24, 25, 26, 61, 21, 57, 93, 91, 127, 90, 126, 125,
    ], few: [1, 0, 12, 4, 5])
}
