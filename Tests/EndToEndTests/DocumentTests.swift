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

  @Test("the manual is clean, down to style")
  func manualIsClean() throws {
    let page = Repository.root.appendingPathComponent("man/hobnob.1").path
    let lint = try Program(
      ["mandoc", "-Tlint", "-Wstyle", page], environment: ["PATH": "/usr/bin:/bin"])
    let finished = lint.finish()
    // It also names pages that are not installed here.
    let found = finished.output.split(separator: "\n").filter { !$0.contains("mandoc.db") }
    #expect(found.isEmpty, "\(found)")
  }
}
