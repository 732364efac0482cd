// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The program that key echo is compared with: only a raw terminal, `read` and `write`.
enum RawEcho {
  static let greeting = "ready"

  static func run() {
    var modes = termios()
    tcgetattr(0, &modes)
    cfmakeraw(&modes)
    tcsetattr(0, TCSANOW, &modes)
    write(1, greeting, greeting.utf8.count)
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(0, &buffer, buffer.count)
      if count <= 0 { return }
      write(1, buffer, count)
    }
  }
}
