// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Platform
import Sentences

/// Fetches the files that shells ask a network process for: a few at a time, and files that the
/// owner asks for before all others. A slow download continues beside the others and delays none of
/// them.
@MainActor
final class Downloads {
  /// Bytes of the largest file that is fetched when the owner asks for it.
  private static let most: Int64 = 100_000_000
  /// Maximum seconds for a file that nobody asked for, since its sender can make the download last
  /// for ever.
  private static let patience = 600
  /// How many files are fetched at a time, and how many slow ones in addition to them.
  private static let mostRunning = 3
  private static let mostSlow = 12
  /// A slow download delivers fewer bytes than this in so many milliseconds: 1 kB a second.
  private static let slowBytes: Int64 = 30_000
  private static let span: Milliseconds = 30_000

  /// A file that is being fetched.
  @MainActor
  private final class Running {
    let request: NetworkRequest
    var transfer: Transfers.ID?
    var bytes: Int64 = 0
    /// When its speed was last measured, and the bytes that had arrived by then.
    var mark: (time: MonotonicTime, bytes: Int64)
    var isSlow = false
    var progress: TransferProgress?

    init(_ request: NetworkRequest, at now: MonotonicTime) {
      self.request = request
      mark = (now, 0)
    }

    func checkSpeed(at now: MonotonicTime) {
      guard now - mark.time >= Downloads.span else { return }
      isSlow = (bytes - mark.bytes) * Downloads.span < Downloads.slowBytes * (now - mark.time)
      mark = (now, bytes)
    }
  }

  /// Called in the loop with the events to store.
  var report: ([NetworkEvent]) -> Void = { _ in }
  /// The address of the account's own server in digits, which may be a local one.
  var server: String?

  private let loop: EventLoop
  private let transfers: Transfers
  private let folder: AttachmentFolder
  /// Bytes of the largest file that is fetched without being asked for.
  var limit: Int64
  private let changed: () -> Void
  private var waiting: [NetworkRequest] = []
  private var running: [Running] = []
  /// Requests that are answered, but may still be in a list that was read earlier.
  private var ended: Set<NetworkRequest.ID> = []
  private var timer: TimerID?

  /// - Parameter changed: called when `activity` has changed.
  init(
    with settings: AccountSettings, into folder: AttachmentFolder, loop: EventLoop,
    names: any NameSource, changed: @escaping () -> Void
  ) {
    (limit, self.folder, self.loop, self.changed) = (settings.fetchLimit, folder, loop, changed)
    transfers = Transfers(loop: loop, names: names, certificates: settings["ca"])
  }

  var isEmpty: Bool { running.isEmpty && waiting.isEmpty }

  /// - Parameter all: all requests without an answer.
  func take(from all: [NetworkRequest]) -> [NetworkRequest] {
    let (others, mine) = (all.filter { !$0.isFetch }, all.filter(\.isFetch))
    ended.formIntersection(mine.map(\.id))
    for request in mine
    where !ended.contains(request.id)
      && !(waiting + running.map(\.request)).contains(where: { $0.id == request.id })
    {
      wait(request)
    }
    next()
    return others
  }

  /// Queues a request. Those by the owner come before the others.
  private func wait(_ request: NetworkRequest) {
    let index = request.verb == .fetch ? waiting.firstIndex { $0.verb == .fetchUnasked } : nil
    waiting.insert(request, at: index ?? waiting.endIndex)
  }

  /// Begins as many downloads as there is room for.
  private func next() {
    while let index = waiting.firstIndex(where: { new in
      !running.contains { $0.request.isSame(as: new) }
    }), hasRoom(for: waiting[index]) {
      begin(waiting.remove(at: index))
    }
    // While others wait, check whether a running download is slow.
    let look = waiting.isEmpty ? nil : running.filter { !$0.isSlow }.map(\.mark.time).min()
    loop.schedule(&timer, at: look.map { $0 + Self.span }) { [weak self] in
      guard let self else { return }
      for running in running { running.checkSpeed(at: loop.now) }
      next()
    }
  }

