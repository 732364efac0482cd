// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

/// The benchmark's command-line arguments.
struct Arguments: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hobnob-bench",
    discussion: """
      Exit status: 0 when every target was reached, 1 when one was not, 2 when something failed, \
      64 for a wrong command line.
      """)

  @Option(
    help: .init(
      "The program to measure; without it, the one beside the benchmark.", valueName: "path"))
  var hobnob: String?

  @Flag(
    help: """
      Measure a store of a lifetime instead: 1000000 messages in 200 conversations, brought in by \
      import; needs 2 GB of disk and a few minutes.
      """)
  var lifetime = false

  @Flag(help: "Be the program that only echoes raw bytes, which keys are compared with.")
  var echo = false

  @Flag(help: "Measure only IRC, on a server with invented rooms that the benchmark brings.")
  var irc = false

  @Flag(help: "Be that server.")
  var ircServer = false

  @Option(help: "How many messages the full store holds; by default 100000, or 1000000.")
  var messages: Int?

  @Option(help: "How often each program is started.")
  var rounds = 60
}
