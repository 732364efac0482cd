// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

@Suite("8.1: Files that wait")
struct WaitingFilesTests {
  private func file(_ name: String, _ bytes: Int = 1, _ type: String? = nil) -> WaitingFiles.File {
    WaitingFiles.File(path: "/tmp/" + name, name: name, bytes: bytes, type: type)
  }

  @Test("They keep their order, and a number removes the right one")
  func order() {
    var waiting = WaitingFiles([file("a")])
    for name in ["b", "a", "c"] { waiting.add(file(name)) }
    #expect(waiting.files.map(\.name) == ["a", "b", "a", "c"])
    for number in [0, 5, -1, .max, .min] { #expect(waiting.remove(at: number) == nil) }
    #expect(waiting.remove(at: 2)?.name == "b")
    #expect(waiting.remove(at: 3)?.name == "c")
    #expect(waiting.count == 2 && !waiting.isEmpty)
    waiting = WaitingFiles()
    #expect(waiting.isEmpty && waiting == WaitingFiles() && waiting.remove(at: 1) == nil)
  }

  @Test("The item shows how many, and is absent without any")
  func item() {
    var waiting = WaitingFiles()
    #expect(waiting.item == nil)
    waiting.add(file("a"))
    #expect(waiting.item?.line.plain == "[1 file]")
    waiting.add(file("b"))
    #expect(waiting.item?.line.plain == "[2 files]")
    #expect(waiting.item?.id == "files")
  }

  @Test("12.1, 12.4: The list stands in columns, and a hostile name stays on its line")
  func listing() {
    let waiting = WaitingFiles([
      file("漢.png", 1234, "image/png"), file("a\u{1B}[2J\n\u{202E}b", 0),
      file("c", 5_000_000, "x\ny"),
    ])
    #expect(
      waiting.listing(Widths()).map(\.plain.string) == [
        "1  漢.png     1.2 kB  image/png", "2  a^[[2J^Jb  0 B",
        "3  c          5.0 MB  x^Jy",
      ])
    #expect(WaitingFiles().listing(Widths()) == [])
    let ten = WaitingFiles((1...10).map { _ in file("x") })
    #expect(ten.listing(Widths())[8].plain == " 9  x  1 B")
    #expect(ten.listing(Widths())[9].plain == "10  x  1 B")
  }

  @Test(
    "Sizes for people",
    arguments: [
      (-1, "0 B"), (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"),
      (9949, "9.9 kB"), (9950, "10 kB"), (10_499, "10 kB"), (10_500, "11 kB"), (999_499, "999 kB"),
      (999_500, "1.0 MB"), (1_500_000, "1.5 MB"), (2_000_000_000, "2.0 GB"),
      (3_140_000_000_000, "3.1 TB"), (.max, "9223372 TB"),
    ])
  func sizes(_ bytes: Int, _ expected: String) {
    #expect(
      WaitingFiles([file("x", bytes)]).listing(Widths()).map(\.plain.string) == [
        "1  x  " + expected
      ])
  }
}
