// SPDX-License-Identifier: GPL-3.0-or-later
import CCurl
import Conversations
import Glibc
import Platform
import Sentences

/// Uploads and downloads files with libcurl in the loop. The addresses come from the network.
///
/// It uses only HTTPS, and checks the certificate. It never connects to this machine or the local
/// network, whatever address a stranger names, unless the account's own server is there.
@MainActor
package final class Transfers {
  /// Why a transfer failed.
  package struct Failure: Error, Hashable, Sendable {
    /// The reason, as the end of a sentence without its full stop.
    package var reason: Remark
    /// Whether another try may work.
    package var isTemporary = false

    package init(_ reason: Remark, isTemporary: Bool = false) {
      (self.reason, self.isTemporary) = (reason, isTemporary)
    }
  }

  package typealias Completion = (Result<Void, Failure>) -> Void
  /// How many bytes are transferred, and how many there are in all; 0 and 0 while that is unknown.
  package typealias Progress = (Int64, Int64) -> Void

  /// Identifies a transfer, to cancel it.
  package struct ID: Hashable {
    fileprivate let handle: UnsafeMutableRawPointer
  }

  /// The address of the account's own server in digits, which may be a local one.
  package var server: String?

  private let loop: EventLoop
  private let names: any NameSource
  private let certificates: String?
  private let multi: UnsafeMutableRawPointer
  private var running: [UnsafeMutableRawPointer: Transfer] = [:]
  private var watched: Set<Int32> = []
  private var timer: TimerID?

  /// - Parameter certificates: a file with certificates to trust in addition to the system's.
  package init(
    loop: EventLoop, names: (any NameSource)? = nil, certificates: String?
  ) {
    (self.loop, self.certificates) = (loop, certificates)
    self.names = names ?? Resolver(loop: loop)
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    multi = curl_multi_init()
    _ = ccurl_set_sockets(
      multi,
      { _, socket, what, owner, _ in
        MainActor.assumeIsolated { Transfers.at(owner).watch(socket, what) }
        return 0
      },
      { _, milliseconds, owner in
        MainActor.assumeIsolated { Transfers.at(owner).wait(milliseconds) }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  isolated deinit {
    _ = ccurl_set_sockets(multi, nil, nil, nil)
    wait(-1)
    for socket in watched { watch(socket, CURL_POLL_REMOVE) }
    for handle in running.keys { curl_multi_remove_handle(multi, handle) }
    running = [:]
    curl_multi_cleanup(multi)
  }

  nonisolated private static func at(_ owner: UnsafeMutableRawPointer?) -> Transfers {
    Unmanaged<Transfers>.fromOpaque(owner!).takeUnretainedValue()
  }

  package var isEmpty: Bool { running.isEmpty }

  // MARK: Transfers

  /// Uploads an attachment; if its file was replaced by a symbolic link, this fails.
  ///
  /// - Parameter ended: called once, in the loop, and not after ``cancel(_:)``, with the link for
  ///   others, which has the key of an encrypted file. Without ``FileUpload/link``, the web server
  ///   chooses it (POST, RFC 9110, 9.3.3), and the file is not encrypted.
  @discardableResult
  package func upload(
    _ upload: FileUpload, from folder: AttachmentFolder,
    progress: @escaping Progress = { _, _ in },
    ended: @escaping (Result<String, Failure>) -> Void
  ) -> ID? {
    weak var posting: Transfer?
    let sealed = upload.isSealed ? upload.link.flatMap(FileCipher.newLink) : nil
    let done: Completion = { result in
      let link =
        sealed?.text ?? upload.link
        ?? posting?.location.flatMap { Self.fault(of: $0) == nil ? $0 : nil }
      let noLink = Failure(translated("the web server gives no link for it"))
      ended(result.flatMap { link.map(Result.success) ?? .failure(noLink) })
    }
    return begin(upload.address, progress: progress, ended: done) { transfer in
      if upload.isSealed, sealed == nil { return Failure(translated("the link is malformed")) }
      transfer.sealing = sealed.map(FileCipher.sealing)
      if upload.link == nil {
        posting = transfer
        transfer.postAddress = upload.address
        _ = ccurl_set_text(transfer.handle, CURLOPT_CUSTOMREQUEST, "POST")
      }
      return Self.prepare(
        transfer, upload.file.hash, from: folder,
        upload.headers + ["Content-Type: " + (sealed == nil ? upload.file.type : FileType.unknown)])
    }
  }

  private static func prepare(
    _ transfer: Transfer, _ hash: String, from folder: AttachmentFolder, _ headers: [String]
  ) -> Failure? {
    guard let found = try? folder.file(of: hash), let file = fdopen(found.released(), "r") else {
      return Failure(translated("it cannot be read"))
    }
    transfer.file = file
    fseeko(file, 0, SEEK_END)
    let size = ftello(file) + (transfer.sealing == nil ? 0 : FileCipher.tagLength)
    fseeko(file, 0, SEEK_SET)
    // Do not ask first whether the server wants the file: it gave the address for it.
    for line in headers + ["Expect:"] {
      transfer.headers = curl_slist_append(transfer.headers, line)
    }
    _ = ccurl_set_headers(transfer.handle, transfer.headers)
    _ = ccurl_set_number(transfer.handle, CURLOPT_UPLOAD, 1)
    _ = ccurl_set_size(transfer.handle, CURLOPT_INFILESIZE_LARGE, Int64(size))
    _ = ccurl_set_reader(
      transfer.handle,
      { buffer, size, count, transfer in
        Transfer.at(transfer).read(
          UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
      }, Unmanaged.passUnretained(transfer).toOpaque())
    return nil
  }

  /// Fetches a file.
  ///
  /// - Parameters:
  ///   - limit: bytes of the largest file.
  ///   - write: gets the next piece; returns false to cancel the transfer.
  @discardableResult
  package func download(
    _ address: String, limit: Int64, seconds: Int? = nil,
    write: @escaping (UnsafeRawBufferPointer) -> Bool,
    progress: @escaping Progress = { _, _ in }, ended: @escaping Completion
  ) -> ID? {
    begin(address, progress: progress, ended: ended) { transfer in
      transfer.write = write
      transfer.left = limit
      _ = ccurl_set_size(transfer.handle, CURLOPT_MAXFILESIZE_LARGE, limit)
      if let seconds { _ = ccurl_set_number(transfer.handle, CURLOPT_TIMEOUT, seconds) }
      transfer.redirects = 3
      return nil
    }
  }

  /// Cancels a running transfer. Do not call it from its own `progress` or `write`.
  package func cancel(_ id: ID) {
    guard running[id.handle] != nil else { return }
    curl_multi_remove_handle(multi, id.handle)
    running[id.handle] = nil
  }

  /// - Parameter prepare: returns the reason if it cannot begin.
  private func begin(
    _ address: String, progress: @escaping Progress, ended: @escaping Completion,
    prepare: (Transfer) -> Failure?
  ) -> ID? {
    guard let handle = curl_easy_init() else {
      loop.after(milliseconds: 0) {
        ended(.failure(Failure(translated("there is no memory left for it"))))
      }
      return nil
    }
    let transfer = Transfer(handle, server: server, progress: progress, ended: ended)
    if let failure = Self.fault(of: address) ?? prepare(transfer) {
      // Call it from the loop, as at the end of any other transfer.
      loop.after(milliseconds: 0) { ended(.failure(failure)) }
      return nil
    }
    transfer.setUp(certificates: certificates)
    running[handle] = transfer
    go(to: address, transfer)
    return ID(handle: handle)
  }

  /// Looks up the web server's name, which libcurl cannot do in a confined process, and connects.
  private func go(to address: String, _ transfer: Transfer) {
    guard let (host, port) = Self.host(of: address) else {
      return fail(transfer, Failure(translated("the link is malformed")))
    }
    var (four, six) = (in_addr(), in6_addr())
    let digits = host.filter { $0 != "[" && $0 != "]" }
    if inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, digits, &six) == 1 {
      transfer.go(to: address, host, port, [])
      curl_multi_add_handle(multi, transfer.handle)
      return
    }
    names.addresses(of: host) { [weak self, weak transfer] result in
      guard let self, let transfer, running[transfer.handle] === transfer else { return }
      switch result {
      case .success(let addresses):
        transfer.go(to: address, host, port, addresses)
        curl_multi_add_handle(multi, transfer.handle)
      case .failure:
        fail(
          transfer, Failure(translated("the web server's name cannot be found"), isTemporary: true))
      }
    }
  }

  /// Ends a transfer that has failed. `ended` is called from the loop, as it always is.
  private func fail(_ transfer: Transfer, _ failure: Failure) {
    loop.after(milliseconds: 0) { [weak self] in
      guard self?.running.removeValue(forKey: transfer.handle) != nil else { return }
      transfer.ended(.failure(failure))
    }
  }

  private static func host(of address: String) -> (host: String, port: String)? {
    var (host, port) = ([CChar](repeating: 0, count: 256), [CChar](repeating: 0, count: 8))
    guard
      ccurl_find_host(address, &host, UInt32(host.count), &port, UInt32(port.count)) != 0
    else { return nil }
    func text(_ bytes: [CChar]) -> String {
      String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return (text(host), text(port))
  }

  private static func fault(of address: String) -> Failure? {
    guard address.lowercased().hasPrefix("https://") else {
      return Failure(translated("the link does not begin with https://"))
    }
    let isSound = address.utf8.count <= 4096 && address.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    return isSound ? nil : Failure(translated("the link is malformed"))
  }

  // MARK: The loop

  private func watch(_ socket: Int32, _ what: Int32) {
    loop.unwatch(socket, for: .reading)
    loop.unwatch(socket, for: .writing)
    watched.remove(socket)
    if what == CURL_POLL_REMOVE { return }
    watched.insert(socket)
    if what != CURL_POLL_OUT {
      loop.watch(socket) { [weak self] in self?.go(on: socket, CURL_CSELECT_IN) }
    }
    if what != CURL_POLL_IN {
      loop.watch(socket, for: .writing) { [weak self] in self?.go(on: socket, CURL_CSELECT_OUT) }
    }
  }

  private func wait(_ milliseconds: Int) {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard milliseconds >= 0 else { return }
    timer = loop.after(milliseconds: milliseconds) { [weak self] in
      self?.timer = nil
      self?.go(on: CURL_SOCKET_TIMEOUT, 0)
    }
  }

  private func go(on socket: Int32, _ readiness: Int32) {
    var count: Int32 = 0
    curl_multi_socket_action(multi, socket, readiness, &count)
    var result = CURLE_OK
    while let handle = ccurl_next_ended(multi, &result) {
      curl_multi_remove_handle(multi, handle)
      guard let transfer = running[handle] else { continue }
      if result == CURLE_OK, let next = transfer.nextAddress() {
        if let failure = Self.fault(of: next) {
          fail(transfer, failure)
        } else {
          go(to: next, transfer)
        }
        continue
      }
      running[handle] = nil
      transfer.ended(transfer.outcome(result))
    }
  }
}
