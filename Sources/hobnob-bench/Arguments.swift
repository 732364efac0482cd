// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The benchmark's command line.
struct Arguments {
  /// The program to measure; nil for the one beside the benchmark.
  var hobnob: String?
  var lifetime = false
  var irc = false
  /// Whether to be the program that only echoes raw bytes, which keys are compared with.
  var echo = false
  /// Whether to be the server with invented rooms.
  var ircServer = false
  /// How many messages the full store holds; nil for the usual number.
  var messages: Int?
  /// How often each program is started.
  var rounds = 60

  private static let usage = """
    Usage: hobnob-bench [--hobnob PATH] [--lifetime | --irc]
                        [--messages N] [--rounds N]

      --hobnob PATH  Measure this program instead of the one beside the benchmark.
      --lifetime     Measure a store of a lifetime instead: 1000000 messages in 200
                     conversations, brought in by import; needs 2 GB of disk and a
                     few minutes.
      --irc          Measure only IRC, on a server with invented rooms that the
                     benchmark brings.
      --messages N   How many messages the full store holds: 100000, or 1000000.
      --rounds N     How often each program is started: 60.

    Exit status: 0 when every target was reached, 1 when one was not, 2 when
    something failed, 64 for a wrong command line.
    """

  /// Reads the command line; ends the program if it is wrong, or asks for help.
  init(_ words: some Sequence<String>) {
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      switch word {
      case "--hobnob": hobnob = rest.popFirst()
      case "--lifetime": lifetime = true
      case "--irc": irc = true
      case "--echo": echo = true
      case "--irc-server": ircServer = true
      case "--messages": messages = rest.popFirst().flatMap { Int($0) }
      case "--rounds": rounds = rest.popFirst().flatMap { Int($0) } ?? rounds
      case "--help":
        print(Self.usage)
        exit(0)
      default:
        note(Self.usage)
        exit(64)
      }
    }
  }
}
