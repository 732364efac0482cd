// SPDX-License-Identifier: GPL-3.0-or-later

/// A value, or none, for each zone. It is used like a dictionary but contains none, because the
/// first dictionary with a new type of key makes every start a tenth of a millisecond longer.
///
/// ```swift
/// bar.zones = [.right: [Item(id: "count", line: StyledLine("12"))]]
/// bar.zones[.status] = nil
/// ```
public struct ZoneValues<Value>: ExpressibleByDictionaryLiteral {
  /// By the raw values of the zones.
  private var values = [Value?](repeating: nil, count: Zone.allCases.count)

  /// Gives each zone its value; of two values for the same zone, the later one counts.
  public init(dictionaryLiteral elements: (Zone, Value)...) {
    for (zone, value) in elements { self[zone] = value }
  }

  /// What a zone has; nil for nothing.
  public subscript(zone: Zone) -> Value? {
    get { values[zone.rawValue] }
    set { values[zone.rawValue] = newValue }
  }
}

extension ZoneValues: Equatable where Value: Equatable {}
extension ZoneValues: Hashable where Value: Hashable {}
extension ZoneValues: Sendable where Value: Sendable {}
