// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import NetworkInbox
import Platform
import Testing

@testable import Networks

/// XEP-0454.
@MainActor
@Suite("Encrypted files to and from web servers", .serialized)
final class SealedFileTests {
  // MARK: The cipher

  /// A file that was encrypted elsewhere: by the test cases 13 to 15 of the specification of GCM,
  /// and for an IV of 16 bytes by Python's `cryptography`.
  struct Known: Sendable {
    var (key, iv, plain, sealed): (String, String, String, String)
    var link: SealedLink {
      SealedLink("https://h.org/a", iv: SealedFileTests.bytes(iv), key: SealedFileTests.bytes(key))!
    }
  }

  private nonisolated static let zeros = String(repeating: "00", count: 32)
  private nonisolated static let key = String(
    repeating: "feffe9928665731c6d6a8f9467308308", count: 2)
  private nonisolated static let plain =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
  nonisolated static let known = [
    Known(
      key: zeros, iv: "000000000000000000000000", plain: "",
      sealed: "530f8afbc74536b9a963b4f1c4cb738b"),
    Known(
      key: zeros, iv: "000000000000000000000000", plain: "00000000000000000000000000000000",
      sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"),
    Known(
      key: key, iv: "cafebabefacedbaddecaf888", plain: plain,
      sealed: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"
        + "b094dac5d93471bdec1a502270e3cc6c"),
    Known(
      key: key, iv: "cafebabefacedbaddecaf88800010203", plain: plain,
      sealed: "907d9197b696b425f215ba6c98a84553ba16d317bf2ecea51eea923f071a41bf"
        + "9e89ca072a43e2941bab05c195030733108661ac3597f9c1d01df45eb74c9c9e"
        + "c862dce0e7194a09a916c40e015699e7"),
  ]

  nonisolated private static func bytes(_ digits: String) -> [UInt8] {
    Platform.bytes(ofHexadecimal: digits)!
  }

  private static let sizes = [1, 7, 15, 16, 17, 63, 1000]

  /// Encrypts a file into buffers of a size.
  private func seal(_ plain: [UInt8], _ link: SealedLink, by size: Int) -> [UInt8] {
    let cipher = FileCipher.sealing(link)
    var (left, sealed) = (plain[...], [UInt8]())
    while true {
      var buffer = [UInt8](repeating: 0, count: size)
      let piece = left.prefix(size)
      left = left.dropFirst(size)
      let count = buffer.withUnsafeMutableBytes {
        $0.copyBytes(from: piece)
        return cipher.seal($0, count: piece.count)
      }
      if count == 0 { return sealed }
      sealed += buffer[..<count]
    }
  }

  /// Decrypts a file that arrives in pieces of a size.
  ///
  /// - Returns: nil if its tag is wrong.
  private func open(_ sealed: [UInt8], _ link: SealedLink, by size: Int) -> [UInt8]? {
    let cipher = FileCipher.opening(link)
    var (left, plain) = (sealed[...], [UInt8]())
    while !left.isEmpty {
      plain += Array(left.prefix(size)).withUnsafeBytes(cipher.open)
      left = left.dropFirst(size)
    }
    return cipher.finish() ? plain : nil
  }

  @Test("a file is the same as by other programs, in pieces of any size", arguments: known)
  func knownFiles(_ known: Known) {
    let (plain, sealed) = (Self.bytes(known.plain), Self.bytes(known.sealed))
    for size in Self.sizes {
      #expect(seal(plain, known.link, by: size) == sealed, "\(size)")
      #expect(open(sealed, known.link, by: size) == plain, "\(size)")
    }
  }

  @Test("a file that was changed or cut anywhere, or has another key, does not count")
  func damagedFiles() throws {
    let (sealed, link) = (Self.bytes(Self.known[2].sealed), Self.known[2].link)
    for size in Self.sizes {
      for place in [0, 40, sealed.count - 17, sealed.count - 16, sealed.count - 1] {
        var changed = sealed
        changed[place] ^= 1
        #expect(open(changed, link, by: size) == nil, "\(place) by \(size)")
      }
      for count in [0, 1, 15, 16, 17, sealed.count - 1] {
        #expect(open(Array(sealed.prefix(count)), link, by: size) == nil, "\(count) by \(size)")
      }
      #expect(open(sealed + [0], link, by: size) == nil, "\(size)")
      var key = link.key
      key[31] ^= 1
      let other = try #require(SealedLink(link.address, iv: link.iv, key: key))
      #expect(open(sealed, other, by: size) == nil, "\(size)")
    }
  }

  // MARK: On the way

  private let web: WebServer
  private let loop = EventLoop()
  private let transfers: Transfers
  private let folder: AttachmentFolder

  init() throws {
    web = try WebServer()
    transfers = Transfers(loop: loop, certificates: web.authority)
    transfers.server = "127.0.0.1"
    folder = AttachmentFolder(path: web.folder + "/attachments", isShared: false)
  }

  /// Uploads a file encrypted.
  private func upload(_ data: Data, link: String? = nil) throws -> Result<String, UploadFailure> {
    let hash = String(repeating: "ab", count: 32)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/ab", withIntermediateDirectories: true)
    try data.write(to: URL(fileURLWithPath: folder.path(of: hash)))
    let file = Attachment(hash: hash, name: "plan.png", type: "image/png", bytes: data.count)
    var result: Result<String, UploadFailure>?
    transfers.upload(
      FileUpload(
        entry: 1, file: file, isSealed: true, address: web.address("/put"), headers: [],
        link: link ?? web.address("/kept/x/a1.png")), from: folder
    ) { [loop] in
      result = $0
      loop.stop()
    }
    run { result != nil }
    return try #require(result)
  }

  private func run(until isDone: () -> Bool) {
    let timer = loop.after(milliseconds: 20_000) { [loop] in
      Issue.record("it never ended")
      loop.stop()
    }
    if !isDone() { loop.run() }
    loop.cancel(timer)
  }

  /// Fetches a file into the store, as an account's process does.
  ///
  /// - Returns: the file's content and name, or why there is none.
  private func fetch(
    _ link: String, _ verb: NetworkRequest.Verb = .fetch, limit: String = "10"
  ) throws -> (content: Data?, name: String, reason: String) {
    let downloads = Downloads(
      with: AccountSettings(values: ["ca": web.authority, "fetch": limit]), into: folder,
      loop: loop, names: Resolver(loop: loop)
    ) {}
    downloads.server = "127.0.0.1"
    var events: [NetworkEvent]?
    downloads.report = { [loop] in
      events = $0
      loop.stop()
    }
    _ = downloads.take(from: [NetworkRequest(id: 1, verb: verb, target: "1", text: link)])
    run { events != nil }
    var (file, reason): (Conversations.Attachment?, String) = (nil, "")
    for event in events ?? [] {
      if case .fetched(_, let fetched) = event { file = fetched }
      if case .answered(_, let remark) = event { reason = remark.text }
    }
    let content = file.flatMap { FileManager.default.contents(atPath: folder.path(of: $0.hash)) }
    return (content, file?.name ?? "", reason)
  }

  /// Everything that the folder of attachments has.
  private var files: [String] {
    let found = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String]
    return (found ?? []).filter { !$0.hasPrefix("ab") }.sorted()
  }

