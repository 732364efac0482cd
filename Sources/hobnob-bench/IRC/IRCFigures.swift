// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Platform

/// Measures an account on IRC, on a server with invented rooms: the end of a split of the network,
/// and entering a hundred rooms while somebody types, beside irssi and WeeChat.
enum IRCFigures {
  private static let rooms = 100
  private static let network = "irc:anna@localhost"

  static func measure(_ program: BenchedProgram, in folder: ScratchFolder) -> [Figure] {
    guard let irc = program.irc else {
      note("IRC is not measured: there is no hobnob-irc beside \(program.built)")
      return []
    }
    note("IRC …")
    do {
      let server = try Server()
      return try returnFromSplit(irc, folder, server) + join(program, irc, folder, server)
    } catch {
      return [Figure(name: "IRC", measured: "not measured: \(error)", isReached: false)]
    }
  }

  /// The server as a process of its own.
  private final class Server {
    let port: String
    private let process: pid_t
    private let output: Int32
    private var text: [UInt8] = []

    init() throws {
      guard let pipe = ChildProcess.pipe(),
        let process = ChildProcess.start(
          [ScratchFolder.ownPath, "--irc-server"], input: .null,
          output: .descriptor(pipe.writing), group: .own)
      else { throw MeasuringError("cannot start an IRC server") }
      close(pipe.writing)
      (self.process, output) = (process, pipe.reading)
      var bytes: [UInt8] = []
      var byte: UInt8 = 0
      while read(output, &byte, 1) == 1, byte != 0x0A { bytes.append(byte) }
      port = String(decoding: bytes, as: UTF8.self)
    }

    deinit {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
      close(output)
    }

