// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// A figure, with a value to compare it with and its target.
struct Figure {
  var name: String
  var measured: String
  /// The value to compare it with, measured in the same run.
  var beside: String = ""
  var target: String = ""
  /// Whether the target is reached; nil if there is no target.
  var isReached: Bool?
}

/// The figures as a table.
struct BenchReport {
  var rows: [Figure] = []

  var isReached: Bool { rows.allSatisfy { $0.isReached ?? true } }

  var table: String {
    let head = ["figure", "measured", "beside it", "target", ""]
    let body = rows.map { row in
      [
        row.name, row.measured, row.beside, row.target,
        row.isReached.map { $0 ? "reached" : "MISSED" } ?? "",
      ]
    }
    let widths = head.indices.map { column in
      ([head] + body).map { $0[column].count }.max() ?? 0
    }
    return ([head] + body).map { cells in
      var line = zip(cells, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}

/// A number with a fixed count of decimals; no Foundation, so no format strings.
func decimal(_ value: Double, _ digits: Int) -> String {
  let scale = (0..<digits).reduce(1.0) { power, _ in power * 10 }
  let rounded = Int((value.magnitude * scale).rounded())
  let whole = rounded / Int(scale)
  let sign = value < 0 && rounded > 0 ? "-" : ""
  guard digits > 0 else { return "\(sign)\(whole)" }
  let fraction = String(rounded % Int(scale))
  return "\(sign)\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
}

func milliseconds(_ nanoseconds: Int64) -> String {
  decimal(Double(nanoseconds) / 1_000_000, 3) + " ms"
}

func megabytes(_ bytes: Int) -> String {
  decimal(Double(bytes) / 1_000_000, 1) + " MB"
}

func times(_ ratio: Double) -> String {
  decimal(ratio, 2) + "×"
}

func seconds(_ nanoseconds: Int64) -> String {
  decimal(Double(nanoseconds) / 1e9, 1) + " s"
}

/// Reports on standard error what is being measured, or what went wrong.
func note(_ text: String) {
  let line = Array((text + "\n").utf8)
  write(2, line, line.count)
}
