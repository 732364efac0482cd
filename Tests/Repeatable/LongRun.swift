// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation

/// How long the tests that throw random or hostile things at the program go on. In every test run
/// they are short and always the same. `HOBNOB_LONG` says how many times as much is wanted; the
/// dice then start from a seed that the clock gives and that is printed. To repeat such a run, set
/// `HOBNOB_SEED` to it as well:
///
///     HOBNOB_LONG=100 swift test --filter 'Attack|Fuzz|Kill|EightWriters'
public enum LongRun {
  private static let environment = ProcessInfo.processInfo.environment

  /// How many times as long as usual; nil when nobody asked.
  public static let factor = environment["HOBNOB_LONG"].flatMap { Int($0) }.map { max(1, $0) }

  /// What the dice start from.
  public static let seed: UInt64 = {
    if let seed = environment["HOBNOB_SEED"].flatMap({ UInt64($0) }) { return seed }
    guard factor != nil else { return 9 }
    let seed = UInt64(Date().timeIntervalSince1970)
    print("HOBNOB_SEED=\(seed)")
    return seed
  }()

  /// How many rounds to go.
  ///
  /// - Parameter usual: in a run that nobody asked to be long.
  public static func rounds(_ usual: Int) -> Int { usual * (factor ?? 1) }
}