  private func hasRoom(for request: NetworkRequest) -> Bool {
    let slow = running.count(where: \.isSlow)
    if running.count - min(slow, Self.mostSlow) < Self.mostRunning { return true }
    // The owner's file does not wait for one that nobody asked for.
    guard request.verb == .fetch,
      let last = running.lastIndex(where: {
        $0.request.verb == .fetchUnasked && (!$0.isSlow || slow > Self.mostSlow)
      })
    else { return false }
    let former = running.remove(at: last)
    if let transfer = former.transfer { transfers.cancel(transfer) }
    former.progress?.end()
    wait(former.request)
    return true
  }

  private func begin(_ request: NetworkRequest) {
    let name = Self.name(of: request.text)
    let new = Running(request, at: loop.now)
    running.append(new)
    let file: ArrivingFile
    do {
      file = try ArrivingFile(into: folder)
    } catch {
      let failure = Transfers.Failure(Remark(of: error))
      loop.after(milliseconds: 0) { [weak self] in self?.end(new, .failure(failure)) }
      return
    }
    let progress = TransferProgress(loop: loop) { [weak self] in self?.changed() }
    new.progress = progress
    progress.begin { .fetching(name, percent: $0) }
    var fault: (any Error)?
    transfers.server = server
    let link = SealedLink(request.text)
    let opening = link.map(FileCipher.opening)
    new.transfer = transfers.download(
      link?.address ?? request.text,
      limit: (request.verb == .fetch ? Self.most : limit)
        + (link == nil ? 0 : Int64(FileCipher.tagLength)),
      seconds: request.verb == .fetch ? nil : Self.patience,
      write: { piece in
        do {
          if let opening {
            try opening.open(piece).withUnsafeBytes(file.append)
          } else {
            try file.append(piece)
          }
        } catch {
          fault = error
        }
        return fault == nil
      },
      progress: { [loop, weak new] in
        progress.move($0, of: $1)
        new?.bytes = $0
        new?.checkSpeed(at: loop.now)
      },
      ended: { [weak self] result in
        if let fault { return self?.end(new, .failure(Transfers.Failure(Remark(of: fault)))) ?? () }
        let isSound = opening?.finish() ?? true
        self?.end(
          new,
          result.flatMap {
            if !isSound { return .failure(Transfers.Failure(Self.damaged)) }
            return Result { try file.finish(name: name) }.mapError {
              Transfers.Failure(Remark(of: $0))
            }
          })
      })
  }

  /// Why an encrypted file does not count.
  private static var damaged: Remark {
    translated("it is damaged, or was not encrypted with the key in its link")
  }

  private func end(_ former: Running, _ result: Result<Attachment, Transfers.Failure>) {
    guard let index = running.firstIndex(where: { $0 === former }) else { return }
    running.remove(at: index)
    former.progress?.end()
    let request = former.request
    var events: [NetworkEvent] = []
    var reason: Remark = ""
    switch result {
    case .success(let file): events = [.fetched(request, file)]
    case .failure(let failure):
      reason = filled(
        ("%1 could not be fetched: %2.", [Remark(Self.name(of: request.text)), failure.reason]))
    }
    // The same file may have been requested twice; the owner's own request allows more bytes.
    let all =
      [request]
      + waiting.filter {
        $0.isSame(as: request) && (reason.isEmpty || request.verb == .fetch || $0.verb != .fetch)
      }
    waiting.removeAll { waits in all.contains { $0.id == waits.id } }
    ended.formUnion(all.map(\.id))
    report(events + all.map { .answered($0, $0.verb == .fetch ? reason : "") })
    next()
  }

  /// The downloads as an activity of the status; nil if there are none.
  var activity: AccountStatus.Activity? {
    let all = running.compactMap { $0.progress?.activity }
    return all.count > 1 ? .fetchingSeveral(files: all.count) : all.first
  }

  /// The name of the file at an address: the last part of its path. It is only shown, and suggested
  /// to `/save`; it never decides where a file is written.
  static func name(of address: String) -> String {
    let path = address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let parts = path.split(separator: UInt8(ascii: "/"))
    guard parts.count > 2, let last = parts.last else { return "file" }
    return FileName.safe(String(decoding: FileURL.decoded(Array(last)[...]) ?? [], as: UTF8.self))
  }
}

extension NetworkRequest {
  fileprivate var isFetch: Bool { verb == .fetch || verb == .fetchUnasked }

  fileprivate func isSame(as other: NetworkRequest) -> Bool {
    isFetch && (target, text) == (other.target, other.text)
  }
}
