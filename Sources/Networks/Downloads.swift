// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// Fetches the files that a store asks a network's process for, one after the other.
@MainActor
final class Downloads {
  /// Bytes of the largest file that is fetched where its owner asks for it.
  private static let most: Int64 = 100_000_000
  /// Seconds for one that nobody asked for: whoever offers it may have all the time in the world.
  private static let patience = 600

  /// Called in the loop with what is to be stored.
  var report: ([NetworkNews]) -> Void = { _ in }
  /// The address of the account's own server in digits, which may be a local one.
  var server: String?

  private let transfers: Transfers
  private let folder: AttachmentFolder
  /// Bytes of the largest file that is fetched unasked.
  var limit: Int64
  private var waiting: [NetworkRequest] = []
  private var current: NetworkRequest?
  /// What was answered and may still be in a list that was read before.
  private var ended: Set<NetworkRequest.ID> = []
  private let progress: TransferProgress

  init(
    with settings: AccountSettings, into folder: AttachmentFolder, loop: EventLoop,
    names: any NameSource, show: @escaping (String) -> Void
  ) {
    (limit, self.folder) = (settings.fetchLimit, folder)
    transfers = Transfers(loop: loop, names: names, certificates: settings["ca"])
    progress = TransferProgress(loop: loop, show: show)
  }

  var isEmpty: Bool { current == nil && waiting.isEmpty }

  /// - Parameter all: every request that has no answer; those to fetch are taken out of it.
  func take(from all: [NetworkRequest]) -> [NetworkRequest] {
    let (others, mine) = (all.filter { !$0.isFetch }, all.filter(\.isFetch))
    ended.formIntersection(mine.map(\.id))
    for request in mine
    where !ended.contains(request.id) && request.id != current?.id
      && !waiting.contains(where: { $0.id == request.id })
    {
      // What the owner asked for comes before what nobody did.
      let place = request.verb == .fetch ? waiting.firstIndex { $0.verb == .fetchUnasked } : nil
      waiting.insert(request, at: place ?? waiting.endIndex)
    }
    next()
    return others
  }

  private func next() {
    guard current == nil, !waiting.isEmpty else { return }
    let request = waiting.removeFirst()
    current = request
    let name = Self.name(of: request.text)
    let file: ArrivingFile
    do {
      file = try ArrivingFile(into: folder)
    } catch {
      return end(.failure(Transfers.Failure("\(error)")))
    }
    var fault: (any Error)?
    progress.begin("fetching \(name)")
    transfers.server = server
    transfers.download(
      request.text, limit: request.verb == .fetch ? Self.most : self.limit,
      seconds: request.verb == .fetch ? nil : Self.patience,
      write: { piece in
        do { try file.append(piece) } catch { fault = error }
        return fault == nil
      },
      progress: { [progress] in progress.move($0, of: $1) },
      ended: { [weak self] result in
        if let fault { return self?.end(.failure(Transfers.Failure("\(fault)"))) ?? () }
        self?.end(
          result.flatMap {
            Result { try file.finish(name: name) }.mapError { Transfers.Failure("\($0)") }
          })
      })
  }

  private func end(_ result: Result<Attachment, Transfers.Failure>) {
    guard let request = current else { return }
    current = nil
    progress.end()
    // The same file may have been asked for twice.
    let all = [request] + waiting.filter { $0.isSame(as: request) }
    waiting.removeAll { $0.isSame(as: request) }
    ended.formUnion(all.map(\.id))
    var news: [NetworkNews] = []
    var reason = ""
    switch result {
    case .success(let file): news = [.fetched(request, file)]
    case .failure(let failure):
      reason = filled(
        ("%1 could not be fetched: %2.", [Self.name(of: request.text), failure.reason]))
    }
    report(news + all.map { .answered($0, $0.verb == .fetch ? reason : "") })
    next()
  }

  /// What a file is called that lies at an address: the last part of its path. Only shown, and
  /// offered to `/save`; it chooses no place.
  static func name(of address: String) -> String {
    let path = address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let parts = path.split(separator: UInt8(ascii: "/"))
    guard parts.count > 2, let last = parts.last else { return "file" }
    return Store.safeName(String(decoding: FileURL.decoded(Array(last)[...]) ?? [], as: UTF8.self))
  }
}

extension NetworkRequest {
  fileprivate var isFetch: Bool { verb == .fetch || verb == .fetchUnasked }

  fileprivate func isSame(as other: NetworkRequest) -> Bool {
    isFetch && (target, text) == (other.target, other.text)
  }
}
