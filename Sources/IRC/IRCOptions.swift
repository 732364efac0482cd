// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Networks
import Platform
import Sentences

/// The options that only accounts on IRC have.
package enum IRCOptions {
  package static var all: [AccountOption] {
    [
      AccountOption("user") { value throws(AccountOption.Invalid) in
        guard !value.isEmpty, !value.contains(where: { $0.isWhitespace }) else {
          throw AccountOption.Invalid(translated("A user name must be a single word."))
        }
        return value
      },
      AccountOption("realname") { value throws(AccountOption.Invalid) in value },
      words("login", Login.Method.allCases.map(\.rawValue)),
      words("tls", ["on", "off"]), words("ctcp", ["on", "off"]),
      AccountOption("flood") { value throws(AccountOption.Invalid) in
        guard Throttle.isSetting(value) else {
          throw AccountOption.Invalid(
            filled(
              (
                "flood is off, or a number of lines and seconds such as 4/2, not %1.", [value]
              )))
        }
        return value
      },
      AccountOption("cert") { value throws(AccountOption.Invalid) in
        guard value.hasPrefix("/"), access(value, R_OK) == 0 else {
          throw AccountOption.Invalid(
            filled(
              (
                "%1 cannot be read; cert is the whole path of a file with a certificate and its key.",
                [value]
              )))
        }
        return value
      },
      .number("keep-alive", in: 1...86_400),
    ]
  }

  private static func words(_ name: String, _ values: [String]) -> AccountOption {
    AccountOption(name) { value throws(AccountOption.Invalid) in
      if values.contains(value) { return value }
      throw AccountOption.Invalid(
        filled(("“%2” is not a valid value for %1; use %3.", [name, value, values.joinedAsList()])))
    }
  }

  /// Whether an account has a password: without an account of the network there is none.
  package static func passwordNeed(
    _ settings: [String: String], _ facts: [String: String]
  ) -> PasswordNeed {
    switch Login.Method(rawValue: settings["login"] ?? "") ?? .auto {
    case .none, .external: .unneeded
    case .plain, .scram, .pass: .needed
    // A password never goes over a connection without TLS.
    case .auto where settings["tls"] == "off" || PasswordNeed.isKnownToBeNone(facts): .unneeded
    case .auto: .optional
    }
  }
}
