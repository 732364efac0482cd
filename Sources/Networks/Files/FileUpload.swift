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

package typealias UploadFailure = Transfers.Failure
