// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Glibc
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

/// A person in their conversations, without a terminal.
@MainActor
@Suite("A session")
struct SessionTests {
  /// The lines without the time before the number of a message, and without days.
  private func texts(_ lines: [String]) -> [String] {
    lines.filter { !$0.hasPrefix("──") }
      .map { $0.replacing(/^[ »](?:\d\d:\d\d|     ) +(?=\d+ )/, with: "") }
  }

  @Test("1.1, 7.5: a line becomes a message, printed for both, and the next line is empty")
  func send() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    #expect(anna.say("hello *you*"))
    ben.look()
    #expect(texts(anna.news()) == ["1 anna: hello *you*"])
    #expect(texts(ben.news()) == ["1 anna: hello *you*"])
    #expect(anna.text == "" && anna.history == ["hello *you*"])
    anna.look()
    #expect(anna.picture == ["#lobby> |", "anna, with 1 other here      [1] seen"])
  }

  @Test(
    "1.1, 1.11, 10: a refused line stays on the prompt, with a sentence",
    arguments: [
      ("  ", nil), ("/nonsense", "/nonsense is not a command."), ("/join", "Usage: /join ROOM"),
      (" /join tea", "A command has to begin with /"), ("/edit 9", "There is no message 9"),
      ("/join a\nb", "The command /join must fit on one line."),
    ] as [(String, String?)])
  func refused(line: String, reason: String?) throws {
    let anna = try Town().person("anna")
    #expect(!anna.say(line))
    #expect(anna.text == line && anna.history.isEmpty)
    if let reason {
      let last = try #require(anna.printed.last)
      #expect(last.contains(reason), "\(last)")
    } else {
      #expect(anna.bells == 1)
    }
  }

  @Test("1.12: a command enters the history once it has been carried out completely")
  func commandHistory() throws {
    let anna = try Town().person("anna")
    anna.say("/who")
    anna.say("/join tea")
    #expect(anna.history == ["/who", "/join tea"])
    #expect(anna.picture[0] == "#tea> |")
  }

  // MARK: Editing (rule 3)

  @Test("3.1, 3.3, 3.4: /edit, Return saves; C-g leaves, and what was typed comes back")
  func edit() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("half")
    anna.say("/edit")
    #expect(anna.picture[0] == "edit 1> half|")
    anna.say("whole")
    ben.look()
    #expect(texts(ben.news()).last == "1 anna: whole (edited)")
    #expect(anna.picture[0] == "#lobby> |")
    anna.say("/edit")
    anna.type("abandoned")
    #expect(anna.press(.cancel))
    #expect(anna.notice == "Message [1] stays as it was" && anna.picture[0] == "#lobby> |")
    #expect(!anna.press(.cancel))
  }

  @Test("3.5: if the message is deleted during the edit, that is said, and the draft is back")
  func deletedMeanwhile() throws {
    let town = try Town()
    let (anna, other) = (try town.person("anna"), try town.person("anna"))
    anna.say("old")
    anna.type("a draft")
    anna.tell(.editLast)
    #expect(anna.picture[0] == "edit 1> old|")
    other.look()
    other.say("/delete")
    anna.look()
    #expect(
      anna.printed.last == "Message [1] was deleted while you edited it. C-_ brings your text back."
    )
    #expect(anna.picture[0] == "#lobby> a draft|")
  }

  // MARK: Drafts (rule 5)

  @Test("5.1, 5.2: each conversation keeps its draft, for other shells too, a second after a key")
  func drafts() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/join tea")
    anna.type("half a thought")
    #expect(try town.store().read { try $0.drafts(of: anna.session.me.id) }.isEmpty)
    anna.wait(1000)
    #expect(
      try town.store().read { try $0.drafts(of: anna.session.me.id) }.map(\.1.text) == [
        "half a thought"
      ])
    #expect(try town.person("anna", in: "tea").text == "half a thought")
    anna.say(anna.text)
    #expect(try town.store().read { try $0.drafts(of: anna.session.me.id) }.isEmpty)
  }

  @Test("3.6, 5.3: quitting during an edit keeps the draft that was set aside")
  func leaveWhileEditing() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("sent")
    anna.type("a draft")
    anna.tell(.editLast)
    anna.type("not to be kept")
    anna.tell(.leave(status: 0))
    #expect(anna.status == 0)
    #expect(try town.person("anna").text == "a draft")
  }

  // MARK: Files (rule 8)

  @Test("8.1: files wait with the line, are sent with it, and C-_ restores them after C-c")
  func files() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let path = try town.folder.write("cups.txt", "two cups")
    anna.say("/attach \(path)")
    #expect(anna.session.composing.files.waiting.count == 1)
    anna.tell(.interrupted)
    #expect(anna.session.composing.files.waiting.isEmpty && anna.press(.undo))
    #expect(anna.session.composing.files.waiting.count == 1)
    anna.say("")
    #expect(anna.session.composing.files.waiting.isEmpty)
    anna.copyFiles()
    #expect(texts(anna.news()).last == "1 anna: [file 1: cups.txt, text/plain, 8 B]")
  }

  @Test("8.2: while files are copied, later messages wait behind them, and drafts do as well")
  func copying() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/attach \(try town.folder.write("cups.txt", "two cups"))")
    anna.say("with cups")
    anna.say("without")
    anna.type("a draft")
    anna.wait(20_000)
    #expect(anna.session.waitingLines.map(\.typed) == ["with cups", "without"])
    // The draft that is stored is that of the line, until it is a message.
    #expect(
      try town.store().read { try $0.drafts(of: anna.session.me.id) }.map(\.1.files.count) == [1])
    anna.copyFiles()
    #expect(
      try town.store().read { try $0.drafts(of: anna.session.me.id) }.map(\.1.text) == ["a draft"])
    #expect(
      texts(anna.news()).suffix(3) == [
        "1 anna: with cups", "                 [file 1: cups.txt, text/plain, 8 B]",
        "2       without",
      ])
    #expect(!anna.session.isWaitingForStore && anna.text == "a draft")
  }

  @Test("8.2: another conversation does not wait for files, nor change when they are copied")
  func copyingElsewhere() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/attach \(try town.folder.write("cups.txt", "two cups"))")
    anna.say("with cups")
    anna.say("/join tea")
    anna.say("here")
    #expect(anna.session.waitingLines.map(\.typed) == ["with cups"])
    anna.say("/pause")
    let picture = anna.picture
    anna.copyFiles()
    #expect(!anna.session.isWaitingForStore && anna.session.feed.screenState.isPaused)
    #expect(anna.picture == picture)
  }

  @Test("1.2, 8.2: a line begins to wait for the store only once its files are copied")
  func waitsAnew() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/attach \(try town.folder.write("cups.txt", "two cups"))")
    anna.say("with cups")
    anna.say("without")
    anna.wait(20_000)
    let lock = try Lock(town.path)
    anna.copyFiles()
    anna.wait(9_000)
    #expect(anna.session.waitingLines.map(\.typed) == ["with cups", "without"])
    lock.release()
    anna.wait(100)
    #expect(!anna.session.isWaitingForStore && anna.text.isEmpty)
  }

  @Test("5.1, 8.2: a line whose files are being copied leaves no draft beside it or after it")
  func draftOfCopying() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/attach \(try town.folder.write("cups.txt", "two cups"))")
    anna.type("with cups")
    anna.wait(2_000)
    anna.say("with cups")
    anna.say("/join tea")
    anna.say("/switch lobby")
    #expect(anna.text.isEmpty && anna.session.composing.files.waiting.isEmpty)
    anna.copyFiles()
    #expect(try town.store().read { try $0.drafts(of: anna.session.me.id) }.isEmpty)
    anna.say("/switch tea")
    anna.say("/switch lobby")
    #expect(anna.text.isEmpty && anna.session.composing.files.waiting.isEmpty)
  }

  @Test("8.2: a line whose files cannot be copied returns with them; C-g returns one, too")
  func notCopied() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let path = try town.folder.write("cups.txt", "two cups")
    anna.say("/attach \(path)")
    anna.say("with cups")
    #expect(anna.press(.cancel))
    #expect(anna.text == "with cups" && anna.session.composing.files.waiting.count == 1)
    anna.copyFiles()
    #expect(!anna.session.isWaitingForStore && anna.text == "with cups")
    anna.say("with cups")
    #expect(unlink(path) == 0)
    anna.copyFiles()
    #expect(anna.text == "with cups" && !anna.session.isWaitingForStore)
    #expect(anna.session.composing.files.waiting.count == 1)
    // However the path is broken into rows.
    let said = anna.printed.joined(separator: " ")
    #expect(said.hasSuffix("There is no file \(path). Your line is back."))
  }

  @Test("8.2: quitting while files are copied ends at once if the line is taken back")
  func takesBackWhileLeaving() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/attach \(try town.folder.write("cups.txt", "two cups"))")
    anna.say("with cups")
    anna.tell(.leave(status: 0))
    #expect(anna.press(.cancel))
    anna.wait(100)
    #expect(anna.status == 1)
    #expect(
      try town.store().read { try $0.drafts(of: anna.session.me.id) }.map(\.1.text) == ["with cups"]
    )
  }

  @Test("8.2: quitting while files are copied ends once they are sent")
  func leavesBehindFiles() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/attach \(try town.folder.write("cups.txt", "two cups"))")
    anna.say("with cups")
    anna.tell(.leave(status: 0))
    anna.wait(30_000)
    #expect(anna.status == nil)
    anna.copyFiles()
    anna.wait(100)
    #expect(anna.status == 0 && !anna.session.isWaitingForStore)
  }

  // MARK: What arrives (rule 7)

  @Test("7.3: a message printed to a watching person is delivered and seen in one write")
  func oneWrite() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("hello")
    let before = try town.store().read { try $0.position }
    ben.look()
    #expect(try town.store().read { try $0.position } == before + 1)
    anna.look()
    #expect(anna.picture[1].hasSuffix("[1] seen"))
  }

  @Test("7.3: without focus it is delivered, and seen with the focus; during a pause neither")
  func focus() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.tell(.focus(false))
    anna.say("hello")
    ben.look()
    anna.look()
    #expect(anna.picture[1].hasSuffix("[1] ✓✓ delivered"))
    ben.tell(.focus(true))
    ben.tell(.turnEnded)
    anna.look()
    #expect(anna.picture[1].hasSuffix("[1] seen"))
    ben.say("/pause")
    anna.say("again")
    ben.look()
    anna.look()
    #expect(texts(ben.news()).last == "Output paused; type /bottom or send a message to resume.")
    #expect(anna.picture[1].hasSuffix("[2] ✓✓ delivered"))
    #expect(ben.picture[1].contains("1 new"))
    ben.say("/bottom")
    anna.look()
    #expect(texts(ben.news()).last == "2 anna: again")
    #expect(anna.picture[1].hasSuffix("[2] seen"))
  }

  @Test("7.3, 11.5: what a terminal does not accept waits in the store, unseen")
  func behind() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    _ = ben.news()
    ben.tell(.outputBehind(true))
    anna.say("hello")
    ben.look()
    anna.look()
    #expect(ben.news().isEmpty && anna.picture[1].hasSuffix("[1] ✓ sent"))
    ben.tell(.outputBehind(false))
    ben.tell(.turnEnded)
    anna.look()
    #expect(texts(ben.news()) == ["1 anna: hello"] && anna.picture[1].hasSuffix("[1] seen"))
  }

  @Test(
    "5.1: Up finds the unfinished line after a history line is sent, at once and later",
    arguments: [0, 1500], [true, false])
  func begunLine(after pause: Int64, sends: Bool) throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/join tea")
    anna.say("first")
    anna.type("precious")
    anna.isLive = false
    anna.type("firstX")
    anna.wait(pause)
    if sends {
      anna.say("firstX")
      #expect(anna.notice == "The line you had begun is in the history: press Up twice")
      #expect(anna.history.suffix(3) == ["first", "precious", "firstX"])
    } else {
      anna.tell(.move(.next))
      #expect(anna.history.last == "precious")
    }
    #expect(
      try anna.store.read { try $0.inputHistory(of: anna.session.me.id, shell: "", limit: 9) }
        .count { $0 == "precious" } == 1)
  }

  /// Ben is in #tea while anna says this in #lobby, and goes there.
  private func backlog(
    _ lines: [String], rows: Int = 24
  ) throws -> (ben: Person, rows: [String]) {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.say("/join tea")
    ben.tell(.resized(rows: rows, columns: 80))
    for line in lines { anna.say(line) }
    ben.look()
    _ = ben.rows()
    ben.say("/switch lobby")
    return (ben, ben.rows())
  }

  @Test("13.9, 7.7: entering prints two screens of unread messages, and all of them are read")
  func twoScreens() throws {
    let (ben, rows) = try backlog((1...2850).map { "line \($0)" })
    // 24 rows each, less the prompt and the status line; the heading and the rule are among them.
    #expect(rows.count <= 2 * 24 - 2 && rows.count > 40)
    let shown = rows.count { $0.contains("line ") }
    #expect(rows.contains { $0.contains("new") } && rows[2] == "2,\(850 - shown) more: /history")
    #expect(rows.last?.hasSuffix("line 2850") == true)
    #expect(
      try ben.store.read {
        try $0.readMarker(
          of: ben.session.me.id, in: try #require(ben.session.open.conversation).id)
      }
        == 2850)
    // Once all of it, then the last ones.
    ben.say("/history")
    let all = ben.news()
    #expect(ben.pages == 1 && all.count { $0.contains("line ") } == 2850)
    ben.say("/history")
    #expect(ben.news().count { $0.contains("line ") } == 20)
  }

  @Test("13.9: a few long messages fill two screens, too; the newest is always printed")
  func longMessages() throws {
    let long = Array(repeating: String(repeating: "word ", count: 100), count: 12)
    let (_, rows) = try backlog(long)
    #expect(rows.count <= 2 * 24 - 2 && rows.contains { $0.hasSuffix(" more: /history") })
    let small = try backlog(Array(long.prefix(2)), rows: 4).rows
    #expect(small.contains("1 more: /history") && small.contains { $0.contains("  2 ") })
  }

  @Test("13.9: what fits two screens is printed whole, behind the messages read before")
  func aScreenful() throws {
    let (_, rows) = try backlog((1...30).map { "line \($0)" })
    #expect(rows.count { $0.contains("line ") } == 30 && !rows.contains { $0.contains("more:") })
  }

  @Test("4.3, 4.4: others see who is typing, until they pause")
  func typing() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.type("half")
    ben.look()
    #expect(ben.picture[1].contains("anna is typing"))
    anna.wait(6000)
    ben.look()
    #expect(!ben.picture[1].contains("typing"))
  }

  @Test("7.4, 7.10: a mention elsewhere is counted and rings; /next goes there")
  func elsewhere() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.say("/join tea")
    anna.say("hello @ben")
    ben.look()
    #expect(ben.bells == 1 && ben.picture[1].hasSuffix("#lobby 1!"))
    ben.say("/next")
    #expect(ben.picture[0] == "#lobby> |" && !ben.picture[1].contains("#lobby"))
  }

  @Test("11.4: a batch prints the answers of commands, and nothing else")
  func batch() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben", outputMode: .batch))
    anna.say("hello")
    ben.say("hi")
    #expect(ben.say("/status"))
    #expect(ben.printed.contains("You are ben in #lobby."))
  }

  @Test("11.3: a script's conversation is the first one opened")
  func batchRemembersItsPlace() throws {
    let town = try Town()
    let ben = try town.person("ben", in: "tea", outputMode: .batch)
    #expect(try ben.store.read { try $0.lastConversation(of: ben.session.me.id) } != nil)
  }

  @Test("3.7: in a script, the files of a cancelled message are not sent with the next line")
  func cancelInBatch() throws {
    let town = try Town()
    let ben = try town.person("ben", outputMode: .batch)
    ben.say("/attach \(try town.folder.write("cups.txt", "two cups"))")
    ben.say("cups")
    ben.say("/cancel")
    #expect(ben.session.composing.files.waiting.isEmpty)
  }

  @Test("14.8: the session hears of a failed effect and reports it")
  func failedEffects() throws {
    let anna = try Town().person("anna")
    _ = anna.news()
    anna.tell(.complain(["There is no clipboard."]))
    #expect(anna.news() == ["There is no clipboard."])
  }

  @Test("1.11: a refused line is told once: on the screen, or to the batch that says it elsewhere")
  func refusedLines() throws {
    for mode in [Session.OutputMode.tty, .plain, .batch] {
      let anna = try Town().person("anna", outputMode: mode)
      _ = anna.news()
      #expect(!anna.say("/nonsense"))
      #expect(anna.news().count == 1, "\(mode)")
    }
  }
}
