// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatShell
import Glibc

StandardDescriptors.take()
// The bare `hobnob [CONVERSATION]` reaches its prompt without the argument parser, which costs
// more time than all the rest of the start.
if let quick = QuickStart(CommandLine.arguments) {
  let launch = Launch(options: quick.options)
  exit(
    launch.report {
      try launch.shell(quick.conversation, subcommands: Hobnob.subcommandNames)
    })
}
let arguments = QuickStart.subcommandFirst(CommandLine.arguments)
if let word = TextArguments.slippedWord(arguments) { exit(Launch.refuse(searchWord: word)) }
Hobnob.end(with: TextArguments.marked(arguments))
