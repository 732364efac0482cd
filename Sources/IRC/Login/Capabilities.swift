// SPDX-License-Identifier: GPL-3.0-or-later

/// The capabilities of a connection: those that the server offers, and those that are enabled
/// (IRCv3 capability negotiation).
struct Capabilities: Hashable, Sendable {
  static let batch = "batch"
  static let echo = "echo-message"
  static let history = "draft/chathistory"
  static let labels = "labeled-response"
  static let monitor = "extended-monitor"
  static let multiline = "draft/multiline"
  static let networks = "soju.im/bouncer-networks"
  static let playback = "draft/event-playback"
  static let readMarker = "draft/read-marker"
  static let redaction = "draft/message-redaction"
  static let sasl = "sasl"
  static let sts = "sts"
  static let accountTag = "account-tag"
  static let tags = "message-tags"
  static let time = "server-time"

  /// What hobnob requests if the server offers it. `sasl` is separate; `sts` is never requested.
  private static let wanted: Set<String> = [
    "account-notify", accountTag, "away-notify", batch, "cap-notify", "chghost",
    "draft/channel-rename", history, playback, multiline, readMarker, redaction, echo,
    "extended-join", monitor, "invite-notify", labels, tags, "multi-prefix", networks,
    "soju.im/bouncer-networks-notify", time, "setname", "standard-replies", "userhost-in-names",
    "znc.in/self-message", "znc.in/batch", "znc.in/server-time-iso",
  ]

  /// The capabilities that the server offers, with their values.
  var offered: [String: String] = [:]
  var enabled: Set<String> = []

  init() {}

  func has(_ name: String) -> Bool { enabled.contains(name) }

  /// Whether this is ZNC, which answers PING and echoes messages before the network has them.
  var isOfZNC: Bool { offered["znc.in/batch"] != nil }

  /// The names in a list, without their values.
  static func names(_ list: String) -> Set<String> {
    Set(list.split(separator: " ").map { String($0.prefix { $0 != "=" }) })
  }

  /// Notes a list of names, with or without values.
  mutating func offer(_ list: String) {
    for item in list.split(separator: " ") { offered.note(item) }
  }

  mutating func withdraw(_ list: String) {
    for name in list.split(separator: " ").map(String.init) {
      offered[name] = nil
      enabled.remove(name)
    }
  }

  /// Notes the server's answer to a request; a name with a `-` in front is no longer enabled.
  mutating func enable(_ list: String) {
    for name in list.split(separator: " ").map(String.init) {
      if name.hasPrefix("-") {
        enabled.remove(String(name.dropFirst()))
      } else if offered[name] != nil {
        enabled.insert(name)
      }
    }
  }

  /// The lines that request the wanted capabilities that are offered but not enabled yet.
  func requestLines(withSASL: Bool) -> [IRCLine] {
    var names = offered.keys.filter {
      Self.wanted.contains($0) && !enabled.contains($0) && !($0 == Self.echo && isOfZNC)
    }.sorted()
    if withSASL, offered[Self.sasl] != nil { names.append(Self.sasl) }
    return names.packed(" ").map { IRCLine("CAP", ["REQ", $0]) }
  }

  /// A number in a capability's value, as in `max-bytes=4096,max-lines=24`.
  func number(_ name: String, of capability: String) -> Int? {
    offered[capability]?.value(of: name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
