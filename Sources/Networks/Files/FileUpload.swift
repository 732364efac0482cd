// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// One of the owner's files and the address to upload it to.
package struct FileUpload: Hashable, Sendable {
  package var entry: OutboxEntry.ID
  package var file: Attachment
  /// Whether it is encrypted on its way, with a key that only its link has (XEP-0454).
  package var isSealed: Bool
  package var address: String
  /// Lines of the HTTP request.
  package var headers: [String]
  /// Where others can fetch it afterwards; nil if the web server chooses the link.
  package var link: String?

  package init(
    entry: OutboxEntry.ID, file: Attachment, isSealed: Bool = false, address: String,
    headers: [String], link: String? = nil
  ) {
    (self.entry, self.file, self.isSealed, self.address) = (entry, file, isSealed, address)
    (self.headers, self.link) = (headers, link)
  }
}

package typealias UploadFailure = Transfers.Failure
