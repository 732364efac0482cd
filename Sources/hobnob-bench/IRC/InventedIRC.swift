// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// An IRC server with invented rooms and people, as fast as a server can be: one client at
/// a time, on loopback. It writes its port.
enum InventedIRC {
  static let peoplePerRoom = 500
  private static let capabilities = "batch server-time message-tags labeled-response"

  static func run() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port: UInt16 = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        guard bind(listener, $0, size) == 0, listen(listener, 5) == 0,
          getsockname(listener, $0, &size) == 0
        else { return }
      }
      return UInt16(bigEndian: $0.pointee.sin_port)
    }
    guard port > 0 else { throw MeasuringError("no port for an IRC server") }
    let line = Array("\(port)\n".utf8)
    write(1, line, line.count)
    while true {
      let client = accept(listener, nil, nil)
      if client < 0 { throw MeasuringError("the IRC server accepts no client") }
      serve(client)
      close(client)
    }
  }

  private static func send(_ lines: [String], to client: Int32) {
    let bytes = Array(lines.map { $0 + "\r\n" }.joined().utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(client, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  private static func serve(_ client: Int32) {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(client, &buffer, buffer.count, 0)
      if count <= 0 { return }
      text += String(decoding: buffer[..<count], as: UTF8.self)
      while let end = text.utf8.firstIndex(of: 0x0A) {
        let line = text[..<end].filter { $0 != "\r" && $0 != "\r\n" }
        text = String(text[text.utf8.index(after: end)...])
        send(answer(to: line), to: client)
      }
    }
  }

  private static func answer(to line: String) -> [String] {
    var words = line.split(separator: " ").map(String.init)
    if words.first?.hasPrefix("@label=") == true { words.removeFirst() }
    switch words.first {
    case "CAP" where words[1] == "LS": return [":srv CAP * LS :" + capabilities]
    case "CAP" where words[1] == "REQ":
      return [":srv CAP * ACK " + words.dropFirst(2).joined(separator: " ")]
    // Clients without capabilities send no CAP END.
    case "USER",
      "CAP" where words.last == "END":
      return [
        ":srv 001 anna :Welcome anna!anna@localhost",
        ":srv 005 anna CHANTYPES=# CASEMAPPING=ascii TARGMAX=JOIN: "
          + "soju.im/SAFERATE :are supported", ":srv 422 anna :No message",
      ]
    case "JOIN": return words[1].split(separator: ",").flatMap { names(of: String($0)) }
    case "PING": return [":srv PONG srv " + words[1]]
    default: return []
    }
  }

  private static func names(of room: String) -> [String] {
    let number = Int(room.dropFirst(5)) ?? 0
    let people = (0..<peoplePerRoom).map { "guest\(number * peoplePerRoom + $0)" }
    let lines = stride(from: 0, to: people.count, by: 40).map {
      ":srv 353 anna = \(room) :"
        + people[$0..<min($0 + 40, people.count)].joined(separator: " ")
    }
    return [":anna!anna@localhost JOIN \(room)"] + lines + [":srv 366 anna \(room) :End"]
  }
}
