// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The short names of months, as programs log them in their user's language.
enum MonthNames {
  /// How the names of each month begin in English, German, French, Spanish, Italian, Dutch,
  /// Portuguese, Danish, Swedish, Norwegian, Finnish, Polish and Russian.
  private static let beginnings = [
    "jan jän ene gen tammi sty янв", "feb fév fev helmi lut фев",
    "mar mär mrz mrt maalis мар", "apr avr abr huhti kwi апр",
    "may mai maj mag mei touko май мая", "jun juin giu kesä cze июн",
    "jul jui juil lug heinä lip июл", "aug aoû aou ago elo sie авг",
    "sep set syys wrz сен", "oct okt ott out loka paź окт", "nov marras lis ноя",
    "dec déc dic dez des joulu gru дек",
  ].map { $0.split(separator: " ").map(String.init) }

  /// The number, 1 to 12, of the month that a name may mean: in the language of LC_TIME, or else in
  /// one of those above. East Asian names are numbers.
  static func number(of name: Substring) -> Int? {
    let digits = name.prefix { $0.isASCII && $0.isNumber }
    if !digits.isEmpty { return Int(digits).flatMap { 1...12 ~= $0 ? $0 : nil } }
    let name = bare(String(name))
    for month in 0..<12 {
      let own = [ABMON_1, MON_1].map { nl_langinfo(Int32($0) + Int32(month)) }
      if own.contains(where: { $0.map { bare(String(cString: $0)) } == name }) { return month + 1 }
    }
    // Take the longest match, since juin is not jui(llet), and marras not mar(s).
    let found = beginnings.enumerated().flatMap { month, words in
      words.filter(name.hasPrefix).map { (length: $0.count, month: month + 1) }
    }
    return found.max { $0.length < $1.length }?.month
  }

  private static func bare(_ name: String) -> String {
    var name = name.lowercased()
    while name.hasSuffix(".") { name.removeLast() }
    return name
  }
}
