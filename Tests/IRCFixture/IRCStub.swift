// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import ProsodyFixture

/// A strict server with everything that no packaged server has: Stub/stub.py. It records what
/// breaks the protocol, so that a test can expect that nothing did, and every message that it
/// accepted, which proves that nothing was lost or came twice.
///
/// ```swift
/// var options = IRCStub.Options()
/// options.without = ["labeled-response"]
/// let stub = try IRCStub(options)
/// …
/// #expect(try stub.violations().isEmpty)
/// #expect(try stub.accepted().map(\.text) == ["hello"])
/// ```
public final class IRCStub: IRCServer, @unchecked Sendable {
  /// world.py has the values for what is nil, and says more about each.
  public struct Options: Encodable, Sendable {
    /// What it offers; nil for everything.
    public var capabilities: [String]?
    /// What it does not offer.
    public var without: [String] = []
    /// Values of capabilities, such as `draft/multiline` or `sts`.
    public var values: [String: String]?
    /// False for a server that knows no CAP.
    public var speaksCAP: Bool?
    /// After how many bytes it starts another line of CAP LS.
    public var lineOfLS: Int?
    /// Tokens of 005, such as `CASEMAPPING` or `CLIENTTAGDENY`; nil removes one.
    public var isupport: [String: String?]?
    public var people: [String: String] = ["anna": password, "ben": password]
    public var mechanisms: [String]?
    /// Signs SCRAM as somebody would who does not know the password.
    public var liesInSCRAM: Bool?
    /// For PASS.
    public var needsPassword: String?
    /// For how many seconds clients must use TLS.
    public var sts: Int?
    /// How many lines of history one may ask for.
    public var historyLimit: Int?
    /// `msgid`, `timestamp` or both: what one may ask the history for.
    public var references: String?
    /// Sends reactions in a history, as context of the messages.
    public var sendsContext: Bool?
    /// For how many seconds one may redact.
    public var redactionWindow: Double?
    /// Of draft/multiline.
    public var maxBytes: Int?
    public var maxLines: Int?
    /// Accounts stay in their rooms when their last connection ends.
    public var isAlwaysOn: Bool?
    /// The networks of a bouncer and their attributes; nil for no bouncer.
    public var networks: [String: [String: String]]?
    /// soju.im/FILEHOST.
    public var hasFiles: Bool?
    public var filesAreRelative: Bool?
    public var stripsColours: Bool?
    /// More lines at once, or more than one in so many seconds behind them, are a violation.
    public var floodLines: Int?
    public var floodSeconds: Double?
    fileprivate var ports: [UInt16]?
    fileprivate var certificate: String?
    fileprivate var key: String?
    fileprivate var authority: String?

    public init() {}
  }

  /// A message that it has accepted.
  public struct Accepted: Decodable, Sendable {
    public var nick, command, target, text, msgid, network: String
    /// Its server-time.
    public var stamp: String
    public var tags: [String: String]
    /// Seconds since 1970.
    public var time: Double
  }

  /// A line that it got from a client that is not the tests'.
  public struct Line: Decodable, Sendable {
    public var nick: String?
    public var line: String
    public var time: Double
  }

  /// A file that it got.
  public struct Upload: Decodable, Sendable {
    public var account, data: String
    public var type, disposition: String?
    public var size: Int
  }

