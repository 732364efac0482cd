// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Conversations

@Suite("8.2: What kind of file it is") struct FileTypeTests {
  @Test func onlyTheBeginningCounts() {
    let long = Array(repeating: UInt8(ascii: "x"), count: FileType.beginning) + [0]
    #expect(FileType.type(ofBytes: long) == "text/plain")
    #expect(FileType.type(ofBytes: []) == FileType.unknown)
  }

  /// Each as a text whose characters are the bytes.
  @Test(arguments: [
    ("\u{89}PNG\r\n\u{1A}\n", "image/png"), ("\u{FF}\u{D8}\u{FF}\u{E0}\0\u{10}JFIF", "image/jpeg"),
    ("GIF87a\u{1}\0", "image/gif"),
    ("RIFF\u{24}\0\0\0WEBPVP8 ", "image/webp"), ("II*\0\u{8}\0\0\0", "image/tiff"),
    ("\0\0\0\u{1C}ftypavif\0\0\0\0", "image/avif"), ("\0\0\0\u{18}ftypheic\0", "image/heic"),
    ("<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
    ("<?xml version='1.0'?>\n<!-- a drawing -->\n<svg/>", "image/svg+xml"),
    ("<?xml version='1.0'?><rss/>", "text/plain"), ("see <svg>", "text/plain"),
    ("%PDF-1.7\n%\u{E2}\u{E3}", "application/pdf"), ("%PDF-1.4\n", "application/pdf"),
    ("PK\u{3}\u{4}\u{14}\0", "application/zip"), ("\u{1F}\u{8B}\u{8}\0", "application/gzip"),
    ("BZh91AY&SY\0", "application/x-bzip2"), ("\u{FD}7zXZ\0\0", "application/x-xz"),
    ("\u{28}\u{B5}\u{2F}\u{FD}\0", "application/zstd"),
    ("7z\u{BC}\u{AF}\u{27}\u{1C}\0", "application/x-7z-compressed"),
    ("a.txt" + String(repeating: "\0", count: 252) + "ustar\0" + "00", "application/x-tar"),
    ("ID3\u{4}\0\0", "audio/mpeg"), ("\u{FF}\u{FB}\u{90}\u{64}\0", "audio/mpeg"),
    ("OggS\0\u{2}", "audio/ogg"), ("fLaC\0\0\0\u{22}", "audio/flac"),
    ("RIFF\u{24}\0\0\0WAVEfmt ", "audio/x-wav"), ("\0\0\0\u{20}ftypM4A \0", "audio/x-m4a"),
    ("\0\0\0\u{20}ftypisom\0\0\u{2}\0", "video/mp4"),
    ("\0\0\0\u{14}ftypqt  \0", "video/quicktime"),
    ("\u{1A}\u{45}\u{DF}\u{A3}\u{9F}\u{42}\u{82}\u{84}webm", "video/webm"),
    ("\u{1A}\u{45}\u{DF}\u{A3}\u{A3}\u{42}\u{82}\u{88}matroska", "video/x-matroska"),
    // Texts that begin as something else does.
    ("ID3 is a tag", "text/plain"), ("BZh, he said", "text/plain"), ("123456 WAVE", "text/plain"),
    ("the ftyp box", "text/plain"), ("\u{FE}\u{E9}", FileType.unknown),
  ])
  func firstBytes(text: String, type: String) {
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    #expect(FileType.type(ofBytes: bytes) == type)
  }

  @Test(arguments: [
    ("text/plain", "text/plain"), ("text/plain\n", "text/plain"),
    ("application/vnd.ms-excel", "application/vnd.ms-excel"), ("image/svg+xml", "image/svg+xml"),
    ("text/plain; charset=utf-8", nil), ("text", nil), ("text/", nil), ("/plain", nil), ("", nil),
    ("a/b/c", nil), ("Text/Plain", nil), ("a/b\nc/d", nil), ("a/\u{1b}[31m", nil),
    ("inode/directory", nil), ("cannot open `a/b' (No such file)", nil), ("a/é", nil),
    ("a/" + String(repeating: "b", count: 126), nil),
  ])
  func onlyAPlainTypeIsTaken(said: String, type: String?) {
    #expect(FileType.checked(said) == type)
  }
}
