// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

/// The modules and what each may import: every arrow that points one way. An arrow to a module of
/// ours allows everything ours it leads to; a C module belongs only to those that name it.
private let arrows: [String: Set<String>] = [
  "hobnob": ["ChatShell", "ArgumentParser", "Glibc"],
  "hobnob-bar-example": ["Composer", "Glibc"],
  "hobnob-bench": ["Conversations", "Composer", "CLinux", "CAllocations", "Glibc"],
  "ChatShell": ["LineEditing", "Exchange", "Glibc", "Synchronization"],
  "LineEditing": ["Composer", "Terminal", "CReadline", "Glibc", "Synchronization"],
  "Composer": ["StyledText"],
  "Terminal": ["StyledText", "Platform", "CLinux", "Glibc", "Synchronization"],
  "Exchange": ["Conversations", "CSQLite", "CLinux", "Glibc"],
  "Conversations": ["Platform", "CSQLite", "CLinux", "Glibc", "Synchronization"],
  "Platform": ["CNettle", "CLinux", "Glibc"],
  "StyledText": ["Synchronization"],
  "CReadline": [], "CSQLite": [], "CNettle": [], "CLinux": [], "CAllocations": [],
]

private func mayImport(_ module: String) -> Set<String> {
  let direct = arrows[module] ?? []
  let ours = direct.filter { arrows[$0] != nil && !isC($0) }
  return ours.reduce(direct) { found, next in
    found.union(mayImport(next).filter { arrows[$0] != nil && !isC($0) })
  }
}

private func isC(_ module: String) -> Bool {
  ["CReadline", "CSQLite", "CNettle", "CLinux", "CAllocations"].contains(module)
}

/// What `source`, a file of `module`, does against the directions of the house.
private func offences(in source: String, of module: String) -> [String] {
  let code = SwiftCode(source)
  var found = code.imports.filter { !mayImport(module).contains($0) }
    .map { "\(module) must not import \($0)" }
  if module != "CReadline" {
    found += code.names.filter(isReadline).sorted().map { "\($0) is named outside CReadline" }
  }
  return found
}

private func isReadline(_ name: Substring) -> Bool {
  name.hasPrefix("rl_") || name.hasPrefix("_rl_") || name.hasPrefix("history_")
    || name.hasSuffix("_history")
}

@Suite("Imports point one way")
struct ImportDirectionTests {
  @Test("no source file imports or names what its module may not know")
  func sourcesKeepTheDirections() throws {
    let files = Repository.files(below: "Sources", endings: [".swift", ".c", ".h"])
    try #require(files.count > 10)
    for file in files {
      let module = String(file.split(separator: "/")[1])
      #expect(arrows[module] != nil, "\(file): the table of directions has no \(module)")
      let found = offences(in: try Repository.text(of: file), of: module)
      #expect(found.isEmpty, "\(file): \(found.joined(separator: "; "))")
    }
  }

  @Test("no test reaches into readline behind the shim")
  func testsNameNoReadlineGlobal() throws {
    for file in Repository.files(below: "Tests", endings: [".swift"]) {
      let named = SwiftCode(try Repository.text(of: file)).names.filter(isReadline)
      #expect(named.isEmpty, "\(file): \(named.sorted())")
    }
  }

  @Test("the package gives each module only what it may import")
  func thePackageKeepsTheDirections() throws {
    let targets = PackageManifest(try Repository.text(of: "Package.swift")).targets
    for (module, _) in arrows {
      #expect(targets[module] != nil, "Package.swift has no target \(module)")
    }
    for (target, dependencies) in targets where arrows[target] != nil {
      let wrong = dependencies.subtracting(mayImport(target))
      #expect(wrong.isEmpty, "Package.swift lets \(target) see \(wrong.sorted())")
    }
  }

  @Test(
    "a file that goes against them is found",
    arguments: [
      ("import Foundation", "ChatShell"),
      ("import FoundationEssentials", "Conversations"),
      ("public import Conversations", "Composer"),
      ("@preconcurrency import CReadline", "ChatShell"),
      ("import struct Composer.InputBar", "Terminal"),
      ("import Glibc", "StyledText"),
      ("import StyledText", "Conversations"),
      ("import ChatShell", "LineEditing"),
      ("import Glibc; import CSQLite", "ChatShell"),
      ("func f() { rl_point = 0 }", "LineEditing"),
      ("let n = history_length", "ChatShell"),
      ("let s = \"\\(f(rl_end))\"", "LineEditing"),
    ])
  func offencesAreFound(source: String, module: String) {
    #expect(offences(in: source, of: module).count == 1)
  }

  @Test(
    "what only looks like an offence is none",
    arguments: [
      ("// import Foundation", "ChatShell"),
      ("/* rl_point /* rl_end */ import Foundation */", "LineEditing"),
      ("let s = \"rl_point \\\" import Foundation\"", "LineEditing"),
      ("let s = \"\"\"\nimport Foundation\nhistory_length\n\"\"\"", "ChatShell"),
      ("let s = #\"\\(rl_end)\"#", "ChatShell"),
      ("import StyledText", "ChatShell"),
      ("import Terminal", "hobnob"),
      ("int rl_point;", "CReadline"),
    ])
  func innocentSourcesPass(source: String, module: String) {
    #expect(offences(in: source, of: module) == [])
  }
}

/// As much of Package.swift as the directions need: each target's own dependencies.
struct PackageManifest {
  private(set) var targets: [String: Set<String>] = [:]

  init(_ text: String) {
    // Literals matter here, so only whole-line comments are dropped.
    let code = text.split(separator: "\n").filter {
      !$0.drop(while: \.isWhitespace).hasPrefix("//")
    }
    .joined(separator: "\n")
    let target = /\.(?:target|executableTarget|systemLibrary)\(\s*name: "([^"]+)"/
    let matches = code.matches(of: target)
    for (index, match) in matches.enumerated() {
      let end = index + 1 < matches.count ? matches[index + 1].range.lowerBound : code.endIndex
      var body = code[match.range.upperBound..<end]
      if let tests = body.range(of: ".testTarget(") { body = body[..<tests.lowerBound] }
      var named: Set<String> = []
      if let list = body.range(of: "dependencies: [") {
        let upTo = body[list.upperBound...].range(of: "]")?.lowerBound ?? body.endIndex
        let entries = body[list.upperBound..<upTo].replacing(/package: "[^"]+"/, with: "")
        named = Set(entries.matches(of: /"([^"]+)"/).map { String($0.1) })
      }
      targets[String(match.1)] = named
    }
  }
}
