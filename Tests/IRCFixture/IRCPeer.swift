// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import ProsodyFixture

/// Somebody else on IRC: says what a test makes it say, in plain text, and waits for lines.
///
/// ```swift
/// let ben = try IRCPeer(server.port, "ben", capabilities: "message-tags")
/// try ben.join("#tea")
/// ben.send("PRIVMSG #tea :hello")
/// try ben.wait(for: " JOIN ")
/// ```
public final class IRCPeer: @unchecked Sendable {
  /// Its real name, by which the stub knows it.
  public static let realName = "a peer in hobnob's tests"
  public let nick: String
  /// All lines that it got so far, without PING.
  public private(set) var lines: [String] = []
  private let socket: LineSocket

  /// Connects, logs in and waits until the server has greeted it.
  ///
  /// - Parameters:
  ///   - capabilities: what it requests, separated by blanks; nil asks for none, for old servers.
  ///   - account: logs in by SASL PLAIN, with everybody's password.
  ///   - password: for PASS.
  ///   - beforeEnd: lines before CAP END.
  public init(
    _ port: UInt16, _ nick: String, capabilities: String? = nil, account: String? = nil,
    user: String? = nil, password: String? = nil, beforeEnd: [String] = [],
    realName: String = IRCPeer.realName
  ) throws {
    self.nick = nick
    socket = try LineSocket(port)
    if let password { send("PASS :" + password) }
    let wanted = ((capabilities ?? "") + (account == nil ? "" : " sasl")).split(separator: " ")
    if !wanted.isEmpty {
      send("CAP LS 302")
      try wait { $0.contains(" LS ") && !$0.contains(" LS * ") }
      send("CAP REQ :" + wanted.joined(separator: " "))
    }
    send("NICK " + nick)
    send("USER \(user ?? nick) 0 * :\(realName)")
    if !wanted.isEmpty { try wait(for: " ACK ", unless: " NAK ") }
    if let account {
      send("AUTHENTICATE PLAIN")
      try wait(for: "AUTHENTICATE ")
      let words = "\0\(account)\0\(IRCServer.password)"
      send("AUTHENTICATE " + Data(words.utf8).base64EncodedString())
      try wait(for: " 903 ", unless: " 904 ")
    }
    for line in beforeEnd { send(line) }
    if !wanted.isEmpty { send("CAP END") }
    try wait(unless: " 433 ") { $0.contains(" 376 ") || $0.contains(" 422 ") }
  }

  public func send(_ line: String) { socket.send(line) }
  public func send(bytes: [UInt8]) { socket.send(bytes: bytes) }
  public func disconnect() { socket.disconnect() }

  /// Joins a room and waits for its list of people.
  public func join(_ room: String) throws {
    send("JOIN " + room)
    try wait(for: " 366 \(nick) \(room.split(separator: " ")[0])")
  }

  /// Becomes an operator of the network.
  public func becomeOperator() throws {
    send("OPER \(IRCServer.operatorName) :\(IRCServer.password)")
    try wait(for: " 381 ")
  }

  /// Reads on until a line has the text, and returns that line. It looks at each line once.
  @discardableResult
  public func wait(
    for text: String, unless refusal: String? = nil, within seconds: Double = 20
  ) throws -> String {
    try wait(unless: refusal, within: seconds) { $0.contains(text) }
  }

  /// - Throws: ``ServerFailure`` if no such line comes in time, or one with the refusal does.
  @discardableResult
  public func wait(
    unless refusal: String? = nil, within seconds: Double = 20,
    where isWanted: (String) -> Bool
  ) throws -> String {
    let limit = Date(timeIntervalSinceNow: seconds)
    while true {
      let line: String
      do { line = try socket.line(within: limit.timeIntervalSinceNow) } catch {
        throw ServerFailure("\(nick): \(error) behind \(lines.suffix(12))")
      }
      if line.hasPrefix("PING ") {
        send("PONG " + line.dropFirst(5))
        continue
      }
      lines.append(line)
      if isWanted(line) { return line }
      if let refusal, line.contains(refusal) { throw ServerFailure("\(nick): \(line)") }
    }
  }

  /// Asks for an answer, and returns all lines that come before it.
  public func everything(within seconds: Double = 20) throws -> [String] {
    let (first, token) = (lines.count, "until-\(lines.count)")
    send("PING " + token)
    try wait(within: seconds) { $0.contains("PONG") && $0.contains(token) }
    return Array(lines[first...].dropLast())
  }
}
