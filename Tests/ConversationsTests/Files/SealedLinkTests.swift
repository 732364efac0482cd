// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@Suite("Links to encrypted files (XEP-0454)")
struct SealedLinkTests {
  private let key = String(repeating: "0f", count: 32)
  private let iv = String(repeating: "a1", count: 12)
  private var line: String { "aesgcm://files.example.org/x/plan.png#\(iv)\(key)" }

  @Test("the file is fetched without what is behind #")
  func reads() throws {
    let link = try #require(SealedLink(line))
    #expect(link.address == "https://files.example.org/x/plan.png")
    #expect(link.iv == [UInt8](repeating: 0xA1, count: 12))
    #expect(link.key == [UInt8](repeating: 0x0F, count: 32))
    #expect(link.text == line)
  }

  @Test("older programs have an IV of 16 bytes, and some write capital letters")
  func olderPrograms() throws {
    let link = try #require(SealedLink("AESGCM://h.org/a#A1A1A1A1" + iv + key))
    #expect(link.iv.count == 16)
    #expect(link.key == [UInt8](repeating: 0x0F, count: 32))
    #expect(link.address == "https://h.org/a")
  }

  @Test("nothing else is such a link")
  func others() {
    let secret = iv + key
    for other in [
      "", "#", "aesgcm://h.org/a", "aesgcm://h.org/a#", "https://h.org/a#" + secret,
      "aesgcm://h.org/a#" + secret + "0f", "aesgcm://h.org/a#" + secret.dropLast(2),
      "aesgcm://h.org/a#" + secret.dropLast(1) + "x", "see " + line, line + " ", line + "#" + key,
      "aesgcm://h.org/ä#" + secret, "aesgcm://h.org/a\u{7}#" + secret,
    ] {
      #expect(SealedLink(other) == nil, "\(other)")
    }
  }

  @Test("an address that is not HTTPS, or has a # already, gets no key")
  func addresses() {
    let (iv, key) = ([UInt8](repeating: 1, count: 12), [UInt8](repeating: 2, count: 32))
    for address in ["http://h.org/a", "https://h.org/a#b", ""] {
      #expect(SealedLink(address, iv: iv, key: key) == nil)
    }
  }

  @Test("a text is shown without its keys, and has its links on lines of their own")
  func texts() {
    let text = "two files\n\(line)\n\n\(line)\nand \(line)"
    #expect(SealedLink.links(in: text) == [line, line])
    let shown = "aesgcm://files.example.org/x/plan.png"
    #expect(
      SealedLink.hidingKeys(in: text) == "two files\n\(shown)\n\n\(shown)\nand \(line)")
    let other = "#tea https://h.org/a#b " + String(repeating: "x", count: 100)
    #expect(SealedLink.hidingKeys(in: other) == other)
  }
}
