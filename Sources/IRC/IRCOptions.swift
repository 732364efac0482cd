// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Networks
import Platform
import Sentences

/// The options that only accounts on IRC have.
package enum IRCOptions {
  package static var all: [AccountOption] {
    [
      option("user") {
        $0.isEmpty || $0.contains(where: \.isWhitespace)
          ? ("A user name must be a single word.", []) : nil
      },
      option("realname") { _ in nil },
      words("login", Login.Method.allCases.map(\.rawValue)),
      words("tls", ["on", "off"]), words("ctcp", ["on", "off"]),
      words("regain", ["on", "off"]),
      option("flood") {
        Throttle.isSetting($0)
          ? nil
          : (
            "“%1” is not a valid value for flood; use off, or lines and seconds such as 4/2.",
            [$0]
          )
      },
      option("cert") {
        if $0.hasPrefix("/"), access($0, R_OK) == 0 { return nil }
        return (
          "hobnob cannot read %1; cert is the full path of a file with a certificate and its key.",
          [$0]
        )
      },
      .number("keep-alive", in: 1...86_400),
    ]
  }

  /// - Parameter fault: why a value is not valid; nil if it is.
  private static func option(
    _ name: String, fault: @escaping (String) -> Sentence?
  ) -> AccountOption {
    AccountOption(name) { value throws(AccountOption.Invalid) in
      if let sentence = fault(value) { throw AccountOption.Invalid(filled(sentence)) }
      return value
    }
  }

  private static func words(_ name: String, _ values: [String]) -> AccountOption {
    option(name) {
      values.contains($0)
        ? nil : ("“%2” is not a valid value for %1; use %3.", [name, $0, values.joinedAsList()])
    }
  }

  /// Whether an account has a password. People without an account on the network have none.
  package static func passwordNeed(
    _ settings: [String: String], _ facts: [String: String]
  ) -> PasswordNeed {
    switch Login.Method(rawValue: settings["login"] ?? "") ?? .auto {
    case .none, .external: .unneeded
    case .plain, .scram, .pass: .needed
    // hobnob never sends a password over a connection without TLS.
    case .auto where settings["tls"] == "off" || PasswordNeed.isKnownToBeNone(facts): .unneeded
    case .auto: .optional
    }
  }
}
