// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

@Suite("README and manual")
struct DocumentTests {
  @Test("the README has exactly two blocks of commands, and CI runs the second")
  func hasTwoCommands() throws {
    let readme = try Repository.text(of: "README.md")
    let blocks = readme.matches(of: /(?s)```sh\n(.*?)```/).map { String($0.1) }
    #expect(blocks.count == 2)
    #expect(blocks.first?.contains("hobnob") == true)
    #expect(blocks.last?.contains("swift test") == true)
    let run = try Repository.text(of: ".ci/run")
    #expect(run.contains("README.md"))
    #expect(!run.contains("apt-get"), "the command stands in the README only")
  }

  @Test("the README names every folder of the sources, and none that is not there")
  func namesEveryFolder() throws {
    let readme = try Repository.text(of: "README.md")
    let named = Set(readme.matches(of: /`Sources\/([\w-]+)`/).map { String($0.1) })
    let there = try FileManager.default.contentsOfDirectory(
      atPath: Repository.root.appendingPathComponent("Sources").path)
    #expect(named == Set(there))
  }

  @Test("every public type of the input bar shows in its comment how it is used (9)")
  func typesHaveExamples() throws {
    let declaration = /(?:final |indirect )*(?:struct|enum|class|actor|protocol) (\w+)/
    for file in Repository.files(below: "Sources/Composer", endings: [".swift"]) {
      var comment: [Substring] = []
      for line in try Repository.text(of: file).split(separator: "\n") {
        let code = line.drop { $0 == " " }
        if code.hasPrefix("///") {
          comment.append(code)
          continue
        }
        if code.hasPrefix("public "), let type = code.dropFirst(7).prefixMatch(of: declaration) {
          #expect(comment.contains { $0.contains("```swift") }, "\(file): \(type.1)")
        }
        if !code.hasPrefix("@") { comment = [] }
      }
    }
  }

  @Test("the manual is clean, down to style", arguments: pages)
  func manualIsClean(page: String) throws {
    let path = Repository.root.appendingPathComponent(page).path
    let lint = try Program(
      ["mandoc", "-Tlint", "-Wstyle", path], environment: ["PATH": "/usr/bin:/bin"])
    let finished = lint.finish()
    // It also names pages that are not installed here.
    let found = finished.output.split(separator: "\n").filter {
      !$0.contains("mandoc.db") && !$0.contains("referenced manual not found")
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("pages refer to each other by names that there are")
  func referencesAreThere() throws {
    try #require(Self.pages.count == 3)
    let own = Set(Self.pages.map { URL(fileURLWithPath: $0).lastPathComponent })
    for page in Self.pages {
      let source = try Repository.text(of: page)
      let named = source.matches(of: /(?m)^\.Xr (hobnob\S*) (\d)/).map { "\($0.1).\($0.2)" }
      #expect(!named.isEmpty)
      #expect(Set(named).subtracting(own).isEmpty, "in \(page)")
    }
  }

  @Test("the README's first command installs all pages and what is shared")
  func firstCommandInstallsEverything() throws {
    let readme = try Repository.text(of: "README.md")
    let command = try #require(readme.firstMatch(of: /(?s)```sh\n(.*?)```/)?.1)
    #expect(command.contains("share/hobnob"))
    let sections = try #require(command.firstMatch(of: /for section in ([\d ]+);/)?.1)
    let there = Self.pages.compactMap { $0.last }.map(String.init)
    #expect(sections.split(separator: " ").map(String.init) == there.sorted())
  }

  private static let pages = Repository.files(below: "man", endings: [".1", ".5", ".7"])
}