  @Test(
    "what is uploaded is encrypted, and what is fetched is the file",
    arguments: [0, 1, 16, 100_003])
  func roundTrip(size: Int) throws {
    let data = WebServer.bytes(size)
    let link = try upload(data).get()
    let put = try #require(web.put)
    #expect(put.body.count == size + 16)
    #expect(size < 16 || put.body.range(of: data.prefix(16)) == nil)
    #expect(put.headers.contains("Content-Length: \(size + 16)"))
    #expect(put.headers.contains("Content-Type: application/octet-stream"))
    let secret = try #require(link.split(separator: "#").last)
    #expect(secret.count == 88 && link.hasPrefix("aesgcm://127.0.0.1:"))
    #expect(!put.headers.joined().contains(secret))

    let fetched = try fetch(link)
    #expect(fetched.content == data && fetched.name == "a1.png" && fetched.reason == "")
    #expect(web.asked.last == "/kept/x/a1.png")
  }

  @Test("each file has a key and an IV of its own, also the same one sent again")
  func freshKeys() throws {
    var (ivs, keys, bodies): (Set<[UInt8]>, Set<[UInt8]>, Set<Data>) = ([], [], [])
    for _ in 0..<4 {
      let link = try #require(SealedLink(try upload(WebServer.bytes(100)).get()))
      #expect(link.iv.count == 12 && link.key.count == 32)
      ivs.insert(link.iv)
      keys.insert(link.key)
      bodies.insert(try #require(web.put).body)
    }
    #expect(ivs.count == 4 && keys.count == 4 && bodies.count == 4)
  }

  @Test("nothing is uploaded if the link cannot have a key")
  func unusableLink() throws {
    #expect(
      try upload(Data("x".utf8), link: "https://x.org/a#b")
        == .failure(UploadFailure("the link is malformed")))
    #expect(web.put == nil)
  }

  @Test("of a damaged file nothing is kept, and the owner who asked for it hears why")
  func damagedDownload() throws {
    let link = try upload(WebServer.bytes(1000)).get()
    let kept = web.folder + "/body"
    var body = try Data(contentsOf: URL(fileURLWithPath: kept))
    body[500] ^= 1
    try body.write(to: URL(fileURLWithPath: kept))
    let fetched = try fetch(link)
    #expect(fetched.content == nil)
    #expect(
      fetched.reason
        == "a1.png could not be fetched: it is damaged, or was not encrypted with the key in its link."
    )
    try body.dropLast(990).write(to: URL(fileURLWithPath: kept))
    #expect(try fetch(link, .fetchUnasked).content == nil)
    #expect(files == [])
  }

  @Test("the limit for files is that of the file itself")
  func limit() throws {
    #expect(
      try fetch(try upload(WebServer.bytes(1_000_000)).get(), .fetchUnasked, limit: "1")
        .content?.count == 1_000_000)
    #expect(
      try fetch(try upload(WebServer.bytes(1_000_001)).get(), .fetchUnasked, limit: "1")
        .content == nil)
  }
}
