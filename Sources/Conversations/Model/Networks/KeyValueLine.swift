// SPDX-License-Identifier: GPL-3.0-or-later

extension Substring {
  /// A line's first word, and the rest of the line without the blanks around it.
  var keyAndValue: (String, String) {
    let line = drop(while: \.isWhitespace)
    let key = line.prefix { !$0.isWhitespace }
    var value = line.dropFirst(key.count).drop(while: \.isWhitespace)
    while value.last?.isWhitespace == true { value.removeLast() }
    return (String(key), String(value))
  }
}
