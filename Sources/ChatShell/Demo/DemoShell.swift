// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatScripts
import Conversations
import Glibc
import Platform
import StyledText

/// `hobnob demo`: the shell on a store of its own, with two made-up people who answer.
package struct DemoShell: Subcommand {
  package static let name = "demo"
  package static let abstract: StaticString =
    "Try hobnob with two made-up people; it leaves nothing behind."
  package static var parameters: [Parameter<Self>] { [] }

  package init() {}

  package func run(_ launch: Launch) throws -> Int32 {
    guard launch.options.store == nil, !launch.options.shared else {
      throw WrongUsage(
        say("hobnob demo has a store of its own; leave out --store and --shared."))
    }
    guard isatty(0) == 1 else {
      throw Refusal(say("hobnob demo needs a terminal to type at."))
    }
    let parents = [
      launch.environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil },
      TemporaryFile.folder(launch.environment), "/tmp",
    ]
    let folder: ScratchFolder
    do {
      folder = try ScratchFolder("hobnob-demo-", in: parents.compactMap { $0 })
    } catch let failure as SystemFailure {
      throw Refusal(
        say("hobnob demo could not make a folder: %1.", SafeText(line: failure.reason)))
    }
    defer { folder.remove() }
    return try open(launch.inside(folder.path))
  }

  @MainActor private func open(_ launch: Launch) throws -> Int32 {
    let people: DemoPeople
    do {
      var time = Clock.wall()
      let store = try Store(
        path: try launch.storePath, options: .init(createIfMissing: true), clock: { time })
      defer { store.close() }
      let guest = try launch.participant(in: store, rc: launch.loadRc { _ in })
      people = try DemoPeople(in: store, with: guest)
      let history = DemoHistory(by: people.cast, for: guest, before: time) { time = $0 }
      try store.writeDurably { try history.write(into: $0) }
    }
    defer { people.leave() }
    return try launch.shell(
      "lobby", creates: false, greeting: introduction(people.cast),
      accountObstacle: say(
        "The demonstration has no accounts. To add one, leave it and start hobnob."),
      beside: people.startListening)
  }

  private func introduction(_ cast: DemoCast) -> [StyledLine] {
    let (ada, ben) = (SafeText(name: cast.host.name), SafeText(name: cast.friend.name))
    return [
      StyledLine(
        say(
          "This is a demonstration: %1 and %2 are made-up people who answer a few lines.", ada, ben)
      ),
      StyledLine(
        say("Write to them, or type /tutorial; /next goes to the message that %1 sent you.", ada),
        .dim),
      StyledLine(say("When you leave, with /quit or C-d, hobnob removes all of it."), .dim),
    ]
  }
}

extension Launch {
  /// This launch, but with a folder for its store and all other files that hobnob writes. Settings
  /// and themes are still the person's own.
  fileprivate func inside(_ folder: String) -> Launch {
    var (options, environment) = (options, environment)
    let rc = RcFile.defaultPath(environment: environment)
    if options.rc == nil, access(rc, F_OK) == 0 { options.rc = rc }
    options.store = folder + "/store.sqlite"
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME"] { environment[name] = folder }
    return Launch(options: options, environment: environment)
  }
}
