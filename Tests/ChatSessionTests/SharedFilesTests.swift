// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

@testable import ChatPreferences
@testable import ChatSession

@Suite struct SharedFilesTests {
  @Test("places are searched from the person's own to the system's")
  func order() {
    let folders = SharedFiles.folders(
      environment: [
        "HOBNOB_SHARE": "/mine", "HOME": "/home/anna", "XDG_DATA_HOME": "/data",
        "XDG_DATA_DIRS": "/a:/b",
      ], executable: "/opt/hobnob/bin/hobnob")
    #expect(
      folders == [
        "/mine", "/data/hobnob", "/opt/hobnob/share/hobnob", "/opt/share/hobnob", "/share/hobnob",
        "/a/hobnob", "/b/hobnob",
      ])
  }

  @Test(
    "unset, empty and relative variables follow the XDG specification",
    arguments: [
      ["HOME": "/home/anna"],
      [
        "HOME": "/home/anna", "HOBNOB_SHARE": "", "XDG_DATA_HOME": "data", "XDG_DATA_DIRS": "",
      ],
    ])
  func defaults(environment: [String: String]) {
    #expect(
      SharedFiles.folders(environment: environment, executable: nil) == [
        "/home/anna/.local/share/hobnob", "/usr/local/share/hobnob", "/usr/share/hobnob",
      ])
  }

  @Test("a relative folder in the system's list is skipped")
  func relative() {
    let folders = SharedFiles.folders(
      environment: ["HOME": "/h", "XDG_DATA_DIRS": "a::/b:../c"], executable: nil)
    #expect(folders.dropFirst() == ["/b/hobnob"])
  }

  @Test("five folders above the program are searched, and no more")
  func neighbourhood() {
    let folders = SharedFiles.folders(
      environment: ["HOME": "/h", "XDG_DATA_DIRS": "/d"], executable: "/1/2/3/4/5/6/7/hobnob")
    #expect(
      folders.dropFirst().dropLast() == [
        "/1/2/3/4/5/6/share/hobnob", "/1/2/3/4/5/share/hobnob", "/1/2/3/4/share/hobnob",
        "/1/2/3/share/hobnob", "/1/2/share/hobnob",
      ])
  }

  @Test("a folder that anyone may write to is skipped")
  func writableByAll() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("open/share/hobnob/emoji.tsv")
    let program = folder.path + "/open/build/bin/hobnob"
    func found() -> String? {
      SharedFiles.path(
        "emoji.tsv",
        in: SharedFiles.folders(environment: ["HOME": folder.path], executable: program))
    }
    #expect(found() == file)
    #expect(chmod(folder.path + "/open", 0o1777) == 0)
    #expect(found() != file)
  }

  @Test("the first place that has a readable regular file provides it")
  func firstPlace() throws {
    let folder = try TemporaryFolder()
    let mine = try folder.write("a/emoji.tsv")
    let theirs = try folder.write("b/emoji.tsv")
    let folders = ["a", "b"].map { folder.path + "/" + $0 }
    #expect(SharedFiles.path("emoji.tsv", in: folders) == mine)
    try FileManager.default.removeItem(atPath: mine)
    #expect(SharedFiles.path("emoji.tsv", in: folders) == theirs)
    // A pipe would be waited for.
    #expect(mkfifo(mine, 0o600) == 0)
    #expect(SharedFiles.path("emoji.tsv", in: folders) == theirs)
    #expect(SharedFiles.path("none.tsv", in: folders) == nil)
  }

  @Test(
    "12.4: a name that leads out of the folder finds nothing",
    arguments: ["../b/x.theme", "/x.theme", "", ".", "..", "a//x.theme", "./x.theme", "x.theme\0"])
  func strayNames(name: String) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("b/x.theme")
    _ = try folder.write("a/a/x.theme")
    _ = try folder.write("a/x.theme")
    #expect(SharedFiles.path(name, in: [folder.path + "/a"]) == nil)
  }

  @Test("$HOBNOB_SHARE is searched first")
  func chosen() throws {
    let folder = try TemporaryFolder()
    let theme = try folder.write("themes/slack.theme")
    let environment = ["HOBNOB_SHARE": folder.path, "HOME": folder.path]
    #expect(SharedFiles.path("themes/slack.theme", environment: environment) == theme)
    #expect(SharedFiles.theme("slack", environment: environment) == theme)
    #expect(SharedFiles.theme("../themes/slack", environment: environment) == nil)
    #expect(SharedFiles.theme("", environment: environment) == nil)
  }

  @Test("themes are listed by name, in order, each once over all places")
  func themes() throws {
    let folder = try TemporaryFolder()
    for name in [
      "a/themes/slack.theme", "a/themes/mine.theme", "b/themes/slack.theme", "b/themes/plain.theme",
      "b/themes/plain.theme~", "b/themes/.theme", "b/themes/notes.txt", "b/themes/two words.theme",
      "b/slick.theme", "b/themes/folder.theme/x",
    ] {
      _ = try folder.write(name)
    }
    let folders = ["a", "none", "b"].map { folder.path + "/" + $0 }
    #expect(SharedFiles.themes(in: folders) == ["mine", "plain", "slack"])
  }

  @Test("from a build in the checkout, its own files are found")
  func checkout() throws {
    let root = (EmojiTableTests.share as NSString).deletingLastPathComponent
    let program = (root as NSString).deletingLastPathComponent + "/.build/x/debug/hobnob"
    let folders = SharedFiles.folders(environment: ["HOME": "/none"], executable: program)
    #expect(
      SharedFiles.path("emoji.tsv", in: folders) == EmojiTableTests.share + "/emoji.tsv")
    #expect(
      Set(SharedFiles.themes(in: folders)).isSuperset(of: [
        "contrast", "imessage", "messenger", "plain", "slack",
      ]))
  }
}
