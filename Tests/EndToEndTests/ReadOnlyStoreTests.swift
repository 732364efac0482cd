// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

extension EndToEnd {
  @Suite("11.6: A store without permission to write")
  struct ReadOnlyStoreTests {
    @Test(
      "11.6: that is said, whether the file or its folder is read-only",
      arguments: [true, false])
    func refused(isFolder: Bool) throws {
      let home = try Home()
      try home.say("hello", as: "ben")
      let command = try home.unprivileged([Home.program, "send", "lobby", "--as", "anna", "hi"])
      let folder = URL(fileURLWithPath: home.store).deletingLastPathComponent().path
      chmod(isFolder ? folder : home.store, isFolder ? 0o500 : 0o400)
      defer { chmod(folder, 0o700) }
      let finished = try Program(command, environment: home.environment).finish()
      #expect(finished.status == 1)
      #expect(finished.errors.contains("cannot be written to"), "\(finished.errors)")
    }
  }
}
