// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatSession

/// The names of a command's options, as its type declares them.
package struct OptionNames: Equatable {
  /// The options without a value.
  package private(set) var flags: Set<String> = []
  /// The options that take a value.
  package private(set) var withValue: Set<String> = []

  package init(of type: any ParsableArguments.Type) {
    for member in Mirror(reflecting: type.init()).children {
      // Swift stores a property wrapper under the property's name with an underscore.
      let name = "--" + Self.asTyped(member.label?.dropFirst() ?? "")
      switch member.value {
      case is Flag<Bool>: flags.insert(name)
      case is any ValueOption: withValue.insert(name)
      case let group as any NestedOptions:
        flags.formUnion(group.names.flags)
        withValue.formUnion(group.names.withValue)
      default: break
      }
    }
  }

  /// People type `noRc` as `no-rc`.
  private static func asTyped(_ property: Substring) -> String {
    property.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }
}

private protocol ValueOption {}
extension Option: ValueOption {}

private protocol NestedOptions {
  var names: OptionNames { get }
}

extension OptionGroup: NestedOptions {
  fileprivate var names: OptionNames { OptionNames(of: Value.self) }
}
