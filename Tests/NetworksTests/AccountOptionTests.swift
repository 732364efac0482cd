// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

/// What the program of a network answers to a shell that sets an option.
@Suite("An option of one network") struct AccountOptionTests {
  private struct Answer: Equatable {
    var status: Int32
    var output = ""
    var errors = ""
  }

  private func answer(_ words: String...) throws -> Answer {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let program = Process()
    program.executableURL = URL(fileURLWithPath: bundle).deletingLastPathComponent()
      .appendingPathComponent("StubNetwork")
    program.arguments = ["--option"] + words
    let (output, errors) = (Pipe(), Pipe())
    (program.standardOutput, program.standardError) = (output, errors)
    try program.run()
    let texts = [output, errors].map {
      String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    program.waitUntilExit()
    return Answer(status: program.terminationStatus, output: texts[0], errors: texts[1])
  }

  @Test("a valid value is printed as it is to be stored")
  func valid() throws {
    #expect(try answer("door", "Locked") == Answer(status: 0, output: "locked\n"))
    #expect(try answer("speed", "007") == Answer(status: 0, output: "7\n"))
  }

  @Test("an invalid value, or an option that the network does not have, is refused in a sentence")
  func invalid() throws {
    #expect(
      try answer("door", "aj\u{1B}ar") == Answer(status: 1, errors: "A door is not aj ar.\n"))
    for value in ["0", "10", "x", ""] {
      #expect(
        try answer("speed", value)
          == Answer(status: 1, errors: "speed is a number from 1 to 9, not \(value).\n"))
    }
    #expect(
      try answer("shoe", "4")
        == Answer(
          status: 1,
          errors: "An account has no option shoe; it has host, port, ca, pin, nick, fetch, "
            + "rooms, password-command, speed, door.\n"))
  }
}
