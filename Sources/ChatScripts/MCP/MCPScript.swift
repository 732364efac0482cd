// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Glibc
import Platform
import StyledText

/// `hobnob mcp` (rule 11.9): lets an agent take part in conversations, by the Model Context
/// Protocol on standard input and output.
struct MCPScript: Subcommand {
  static let name = "mcp"
  static let abstract: StaticString = "Let an agent take part, by the Model Context Protocol."
  static var parameters: [Parameter<Self>] {
    [
      Parameter(
        "--rooms", \.rooms, value: "names", completes: .conversations,
        "The rooms to enter and to show, separated by commas; without it, the rooms of this machine that the agent is in."
      )
    ]
  }

  var rooms: [String] = []

  private var names: [String] { rooms.flatMap { $0.split(separator: ",").map(String.init) } }

  func validate() throws {
    // An empty variable of a shell must not mean all rooms.
    if !rooms.isEmpty, names.isEmpty {
      throw WrongUsage(say("--rooms needs the name of a room."))
    }
  }

  /// - Returns: 0 at the end of standard input.
  func run(_ launch: Launch) throws -> Int32 {
    guard let name = launch.options.as else {
      throw WrongUsage(say("hobnob mcp needs --as NAME: an agent has a name of its own."))
    }
    try refuseOwn(name, launch)
    return try launch.script(creates: true) { script in
      let rooms = try AgentRooms(script, named: names)
      if try rooms.all().isEmpty {
        StandardError.say(
          say("%1 is in no room; --rooms enters one.", SafeText(name: script.me.name)))
      }
      _ = try script.store.shells.attach(script.me.id)
      let agent = Agent(
        script: script, rooms: rooms,
        emoji: Preferences.emojiTable(environment: launch.environment))
      let server = AgentServer(
        agent, version: launch.version, limit: try agent.limit(at: Clock.wall()),
        clock: Clock.wall)
      try AgentLoop(server, agent).run()
      return 0
    }
  }

  /// Refuses the name of the person who starts the agent, unless it is a program's already: others
  /// would see that person as a program from then on.
  @MainActor private func refuseOwn(_ name: String, _ launch: Launch) throws {
    guard let own = launch.ownName(try launch.loadRc { _ in }), Naming.same(own, name) else {
      return
    }
    if fileStatus(try launch.storePath) != nil {
      let store = try launch.openStore(create: false)
      defer { store.close() }
      let isProgram = try store.read { snapshot in
        try snapshot.participant(ifKnown: name).map { try snapshot.isProgram($0.id) }
      }
      if isProgram == true { return }
    }
    throw Refusal(
      say(
        "%1 is your own name, and hobnob mcp would show you to the others as a program; give the agent another one, such as --as %1-agent.",
        SafeText(line: name)))
  }
}

/// Feeds an agent's server from standard input, the store's bell and a timer.
@MainActor
private final class AgentLoop {
  private let server: AgentServer
  private let agent: Agent
  private let loop = EventLoop()
  private var lines = InputLines()
  private var timer: TimerID?

  init(_ server: AgentServer, _ agent: Agent) { (self.server, self.agent) = (server, agent) }

  func run() throws {
    loop.watch(try agent.script.store.bellDescriptor) { [unowned self] in
      _ = agent.script.store.drainBell()
      storeChanged()
    }
    loop.watch(0) { [unowned self] in readInput() }
    loop.endOfTurn { [unowned self] in
      loop.schedule(&timer, at: server.nextEnd) { [unowned self] in
        write(server.answers(at: loop.now))
      }
    }
    storeChanged()
    loop.run()
  }

  private func storeChanged() {
    // If the store is locked, the next change does it.
    try? agent.rooms.takePart()
    write(server.answersAfterChange())
  }

  private func readInput() {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = read(0, &piece, piece.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    let ended = count > 0 ? lines.take(piece[..<count]) : [lines.end()]
    for line in ended { write(server.answers(to: line, at: loop.now)) }
    if count <= 0 { loop.stop() }
  }

  private func write(_ answers: [String]) {
    for answer in answers { agent.script.output.write(JSONLine.safe(answer)) }
    agent.script.output.flush()
    if agent.script.output.isClosed { loop.stop() }
  }
}