  public init(_ options: Options = Options(), certificates: Certificates? = nil) throws {
    try super.init("irc-stub", ports: 4, certificates: certificates)
    var options = options
    (options.ports, options.authority) = (ports, self.certificates.authority)
    (options.certificate, options.key) = (certificate.certificate, certificate.key)
    let folder = URL(filePath: #filePath).deletingLastPathComponent().path + "/Stub"
    command = [
      "/usr/bin/python3", "-B", folder + "/stub.py",
      String(decoding: try JSONEncoder().encode(options), as: UTF8.self),
    ]
    try start()
  }

  // MARK: - What happened

  /// What broke the protocol, in order.
  public func violations() throws -> [String] { try ask("tell", ["what": "violations"]) }
  public func accepted() throws -> [Accepted] { try ask("tell", ["what": "accepted"]) }
  public func lines() throws -> [Line] { try ask("tell", ["what": "lines"]) }
  public func uploads() throws -> [Upload] { try ask("tell", ["what": "uploads"]) }

  // MARK: - What shall happen

  /// Changes options while it runs: keys are names of ``Options``.
  public func set(_ options: [String: Any]) throws { try tell("set", ["options": options]) }

  /// Sends a line as it is to the connections of a nick; "*" is everybody but the tests' own.
  public func inject(_ line: String, to nick: String = "*") throws {
    try tell("inject", ["nick": nick, "line": line])
  }

  /// Ends connections without a word.
  public func drop(_ nick: String = "*") throws { try tell("drop", ["nick": nick]) }

  public enum Moment: String { case before, after }

  /// Ends the connection without an answer at the `count`th command from now, before it is carried out
  /// or behind that.
  public func drop(
    _ nick: String, _ when: Moment, _ count: Int, of command: String = "PRIVMSG"
  ) throws {
    try tell(
      "dropAt", ["nick": nick, "count": count, "command": command, "when": when.rawValue])
  }

  /// Stops reading from connections, or reads on.
  public func read(_ nick: String, _ isReading: Bool) throws {
    try tell("read", ["nick": nick, "isReading": isReading])
  }

  /// Keeps back what it would send to clients that are not the tests' own.
  public func hold(_ isHolding: Bool) throws { try tell("hold", ["isHolding": isHolding]) }

  /// CAP NEW: a name, or a name and a value such as `sasl=PLAIN`.
  public func add(capability: String) throws { try tell("offer", ["add": capability]) }
  /// CAP DEL.
  public func remove(capability: String) throws { try tell("offer", ["remove": capability]) }

  /// Puts people without a connection into a room.
  public func add(
    members nicks: [String] = [], count: Int = 0, to room: String, network: String = ""
  ) throws {
    try tell("members", ["room": room, "nicks": nicks, "count": count, "network": network])
  }

  /// Puts messages into a history, which nobody gets now.
  ///
  /// - Parameters:
  ///   - start: the first one's time, in seconds since 1970; nil so that the last one is of now.
  ///   - step: the seconds between two.
  /// - Returns: their msgids.
  @discardableResult
  public func addHistory(
    _ texts: [String], from nick: String, to target: String, start: Double? = nil,
    step: Double = 1, network: String = ""
  ) throws -> [String] {
    var words: [String: Any] = [
      "texts": texts, "nick": nick, "target": target, "step": step, "network": network,
    ]
    words["start"] = start
    return try ask("past", words)
  }

  /// Somebody without a connection speaks.
  ///
  /// - Returns: the msgids.
  @discardableResult
  public func say(
    _ texts: [String], from nick: String, to target: String, command: String = "PRIVMSG",
    tags: [String: String] = [:], network: String = ""
  ) throws -> [String] {
    try ask(
      "say",
      [
        "texts": texts, "nick": nick, "target": target, "command": command, "tags": tags,
        "network": network,
      ])
  }

  /// Changes a network of the bouncer; nil removes it.
  public func set(network: String, _ attributes: [String: String]?) throws {
    try tell("network", ["name": network, "attributes": attributes ?? NSNull()])
  }

  private func tell(_ command: String, _ words: [String: Any]) throws {
    _ = try answer(command, words)
  }

  private func ask<Answer: Decodable>(_ command: String, _ words: [String: Any]) throws -> Answer {
    try JSONDecoder().decode(Answer.self, from: Data(try answer(command, words).utf8))
  }

  private func answer(_ command: String, _ words: [String: Any]) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: words.merging(["do": command]) { $1 })
    let socket = try LineSocket(ports[2])
    socket.send(String(decoding: data, as: UTF8.self))
    do { return try socket.line() } catch {
      throw ServerFailure("\(command): \(error): \(log.suffix(2000))")
    }
  }
}
