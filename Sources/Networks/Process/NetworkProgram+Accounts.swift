// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// What the program does before an account exists, and while its owner changes it.
extension NetworkProgram {
  /// Answers a shell that adds an account.
  func writeAddress(_ written: String) -> Int32 {
    guard let address = checked(written, refuse: { say($0) }) else { return 1 }
    say(address, to: 1)
    return 0
  }

  /// Answers a shell that explains how to get an account: writes an address, and `register` if this
  /// program can register one.
  func writeExample() -> Int32 {
    var words = [example]
    if case .possible = registration { words.append("register") }
    say(words.joined(separator: " "), to: 1)
    return 0
  }

  /// Answers a shell that sets an option: writes the value to store.
  func writeOption(_ name: String, _ value: String) -> Int32 {
    if hasProgram {
      say(value, to: 1)
      return 0
    }
    guard let option = options.first(where: { $0.name == name }) else {
      let names = AccountSettings.common + options.map(\.name)
      say(filled(("An account has no option %1; it has %2.", [name, names.joinedAsList()])))
      return 1
    }
    do throws(AccountOption.Invalid) {
      say(try option.check(value), to: 1)
      return 0
    } catch {
      say(error.sentence)
      return 1
    }
  }

  /// - Parameter refuse: called with the reason if it is not an address.
  private func checked(_ written: String, refuse: (String) -> Void) -> String? {
    let parts = (written.split(separator: "@").last ?? "").split(separator: ":")
    // An IPv6 address has more colons. Only the network's program knows what its addresses mean.
    if !hasProgram, parts.count == 2, let port = UInt16(parts[1]) {
      let bare = String(written.dropLast(parts[1].count + 1))
      refuse(
        filled(
          (
            "An address has no port; add %1, and give the port as an option: --port %2.",
            [bare, String(port)]
          )))
      return nil
    }
    if let address = readAddress(written) { return address }
    refuse(filled(("%1 is not an address; one looks like %2.", [written, example])))
    return nil
  }

  /// - Parameter words: the address, then settings as `name=value`.
  func makeAccount(_ words: [String]) -> Int32 {
    guard let written = words.first else { return 64 }
    guard let address = checked(written, refuse: fail) else { return 1 }
    let pairs = words.dropFirst().map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    let settings = Dictionary(
      pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
    let register: Register
    switch registration {
    case .possible(let action): register = action
    case .impossible(let reason):
      fail(reason)
      return 1
    }
    guard let password = TypedSecret.ask(filled(("A password for %1: ", [address]))) else {
      fail(
        translated(
          "hobnob needs a password that is typed at a terminal; nothing was done."
        ))
      return 1
    }
    guard TypedSecret.ask(translated("Repeat the password: ")) == password else {
      fail(translated("The two passwords differ; nothing was done."))
      return 1
    }
    if let reason = register(address, password, settings) {
      fail(reason)
      return 1
    }
    let options = settings.sorted { $0.key < $1.key }.map { " --\($0.key) \($0.value)" }
    say(
      filled(
        (
          "You now have the account %1. To use it, type in hobnob: %2",
          [address, "/account add \(kind):\(address)" + options.joined()]
        )))
    return 0
  }
}
