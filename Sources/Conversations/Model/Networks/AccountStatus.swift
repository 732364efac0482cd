// SPDX-License-Identifier: GPL-3.0-or-later

/// The state of the connection of an account, as its network process reports it.
///
/// Code that depends on the status switches over the case and never parses a sentence.
public enum AccountStatus: Hashable, Sendable {
  /// No process serves the account, and none has left a reason.
  case notRunning
  /// The process is connecting or logging in, or the server has not answered the first queries.
  case connecting
  /// Logged in. The list has what the process is doing at the moment; it is empty if there is
  /// nothing to do.
  case connected([Activity])
  /// Connected, but the store cannot be written: the process reads nothing until it can.
  case storeIsFull
  /// The connection is gone, or there was none. The reason is a sentence; `nextTry`
  /// is a time of the wall clock, nil if unknown.
  case offline(reason: Remark, nextTry: Milliseconds?)
  /// The process has ended, because another try would fail as well. A shell starts no other process
  /// until the owner connects the account again, or opens a shell.
  case ended(reason: Remark)

  /// What a connected process is doing. A percentage says how much of it is done, if known.
  public enum Activity: Hashable, Sendable {
    /// Archives have delivered `received` messages, and more will follow.
    case catchingUp(received: Int, percent: Int?)
    /// This many rooms have not answered yet.
    case entering(rooms: Int)
    /// The server has not yet reported where its rooms are.
    case exploring
    /// A file on its way to or from a server, by its name.
    case uploading(String, percent: Int?)
    case fetching(String, percent: Int?)
    case fetchingSeveral(files: Int)
    /// This many lines wait, since the server accepts only so many at a time.
    case throttled(lines: Int)
    /// The program of the network has so many entries and has answered none since a time of the
    /// wall clock.
    case unanswered(entries: Int, since: Milliseconds)

    /// Whether the activity is only about what the owner sends, or about files.
    fileprivate var isTransfer: Bool {
      switch self {
      case .catchingUp, .entering, .exploring: false
      case .uploading, .fetching, .fetchingSeveral, .throttled, .unanswered: true
      }
    }
  }

  /// Whether the store has what the network has: connected, and done with catching up. Files may
  /// still be on their way.
  public var isSettled: Bool {
    guard case .connected(let activities) = self else { return false }
    return activities.allSatisfy(\.isTransfer)
  }

  /// Whether the process has ended with a reason.
  public var hasEnded: Bool { if case .ended = self { true } else { false } }

  /// The status with one more activity, which shows only while connected.
  package func adding(_ activity: Activity?) -> AccountStatus {
    guard case .connected(let activities) = self, let activity else { return self }
    return .connected(activities + [activity])
  }
}

extension AccountStatus {
  package var json: JSON {
    func status(_ state: String, _ values: [String: JSON] = [:]) -> JSON {
      .object(values.merging(["state": .text(state)]) { $1 })
    }
    return switch self {
    case .notRunning: .null
    case .connecting: status("connecting")
    case .connected(let activities):
      status("connected", ["activities": .array(activities.map(\.json))])
    case .storeIsFull: status("store-full")
    case .offline(let reason, let nextTry):
      status(
        "offline", ["reason": reason.json, "next": nextTry.map { .integer($0) } ?? .null])
    case .ended(let reason): status("ended", ["reason": reason.json])
    }
  }

  /// A value that is damaged, or that only a later version knows, is ``notRunning``; an activity of
  /// that kind is left out. A time is limited to years of four digits.
  package init(_ json: JSON) {
    let reason = Remark(json["reason"])
    switch json["state"].text {
    case "connecting": self = .connecting
    case "connected":
      self = .connected(json["activities"].items.compactMap(Activity.init(json:)))
    case "store-full": self = .storeIsFull
    case "offline":
      self = .offline(
        reason: reason,
        nextTry: json["next"].integer.map {
          min(max($0, Message.times.lowerBound), Message.times.upperBound)
        })
    case "ended": self = .ended(reason: reason)
    default: self = .notRunning
    }
  }
}

extension AccountStatus.Activity {
  fileprivate var json: JSON {
    func doing(_ activity: String, _ values: [String: JSON] = [:]) -> JSON {
      .object(values.merging(["activity": .text(activity)]) { $1 })
    }
    func number(_ number: Int?) -> JSON { number.map { .integer(Int64($0)) } ?? .null }
    return switch self {
    case .catchingUp(let received, let percent):
      doing("catching-up", ["received": number(received), "percent": number(percent)])
    case .entering(let rooms): doing("entering", ["rooms": number(rooms)])
    case .exploring: doing("exploring")
    case .uploading(let name, let percent):
      doing("uploading", ["file": .text(name), "percent": number(percent)])
    case .fetching(let name, let percent):
      doing("fetching", ["file": .text(name), "percent": number(percent)])
    case .fetchingSeveral(let files): doing("fetching-several", ["files": number(files)])
    case .throttled(let lines): doing("throttled", ["lines": number(lines)])
    case .unanswered(let entries, let since):
      doing("unanswered", ["entries": number(entries), "since": .integer(since)])
    }
  }

  package init?(json: JSON) {
    func number(_ name: String) -> Int? { json[name].integer.map { Int($0) } }
    let file = json["file"].text ?? ""
    let percent = number("percent").flatMap { (0...100).contains($0) ? $0 : nil }
    let count = ["received", "rooms", "files", "lines", "entries"].lazy.compactMap(number).first
    switch (json["activity"].text, count) {
    case ("catching-up", let received?): self = .catchingUp(received: received, percent: percent)
    case ("entering", let rooms?): self = .entering(rooms: rooms)
    case ("exploring", _): self = .exploring
    case ("uploading", _): self = .uploading(file, percent: percent)
    case ("fetching", _): self = .fetching(file, percent: percent)
    case ("fetching-several", let files?): self = .fetchingSeveral(files: files)
    case ("throttled", let lines?): self = .throttled(lines: lines)
    case ("unanswered", let entries?):
      guard let since = json["since"].integer, Message.times.contains(since) else { return nil }
      self = .unanswered(entries: entries, since: since)
    default: return nil
    }
  }
}
