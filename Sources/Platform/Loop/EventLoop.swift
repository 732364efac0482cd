// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// Names a timer of an `EventLoop`.
package struct TimerID: Hashable, Sendable {
  fileprivate let number: Int
}

/// The program's one loop: it sleeps in `poll(2)` until a descriptor, a signal or a timer needs
/// attention. A timer that falls due while the machine is suspended runs when it wakes.
///
/// Each turn handles first descriptors, in the order they were added, then signals, then timers,
/// then bodies registered with `endOfTurn`.
@MainActor package final class EventLoop {
  /// The state of a descriptor to watch for.
  package enum Readiness: Sendable {
    case reading, writing
  }

  private struct Watch {
    var descriptor: Int32
    var readiness: Readiness
    var events: Int16 { Int16(readiness == .reading ? POLLIN : POLLOUT) }
    var number: Int
    var body: @MainActor () -> Void
  }

  private struct Timer {
    var name: TimerID
    var due: MonotonicTime
    var body: @MainActor () -> Void
  }

  private var watches: [Watch] = []
  /// An array: there are few timers, and setting up a dictionary at every start would take longer.
  private var timers: [Timer] = []
  private var signals = SignalDescriptor()
  private var alarm = TimerDescriptor()
  private let clock: () -> MonotonicTime
  private var signalBodies: [(signal: Int32, body: @MainActor (Int32) -> Void)] = []
  private var ends: [@MainActor () -> Void] = []
  private var lastNumber = 0
  private var isRunning = false
  /// Whether the program ends itself if a turn never ends.
  private var endsIfStuck = false
  /// How many milliseconds the last turn took, without its sleep: 0 in the first one.
  package private(set) var lastTurn: Int64 = 0
  /// How many milliseconds the loop has slept so far.
  package private(set) var slept: Int64 = 0

  package convenience init() { self.init(clock: Clock.steady) }

  /// - Parameter clock: the one that timers use.
  package init(clock: @escaping () -> MonotonicTime) { self.clock = clock }

  package var now: MonotonicTime { clock() }

  /// Calls the body whenever the descriptor is readable, or writable, or has hung up. A second
  /// watch of the same descriptor for the same state replaces the first.
  package func watch(
    _ descriptor: Int32, for readiness: Readiness = .reading,
    _ body: @escaping @MainActor () -> Void
  ) {
    unwatch(descriptor, for: readiness)
    lastNumber += 1
    watches.append(
      Watch(descriptor: descriptor, readiness: readiness, number: lastNumber, body: body))
  }

  /// Ends the watch, even from within its body. Call it before you close the descriptor.
  package func unwatch(_ descriptor: Int32, for readiness: Readiness = .reading) {
    watches.removeAll { $0.descriptor == descriptor && $0.readiness == readiness }
  }

  /// Blocks the signals' usual effect and calls the body from the loop instead.
  package func handleSignals(
    _ signals: [Int32], _ body: @escaping @MainActor (Int32) -> Void
  ) {
    signalBodies.removeAll { signals.contains($0.signal) }
    signalBodies += signals.map { ($0, body) }
    self.signals.add(signals)
  }

  /// Ends the program a few seconds after one of these signals, which the loop handles, if the loop
  /// does not turn any more. The exit status is 128 and the signal.
  ///
  /// - Parameter first: called before the program ends, in a signal handler: it may only make
  ///   system calls.
  package func endIfStuck(on signals: [Int32], first: @escaping @convention(c) () -> Void) {
    StuckTurn.arm(on: signals, first: first)
    endsIfStuck = true
  }

  /// Runs `body`, which may take as long as it wants, such as another program on the terminal.
  package func whileAway(_ body: () -> Void) {
    if endsIfStuck { StuckTurn.end() }
    body()
    if endsIfStuck, isRunning { StuckTurn.begin() }
  }

  /// Lets the handled signals have their usual effect. Call this before starting a child or
  /// stopping this process. A pending signal takes effect at once.
  package func unblockSignals() {
    signals.unblock()
  }

  /// Blocks the handled signals again.
  package func blockSignals() {
    signals.block()
  }

  /// Calls the body once, after that time; with 0, in the next turn.
  @discardableResult
  package func after(milliseconds: Int, _ body: @escaping @MainActor () -> Void) -> TimerID {
    lastNumber += 1
    let timer = TimerID(number: lastNumber)
    timers.append(Timer(name: timer, due: now + Int64(max(0, milliseconds)), body: body))
    return timer
  }

  /// Sets a timer to a moment of `now`'s clock, instead of its previous one; nil unsets it.
  package func schedule(
    _ timer: inout TimerID?, at deadline: MonotonicTime?, _ body: @escaping @MainActor () -> Void
  ) {
    if let timer { cancel(timer) }
    timer = deadline.map { after(milliseconds: Int(max(0, $0 - now)), body) }
  }

  /// Cancels a timer; does nothing if it has run.
  package func cancel(_ timer: TimerID) {
    timers.removeAll { $0.name == timer }
  }

  /// Calls the body once at the end of every turn, for instance to draw changes.
  package func endOfTurn(_ body: @escaping @MainActor () -> Void) {
    ends.append(body)
  }

  /// Runs until somebody calls `stop`.
  package func run() {
    isRunning = true
    while isRunning { turn() }
  }

  /// Ends `run`: it calls no more bodies, not even those for the end of the turn.
  package func stop() {
    isRunning = false
  }

  private func turn() {
    var descriptors = watches.map {
      pollfd(fd: $0.descriptor, events: $0.events, revents: 0)
    }
    let watched = watches.map(\.number)
    let patience = alarm.set(timers.map(\.due).min(), at: now)
    // poll(2) skips descriptors that are not open.
    for own in [signals.descriptor, alarm.descriptor] {
      descriptors.append(pollfd(fd: own, events: Int16(POLLIN), revents: 0))
    }
    let before = now
    let count = poll(&descriptors, nfds_t(descriptors.count), patience)
    let start = now
    slept += start - before
    guard count >= 0 else { return }
    if endsIfStuck { StuckTurn.begin() }
    defer {
      if endsIfStuck { StuckTurn.end() }
      lastTurn = now - start
    }

    for (number, descriptor) in zip(watched, descriptors) where descriptor.revents != 0 {
      // An earlier body of this turn may have ended the watch.
      guard isRunning, let watch = watches.first(where: { $0.number == number }) else { continue }
      if descriptor.revents & Int16(POLLNVAL) != 0 {
        // The descriptor was closed without `unwatch`; poll would report it for ever.
        watches.removeAll { $0.number == number }
      } else {
        watch.body()
      }
    }
    if descriptors[watched.count + 1].revents != 0 { alarm.fired() }
    if descriptors[watched.count].revents != 0 {
      for signal in signals.read() where isRunning {
        signalBodies.first { $0.signal == signal }?.body(signal)
      }
    }
    runTimers()
    for body in ends where isRunning { body() }
  }

  private func runTimers() {
    if timers.isEmpty { return }
    let now = now
    let due = timers.filter { $0.due <= now }
      .sorted { ($0.due, $0.name.number) < ($1.due, $1.name.number) }
    for timer in due {
      // An earlier timer's body may have cancelled this one.
      guard isRunning, timers.contains(where: { $0.name == timer.name }) else { continue }
      cancel(timer.name)
      timer.body()
    }
  }
}
