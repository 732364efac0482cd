// SPDX-License-Identifier: GPL-3.0-or-later
import Dispatch
import Glibc
import Platform
import Synchronization

/// Looks names up beside a loop, each in a thread of its own: a name server that does not answer
/// holds up neither the loop nor other names.
@MainActor
final class ThreadedNames: NameSource {
  /// How many at a time: more than the connection and the downloads of an account ask for.
  static let most = 20

  private let loop: EventLoop
  private let findServices: @Sendable (String) -> [ServiceRecord]
  private let findAddresses: @Sendable (String) -> Result<[String], UnknownHost>
  private var waiting: [() -> Void] = []
  private(set) var running = 0

  /// - Parameters:
  ///   - services: finds the records of a name, and may take its time.
  ///   - addresses: the same for the addresses of a host.
  init(
    loop: EventLoop,
    services: @escaping @Sendable (String) -> [ServiceRecord] = { ServiceRecord.lookUp($0) },
    addresses: @escaping @Sendable (String) -> Result<[String], UnknownHost> = {
      SystemNames.addresses(of: $0)
    }
  ) {
    (self.loop, findServices, findAddresses) = (loop, services, addresses)
  }

  func services(_ name: String, _ then: @escaping ([ServiceRecord]) -> Void) {
    run({ [findServices] in findServices(name) }, then)
  }

  func addresses(
    of host: String, _ then: @escaping (Result<[String], UnknownHost>) -> Void
  ) {
    run({ [findAddresses] in findAddresses(host) }, then)
  }

  private func run<Answer: Sendable>(
    _ work: @escaping @Sendable () -> Answer, _ then: @escaping (Answer) -> Void
  ) {
    waiting.append { [self] in begin(work, then) }
    beginNext()
  }

  private func beginNext() {
    while running < Self.most, !waiting.isEmpty { waiting.removeFirst()() }
  }

  private func begin<Answer: Sendable>(
    _ work: @escaping @Sendable () -> Answer, _ then: @escaping (Answer) -> Void
  ) {
    // Without a pipe the lookup blocks the loop.
    guard let (reading, writing) = ChildProcess.pipe() else { return then(work()) }
    running += 1
    let lookup = Lookup<Answer>()
    DispatchQueue(label: "hobnob.lookup").async {
      let answer = work()
      lookup.answer.withLock { $0 = answer }
      close(writing)
    }
    loop.watch(reading) { [self] in
      loop.unwatch(reading)
      close(reading)
      running -= 1
      if let answer = lookup.answer.withLock({ $0 }) { then(answer) }
      beginNext()
    }
  }

  private final class Lookup<Answer: Sendable>: Sendable {
    let answer = Mutex<Answer?>(nil)
  }
}
