// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences
import Storage

/// What a program says that people can do, it must do: changes of messages, older messages, rooms.
extension ProgramCheck {
  private static let unsaid: Outcome = .skipped(
    translated("the program does not say that people can do this there"))

  // MARK: Changes

  func checkEdit() -> Outcome {
    guard account.abilities(in: place)?.editsWithin != 0 else { return Self.unsaid }
    return checkChanges("edit") { [[.text: .text("check \(label) edited \($0)")]] }
  }

  func checkDelete() -> Outcome {
    guard account.abilities(in: place)?.deletes == true else { return Self.unsaid }
    return checkChanges("delete") { _ in [[:]] }
  }

  func checkReact() -> Outcome {
    guard account.abilities(in: place)?.reactionLimit != .no else { return Self.unsaid }
    return checkChanges("react") { _ in
      let given: [JSONName: JSON] = [.authorMine: .flag(true), .emoji: .text("👍")]
      return [
        given.merging([.all: .array([.text("👍")])]) { $1 },
        given.merging([.removed: .flag(true), .all: .array([])]) { $1 },
      ]
    }
  }

  /// Changes a message whose changes are handed over twice, and one during whose changes the program
  /// is killed.
  ///
  /// - Parameter changes: those of the first or the second message, as members of lines.
  private func checkChanges(
    _ type: String, _ changes: (_ message: Int) -> [[JSONName: JSON]]
  ) -> Outcome {
    for number in 1...2 {
      let (id, reason) = sendToChange("check \(label) to \(type) \(number)")
      if let reason { return .failed(reason) }
      guard let id else {
        return .failed(
          translated("its line “sent” gives the message no id, so nobody can change it"))
      }
      for members in changes(number) {
        let change = entry(type, members.merging([.id: .text(id)]) { $1 })
        if let reason = number == 1 ? sendTwice(change) : sendWithKill(change) {
          return .failed(reason)
        }
      }
      readAll()
      let isTwice = account.changes.contains {
        $0.key.conversation == place && $0.key.id == id && $0.value.count > 1
      }
      if isTwice {
        return .failed(filled(("it did an entry “%1” twice that it got a second time", [type])))
      }
    }
    return .passed
  }

  // MARK: Older messages

  func checkHistory() -> Outcome {
    guard account.hello?.verbs.contains(.history) == true else { return Self.unsaid }
    let newest = page(before: "")
    if let reason = newest.reason { return .failed(reason) }
    let from = newest.page?.from ?? ""
    if !from.isEmpty {
      let older = page(before: from)
      if let reason = older.reason { return .failed(reason) }
      let ids = newest.page?.messages.map(\.id) ?? []
      if let repeated = older.page?.messages.first(where: { ids.contains($0.id) }) {
        return .failed(filled(("“%1” is there twice", [repeated.text])))
      }
    }
    return outcome(ask(.history, history(before: from), withKill: true).reason)
  }

  private func history(before id: String) -> [JSONName: JSON] {
    [
      .target: place[.room] == .null ? place[.person] : place[.room], .count: .integer(10),
      .text: id.isEmpty ? .null : .text(id),
    ]
  }

  private func page(before id: String) -> (page: ExaminedAccount.Page?, reason: String?) {
    let count = account.pages.count
    let (text, reason) = ask(.history, history(before: id))
    if let reason { return (nil, reason) }
    // The answer may come before the end of the batch.
    account.read(within: quiet) { account.pages.count > count }
    guard account.pages.count > count, let page = account.pages.last else {
      return (
        nil, filled(("it says that people can read older messages, but answers: %1", [text ?? ""]))
      )
    }
    return (page, fault(of: page, before: id))
  }

  private func fault(of page: ExaminedAccount.Page, before id: String) -> String? {
    if page.conversation != place { return translated("its page is of another conversation") }
    if page.until != id {
      return filled(
        ("its page is to end before the message “%1”, but says “%2”", [id, page.until]))
    }
    guard page.isPast else {
      return translated("a message of a page lacks “\"past\":true”")
    }
    let texts = page.messages.map(\.text).filter(sent.contains)
    return texts == sent.filter(texts.contains)
      ? nil : translated("the messages of a page are not in their order, the oldest first")
  }

  // MARK: Rooms

  /// Without a room to write to, one that is invented, so that the program may also refuse it.
  func checkJoin() -> Outcome {
    let known = place[.room].text
    let room = known ?? "check-\(label)"
    for withKill in [false, true] {
      let (text, reason) = ask(.join, [.target: .text(room)], withKill: withKill)
      if let reason { return .failed(reason) }
      if let text, !text.isEmpty {
        return known == nil
          ? .passed : .failed(filled(("it does not enter the room %1: %2", [room, text])))
      }
    }
    guard known == nil else { return .passed }
    account.read(within: quiet) { account.rooms.rooms.contains(room) }
    if !account.rooms.rooms.contains(room) {
      return .failed(
        filled(("it answers that it has entered the room %1, but writes no line “room”", [room])))
    }
    return outcome(ask(.leave, [.target: .text(room)]).reason)
  }

  /// Makes a request.
  ///
  /// - Parameter withKill: whether to kill the program before it may have answered, and ask again.
  /// - Returns: the answer, or the reason for a failure.
  private func ask(
    _ verb: NetworkRequest.Verb, _ members: [JSONName: JSON], withKill: Bool = false
  ) -> (text: String?, reason: String?) {
    let number = nextNumber()
    var members = members
    members[.request] = .integer(number)
    members[.verb] = .text(verb.rawValue)
    account.write("request", members)
    if withKill {
      account.read(within: 5) { account.replies[number] != nil }
      account.kill()
      if let reason = restart() { return (nil, reason) }
      if account.replies[number] == nil {
        members[.tried] = .flag(true)
        account.write("request", members)
      }
    }
    account.read(within: patience) { account.replies[number] != nil }
    return account.replies[number].map { ($0, nil) }
      ?? (nil, filled(("it did not answer the request “%1” in time", [verb.rawValue])))
  }
}
