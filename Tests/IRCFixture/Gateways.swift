// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import ProsodyFixture

/// ZNC, a bouncer: it stays on InspIRCd as anna, and replays what she missed. Clients log in with
/// ``password`` for PASS, and `anna/hobnob` for their user name.
///
/// ```swift
/// let server = try InspIRCd()
/// let bouncer = try ZNC(for: server)
/// ```
public final class ZNC: IRCServer, @unchecked Sendable {
  /// The user name of its clients.
  public static let user = "anna/hobnob"
  private let server: InspIRCd

  /// Starts it, and waits until it is in its rooms.
  ///
  /// - Parameters:
  ///   - replayed: how many lines it keeps for each room and person.
  ///   - forgets: forgets them when a client has got them; else every client gets all of them.
  public init(
    for server: InspIRCd, rooms: [String] = ["#tea"], replayed: Int = 500, forgets: Bool = true
  ) throws {
    self.server = server
    // It reads its key itself, which has to be its user's.
    try super.init("znc", ports: 2)
    let package = IRCPackage.znc.folder
    command = [package + "/usr/bin/znc", "-f", "-d", folder]
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/modules", withDestinationPath: package + "/usr/lib/znc")
    let pair = certificate
    try write(
      """
      Version = 1.8.2
      ServerThrottle = 0
      ConnectDelay = 1
      AnonIPLimit = 1000
      SSLCertFile = \(pair.certificate)
      SSLKeyFile = \(pair.key)
      <Listener plain>
        Host = 127.0.0.1
        Port = \(port)
        IPv6 = false
        SSL = false
      </Listener>
      <Listener secure>
        Host = 127.0.0.1
        Port = \(securePort)
        IPv6 = false
        SSL = true
      </Listener>
      <User anna>
        Admin = true
        Nick = anna
        ChanBufferSize = \(replayed)
        QueryBufferSize = \(replayed)
        AutoClearChanBuffer = \(forgets)
        AutoClearQueryBuffer = \(forgets)
        <Pass given>
          Method = plain
          Hash = \(Self.password)
        </Pass>
        <Network hobnob>
          Server = 127.0.0.1 \(server.port)
          FloodRate = 0
          LoadModule = sasl
      \(rooms.map { "    <Chan \($0)>\n    </Chan>" }.joined(separator: "\n"))
        </Network>
      </User>

      """, to: "configs/znc.conf")
    // Its own way to write a file of values.
    func escaped(_ text: String) -> String {
      text.unicodeScalars.map {
        $0.properties.isAlphabetic ? String($0) : "%\(String($0.value, radix: 16));"
      }.joined()
    }
    let account = ["mechanisms": "PLAIN", "username": "anna", "password": Self.password]
    try write(
      account.map { "\(escaped($0)) \(escaped($1))\n" }.joined(),
      to: "users/anna/networks/hobnob/moddata/sasl/.registry")
    try start()
  }

  override public func start() throws {
    try super.start()
    let peer = try IRCPeer(server.port, "waits")
    let limit = Date(timeIntervalSinceNow: 30)
    while limit.timeIntervalSinceNow > 0 {
      peer.send("WHOIS anna")
      let lines = try peer.everything()
      if lines.contains(where: { $0.contains(" 319 ") && $0.contains("#") }) { return }
      usleep(20_000)
    }
    throw ServerFailure("ZNC does not reach InspIRCd: \(log)")
  }
}

/// BitlBee: an IRC server in front of a Prosody of its own. Whoever logs in there, by PASS or by
/// SASL with ``password``, is logged in at Prosody under the same name.
public final class BitlBee: IRCServer, @unchecked Sendable {
  public let prosody: Prosody

  public init(people: [String] = ["anna", "ben"]) throws {
    // It connects to no other ports.
    guard let free = (5220...5229).first(where: { !Self.answers($0) }) else {
      throw ServerFailure("none of the ports that BitlBee takes is free")
    }
    prosody = try Prosody(people: people, otherPort: free)
    try super.init("bitlbee", ports: 1, certificates: prosody.certificates)
    command = [
      IRCPackage.bitlbee.folder + "/usr/sbin/bitlbee", "-D", "-n", "-i", "127.0.0.1", "-p",
      String(port), "-P", folder + "/bitlbee.pid", "-c", folder + "/bitlbee.conf", "-d", folder,
    ]
    try write(
      "[settings]\nRunMode = Daemon\nCAfile = \(certificates.authority)\n[defaults]\n",
      to: "bitlbee.conf")
    try start()
    for name in people {
      let peer = try IRCPeer(port, name)
      for (words, answer) in [
        ("register \"\(Self.password)\"", "successfully created"),
        (
          "account add jabber \(name)@\(Prosody.domain) \"\(Prosody.password)\"",
          "successfully added"
        ),
        ("account jabber set server localhost", "server = "),
        ("account jabber set port \(free)", "port = "),
        ("save", "Configuration saved"),
      ] {
        peer.send("PRIVMSG &bitlbee :" + words)
        try peer.wait(for: answer)
      }
    }
  }
}
