// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Platform
import Sentences

/// Registers an account on a server that lets everybody do so (XEP-0077).
///
/// - Parameter settings: those of an account: `host`, `port`, `ca`.
/// - Returns: why it failed; nil if the account exists now.
@MainActor
package func registerAccount(
  _ address: String, password: String, settings: [String: String]
) -> String? {
  guard let wanted = Address(address), !wanted.local.isEmpty, wanted.resource.isEmpty else {
    return filled(
      ("%1 is not an address; one looks like you@example.org.", [address]))
  }
  let loop = EventLoop()
  var reason: String? = translated("The server shut down or closed the connection.")
  let stream = ClientStream<Int>(
    loop: loop,
    settings: .init(
      login: Negotiation.Settings(
        address: wanted, password: Secret(password), purpose: .register),
      server: ServerSettings(settings))
  ) { event in
    switch event {
    case .registered: reason = nil
    case .down(let end):
      if reason != nil { reason = end.description }
      loop.stop()
    default: break
    }
  }
  stream.connect()
  loop.run()
  return reason
}
