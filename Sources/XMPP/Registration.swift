// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Platform
import Sentences

/// The address of an account, in lower case and without a resource (RFC 7622).
///
/// - Returns: nil if the text is not such an address.
package func accountAddress(_ written: String) -> String? {
  guard let address = Address(written), !address.local.isEmpty, address.resource.isEmpty else {
    return nil
  }
  return address.description
}

/// Registers an account on a server that lets everybody do so (XEP-0077).
///
/// - Parameters:
///   - address: from ``accountAddress(_:)``.
///   - settings: the account's settings `host`, `port` and `ca`.
/// - Returns: why it failed; nil if the account exists now.
@MainActor
package func registerAccount(
  _ address: String, password: String, settings: [String: String]
) -> String? {
  guard let wanted = Address(address) else { preconditionFailure("\(address) is no address") }
  let loop = EventLoop()
  var reason: String? = translated("The server shut down or closed the connection.")
  let stream = ClientStream<Int>(
    loop: loop,
    settings: .init(
      login: Negotiation.Settings(
        address: wanted, password: Secret(password), purpose: .register),
      server: ServerSettings(xmpp: settings))
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
