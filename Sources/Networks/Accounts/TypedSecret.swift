// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform

/// Asks for a password at the terminal, which does not show it.
package enum TypedSecret {
  /// - Parameters:
  ///   - allowsNone: whether Return alone is an answer.
  ///   - isShown: whether the terminal shows it after all.
  ///   - other: a descriptor; the question ends when it can be read.
  /// - Returns: nil if there is no terminal, or nothing was typed.
  package static func ask(
    _ question: String, allowsNone: Bool = false, isShown: Bool = false, unless other: Int32 = -1
  ) -> String? {
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    let terminal = OpenFile(descriptor)
    var former = termios()
    guard tcgetattr(terminal.number, &former) == 0 else { return nil }
    var hidden = former
    hidden.c_lflag &= ~tcflag_t(ECHO)
    hidden.c_lflag |= tcflag_t(ECHONL | ICANON | ISIG | (isShown ? ECHO | ECHOE | ECHOK : 0))
    hidden.c_iflag |= tcflag_t(ICRNL)
    // After C-c and at C-z, the terminal must be as it was before.
    var (stop, blocked) = (sigset_t(), sigset_t())
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    sigprocmask(SIG_BLOCK, &stop, &blocked)
    // A handler would miss a C-c between the question and the wait for its answer.
    var interrupt = SignalDescriptor()
    interrupt.add([SIGINT])
    tcsetattr(terminal.number, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(terminal.number, TCSAFLUSH, &former)
      // A C-z that was pressed during the question takes effect now.
      sigprocmask(SIG_SETMASK, &blocked, nil)
    }
    _ = Array(question.broken(for: terminal.number).utf8).withUnsafeBytes {
      try? writeAll(terminal.number, $0)
    }
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < 4096 {
      var inputs = [terminal.number, interrupt.descriptor, other].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      // poll(2) skips a descriptor of -1.
      guard poll(&inputs, 3, -1) > 0, interrupt.read().isEmpty, inputs[2].revents == 0,
        read(terminal.number, &byte, 1) == 1
      else { return nil }
      if byte == 0x0A || byte == 0x0D { break }
      line.append(byte)
    }
    return line.isEmpty && !allowsNone ? nil : String(decoding: line, as: UTF8.self)
  }
}

extension String {
  /// The text with blanks instead of control characters, which a server's text or a catalogue may
  /// contain.
  package var withoutControls: String {
    String(
      UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
