// SPDX-License-Identifier: GPL-3.0-or-later

/// The namespaces that a client uses, each with its specification.
enum Feature {
  /// RFC 6121.
  static let roster = "jabber:iq:roster"
  static let rosterVersions = "urn:xmpp:features:rosterver"
  /// XEP-0004.
  static let forms = "jabber:x:data"
  /// XEP-0030.
  static let info = "http://jabber.org/protocol/disco#info"
  static let items = "http://jabber.org/protocol/disco#items"
  /// XEP-0027.
  static let formerOpenPGP = "jabber:x:encrypted"
  /// XEP-0045.
  static let rooms = "http://jabber.org/protocol/muc"
  static let roomUser = "http://jabber.org/protocol/muc#user"
  static let roomAdmin = "http://jabber.org/protocol/muc#admin"
  static let roomOwner = "http://jabber.org/protocol/muc#owner"
  /// XEP-0059.
  static let pages = "http://jabber.org/protocol/rsm"
  /// XEP-0060.
  static let publishing = "http://jabber.org/protocol/pubsub"
  static let publishingEvents = "http://jabber.org/protocol/pubsub#event"
  static let publishingOwner = "http://jabber.org/protocol/pubsub#owner"
  static let publishingConfiguration = "http://jabber.org/protocol/pubsub#node_config"
  static let publishingOptions = "http://jabber.org/protocol/pubsub#publish-options"
  /// XEP-0066.
  static let links = "jabber:x:oob"
  /// XEP-0085.
  static let typing = "http://jabber.org/protocol/chatstates"
  /// XEP-0092.
  static let version = "jabber:iq:version"
  /// XEP-0115.
  static let capabilities = "http://jabber.org/protocol/caps"
  /// XEP-0172.
  static let nick = "http://jabber.org/protocol/nick"
  /// XEP-0184.
  static let receipts = "urn:xmpp:receipts"
  /// XEP-0191.
  static let blocking = "urn:xmpp:blocking"
  /// XEP-0203.
  static let delay = "urn:xmpp:delay"
  /// XEP-0249.
  static let invitation = "jabber:x:conference"
  /// XEP-0280.
  static let carbons = "urn:xmpp:carbons:2"
  /// XEP-0297.
  static let forwarding = "urn:xmpp:forward:0"
  /// XEP-0308.
  static let correction = "urn:xmpp:message-correct:0"
  /// XEP-0313.
  static let archive = "urn:xmpp:mam:2"
  /// XEP-0333.
  static let markers = "urn:xmpp:chat-markers:0"
  /// XEP-0334.
  static let hints = "urn:xmpp:hints"
  /// XEP-0359.
  static let ids = "urn:xmpp:sid:0"
  /// XEP-0363.
  static let upload = "urn:xmpp:http:upload:0"
  /// XEP-0393.
  static let styling = "urn:xmpp:styling:0"
  /// XEP-0373.
  static let openPGP = "urn:xmpp:openpgp:0"
  /// XEP-0380.
  static let encryption = "urn:xmpp:eme:0"
  /// XEP-0384: what most programs use, and two later versions.
  static let formerOMEMO = "eu.siacs.conversations.axolotl"
  static let earlierOMEMO = "urn:xmpp:omemo:1"
  static let omemo = "urn:xmpp:omemo:2"
  /// XEP-0402.
  static let bookmarks = "urn:xmpp:bookmarks:1"
  /// XEP-0420.
  static let envelope = "urn:xmpp:sce:1"
  /// XEP-0421.
  static let occupantIDs = "urn:xmpp:occupant-id:0"
  /// XEP-0422, which wraps older retractions.
  static let fastening = "urn:xmpp:fasten:0"
  /// XEP-0424, current and earlier version.
  static let retraction = "urn:xmpp:message-retract:1"
  static let formerRetraction = "urn:xmpp:message-retract:0"
  /// XEP-0425, current and earlier version.
  static let moderation = "urn:xmpp:message-moderate:1"
  static let formerModeration = "urn:xmpp:message-moderate:0"
  /// The features that a retraction's or a moderation's fallback may name; earlier versions named
  /// none.
  static let retractions = [retraction, formerRetraction, moderation, formerModeration, ""]
  /// XEP-0428.
  static let fallback = "urn:xmpp:fallback:0"
  /// XEP-0444.
  static let reactions = "urn:xmpp:reactions:0"
  /// XEP-0461.
  static let replies = "urn:xmpp:reply:0"
  /// XEP-0478.
  static let limits = "urn:xmpp:stream-limits:0"
}
