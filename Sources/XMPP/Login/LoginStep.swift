// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// A step between the first packet and the login; each has a time limit.
enum LoginStep: Hashable, Sendable {
  case connecting, greeting, encrypting, authenticating, binding, registering

  /// The words after "while" in a sentence.
  var phrase: Remark {
    // Translators: what comes after “while” in “The server closed the connection while %1.”
    switch self {
    case .connecting: translated("connecting")
    case .greeting: translated("greeting hobnob")
    case .encrypting: translated("setting up encryption")
    case .authenticating: translated("checking the password")
    case .binding: translated("setting up the session")
    case .registering: translated("registering the account")
    }
  }
}
