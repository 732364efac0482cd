// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import OMEMO
import Testing

@testable import NetworkInbox
@testable import XMPP

@Suite("14.17: devices that the owner has verified, and new ones")
struct DeviceTrustTests {
  private let anna = Village.anna
  private let ben = Village.ben
  /// Anna and Ben have written to each other.
  private var acquainted: Village {
    get throws {
      var village = try Village()
      for account in [anna, ben] { try village.connect(account) }
      village.say(1, "hello", from: anna, to: ben)
      village.say(2, "hi", from: ben, to: anna)
      return village
    }
  }

  private func number(_ village: Village, _ account: Address, as resource: String = "one")
    -> String
  {
    String(village.encryption(of: account, as: resource)?.book.own.id ?? 0)
  }

  private func key(_ village: Village, _ account: Address, as resource: String = "one")
    -> Fingerprint
  {
    Fingerprint(village.encryption(of: account, as: resource)?.book.own.publicKey ?? [])
  }

  @Test("the owner sees their own fingerprint, with the link that other programs scan")
  func own() throws {
    var village = try acquainted
    let answer = village.ask(.verify, of: anna) ?? ""
    #expect(answer.contains(key(village, anna).text))
    let link = FingerprintLink(String(answer.split(separator: "\n").last ?? ""))
    #expect(link?.account == anna)
    #expect(link?.keys == [UInt32(number(village, anna))!: key(village, anna)])
    #expect(
      key(village, anna).text.split(separator: " ").map(\.count) == Array(repeating: 8, count: 8))
  }

  @Test("the devices of somebody whom nobody has written to are asked for first")
  func stranger() throws {
    var village = try Village()
    village.areContacts = false
    for account in [anna, ben] { try village.connect(account) }
    let answer = village.ask(.verify, ben.description, of: anna) ?? ""
    #expect(answer.contains(key(village, ben).text))
    #expect(answer.contains("1  device \(number(village, ben)), last seen "))
    #expect(answer.contains(": not verified"))
    let nobody = village.ask(.verify, "carl@example.org", of: anna)
    #expect(nobody == "carl@example.org has no program that can encrypt.")
  }

  @Test("somebody in a room is named by their nickname, where the room shows addresses")
  func inRoom() throws {
    var village = try Village()
    village.room = VillageRoom()
    for account in [anna, ben] { try village.connect(account) }
    let room = VillageRoom.address.description
    let answer = village.ask(.verify, room, of: anna, person: "ben") ?? ""
    #expect(answer.contains(key(village, ben).text))
    #expect(
      village.ask(.verify, room, of: anna, person: "dan")
        == "\(room) does not show the address of dan.")
  }

  @Test(
    "a number, a fingerprint and a link mark a device",
    arguments: ["place", "number", "fingerprint", "grouped", "link"])
  func marks(how: String) throws {
    var village = try acquainted
    let (number, key) = (number(village, ben), key(village, ben))
    let words =
      switch how {
      case "place": "1"
      case "number": number
      case "fingerprint": key.digits.uppercased()
      case "grouped": key.text
      default: "xmpp:\(ben)?omemo-sid-\(number)=\(key.digits)"
      }
    let answer = village.ask(.verify, ben.description, words, of: anna)
    #expect(answer == "You have verified device \(number) of \(ben).")
    village.open([.direct(ben.description)], of: anna)
    #expect(village.state(anna, with: ben) == .verified)
    village.say(3, "it is me", from: ben, to: anna)
    #expect(village.received(anna).last?.encryption == .verified)
    #expect(village.ask(.verify, ben.description, of: anna)?.contains(": verified") == true)
  }

  @Test("a fingerprint that differs marks nothing, and the answer names the group")
  func differs() throws {
    var village = try acquainted
    var groups = key(village, ben).text.split(separator: " ").map(String.init)
    let right = groups[2]
    groups[2] = "00000000"
    let answer = village.ask(.verify, ben.description, groups.joined(separator: " "), of: anna)
    let name = "device \(number(village, ben)) of \(ben)"
    #expect(
      answer
        == "This is not the fingerprint of \(name): its group 3 is \(right), and yours is 00000000. It was not verified."
    )
    let other = village.ask(.verify, ben.description, key(village, anna).text, of: anna)
    #expect(other?.hasPrefix("No device of \(ben) has this fingerprint.") == true)
    let link = "xmpp:\(anna)?omemo-sid-1=\(key(village, ben).digits)"
    #expect(
      village.ask(.verify, ben.description, link, of: anna)
        == "This link is about \(anna), not \(ben).")
    #expect(
      village.ask(.verify, ben.description, "9x", of: anna)?.hasPrefix("“9x” is neither") == true)
    let isMarked = village.encryption(of: anna)?.book.isVerified(ben)
    #expect(isMarked == false)
  }

  @Test(
    "a new device of a verified person gets nothing until the owner decides",
    arguments: [true, false])
  func newDevice(isWanted: Bool) throws {
    var village = try acquainted
    _ = village.ask(.verify, ben.description, "1", of: anna)
    try village.connect(ben, as: "two")
    village.say(3, "for the first", from: anna, to: ben)
    #expect(village.read(ben).last == "for the first")
    #expect(village.read(ben, as: "two").last != "for the first")
    let number = number(village, ben, as: "two")
    let alerts = village.told(anna).filter { $0.hasPrefix("\u{7}") }
    #expect(alerts.count == 1)
    #expect(alerts.first?.hasPrefix("\u{7}\(ben) has a new device, \(number).") == true)
    // What it writes is read all the same.
    village.say(4, "from the new one", from: ben, to: anna, as: "two")
    let last = village.received(anna).last
    #expect(last?.body == "from the new one")
    #expect(last?.encryption == .unverified)

    _ = village.ask(.verify, ben.description, isWanted ? "yes" : "no", of: anna)
    village.say(5, "decided", from: anna, to: ben)
    #expect(village.read(ben).last == "decided")
    #expect((village.read(ben, as: "two").last == "decided") == isWanted)
    #expect(village.told(anna).filter { $0.hasPrefix("\u{7}") }.count == 1)
  }

  @Test(
    "a device that is refused gets nothing, even after a restart; if it was the only one, lines wait"
  )
  func refused() throws {
    var village = try acquainted
    let answer = village.ask(.verify, ben.description, "1 no", of: anna)
    #expect(answer == "Device \(number(village, ben)) of \(ben) gets nothing that you write.")
    let book = village.kill(anna)
    try village.connect(anna, book)
    let count = village.messages.count
    village.say(3, "secret", from: anna, to: ben)
    #expect(village.messages.count == count)
    _ = village.ask(.verify, ben.description, "1", of: anna)
    #expect(village.read(ben).last == "secret")
  }

  @Test("a link whose fingerprint is too long, too short or none marks nothing")
  func oddLinks() throws {
    var village = try acquainted
    let (number, key) = (number(village, ben), key(village, ben).digits)
    for digits in [
      key + ".", key + "0", String(key.dropLast()), "", String(repeating: "Ｆ", count: 64),
    ] {
      let link = "xmpp:\(ben)?omemo-sid-\(number)=\(digits)"
      #expect(
        village.ask(.verify, ben.description, link, of: anna) == "This link has no fingerprints.")
    }
    let other = "xmpp:\(ben)?omemo-sid-\(number)=" + String(repeating: "0", count: 64)
    #expect(
      village.ask(.verify, ben.description, other, of: anna)?.hasPrefix("No device of") == true)
    let isVerified = village.encryption(of: anna)?.book.isVerified(ben)
    #expect(isVerified == false)
  }

  @Test("without a list of the owner's devices, /device says so")
  func withoutOwnList() throws {
    var village = try Village()
    village.refuses = { $0.first("pubsub", Feature.publishing) == nil ? nil : "forbidden" }
    try village.connect(anna)
    for words in ["", "name 1 laptop", "remove 1"] {
      #expect(
        village.ask(.device, "", words, of: anna)
          == "Your server does not say which devices you have.")
    }
  }

  @Test("a session under another key than the one that the owner knows is not used")
  func otherKey() throws {
    var village = try acquainted
    let device = KeyBook.Device(
      account: ben, number: try #require(village.encryption(of: ben)?.book.own.id))
    _ = village.ask(.verify, ben.description, "1", of: anna)
    let real = try #require(village.encryption(of: anna)?.book.identities[device]?.key)
    let library = village.library
    let evil = try OwnDevice(library, time: 1)
    // The server passes off another bundle as that of the device, in the older version.
    village.change(anna) { encryption in
      let own = encryption.book.own
      guard let bundle = try? evil.bundle(.legacy, library),
        let session = try? Session(with: bundle, of: device.number, by: own, library)
      else { return }
      encryption.book.set(session, .init(device: device, version: .legacy))
      encryption.book.set([], of: ben, .two)
      let destination = Encryption.Destination.person(ben)
      let context = ClientContext(
        owner: Owner(Village.anna, nick: nil, away: nil), random: SystemRandomNumberGenerator())
      #expect(encryption.recipients(destination, in: context).ready.isEmpty)
      // Nor after that key has been seen, and the real one again.
      encryption.book.meet(device, evil.publicKey, at: 1)
      encryption.book.meet(device, real, at: 2)
      #expect(encryption.book.sessions[.init(device: device, version: .legacy)] == nil)
    }
  }

  @Test("the owner's new device rings once")
  func ownNewDevice() throws {
    var village = try acquainted
    try village.connect(anna, as: "two")
    let number = number(village, anna, as: "two")
    let start = "\u{7}Your account has a new device, \(number), "
    #expect(village.told(anna).filter { $0.hasPrefix(start) }.count == 1)
    // The new one knows that the other was there before.
    #expect(!village.told(anna, as: "two").contains { $0.hasPrefix("\u{7}") })
    let book = village.kill(anna)
    try village.connect(anna, book)
    #expect(village.told(anna).filter { $0.hasPrefix(start) }.count == 1)
  }

  @Test("the owner names and removes their own devices")
  func ownDevices() throws {
    var village = try acquainted
    village.now += 1
    try village.connect(anna, as: "two")
    let (one, two) = (number(village, anna), number(village, anna, as: "two"))
    village.say(3, "both read this", from: ben, to: anna)
    #expect(
      village.ask(.device, "", "name 2 old phone", of: anna)
        == "Device \(two) is called old phone here from now on.")
    let list = village.ask(.device, of: anna) ?? ""
    #expect(list.contains("1  device \(one), last seen 2026-05-28: this device"))
    #expect(list.contains("2  device \(two) old phone, last seen 2026-05-28: not verified"))
    #expect(
      village.ask(.device, "", "remove 1", of: anna)?.hasPrefix(
        "This is the device that you are using") == true)
    #expect(
      village.ask(.device, "", "remove 7", of: anna) == "You have no device 7; /device lists yours."
    )
    _ = village.kill(anna, as: "two")
    #expect(
      village.ask(.device, "", "remove 2", of: anna)?.hasPrefix(
        "Device \(two) is not one of yours any more") == true)
    for version in OMEMOVersion.allCases {
      let list = village.nodes[anna]?[version.listNode]?.last?.payload.xml() ?? ""
      #expect(list.contains("'\(one)'") || list.contains("\"\(one)\""))
      #expect(!list.contains(two))
    }
    let kept = village.encryption(of: anna)?.book
    #expect(kept?.names[UInt32(two)!] == "old phone")
  }
}
