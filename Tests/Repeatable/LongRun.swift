// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation

/// How long the tests with random or hostile input run. By default they are short and always the
/// same. `HOBNOB_LONG` multiplies their length; the random numbers then start from a seed that the
/// clock gives and the run prints. To repeat the run, set `HOBNOB_SEED` to that seed:
///
///     HOBNOB_LONG=100 swift test --filter 'Attack|Fuzz|Kill|EightWriters'
public enum LongRun {
  private static let environment = ProcessInfo.processInfo.environment

  /// The factor of `HOBNOB_LONG`; nil if it is not set.
  public static let factor = environment["HOBNOB_LONG"].flatMap { Int($0) }.map { max(1, $0) }

  /// The seed of the random numbers.
  public static let seed: UInt64 = {
    if let seed = environment["HOBNOB_SEED"].flatMap({ UInt64($0) }) { return seed }
    guard factor != nil else { return 9 }
    let seed = UInt64(Date().timeIntervalSince1970)
    print("HOBNOB_SEED=\(seed)")
    return seed
  }()

  /// The number of rounds.
  ///
  /// - Parameter usual: the number without `HOBNOB_LONG`.
  public static func rounds(_ usual: Int) -> Int { usual * (factor ?? 1) }
}
