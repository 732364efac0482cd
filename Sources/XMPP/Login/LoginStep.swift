// SPDX-License-Identifier: GPL-3.0-or-later

/// A step between the first packet and the login; each has a time limit.
package enum LoginStep: Hashable, Sendable {
  case connecting, greeting, encrypting, authenticating, binding, registering

  /// The words after "while" in a sentence.
  var phrase: String {
    switch self {
    case .connecting: "connecting"
    case .greeting: "greeting us"
    case .encrypting: "setting up encryption"
    case .authenticating: "checking the password"
    case .binding: "setting up the session"
    case .registering: "registering the account"
    }
  }
}
