// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Platform

/// Measures an account on IRC, on a server with invented rooms: the end of a split of the network,
/// and entering a hundred rooms while somebody types.
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

    init() throws {
      guard let pipe = ChildProcess.pipe(),
        let process = ChildProcess.start(
          [ScratchFolder.ownPath, "--irc-server"], input: .null,
          output: .descriptor(pipe.writing), group: .own)
      else { throw MeasuringError("cannot start an IRC server") }
      close(pipe.writing)
      defer { close(pipe.reading) }
      self.process = process
      var bytes: [UInt8] = []
      var byte: UInt8 = 0
      while read(pipe.reading, &byte, 1) == 1, byte != 0x0A { bytes.append(byte) }
      port = String(decoding: bytes, as: UTF8.self)
    }

    deinit {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
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
    child.stop()
    shell.type([0x15])
    shell.settle(milliseconds: 300)
    try shell.leave()
    return [
      Figure(
        name: "IRC: 100 rooms of 500 people entered", measured: milliseconds(took),
        target: "< 3 s", isReached: took < 3_000_000_000),
      Figure(
        name: "  … key to echo meanwhile, 99th percentile",
        measured: milliseconds(keys.percentile(99)), beside: "\(keys.count) keys",
        target: "< 2 ms", isReached: keys.percentile(99) < 2_000_000),
      Figure(
        name: "  … resident memory of hobnob-irc then", measured: megabytes(memory),
        target: "≤ 24 MB", isReached: memory <= 24_000_000),
    ]
  }
}
