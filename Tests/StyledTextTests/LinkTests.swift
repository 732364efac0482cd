// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import StyledText
import Testing

@Suite("7.9: addresses in a text")
struct LinkTests {
  @Test(
    "an address ends where the sentence goes on",
    arguments: [
      ("see https://example.org/x.", ["https://example.org/x"]),
      ("(http://a.b/c)", ["http://a.b/c"]), ("http://a.b/c_(d)!", ["http://a.b/c_(d)"]),
      ("*https://a.b*", ["https://a.b"]),
      ("mailto:anna@example.org, or", ["mailto:anna@example.org"]),
      ("xmpp:a@b?join HTTP://X.ORG", ["xmpp:a@b?join", "HTTP://X.ORG"]),
      ("「https://a.b/茶」。", ["https://a.b/茶"]), ("<https://a.b>", ["https://a.b"]),
      ("https://a.b/?q=[1]]", ["https://a.b/?q=[1]"]),
      ("a:b 10:30 xhttp://no http:// https:/x", []),
      ("javascript:alert(1) file:///etc/passwd data:text/html,x", []), ("mailto: x", []),
    ] as [(String, [String])])
  func found(text: String, addresses: [String]) {
    let bytes = Array(text.utf8)
    let found = WebAddresses.ranges(in: text).map { String(decoding: bytes[$0], as: UTF8.self) }
    #expect(found == addresses)
  }

  @Test(
    "a link is what is shown, in ASCII, and only of harmless schemes",
    arguments: [
      ("https://a.b/c", "https://a.b/c"), ("https://a.b/ü x", "https://a.b/%C3%BC%20x"),
      ("file:///etc/passwd", nil), ("javascript:x", nil), ("nothing", nil),
      ("https://a.b/" + String(repeating: "x", count: 2000), nil),
    ] as [(String, String?)])
  func targets(text: String, target: String?) {
    #expect(Link(SafeText(line: text))?.target == target)
  }

  @Test("an address with a hidden character ends before its mark")
  func hiddenCharacters() throws {
    let shown = SafeText(line: "https://good.org\u{202E}/live")
    let range = try #require(WebAddresses.ranges(in: shown.string).first)
    #expect(String(decoding: Array(shown.string.utf8)[range], as: UTF8.self) == "https://good.org")
  }

  @Test(
    "the time for half addresses grows with the length, not with its square",
    arguments: ["http://", "http:", "://(((", "mailto:", "@#:"])
  func linear(part: String) {
    func time(_ bytes: Int) -> Double {
      let text = String(repeating: part, count: bytes / part.utf8.count)
      return processorTime { _ = WebAddresses.ranges(in: text) }
    }
    let (small, large) = (time(20_000), time(320_000))
    // 16 times the text: linear is 16, quadratic 256.
    #expect(large < small * 80, "\(small) and \(large)")
  }

  @Test("marks lie over the existing styles, and keep the text")
  func overlays() {
    var line = StyledLine("ab", .bold)
    line.append("cd", .dim)
    let marked = line.overlaid([Overlay(1..<3, .underline), Overlay(9..<12, .reverse)])
    #expect(marked.plain == line.plain)
    #expect(
      marked.runs.map(\.style) == [
        .bold, Style([.bold, .underline]), Style([.dim, .underline]), .dim,
      ])
  }
}
