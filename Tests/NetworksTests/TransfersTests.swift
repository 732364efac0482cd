// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Networks
import Platform
import Testing

/// One server for all of these tests.
private let server = Result { try WebServer() }

@MainActor
@Suite("Files to and from web servers", .serialized)
final class TransfersTests {
  private let web: WebServer
  private let loop = EventLoop()
  private let transfers: Transfers

  init() throws {
    web = try server.get()
    transfers = Transfers(loop: loop, certificates: web.authority)
    transfers.server = "127.0.0.1"
  }

  /// Runs the loop until a transfer has ended, at the latest after a time that no computer takes.
  private func run(
    _ transfers: Transfers? = nil, begin: (Transfers, @escaping Transfers.Completion) -> Void
  ) -> Result<Void, Transfers.Failure> {
    var result: Result<Void, Transfers.Failure>?
    begin(transfers ?? self.transfers) { [loop] in
      result = $0
      loop.stop()
    }
    let timer = loop.after(milliseconds: 20_000) { [loop] in
      Issue.record("it never came")
      loop.stop()
    }
    loop.run()
    loop.cancel(timer)
    return result ?? .failure(Transfers.Failure("nothing"))
  }

  private func fetch(
    _ address: String, limit: Int64 = 10_000_000, with transfers: Transfers? = nil
  ) -> Result<Data, Transfers.Failure> {
    var got = Data()
    let result = run(transfers) { transfers, ended in
      transfers.download(
        address, limit: limit,
        write: {
          got.append(contentsOf: $0)
          return true
        }, ended: ended)
    }
    return result.map { got }
  }

  private var attachments: AttachmentFolder {
    AttachmentFolder(path: web.folder + "/attachments", isShared: false)
  }

  /// Puts a file among the attachments.
  ///
  /// - Returns: its hash.
  private func attach(_ bytes: Data = Data("x".utf8)) throws -> String {
    let hash = String(repeating: "ab", count: 32)
    try? FileManager.default.removeItem(atPath: attachments.path)
    try FileManager.default.createDirectory(
      atPath: attachments.path + "/ab", withIntermediateDirectories: true)
    try bytes.write(to: URL(fileURLWithPath: attachments.path(of: hash)))
    return hash
  }

  private func upload(
    _ hash: String, to path: String, type: String = "text/plain", headers: [String] = [],
    with transfers: Transfers, progress: @escaping Transfers.Progress = { _, _ in },
    ended: @escaping Transfers.Completion
  ) {
    let file = Attachment(hash: hash, name: "a", type: type, bytes: 1)
    transfers.upload(
      FileUpload(
        entry: 1, file: file, address: web.address(path), headers: headers,
        link: "https://x.org/a"),
      from: attachments, progress: progress, ended: { ended($0.map { _ in }) })
  }

  private func reason(_ result: Result<Data, Transfers.Failure>) -> String {
    if case .failure(let failure) = result { return failure.reason.text }
    return ""
  }

  @Test("a file comes byte for byte, with its progress")
  func downloads() throws {
    #expect(try fetch(web.address("/3000000/a")).get() == WebServer.bytes(3_000_000))
    var last: (Int64, Int64) = (0, 0)
    _ = run { transfers, ended in
      transfers.download(
        web.address("/100000/a"), limit: 1_000_000, write: { _ in true },
        progress: { last = ($0, $1) }, ended: ended)
    }
    #expect(last == (100_000, 100_000))
  }

  @Test("several at once each come to their own end")
  func downloadsSeveral() throws {
    var left = 3
    _ = run { transfers, ended in
      for count in [10, 200_000, 30] {
        var got = Data()
        transfers.download(
          web.address("/\(count)/a"), limit: 1_000_000,
          write: {
            got.append(contentsOf: $0)
            return true
          },
          ended: { result in
            #expect(got == WebServer.bytes(count))
            left -= 1
            if left == 0 { ended(result) }
          })
      }
    }
    #expect(transfers.isEmpty)
  }

