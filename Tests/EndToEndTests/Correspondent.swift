// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Testing

@testable import NetworkInbox

/// Someone with an account on a server, without a shell: the store, the network's process, and a
/// proxy between that and the server.
final class Correspondent {
  let name: String
  let home: Home
  let store: Store
  let proxy: FreezableProxy
  let me: ID<Participant>
  let account: Account
  private(set) var process: Program?
  /// When it was last told to connect at once.
  private var hurried = Date.distantPast

  /// - Parameter settings: of the account, besides those that lead to the server.
  convenience init(
    _ name: String, at server: LocalServer, settings: [String: String] = [:]
  ) throws {
    try self.init(
      name, on: "xmpp:\(name)@\(LocalServer.domain)", port: server.port,
      settings: [
        "ca": server.folder + "/certs/ca.crt", "password-command": "echo secret",
      ].merging(settings) { $1 })
  }

  /// - Parameters:
  ///   - network: the account, as in `irc:anna@irc.example.net`.
  ///   - port: the server's, on this machine.
  init(_ name: String, on network: String, port: Int, settings: [String: String]) throws {
    self.name = name
    home = try Home()
    proxy = try FreezableProxy(to: port)
    // The first message creates the store.
    try home.say("here", as: name)
    store = try Store(path: home.store)
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: name) }.id
    self.me = me
    account = try store.writeDurably {
      try $0.addAccount(owner: me, network: network)
    }
    try home.list(
      account,
      ["host": "127.0.0.1", "port": String(proxy.port), "keep-alive": "2"]
        .merging(settings) { $1 })
  }

  deinit {
    process?.kill(SIGKILL)
    proxy.close()
    store.close()
  }

  /// Beside the tested program.
  static let networkProgram = (Home.program as NSString).deletingLastPathComponent + "/hobnob-xmpp"
  private var program: String {
    (Home.program as NSString).deletingLastPathComponent + "/hobnob-" + account.kind
  }

  /// - Parameter command: what starts the program, and stays the same process.
  func start(through command: [String] = []) throws {
    process = try Program(
      command + [program, "--stay", home.store, account.network], environment: home.environment)
  }

  /// Starts, and waits until all is well.
  func connect() throws {
    try start()
    try ask(.abilities)
  }

  /// Asks for something and waits for the answer.
  @discardableResult
  func ask(
    _ verb: NetworkRequest.Verb, target: String = "", person: String = "", text: String = "",
    count: Int = 0, secret: String = ""
  ) throws -> String {
    let position = try store.read { try $0.position }
    let request = try store.writeDurably {
      try $0.ask(
        verb, target: target, person: person, text: text, count: count, secret: secret,
        of: account)
    }
    var answer: NetworkAnswer?
    _ = try wait {
      answer = try store.read { try $0.changes(since: position, for: me) }.answers.first {
        $0.request.id == request.id
      }
      return answer != nil
    }
    return try #require(answer, "no answer to \(verb); “\(status)”, \(process?.errors ?? "")").text
      .text
  }

  /// Ends the network process, by a crash or normally.
  func kill(_ signal: Int32 = SIGKILL) {
    process?.kill(signal)
    _ = process?.finish()
    process = nil
  }

  /// The state of the account's connection.
  var status: AccountStatus {
    (try? store.read { try $0.account(network: account.network) })?.status ?? .notRunning
  }

  /// Whether the server has everything sent here.
  var isDone: Bool { (try? store.read { try $0.outbox(of: account.network) })?.isEmpty == true }

  /// Does not wait for the next try, as `/connect` in a shell.
  func hurry() throws {
    // A try takes a moment, and one that is asked for meanwhile would begin anew.
    guard case .offline = status, Date() > hurried + 0.5 else { return }
    hurried = Date()
    try store.writeDurably { try $0.ask(.reconnect, of: account) }
  }

  func room(_ address: String) throws -> ID<Conversation> {
    let room = try store.writeDurablyIfNeeded {
      try $0.networkRoom(address, network: account.network)
    }
    try store.writeDurablyIfNeeded { try $0.join(me, room.id) }
    try store.writeDurably { try $0.ask(.join, target: address, of: account) }
    return room.id
  }

  func chat(with name: String) throws -> ID<Conversation> {
    try chat(at: "\(name)@\(LocalServer.domain)")
  }

  func chat(at address: String) throws -> ID<Conversation> {
    try store.writeDurably { try $0.networkChat(with: address, of: account) }.id
  }

  @discardableResult
  func say(
    _ text: String, in place: ID<Conversation>, to message: Message? = nil
  ) throws -> Message {
    try store.writeDurably { try $0.send(text, in: place, by: me, replyTo: message?.id) }
  }

  /// Waits for a message with this text that meets the condition.
  @discardableResult
  func expect(
    _ text: String, in place: ID<Conversation>, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: (Message) throws -> Bool = { _ in true }
  ) throws -> Message {
    let isThere = try wait(for: 20) {
      try messages(in: place).contains { try $0.body == text && condition($0) }
    }
    let all = try messages(in: place)
    try #require(
      isThere, "no “\(text)” for \(name), “\(status)”, in \(all)", sourceLocation: sourceLocation)
    #expect(all.count { $0.body == text } == 1, sourceLocation: sourceLocation)
    return try #require(try all.first { try $0.body == text && condition($0) })
  }

  /// All messages of a conversation as they are shown, with backfill.
  func messages(in place: ID<Conversation>) throws -> [Message] {
    try store.read { try $0.messages(in: place, limit: 1_000_000, for: me) }
  }

  /// Waits until the store meets the condition.
  func wait(for seconds: Double = 30, until condition: () throws -> Bool) rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while try !condition() {
      if Date() > end { return false }
      poll(nil, 0, 20)
    }
    return true
  }
}
