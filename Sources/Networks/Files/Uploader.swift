// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// Uploads the files of an account's messages, and knows how far they are.
@MainActor
final class Uploader {
  private let transfers: Transfers
  private let folder: AttachmentFolder
  private let progress: TransferProgress
  private var running: [OutboxEntry.ID: Transfers.ID] = [:]

  /// - Parameter changed: called when `activity` has changed.
  init(
    from folder: AttachmentFolder, certificates: String?, loop: EventLoop, names: any NameSource,
    changed: @escaping () -> Void
  ) {
    transfers = Transfers(loop: loop, names: names, certificates: certificates)
    self.folder = folder
    progress = TransferProgress(loop: loop, changed: changed)
  }

  var isBusy: Bool { !running.isEmpty }
  /// The upload as an activity of the status; nil if nothing is shown.
  var activity: AccountStatus.Activity? { progress.activity }

  /// - Parameters:
  ///   - server: the address of the account's own server in digits.
  ///   - ended: gets the link for the file.
  func begin(
    _ upload: FileUpload, server: String?,
    ended: @escaping (Result<String, UploadFailure>) -> Void
  ) {
    let (id, file) = (upload.entry, upload.file)
    progress.begin { .uploading(file.name, percent: $0) }
    transfers.server = server
    running[id] = transfers.upload(
      upload, from: folder, progress: { [progress] in progress.move($0, of: $1) },
      ended: { [weak self] result in
        self?.running[id] = nil
        self?.progress.end()
        ended(result)
      })
  }

  func cancel(_ id: OutboxEntry.ID) {
    if let upload = running.removeValue(forKey: id) { transfers.cancel(upload) }
    progress.end()
  }
}
