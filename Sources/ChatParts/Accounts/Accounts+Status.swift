// SPDX-License-Identifier: GPL-3.0-or-later
import ChatRendering
import Conversations
import Platform
import StyledText

/// The connection states of the person's accounts, which commands and the status line read.
extension Accounts {
  /// The state of an account's connection; nil if the person has disconnected it.
  private func status(of account: Account) -> AccountStatus? {
    isWanted(account) ? processes.status(of: account) : nil
  }

  package func words(
    for account: Account, _ detail: AccountStatus.Detail = .whole, bars: Glyphs? = nil
  ) -> SafeText {
    status(of: account)?.words(detail, bars: bars, now: Clock.wall()) ?? say("disconnected")
  }

  /// The state of each account that is not simply connected, for the status line. That an account
  /// is offline matters only if one of its conversations is open, a message waits for it, or the
  /// person told this shell to connect it.
  ///
  /// - Parameter networks: the open conversation's network, and those with unsent messages.
  package func status(_ detail: AccountStatus.Detail, of networks: Set<String>) -> SafeText? {
    let said = list.compactMap { account -> SafeText? in
      switch status(of: account) {
      case .notRunning, .connected([]): return nil
      case .connected, .storeIsFull, .ended: break
      case nil, .connecting, .offline:
        let isExpected = isWanted(account) && processes.awaits(account)
        guard isExpected || networks.contains(account.network) else { return nil }
      }
      return say(
        "%1: %2", SafeText(line: list.count > 1 ? account.name : account.kind),
        words(for: account, detail, bars: detail == .whole ? glyphs : nil))
    }
    return said.isEmpty ? nil : said.joined(separator: "; ")
  }

  /// Whether a network is not connected or still catching up; false for this machine.
  package func isUnsettled(_ network: String?) -> Bool {
    list.contains { $0.network == network && !(isWanted($0) && $0.status.isSettled) }
  }
}
