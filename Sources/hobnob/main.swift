// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatSession
import ChatShell
import Glibc
import Platform
import Sentences

StandardDescriptors.claim()
Catalogue.open(in: ProgramFile.shareFolders("locale"))
// The bare `hobnob [CONVERSATION]` reaches its prompt without the argument parser, which costs
// more time than all the rest of the start.
let words = RawArguments.all
if words.dropFirst().first == FileChore.option, let status = FileChore.run(words.dropFirst(2)) {
  exit(status)
}
if words.dropFirst().first == CompletionScript.question {
  Hobnob.complete(Array(words.dropFirst()))
}
if let quick = QuickStart(words) {
  exit(
    Launch.report {
      try Launch(options: quick.options).shell(
        quick.conversation, creates: quick.creates, subcommands: Hobnob.subcommandNames)
    })
}
let arguments = QuickStart.subcommandFirst(words)
if let word = TextArguments.wordThatLooksLikeOptions(arguments) {
  exit(SearchScript.refuse(word: word))
}
Hobnob.end(with: TextArguments.separatingText(in: arguments))
