// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Answers and notices of networks.
extension Session {
  /// Prints the networks' answers to this person's requests.
  func tell(_ answers: [NetworkAnswer], _ snapshot: borrowing Snapshot) {
    for answer in answers {
      if !answer.text.isEmpty {
        tellJoinsAndLeaves(precedes: true, snapshot)
        emit(.endNotice(HistoryCommand.fetching))
        let lines = answer.text.split(separator: "\n").map {
          StyledLine(SafeText(line: String($0)), .dim)
        }
        act(on: [.answer(lines, indent: 2)], snapshot)
      }
      fetched(answer, snapshot)
    }
  }

  /// Prints the networks' notices, which answer no request; an invitation rings.
  func tell(_ notices: [AccountNotice], _ snapshot: borrowing Snapshot) {
    for notice in notices {
      act(on: [.tell(SafeText(line: notice.text))], snapshot)
      if notice.kind == .invitation, settings.bell { emit(.bell) }
    }
  }

  /// Handles the answer to a request for a file: after the last answer for a message, saves the
  /// files that arrived.
  private func fetched(_ answer: NetworkAnswer, _ snapshot: borrowing Snapshot) {
    guard let save = pendingSaves.removeValue(forKey: answer.request.id),
      !pendingSaves.values.contains(save)
    else { return }
    reportingErrors {
      guard let message = try snapshot.message(save.message, for: me.id) else { return }
      let chore = FileChore.save(
        message.attachments, to: save.path, from: snapshot.attachmentFolder)
      try chore.check()
      try begin(chore)
    }
  }
}
