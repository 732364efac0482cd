// SPDX-License-Identifier: GPL-3.0-or-later

/// A value, or none, for each zone. It is used like a dictionary but contains none, because the
/// first dictionary with a new type of key makes every start a tenth of a millisecond longer.
///
/// ```swift
/// bar.zones = [.right: [Item(id: "count", line: StyledLine("12"))]]
/// bar.zones[.status] = nil
/// ```
public struct ZoneValues<Value>: ExpressibleByDictionaryLiteral {
  private var left: Value?
  private var right: Value?
  private var status: Value?
  private var toolbar: Value?
  private var above: Value?

  /// Gives each zone its value; of two values for the same zone, the later one counts.
  public init(dictionaryLiteral elements: (Zone, Value)...) {
    for (zone, value) in elements { self[zone] = value }
  }

  /// What a zone has; nil for nothing.
  public subscript(zone: Zone) -> Value? {
    get {
      switch zone {
      case .left: left
      case .right: right
      case .status: status
      case .toolbar: toolbar
      case .above: above
      }
    }
    set {
      switch zone {
      case .left: left = newValue
      case .right: right = newValue
      case .status: status = newValue
      case .toolbar: toolbar = newValue
      case .above: above = newValue
      }
    }
  }
}

extension ZoneValues: Equatable where Value: Equatable {}
extension ZoneValues: Hashable where Value: Hashable {}
extension ZoneValues: Sendable where Value: Sendable {}
