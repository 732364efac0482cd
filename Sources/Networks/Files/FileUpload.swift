// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// One of the owner's files and the address to upload it to.
package struct FileUpload: Hashable, Sendable {
  package var entry: OutboxEntry.ID
  package var file: Attachment
  package var address: String
  /// Lines of the HTTP request.
  package var headers: [String]
  /// Where others can fetch it afterwards; nil if the web server chooses the link.
  package var link: String?

  package init(
    entry: OutboxEntry.ID, file: Attachment, address: String, headers: [String],
    link: String? = nil
  ) {
    (self.entry, self.file, self.address) = (entry, file, address)
    (self.headers, self.link) = (headers, link)
  }
}

package typealias UploadFailure = Transfers.Failure
