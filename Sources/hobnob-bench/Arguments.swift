// SPDX-License-Identifier: GPL-3.0-or-later

/// The command line could not be understood; said with the usage, exit status 64.
struct ArgumentError: Error {
  var text: String
}

/// What the benchmark was asked to do.
struct Arguments {
  enum Task: Equatable {
    case measure, lifetime, accounts, echo, help
  }

  var task = Task.measure
  /// The program to measure; nil builds the one beside the benchmark first.
  var hobnob: String?
  var messages: Int { given ?? (task == .lifetime ? 1_000_000 : 100_000) }
  private var given: Int?
  var keys = 1_200
  var rounds = 60
  var lines = 300

  static let usage = """
    usage: hobnob-bench [--hobnob PATH] [--messages N] [--keys N] [--rounds N] [--lines N]
           hobnob-bench --lifetime [--hobnob PATH] [--messages N] [--rounds N]
           hobnob-bench --accounts [--hobnob PATH]

      --hobnob PATH   the program to measure; without it the release program is built
                      and measured
      --messages N    how many messages the full store holds (100000)
      --keys N        how many keys are typed into each program (1200)
      --rounds N      how often each program is started (60)
      --lines N       how many lines are sent to the other shell (300)
      --lifetime      measure a store of a lifetime instead: 1000000 messages in 200
                      conversations, brought in by import; needs sqlite3, 2 GB of disk
                      and a few minutes
      --accounts      measure only accounts, which otherwise come last: on a server on
                      this machine; needs prosody and openssl
      --echo          be the program that only echoes raw bytes, which keys are compared with

    Exit status: 0 when every target was reached, 1 when one was not, 2 when something
    failed, 64 for a wrong command line.
    """

  init(_ words: some Sequence<String>) throws {
    var words = Array(words)[...]
    while let word = words.popFirst() {
      func count() throws -> Int {
        guard let number = words.popFirst().flatMap({ Int($0) }), number > 0 else {
          throw ArgumentError(text: "hobnob-bench: \(word) needs a number above 0")
        }
        return number
      }
      switch word {
      case "--help", "-h": task = .help
      case "--lifetime": task = .lifetime
      case "--accounts": task = .accounts
      case "--echo": task = .echo
      case "--messages": given = try count()
      case "--keys": keys = try count()
      case "--rounds": rounds = try count()
      case "--lines": lines = try count()
      case "--hobnob":
        guard let path = words.popFirst() else {
          throw ArgumentError(text: "hobnob-bench: --hobnob needs a path")
        }
        hobnob = path
      default: throw ArgumentError(text: "hobnob-bench: unknown option \(word)")
      }
    }
  }
}