    /// Waits until a client has handled the names of a room.
    ///
    /// - Returns: when that was.
    func wait(for room: String, seconds: Int64 = 60) throws -> Int64 {
      let end = now() + seconds * 1_000_000_000
      let line = Array((room + "\n").utf8)
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        if String(decoding: text, as: UTF8.self).contains(String(decoding: line, as: UTF8.self)) {
          text = []
          return now()
        }
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        poll(&ready, 1, seconds == 0 ? 0 : 200)
        if ready.revents == 0 {
          if now() >= end { throw MeasuringError("nobody handled \(room)") }
          continue
        }
        let count = read(output, &buffer, buffer.count)
        if count > 0 { text += buffer[..<count] }
      }
    }
  }

  private static func child(
    _ irc: String, _ path: String, _ server: Server, rooms: Int
  ) throws -> NetworkChild {
    let child = try NetworkChild(
      irc, path, network: network,
      [
        "host": "127.0.0.1", "port": server.port, "tls": "off", "login": "none",
        "password-command": "/bin/echo none",
      ])
    var events: [NetworkEvent] = [
      .rules(AddressRules(roomSigns: "#", folding: .ascii, identityScope: .network))
    ]
    for number in 0..<rooms { events.append(.joined(room: "#room\(number)", nick: "anna")) }
    events.append(.offline())
    try StoredAccount(network: network, inStoreAt: child.store.path)?.lease()?.apply(events)
    return child
  }

  /// Stores the return of people into a room that they have often left and entered.
  private static func returnFromSplit(
    _ irc: String, _ folder: ScratchFolder, _ server: Server
  ) throws -> [Figure] {
    let child = try child(irc, "\(folder.path)/ircsplit/store.sqlite", server, rooms: 1)
    guard let lease = try StoredAccount(network: network, inStoreAt: child.store.path)?.lease()
    else { throw MeasuringError("the account is in use") }
    let people = (0..<4_000).map { NetworkUser(identity: "guest\($0)", name: "guest\($0)") }
    let returns = people.map { NetworkEvent.present($0, room: "#room0") }
    let leaves = people.map { NetworkEvent.absent($0, room: "#room0") }
    try lease.apply([.joined(room: "#room0", nick: "anna")])
    for _ in 0..<3 { try lease.apply(returns + leaves) }
    let start = now()
    try lease.apply(returns)
    let took = now() - start
    return [
      Figure(
        name: "IRC: 4,000 people back from a netsplit, longest lock of the store",
        measured: "\(lease.longestLock) ms", beside: "all stored in \(milliseconds(took))",
        target: "< 100 ms", isReached: lease.longestLock < 100)
    ]
  }

  /// Enters a hundred rooms of five hundred people each.
  private static func join(
    _ program: BenchedProgram, _ irc: String, _ folder: ScratchFolder, _ server: Server
  ) throws -> [Figure] {
    let store = try BenchStore.make(in: folder, named: "ircrooms", messages: 1_000)
    let child = try child(irc, store.path, server, rooms: rooms)
    let shell = try program.open(store)
    let last = "#room\(rooms - 1)"
    var keys = Samples()
    try child.launch()
    var joined: Int64 = 0
    var number = 0
    while joined == 0 {
      let start = now()
      guard start - child.startedAt < 60_000_000_000 else {
        throw MeasuringError("the rooms let nobody in")
      }
      let letter = Array("qzjkv".utf8)[number % 5]
      shell.type([letter])
      keys.add(try shell.wait(for: [letter]) - start)
      shell.settle(milliseconds: 3)
      if number % 60 == 59 {
        shell.type([0x15])
        shell.settle(milliseconds: 20)
      }
      number += 1
      if try child.store.read({ try $0.account(network: network)?.status.isSettled }) == true {
        joined = now()
      }
    }
    let took = joined - child.startedAt
    // What entering needed is released a moment later.
    shell.settle(milliseconds: 500)
    let memory = try Footprint.residentBytes(of: child.process)
    guard
      let room = try child.store.read({ try $0.room(last, for: child.account.owner) }),
      try child.store.read({ try $0.members(of: room.id) }).count == InventedIRC.peoplePerRoom + 1
    else { throw MeasuringError("the store does not have everybody in \(last)") }
    _ = try server.wait(for: last)
    child.stop()
    shell.type([0x15])
    shell.settle(milliseconds: 300)
    try shell.leave()
    let peers = peers(folder, server, last)
    return [
      Figure(
        name: "IRC: 100 rooms of 500 people entered", measured: milliseconds(took),
        beside: peers.map { "\($0.name) \($0.time)" }.joined(separator: ", "), target: "< 3 s",
        isReached: took < 3_000_000_000),
      Figure(
        name: "  … key to echo meanwhile, 99th percentile",
        measured: milliseconds(keys.percentile(99)), beside: "\(keys.count) keys",
        target: "< 2 ms", isReached: keys.percentile(99) < 2_000_000),
      Figure(
        name: "  … resident memory of hobnob-irc then", measured: megabytes(memory),
        beside: peers.map { "\($0.name) \($0.memory)" }.joined(separator: ", "),
        target: "< 20 MB", isReached: memory < 20_000_000),
    ]
  }

  /// The time from start to joined, and the memory, of other clients that are installed.
  private static func peers(
    _ folder: ScratchFolder, _ server: Server, _ last: String
  ) -> [(name: String, time: String, memory: String)] {
    let names = (0..<rooms).map { "#room\($0)" }
    let line = "/join " + names.joined(separator: ",")
    let clients: [(String, [String])] = [
      (
        "irssi",
        [
          "irssi", "--home=\(folder.path)/irssi", "-c", "127.0.0.1", "-p", server.port, "-n",
          "anna",
        ]
      ),
      (
        "WeeChat",
        [
          "weechat-headless", "--stdout", "-d", "\(folder.path)/weechat",
          "irc://anna@127.0.0.1:\(server.port)/" + names.joined(separator: ","),
        ]
      ),
    ]
    return clients.map { name, command in
      do {
        let child = try TerminalChild(command, environment: BenchedProgram.environment)
        var start = child.startedAt
        if name == "irssi" {
          // It has no option for rooms.
          child.settle(milliseconds: 700)
          start = now()
          try child.typeAll(Array((line + "\r").utf8))
        }
        var end: Int64 = 0
        // It must read what the client draws, or the client would wait.
        let limit = now() + 30_000_000_000
        while end == 0, now() < limit {
          child.settle(milliseconds: 1)
          end = (try? server.wait(for: last, seconds: 0)) ?? 0
        }
        guard end > 0 else { throw MeasuringError("it did not enter the rooms") }
        return (
          name, milliseconds(end - start),
          megabytes(try Footprint.residentBytes(of: child.process))
        )
      } catch {
        return (name, "not measured", "not measured")
      }
    }
  }
}
