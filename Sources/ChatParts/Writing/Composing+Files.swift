// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// The files to send with the line (rule 8.1).
extension Composing {
  package mutating func attach(
    _ path: String, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) throws -> [Effect] {
    let place = try scene.open.requiredAsMember()
    let (own, most) = (scene.attachmentLimit, try snapshot.knownAbilities(of: place.id).largestFile)
    if most == 0 { throw RuleError.takesNoFiles(place.name) }
    let file = try files.attach(
      fileAt: path, limit: most.map { own > 0 ? min(own, $0) : $0 } ?? own)
    recordAttached([file], scene, snapshot)
    return leaveLine(scene) + [
      .notice(
        say(
          "%1 will be sent with your next message; /detach %2 removes it.",
          SafeText(name: file.name), SafeText(files.waiting.count)))
    ]
  }

  package mutating func detach(
    _ number: Int?, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    guard let former = files.detach(number) else { return [] }
    if let here = scene.present?.id { forget(former, in: key(of: here, scene, snapshot), scene) }
    return leaveLine(scene)
  }

  func key(
    of conversation: ID<Conversation>, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> AttachedFiles.ConversationKey {
    let address = try? snapshot.lastingAddress(of: conversation, for: scene.me.id)
    return AttachedFiles.ConversationKey(id: conversation, address: address ?? "")
  }

  private mutating func recordAttached(
    _ new: [WaitingFiles.File], _ scene: Scene, _ snapshot: borrowing Snapshot
  ) {
    guard scene.isInteractive, let here = scene.present?.id else { return }
    files.remember(new, in: key(of: here, scene, snapshot))
  }

  /// Removes files of a conversation from the record, except those that are attached again or
  /// belong to a line that was set aside.
  mutating func forget(
    _ former: [WaitingFiles.File], in key: AttachedFiles.ConversationKey, _ scene: Scene
  ) {
    guard scene.isInteractive else { return }
    let here = key.id == scene.present?.id ? files.waiting.files.map(\.path) : []
    files.forget(
      former, in: key, except: Set(here + aside.all(in: key.id).flatMap(\.files).map(\.path)))
  }

  package mutating func bringBack(
    _ back: WaitingFiles, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    guard !back.isEmpty else { return [] }
    files.bringBack(back)
    recordAttached(back.files, scene, snapshot)
    return saveDraft(in: scene.present?.id).map(Effect.write)
  }

  // MARK: C-c and C-_

  /// C-c on the empty line: removes the files. Attached files belong to the draft, not to an edit.
  package mutating func interrupted(_ scene: Scene) -> [Effect] {
    guard mode.isDraft, files.setAside(with: "") else {
      return [.notice(say("To leave: C-d on the empty line, or /quit"))]
    }
    noteDraft(at: scene.now)
    return [.notice(say("The attached files are removed; C-_ restores them"))]
  }

  /// Call this before C-c empties the line. If the program ends now, it is the draft (rule 5.1).
  package mutating func emptied(_ scene: Scene) -> [Effect] {
    noteDraft(at: scene.now)
    let writes = saveDraft(in: scene.present?.id)
    if mode.isDraft { _ = files.setAside(with: line.text) }
    beforeCommand = TextBeforeCommand()
    return writes.map(Effect.write)
  }

  /// C-_ on the empty line: attaches the removed files again, or leaves the key to readline.
  package mutating func undo(_ scene: Scene) -> [Effect] {
    guard line.isEmpty, files.undo() else { return [.refused(SafeText())] }
    noteDraft(at: scene.now)
    return [.notice(say("The files are attached again"))]
  }
}
