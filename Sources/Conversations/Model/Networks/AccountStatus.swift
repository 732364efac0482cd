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
  /// The connection is gone, or there was none. The reason is a sentence without its full stop;
  /// `nextTry` is a time of the wall clock, nil if unknown.
  case offline(reason: String, nextTry: Milliseconds?)
  /// The process has ended, because another try would fail as well. A shell starts no other process
  /// until the owner connects the account again, or opens a shell.
  case ended(reason: String)

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

    /// Whether the activity is only about what the owner sends, or about files.
    fileprivate var isTransfer: Bool {
      switch self {
      case .catchingUp, .entering, .exploring: false
      case .uploading, .fetching, .fetchingSeveral, .throttled: true
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
  /// The form in the store: a line with the state, then one for each value or activity. It is empty
  /// if nothing runs.
  package var storedForm: String {
    switch self {
    case .notRunning: ""
    case .connecting: "connecting"
    case .connected(let activities):
      (["connected"] + activities.map(\.storedForm)).joined(separator: "\n")
    case .storeIsFull: "store-full"
    case .offline(let reason, let nextTry):
      (["offline", "reason " + Self.line(reason)] + (nextTry.map { ["next \($0)"] } ?? []))
        .joined(separator: "\n")
    case .ended(let reason): "ended\nreason " + Self.line(reason)
    }
  }

  /// A status in its stored form. Text that is damaged, or that only a later version knows, is
  /// ``notRunning``; an activity of that kind is left out. A time is limited to years of four
  /// digits.
  package init(storedForm: String) {
    let lines = storedForm.split(separator: "\n")
    let values = Dictionary(lines.dropFirst().map { $0.keyAndValue }) { $1 }
    switch lines.first {
    case "connecting": self = .connecting
    case "connected": self = .connected(lines.dropFirst().compactMap(Activity.init(storedForm:)))
    case "store-full": self = .storeIsFull
    case "offline":
      self = .offline(
        reason: values["reason"] ?? "",
        nextTry: values["next"].flatMap { Milliseconds($0) }.map {
          min(max($0, Message.times.lowerBound), Message.times.upperBound)
        })
    case "ended": self = .ended(reason: values["reason"] ?? "")
    default: self = .notRunning
    }
  }

  /// The text without line breaks: a text from elsewhere must not begin another line.
  fileprivate static func line(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}

extension AccountStatus.Activity {
  /// A name, then numbers, then a text; `-` if the percentage is unknown.
  fileprivate var storedForm: String {
    func number(_ percent: Int?) -> String { percent.map(String.init) ?? "-" }
    return switch self {
    case .catchingUp(let received, let percent): "catching-up \(received) \(number(percent))"
    case .entering(let rooms): "entering \(rooms)"
    case .exploring: "exploring"
    case .uploading(let name, let percent):
      "uploading \(number(percent)) " + AccountStatus.line(name)
    case .fetching(let name, let percent):
      "fetching \(number(percent)) " + AccountStatus.line(name)
    case .fetchingSeveral(let files): "fetching-several \(files)"
    case .throttled(let lines): "throttled \(lines)"
    }
  }

  fileprivate init?(storedForm: Substring) {
    // A file's name may begin with a blank, or with a mark that joins the one before it.
    let parts = storedForm.split(
      maxSplits: 2, omittingEmptySubsequences: false, whereSeparator: \.isWhitespace)
    let number = parts.count > 1 ? Int(parts[1]) : nil
    let behind = parts.count > 2 ? String(parts[2]) : ""
    func percent(_ number: Int?) -> Int? { number.flatMap { (0...100).contains($0) ? $0 : nil } }
    switch (parts[0], number) {
    case ("catching-up", let received?):
      self = .catchingUp(received: received, percent: percent(Int(behind)))
    case ("entering", let rooms?): self = .entering(rooms: rooms)
    case ("exploring", _): self = .exploring
    case ("uploading", _): self = .uploading(behind, percent: percent(number))
    case ("fetching", _): self = .fetching(behind, percent: percent(number))
    case ("fetching-several", let files?): self = .fetchingSeveral(files: files)
    case ("throttled", let lines?): self = .throttled(lines: lines)
    default: return nil
    }
  }
}
