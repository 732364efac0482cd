// SPDX-License-Identifier: GPL-3.0-or-later

/// The namespaces of a stream and of the login.
enum Namespace {
  /// The namespace of stanzas; in an `Element` it is empty.
  static let client = "jabber:client"
  /// For an `Element` in no namespace, so that it does not pass for a stanza's.
  static let none = "about:none"
  static let streams = "http://etherx.jabber.org/streams"
  static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
  static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
  static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
  static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
  static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
  /// XEP-0198.
  static let acknowledgements = "urn:xmpp:sm:3"
  /// XEP-0077.
  static let register = "jabber:iq:register"
  /// XEP-0199.
  static let ping = "urn:xmpp:ping"
  /// Queries whose answer is a list of any length: the roster (RFC 6121, 2) and the items of a
  /// service (XEP-0030).
  static let lists: Set = ["jabber:iq:roster", "http://jabber.org/protocol/disco#items"]
}
