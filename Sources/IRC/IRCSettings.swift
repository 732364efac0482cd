// SPDX-License-Identifier: GPL-3.0-or-later
import Networks

extension Login.Settings {
  /// Makes the login settings of an account from the options that its owner has set.
  init(_ address: IRCAddress, _ settings: [String: String], password: String) {
    let nick = settings["nick"].flatMap { IRCAddress.isNick($0) ? $0 : nil } ?? address.nick
    let user = settings["user"] ?? address.nick
    self.init(
      nick: nick, user: user, realName: settings["realname"] ?? nick, account: address.nick,
      password: Secret(password),
      method: settings["login"].flatMap { Login.Method(rawValue: $0) } ?? .auto)
    // Whose address this is tomorrow, nobody knows.
    heedsStrictTransport = !Endpoint.isNumeric(address.server)
  }
}