  @Test("a file is uploaded byte for byte, with the given headers and its type")
  func uploads() throws {
    let hash = try attach(WebServer.bytes(2_000_000))
    let result = run { transfers, ended in
      upload(
        hash, to: "/put", type: "image/png", headers: ["Authorization: Basic abc"], with: transfers,
        ended: ended)
    }
    #expect(throws: Never.self) { try result.get() }
    let put = try #require(web.put)
    #expect(put.body == WebServer.bytes(2_000_000))
    #expect(put.headers.contains("Authorization: Basic abc"))
    #expect(put.headers.contains("Content-Type: image/png"))
    #expect(put.headers.contains("Content-Length: 2000000"))
  }

  @Test("the length that an answer to an upload claims is ignored")
  func giantAnswer() throws {
    let hash = try attach()
    var most: Int64 = 0
    let result = run { transfers, ended in
      upload(hash, to: "/giant", with: transfers, progress: { most = max(most, $1) }, ended: ended)
    }
    // It ends before that length.
    #expect(throws: (any Error).self) { try result.get() }
    #expect(most < 1_000_000)
  }

  @Test("the server's answer is reported, and whether a retry may help")
  func refusals() throws {
    let hash = try attach()
    #expect(
      reason(fetch(web.address("/code/404"))) == "it does not exist, or no longer does (404)")
    #expect(
      reason(fetch("https://127.0.0.1:1/a")) == "the web server cannot be reached")
    for (code, isTemporary) in [(403, false), (413, false), (503, true), (204, nil)] {
      let result = run { transfers, ended in
        upload(hash, to: "/code/\(code)", with: transfers, ended: ended)
      }
      var found: Bool?
      if case .failure(let failure) = result { found = failure.isTemporary }
      #expect(found == isTemporary, "\(code)")
    }
  }

  /// What comes of sending an attachment that must not go.
  private func expectUnread(_ hash: String, sourceLocation: SourceLocation = #_sourceLocation) {
    try? FileManager.default.removeItem(atPath: web.folder + "/body")
    let result = run { transfers, ended in
      upload(hash, to: "/put", with: transfers, ended: ended)
    }
    #expect(throws: Transfers.Failure("it cannot be read"), sourceLocation: sourceLocation) {
      try result.get()
    }
    #expect(web.put == nil, sourceLocation: sourceLocation)
  }

  @Test("a missing file is not sent")
  func missing() {
    expectUnread(String(repeating: "cd", count: 32))
    expectUnread("/etc/passwd")
  }

  @Test("12.7: nothing is sent in place of an attachment: no link, no folder, nothing linked")
  func sendsNoLinks() throws {
    let (hash, files) = (try attach(), FileManager.default)
    let path = attachments.path(of: hash)
    try files.removeItem(atPath: path)
    try files.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
    expectUnread(hash)
    try files.removeItem(atPath: path)
    try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    expectUnread(hash)

    _ = try attach()
    let (part, elsewhere) = (attachments.path + "/ab", attachments.path + "/elsewhere")
    try files.moveItem(atPath: part, toPath: elsewhere)
    try files.createSymbolicLink(atPath: part, withDestinationPath: elsewhere)
    expectUnread(hash)
  }

  @Test("a file over the limit is given up, with or without a stated length")
  func limits() {
    #expect(reason(fetch(web.address("/1001/a"), limit: 1000)) == "it is larger than the limit")
    #expect(reason(fetch(web.address("/endless"), limit: 1000)) == "it is larger than the limit")
    #expect(throws: Never.self) { try fetch(web.address("/1000/a"), limit: 1000).get() }
  }

  @Test("a truncated file has not arrived, and may arrive later")
  func cut() {
    guard case .failure(let failure) = fetch(web.address("/cut")) else {
      Issue.record("it came")
      return
    }
    #expect(failure.isTemporary)
    #expect(failure.reason == "the connection to the web server broke")
  }

  @Test(
    "only HTTPS, wherever the address came from",
    arguments: ["http://127.0.0.1/a", "file:///etc/passwd", "ftp://127.0.0.1/", "/etc/passwd", ""])
  func onlyHTTPS(address: String) {
    #expect(reason(fetch(address)) == "the link does not begin with https://")
  }

  @Test("no redirection leads out of HTTPS, into the machine, or round and round")
  func redirections() {
    #expect(throws: Never.self) {
      try fetch(self.web.address("/to?" + self.web.address("/10/a"))).get()
    }
    for target in ["http://127.0.0.1:\(web.port)/10/a", "file:///etc/passwd"] {
      #expect(throws: Transfers.Failure.self) { try fetch(web.address("/to?" + target)).get() }
    }
    let local = "https://127.0.0.2:\(web.port)/10/a"
    #expect(reason(fetch(web.address("/to?" + local))).hasSuffix("its local network"))
    let round = web.address("/to?/to?/to?/to?/to?/")
    #expect(throws: Transfers.Failure.self) { try fetch(round).get() }
  }

  @Test("nothing in this machine is reached, unless the account's server is there")
  func localAddresses() {
    let strict = Transfers(loop: loop, certificates: web.authority)
    for host in ["127.0.0.1", "localhost", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"] {
      let address = "https://\(host):\(web.port)/10/a"
      #expect(reason(fetch(address, with: strict)).hasSuffix("its local network"), "\(host)")
    }
    #expect(
      reason(fetch("https://127.0.0.2:\(web.port)/10/a")).hasSuffix("its local network"))
    for host in [
      "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
      "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[ff02::1]", "[::]",
    ] {
      let address = "https://\(host)/a"
      #expect(reason(fetch(address, with: strict)).hasSuffix("its local network"), "\(host)")
    }
  }

  @Test("an untrusted certificate, or another's, ends it before anything is sent")
  func certificates() throws {
    let strict = Transfers(loop: loop, certificates: nil)
    strict.server = "127.0.0.1"
    let hash = try attach()
    try? FileManager.default.removeItem(atPath: web.folder + "/body")
    let result = run(strict) { transfers, ended in
      upload(hash, to: "/put", with: transfers, ended: ended)
    }
    guard case .failure(let failure) = result else {
      Issue.record("it went")
      return
    }
    #expect(!failure.isTemporary)
    #expect(web.put == nil)
    // The name in the certificate has to be the one in the address.
    let other = try WebServer(names: ["DNS:elsewhere.test"])
    let trusting = Transfers(loop: loop, certificates: other.authority)
    trusting.server = "127.0.0.1"
    #expect(throws: Transfers.Failure.self) {
      try self.fetch(other.address("/10/a"), with: trusting).get()
    }
  }

  @Test("a cancelled one reports nothing more, and leaves the loop alone")
  func cancels() {
    var isTold = false
    let id = transfers.download(
      web.address("/endless"), limit: .max, write: { _ in true }, ended: { _ in isTold = true })
    #expect(id != nil)
    loop.after(milliseconds: 50) { [self] in
      if let id { transfers.cancel(id) }
      #expect(transfers.isEmpty)
      loop.after(milliseconds: 50) { self.loop.stop() }
    }
    loop.run()
    #expect(!isTold)
  }

  @Test("transfers end with their owner")
  func ends() {
    var owner: Transfers? = Transfers(loop: loop, certificates: web.authority)
    owner?.server = "127.0.0.1"
    weak let former = owner
    owner?.download(
      web.address("/endless"), limit: .max, write: { _ in true },
      ended: { _ in Issue.record("it ended") })
    loop.after(milliseconds: 50) { [loop] in
      owner = nil
      loop.after(milliseconds: 50) { loop.stop() }
    }
    loop.run()
    #expect(former == nil)
  }
}
