// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

extension Remark {
  /// What an error says, in a form that the store keeps.
  package init(of error: any Error) {
    self =
      switch error {
      case let error as StoreError: filled(error.sentence)
      case let error as RuleError: filled(error.sentence)
      case let error as AttachmentError: filled(error.sentence)
      case let error as AccountFileError: filled(error.sentence)
      default: Remark(String(describing: error))
      }
  }
}
