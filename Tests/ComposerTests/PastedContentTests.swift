// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Testing

@Suite("1.9: What a paste is")
struct PastedContentTests {
  @Test(
    "Exactly one path, as terminals and file managers paste it",
    arguments: [
      ("/tmp/a.png", "/tmp/a.png"), ("/", "/"), ("~/a b", "~/a b"), ("~/ä/漢字.txt", "~/ä/漢字.txt"),
      ("  /tmp/a \t", "/tmp/a"), ("/tmp/a\n", "/tmp/a"), ("/tmp/a \r\n\n", "/tmp/a"),
      ("/tmp/my file", "/tmp/my file"), ("/tmp/my\\ file ", "/tmp/my file"),
      ("'/tmp/my file'", "/tmp/my file"), ("\"/tmp/my file\"\n", "/tmp/my file"),
      ("'/tmp/it'\\''s here' ", "/tmp/it's here"), ("/tmp/it's here", "/tmp/it's here"),
      ("\"/tmp/a\\\"b\\c\\$\"", "/tmp/a\"b\\c$"), ("/tmp/\\(1\\)\\ \\&\\ 2", "/tmp/(1) & 2"),
      ("'/tmp/a\\b'", "/tmp/a\\b"), ("/tmp/\\漢", "/tmp/漢"), ("'~/a'", "~/a"),
      ("/tmp/\"my file\".txt", "/tmp/my file.txt"), ("/tmp/👨‍👩‍👧\u{301}", "/tmp/👨‍👩‍👧\u{301}"),
      ("file:///tmp/a.png", "/tmp/a.png"), ("FILE://LocalHost/tmp/a%20b\n", "/tmp/a b"),
      ("file:///%e6%BC%A2", "/漢"), ("'file:///tmp/a%25'", "/tmp/a%"), ("file:///a%2Fb", "/a/b"),
      ("/tmp/100%25", "/tmp/100%25"), ("/tmp/a#b?c", "/tmp/a#b?c"),
      // No text can hold such a name; the address can.
      ("file:///%ff", "file:///%ff"), ("file:///%C3", "file:///%C3"),
    ])
  func paths(_ paste: String, _ path: String) {
    #expect(PastedContent.fileCandidate(in: paste) == path)
  }

  @Test(
    "Everything else is text",
    arguments: [
      "", " ", "\n", "hello", "tmp/a", "./a", "~", "~anna/a", "see /tmp/a",
      "/tmp/a\n/tmp/b",
      "\n/tmp/a", "/tmp/a\r/tmp/b", "/tmp/a\\", "'/tmp/a' '/tmp/b'", "/tmp/my\\ file /tmp/b",
      "'/tmp/a", "\"", "'", "\\", "/tmp/\0", "file://", "file://localhost", "file:///tmp/a b",
      "file://server/tmp/a", "file://localhost.evil/a", "file:tmp", "file:///%", "file:///%4",
      "file:///%zz", "file:///%+1", "file:///a%00b", "file:///a?b",
      "file:///a#b", "http://x/a", "file:///a\u{7F}",
    ])
  func noPaths(_ paste: String) {
    #expect(PastedContent.fileCandidate(in: paste) == nil)
  }

  @Test("A longer name than the system allows is no path, and a long paste is not scanned")
  func length() {
    let most = "/" + String(repeating: "a", count: 4094)
    #expect(PastedContent.fileCandidate(in: most) == most)
    #expect(PastedContent.fileCandidate(in: most + "a") == nil)
    let escaped = "file:///" + String(repeating: "%61", count: 4094)
    #expect(PastedContent.fileCandidate(in: escaped) == most)
    #expect(PastedContent.fileCandidate(in: String(repeating: "/a", count: 1 << 20)) == nil)
  }

  @Test(
    "A path only if it exists, a URL only if there is nothing else, otherwise text as it is",
    arguments: [
      ("'/tmp/a b'\n", .path("/tmp/a b")), ("/tmp/b", .text("/tmp/b")),
      ("file:///x", .text("file:///x")),
      (" https://example.org/a?b ", .url("https://example.org/a?b")),
      ("HTTP://x", .url("HTTP://x")),
      ("http://a http://b", .text("http://a http://b")), ("http://", .text("http://")),
      ("see http://a", .text("see http://a")), ("1a://b", .text("1a://b")), ("a:b", .text("a:b")),
      ("file://server/a", .text("file://server/a")), ("://a", .text("://a")), ("", .text("")),
      ("http://a\u{1B}[m", .text("http://a\u{1B}[m")), (" two\nlines ", .text(" two\nlines ")),
    ] as [(String, PastedContent)])
  func contents(_ paste: String, _ expected: PastedContent) {
    #expect(PastedContent(paste: paste) { $0 == "/tmp/a b" } == expected)
  }
}
