// SPDX-License-Identifier: GPL-3.0-or-later

/// Something for each zone, or nothing: used as a dictionary is, and made without one, for the first
/// dictionary of a key type costs a tenth of a millisecond of every start.
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

  /// For each zone what is given; of two for one zone the later.
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
