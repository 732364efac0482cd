// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Foundation
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

@Suite("Colours that are readable")
struct ContrastTests {
  static let depths: [Palette.Depth] = [.sixteen, .many, .all]
  /// The colours by which the program and its themes draw: black and white are the background's.
  static let colours =
    (1...7).map { Color(index: $0) } + (0..<Palette.names).map { Color.name(UInt8($0)) }

  @Test("text has a contrast of 4.5:1 on its background", arguments: depths, [false, true])
  func contrast(depth: Palette.Depth, isLight: Bool) throws {
    let palette = Palette(depth: depth, isLight: isLight)
    for colour in Self.colours {
      let shown = try #require(palette.shown(colour))
      let contrast = Contrast.of(shown, onWhite: isLight)
      #expect(contrast >= 4.5, "\(colour) is \(shown), \(contrast)")
    }
  }

  @Test(
    "on an unknown background, names have it on black and on white, or no colour",
    arguments: depths)
  func unknownBackground(depth: Palette.Depth) {
    let shown = (0..<Palette.names).map { Palette(depth: depth).shown(.name(UInt8($0))) }
    for colour in shown {
      guard let colour else {
        #expect(depth == .sixteen)
        continue
      }
      #expect(Contrast.of(colour, onWhite: false) >= 4.5, "\(colour)")
      #expect(Contrast.of(colour, onWhite: true) >= 4.5, "\(colour)")
      // The theme of a terminal may have changed the others.
      if case .indexed(let index) = colour { #expect(index >= 16) }
    }
    let style = Palette(depth: depth).shown(Style(.bold, foreground: .name(3)))
    #expect(style == Style(.bold, foreground: shown[3]))
  }

  @Test(
    "the text of each theme has it in both variants", arguments: ThemeFileTests.names,
    [false, true])
  @MainActor
  func themes(theme: String, isLight: Bool) throws {
    let path = EmojiTableTests.share + "/themes/\(theme).theme"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var rc = RcFile()
    rc.parse(text) { Issue.record("\($1.string)") }
    let anna = try Town().person("anna")
    for line in text.split(separator: "\n") where line.hasPrefix("/") { anna.say(String(line)) }
    let appearance = rc.settings.appearance
    let printer = anna.session.feed.renderer.printer
    // The prompt, the items, names, marks, mentions, errors, markdown and the counter.
    var lines = [appearance.promptLine("#lobby", glyphs: .unicode), Renderer.error("no")]
    lines += (appearance.leftItems + appearance.toolbarItems).map(\.line)
    lines += [appearance.sendItem(isEnabled: true, glyphs: .unicode)?.line].compactMap { $0 }
    for number in 0..<40 {
      lines.append(printer.name("ben", of: ID(rawValue: 99), identity: "person \(number)"))
    }
    lines += printer.options.styling.lines(of: "> quoted\n`code` and *bold*\n```\nmore\n```")
    var styles = Set(lines.flatMap(\.runs).map(\.style))
    styles.formUnion([printer.options.textMarks.me, Counter.warning])
    let colours = Set(styles.flatMap { [$0.foreground, $0.background].compactMap { $0 } })
    #expect(colours.contains(.red))
    for colour in colours {
      for depth in Self.depths {
        let shown = try #require(Palette(depth: depth, isLight: isLight).shown(colour))
        #expect(Contrast.of(shown, onWhite: isLight) >= 4.5, "\(colour), \(depth)")
      }
    }
  }

  @Test("a terminal gets no colours that it does not have", arguments: [nil, false, true])
  func depth(isLight: Bool?) {
    for colour in Self.colours {
      for (depth, colours) in [(Palette.Depth.sixteen, 16), (.many, 256)] {
        switch Palette(depth: depth, isLight: isLight).shown(colour) {
        case nil: #expect(isLight == nil && depth == .sixteen)
        case .indexed(let index)?: #expect(index < colours)
        case .rgb?, .name?: Issue.record("\(colour)")
        }
      }
    }
  }

  @Test("twenty names have twenty colours, and of a few colours no less than five")
  func names() {
    for isLight in [nil, false, true] {
      for depth in Self.depths {
        let palette = Palette(depth: depth, isLight: isLight)
        let names = Set((0..<20).map { palette.shown(.name($0)) })
        switch (depth, isLight) {
        case (.sixteen, nil): #expect(names == [nil])
        case (.sixteen, _), (.many, nil): #expect(names.count >= 5)
        default: #expect(names.count == 20)
        }
      }
    }
  }

  @Test("without a known background, and for exact colours, nothing changes")
  func exact() {
    #expect(Palette().shown(.red) == .red && Palette().shown(.plain) == .plain)
    let dark = Palette(depth: .all, isLight: false)
    #expect(dark.shown(Color(index: 200)) == Color(index: 200))
    #expect(dark.shown(.rgb(1, 2, 3)) == .rgb(1, 2, 3))
    #expect(dark.shown(.red) == .rgb(255, 95, 95))
    #expect(
      dark.shown(Style([.bold, .reverse], foreground: .red, background: .black))
        == Style([.bold, .reverse], foreground: .rgb(255, 95, 95), background: .black))
  }
}

/// The contrast of WCAG 2.2 (its definition of relative luminance), on black or white.
enum Contrast {
  /// xterm's colours.
  private static let sixteen: [(Double, Double, Double)] = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
    (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255),
    (255, 0, 255), (0, 255, 255), (255, 255, 255),
  ]

  static func of(_ colour: Color, onWhite: Bool) -> Double {
    let text = luminance(of: colour)
    return onWhite ? 1.05 / (text + 0.05) : (text + 0.05) / 0.05
  }

  private static func luminance(of colour: Color) -> Double {
    let (red, green, blue) = levels(of: colour)
    func linear(_ level: Double) -> Double {
      let part = level / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  private static func levels(of colour: Color) -> (Double, Double, Double) {
    switch colour {
    case .rgb(let red, let green, let blue): (Double(red), Double(green), Double(blue))
    case .indexed(let index) where index < 16: sixteen[Int(index)]
    case .indexed(let index) where index < 232: cube(Int(index) - 16)
    case .indexed(let index): grey(Double(8 + 10 * (Int(index) - 232)))
    case .name: grey(.nan)
    }
  }

  private static func grey(_ level: Double) -> (Double, Double, Double) { (level, level, level) }

  private static func cube(_ place: Int) -> (Double, Double, Double) {
    func level(_ step: Int) -> Double { step == 0 ? 0 : Double(55 + 40 * step) }
    return (level(place / 36), level(place / 6 % 6), level(place % 6))
  }
}
