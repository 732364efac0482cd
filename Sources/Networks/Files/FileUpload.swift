// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// One of the owner's files and the address to upload it to.
package struct FileUpload: Hashable, Sendable {
  package var entry: OutboxEntry.ID
  package var file: Attachment
  package var address: String
  /// Lines of the HTTP request.
  package var headers: [String]

  package init(entry: OutboxEntry.ID, file: Attachment, address: String, headers: [String]) {
    (self.entry, self.file, self.address, self.headers) = (entry, file, address, headers)
  }
}

/// Why an upload failed.
package struct UploadFailure: Error, Hashable, Sendable {
  /// The reason, as the end of a sentence without its full stop.
  package var reason: String
  /// Whether another try may work.
  package var isTemporary: Bool

  package init(_ reason: String, isTemporary: Bool = false) {
    (self.reason, self.isTemporary) = (reason, isTemporary)
  }
}
