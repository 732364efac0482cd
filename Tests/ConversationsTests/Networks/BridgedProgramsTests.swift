// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import Sentences
import Testing

@testable import Conversations

@Suite("Where the programs of networks are") struct BridgedProgramsTests {
  private let home: String
  private let programs: BridgedPrograms

  init() throws {
    home =
      FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/hobnob-test-"
      + UUID().uuidString
    programs = BridgedPrograms(in: [home + "/libexec", home + "/own/networks"], home: home)
    for folder in programs.folders {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    for folder in ["", "/libexec", "/own", "/own/networks"] { chmod(home + folder, 0o755) }
  }

  private func install(_ name: String, in folder: String = "own/networks", mode: mode_t = 0o755) {
    _ = FileManager.default.createFile(atPath: "\(home)/\(folder)/\(name)", contents: Data())
    chmod("\(home)/\(folder)/\(name)", mode)
  }

  private func refusal(_ kind: String) -> String? {
    do throws(BridgedProgramError) {
      _ = try programs.path(of: kind)
      return nil
    } catch {
      return filled(error.sentence)
    }
  }

  @Test("12.7: a program is found by its name in two folders only, first in hobnob's own")
  func findsPrograms() throws {
    defer { try? FileManager.default.removeItem(atPath: home) }
    install("hobnob-net-tea")
    install("hobnob-net-tea", in: "libexec")
    install("hobnob-net-x-2")
    for name in ["hobnob-net-Big", "hobnob-net-", "hobnob-net-a.b", "tea", "hobnob-tea"] {
      install(name)
    }
    #expect(programs.kinds == ["tea", "x-2"])
    #expect(try programs.path(of: "tea") == home + "/libexec/hobnob-net-tea")
    #expect(try programs.path(of: "x-2") == home + "/own/networks/hobnob-net-x-2")
    #expect(
      refusal("none")
        == "there is no program hobnob-net-none in \(home)/libexec, \(home)/own/networks")
    for kind in ["../x-2", "", "x-2/../x-2", "sh"] {
      #expect(refusal(kind)?.hasPrefix("there is no program") == true)
    }
  }

  @Test("12.7: an installed hobnob has two folders, whatever lies above its own")
  func folders() throws {
    defer { try? FileManager.default.removeItem(atPath: home) }
    func folders(_ program: String) -> [String] {
      BridgedPrograms.installed(["HOME": home], program: home + program).folders.map {
        $0.hasPrefix(home) ? String($0.dropFirst(home.count)) : $0
      }
    }
    for folder in ["/share/networks", "/libexec/share/networks"] {
      try FileManager.default.createDirectory(
        atPath: home + folder, withIntermediateDirectories: true)
    }
    let own = "/.config/hobnob/networks"
    #expect(folders("/bin/hobnob") == ["/libexec/hobnob/networks", own])
    #expect(folders("/libexec/hobnob/hobnob-bridge") == ["/libexec/hobnob/networks", own])
    #expect(
      folders("/hobnob/.build/x/debug/hobnob")
        == ["/hobnob/.build/x/debug/networks", "/hobnob/share/networks", own])
  }

  @Test("12.7: hobnob starts no program that others could change, or replace")
  func refusesWhatOthersCanChange() throws {
    defer { try? FileManager.default.removeItem(atPath: home) }
    install("hobnob-net-tea", mode: 0o775)
    #expect(
      refusal("tea")?.hasPrefix("others may write to \(home)/own/networks/hobnob-net-tea") == true)
    install("hobnob-net-tea", mode: 0o755)
    #expect(refusal("tea") == nil)
    chmod(home + "/own", 0o777)
    #expect(refusal("tea")?.hasPrefix("others may write to \(home)/own, ") == true)
    // Nobody can replace what is another's in a folder such as /tmp.
    chmod(home + "/own", 0o1777)
    #expect(refusal("tea") == nil)
    chmod(home + "/own", 0o755)
    install("hobnob-net-tea", mode: 0o644)
    #expect(refusal("tea")?.contains("is not an executable file") == true)
    // What counts is where a link leads.
    mkdir(home + "/shared", 0o777)
    chmod(home + "/shared", 0o777)
    install("real", in: "shared")
    symlink(home + "/shared/real", home + "/own/networks/hobnob-net-link")
    #expect(refusal("link")?.hasPrefix("others may write to \(home)/shared,") == true)
    chmod(home + "/shared", 0o755)
    #expect(try programs.path(of: "link") == home + "/shared/real")
  }
}
