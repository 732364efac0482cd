// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Platform
import Sentences
import Storage

/// The connection of an account by a program of its own: hobnob and the program write lines of JSON
/// to each other, as hobnob-bridge(7) explains.
@MainActor
package final class BridgeWire: Wire {
  package var report: (WireReport) -> Void = { _ in }
  /// Shows a question to the account's owner; the answer goes to ``reply(to:_:)``.
  package var ask: (BridgeQuestion) -> Void = { _ in }

  private let lease: AccountLease
  private let loop: EventLoop
  private let folder: String
  private let open: () throws -> any LineChannel
  private let pump: Pump<BridgeClient>
  private let parser: JSONParser
  private var channel: (any LineChannel)?
  /// What the line `start` has, until the program has said hello.
  private var login: (secret: String, settings: [String: String], facts: [String: String])?
  private var helloTimer: TimerID?
  /// Runs while the program has written so much that nothing more is read from it.
  private var restTimer: TimerID?

  /// - Parameters:
  ///   - folder: the program's own, the only one from which files of messages are taken.
  ///   - open: starts the program.
  /// - Throws: `StoreError`.
  package init(
    _ lease: AccountLease, loop: EventLoop, folder: String,
    open: @escaping () throws -> any LineChannel
  ) throws {
    (self.lease, self.loop, self.folder, self.open) = (lease, loop, folder, open)
    let attachments = lease.attachmentFolder.path
    pump = Pump(
      BridgeClient(lease.account) { hash in
        AttachmentFolder(path: attachments, isShared: false).path(of: hash)
      }, loop: loop)
    parser = try JSONParser()
    pump.report = { [weak self] in self?.report($0) }
    pump.act = { [weak self] in self?.perform($0) }
  }

  package var isReading: Bool {
    get { pump.isReading }
    set {
      pump.isReading = newValue
      resume()
    }
  }

  private func resume() { channel?.isReading = pump.isReading && restTimer == nil }

  package var isBusy: Bool { pump.client.isBusy }

  /// What the program has said of its network; nil while none runs.
  package var hello: BridgeHello? { pump.client.hello }

  // MARK: The program

  package func connect(secret: String, settings: [String: String], facts: [String: String]) {
    close()
    login = (secret, settings, facts)
    do {
      let channel = try open()
      self.channel = channel
      channel.received = { [weak self, weak channel] in
        guard let self, self.channel === channel else { return }
        handle($0)
      }
      channel.ended = { [weak self, weak channel] in
        guard let self, self.channel === channel else { return }
        end($0)
      }
      resume()
    } catch {
      return report(.down(reason: Remark(of: error), isFinal: false))
    }
    awaitHello()
  }

  private func awaitHello() {
    loop.schedule(&helloTimer, at: loop.now + BridgeLimits.helloTime) { [weak self] in
      guard let self else { return }
      // Its hello may be there, and not read.
      if !isReading { return awaitHello() }
      end(
        filled(
          (
            "%1 has not introduced itself within %2 s",
            [pump.client.name, String(BridgeLimits.helloTime / 1000)]
          )))
    }
  }

  package func close() {
    guard let former = channel else { return }
    channel = nil
    former.write(Array(BridgeWriting.line("stop", [:]).utf8))
    former.stop()
    forget()
  }

  private func end(_ reason: Remark, isFinal: Bool = false, isSecretRefused: Bool = false) {
    guard channel != nil else { return }
    close()
    report(
      isSecretRefused ? .passwordRefused(reason: reason) : .down(reason: reason, isFinal: isFinal))
  }

  private func forget() {
    login = nil
    loop.schedule(&helloTimer, at: nil) {}
    loop.schedule(&restTimer, at: nil) {}
    pump.end(with: .down)
  }

  private func perform(_ act: BridgeAct) {
    switch act {
    case .write(let line): channel?.write(Array(line.utf8))
    case .rest(let pause):
      loop.schedule(&restTimer, at: loop.now + pause) { [weak self] in
        self?.restTimer = nil
        self?.resume()
      }
      resume()
    case .ready: report(.up)
    case .ask(let question): ask(question)
    case .hangUp(let reason, let isFinal, let isSecretRefused):
      end(reason, isFinal: isFinal, isSecretRefused: isSecretRefused)
    }
  }

  /// Gives the program the answer to its question.
  package func reply(to question: String, _ text: String) {
    channel?.write(
      Array(BridgeWriting.line("reply", [.ask: .text(question), .text: .text(text)]).utf8))
  }

  // MARK: Lines

  private func handle(_ bytes: [UInt8]) {
    do throws(BridgeFault) {
      guard let line = try BridgeLine(bytes, with: parser) else { return }
      if pump.client.hello == nil { return try introduce(line) }
      pump.tell(.line(line, bytes: bytes.count, files: takeFiles(of: line)))
    } catch {
      // It may be a warning that comes once, so another try follows.
      if pump.client.hello == nil { return end(error.remark) }
      pump.tell(.fault(error))
    }
  }

  /// Answers the program's first line.
  private func introduce(_ line: BridgeLine) throws(BridgeFault) {
    guard line.type == "hello" else {
      throw BridgeFault(filled(("the first line is “%1” instead of “%2”", [line.type, "hello"])))
    }
    let hello = try BridgeHello(line)
    guard let login else { return }
    let isKnownToBeNone = PasswordNeed.isKnownToBeNone(login.facts)
    // An earlier version of the program needed none: the next process asks for it.
    if hello.hasSecret, isKnownToBeNone, login.secret.isEmpty {
      return end(PasswordFailure.none.sentence, isSecretRefused: true)
    }
    self.login = nil
    do {
      let start = try start(with: login.secret, login.settings, login.facts)
      loop.schedule(&helloTimer, at: nil) {}
      // Next time, nobody is asked.
      if !hello.hasSecret, !isKnownToBeNone {
        report(.learned(PasswordNeed.fact.name, PasswordNeed.fact.value))
      }
      pump.tell(
        .hello(hello, kept: Set(login.facts.keys.filter { $0.hasPrefix(BridgeFacts.prefix) })))
      channel?.write(Array(start.utf8))
    } catch {
      end(Remark(of: error))
    }
  }

  private func start(
    with secret: String, _ settings: [String: String], _ facts: [String: String]
  ) throws -> String {
    let account = lease.account
    let (marks, rooms) = try lease.read {
      (try $0.catchUpMarks(of: account), try $0.roomsJoined(of: account))
    }
    return BridgeWriting.line(
      "start",
      [
        .version: .integer(Int64(BridgeTable.version)), .account: .text(account.network),
        .address: .text(account.address), .secret: secret.isEmpty ? .null : .text(secret),
        // The command is for hobnob, and may show where secrets are.
        .settings: .object(
          settings.filter { $0.key != "password-command" }.mapValues(JSON.text)),
        .kept: .object(BridgeFacts.kept(in: facts, parser)),
        .marks: .object(marks.mapValues(JSON.text)),
        .rooms: .array(
          rooms.sorted { $0.key < $1.key }.map { room, nick in
            .members([.room: .text(room), .nick: nick.isEmpty ? .null : .text(nick)])
          }),
        .folder: .text(folder),
      ])
  }

  // MARK: Files

  /// Copies the files of a line into the store's folder. If one cannot be read, the message comes
  /// without it, and a notice tells the owner.
  private func takeFiles(of line: BridgeLine) -> [Attachment] {
    guard line.type == "message" else { return [] }
    var (files, fault): ([Attachment], BridgeFault?) = ([], nil)
    for file in line[.files].items.prefix(BridgeLimits.files) {
      do throws(BridgeFault) {
        files.append(try take(file))
      } catch {
        fault = fault ?? error
      }
    }
    if let fault { report(.events([.notice(Remark(pump.client.name + ": ") + fault.remark)])) }
    return files
  }

  /// - Throws: ``BridgeFault`` for a file that cannot be read, or that is not the program's.
  private func take(_ json: JSON) throws(BridgeFault) -> Attachment {
    let path = json[.path].text ?? ""
    // A link could lead to any file of the owner's.
    guard let real = realPath(path), let own = realPath(folder), real.hasPrefix(own + "/") else {
      throw BridgeFault(
        filled(("the file %1 is not in the program's folder", [path.withoutControls])))
    }
    do {
      return try lease.attachmentFolder.take(
        real, name: json[.name].text ?? StoreFiles.split(path).name, limit: BridgeLimits.file)
    } catch {
      throw BridgeFault(
        filled(("the file %1 cannot be read: %2", [Remark(path), Remark(of: error)])))
    }
  }

  // MARK: The store

  package func deliver(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal],
    noteTried: (Set<OutboxEntry.ID>) throws -> Void
  ) throws {
    let ids = pump.admit(outbox)
    try noteTried(ids)
    // A program that does not read is not told any more who types.
    let isSlow = channel.map { $0.backlog > BridgeLimits.backlog } ?? true
    pump.deliver(requests, tried: ids, isSlow ? signals.filter(\.isReceipt) : signals)
  }
}

extension NetworkSignal {
  fileprivate var isReceipt: Bool {
    if case .receipt = self { true } else { false }
  }
}
