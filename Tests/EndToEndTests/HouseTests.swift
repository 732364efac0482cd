// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

/// `Sources/README.md` and `Tests/README.md`, which say where to find what.
@Suite("The pages about the sources and the tests")
struct HouseTests {
  @Test("the list of modules has every folder of the sources, each above those that it imports")
  func listsModules() throws {
    let list = try #require(
      try Repository.text(of: "Sources/README.md").firstMatch(of: /(?s)## Modules\n(.*?)\n##/)?.1)
    var ranks: [Substring: Int] = [:]
    for (rank, line) in list.matches(of: /(?m)^- ((?:`[\w-]+`(?:,\s+)?)+):/).enumerated() {
      for name in line.1.matches(of: /`([\w-]+)`/) { ranks[name.1] = rank }
    }
    #expect(try Set(ranks.keys.map(String.init)) == Self.folders(of: "Sources"))
    for file in Repository.files(below: "Sources", endings: [".swift"]) {
      let module = file.split(separator: "/")[1]
      let imports = try Repository.text(of: file).matches(
        of: /(?m)^(?:@\w+ )*(?:\w+ )?import (?:\w+ )?(\w+)/)
      for imported in imports.compactMap({ ranks[$0.1] }) {
        #expect(ranks[module].map { $0 < imported } == true, "\(file)")
      }
    }
  }

  @Test("the page about the tests names each of their folders")
  func listsTestFolders() throws {
    let page = try Repository.text(of: "Tests/README.md")
    // Of most modules, the folder has the module's name.
    let modules = try Self.folders(of: "Sources").map { $0 + "Tests" }
    for folder in try Self.folders(of: "Tests").subtracting(modules) {
      #expect(page.contains("`\(folder)`"), "\(folder)")
    }
  }

  @Test("what the pages name is where they say", arguments: ["Sources", "Tests"])
  func namesWhatIsThere(folder: String) throws {
    let page = try Repository.text(of: folder + "/README.md")
    let paths = page.matches(of: /`([\w.][\w.+-]*(?:\/[\w.+-]+)+)`/).map { String($0.1) }
    try #require(paths.count > 5)
    for path in paths {
      let place = Repository.root.appendingPathComponent(folder).appendingPathComponent(path)
      #expect(FileManager.default.fileExists(atPath: place.path), "\(path)")
    }
    let places = /((?:`\w+`(?:,\s+|\s+and\s+)?)+)\s+in\s+`([\w.+\/-]+\.swift)`/
    for place in page.matches(of: places) {
      let source = try Repository.text(of: "\(folder)/\(place.2)")
      for name in place.1.matches(of: /`(\w+)`/) {
        let declaration = try Regex(
          #"\b(?:func|struct|class|enum|protocol|case|var|let) \#(name.1)\b"#)
        let isDeclared = source.contains(declaration)
        #expect(isDeclared, "\(name.1) in \(place.2)")
      }
    }
  }

  private static func folders(of folder: String) throws -> Set<String> {
    let path = Repository.root.appendingPathComponent(folder)
    return Set(
      try FileManager.default.contentsOfDirectory(
        at: path, includingPropertiesForKeys: [.isDirectoryKey]
      ).filter(\.hasDirectoryPath).map(\.lastPathComponent))
  }
}
