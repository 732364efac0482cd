// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform
import Sentences

/// The store's file, the files beside it, and their permissions.
package struct StoreFiles {
  /// Absolute, with the folder's links resolved.
  package let path: String
  package let folder: String
  /// Writers write to it after each commit, and the others watch it.
  package let bell: String
  /// The folder of the running shells' lock files.
  package let shells: String
  /// The folder of the attachments of messages.
  package let attachments: String
  /// The error to throw, unless the store turns out to be a shared one.
  package var refusalIfPrivate: StoreError?

  package static func fileMode(shared: Bool) -> mode_t { shared ? 0o660 : 0o600 }
  package static func folderMode(shared: Bool) -> mode_t { shared ? 0o2770 : 0o700 }

  /// Checks everything before opening anything, and creates folder and file if `options` ask for
  /// it.
  ///
  /// - Throws: `StoreError` `.isLink`, `.foreign`, `.folderWritableByOthers`, `.readOnly`,
  ///   `.linkBeside`, `.cannotOpen`, `.moved`, `.logReplaced`, `.logWithoutStore`.
  package init(path given: String, options: StoreOptions) throws {
    try self.init(around: given, options: options)
    if fileStatus(path) == nil {
      guard options.createIfMissing else {
        throw StoreError.cannotOpen(path: path, reason: noSuchFile)
      }
      if !options.shared, let refusalIfPrivate { throw refusalIfPrivate }
      do {
        try checkRemains()
      } catch  where fileStatus(path) != nil {
        // Another process has created it since; the files beside it are that store's.
        self = try StoreFiles(path: given, options: options)
        return
      }
      try create(shared: options.shared)
    } else {
      _ = try checkedWALFiles()
    }
    guard access(folder, W_OK) == 0 else { throw StoreError.readOnly(path: folder) }
  }

  /// Checks the path for a store that will be moved there, and creates its folder if it is missing.
  ///
  /// - Throws: `StoreError` as above, and `.cannotOpen` if there is one already.
  package init(forNew given: String, shared: Bool) throws {
    try self.init(around: given, options: .init(shared: shared))
    // SQLite would read the remains of another store's log as the new one's.
    for name in [path, path + "-wal", path + "-journal"] where fileStatus(name) != nil {
      throw StoreError.cannotOpen(path: name, reason: translated("it exists; name a new file"))
    }
    if !shared, let refusalIfPrivate { throw refusalIfPrivate }
  }

  private init(around given: String, options: StoreOptions) throws {
    let (parentPath, name) = StoreFiles.split(given)
    if given.hasPrefix("~") {
      throw StoreError.cannotOpen(
        path: given,
        reason: translated(
          "hobnob does not replace the ~; write the whole path, or ./ before a name that begins so")
      )
    }
    if given.hasPrefix("file:") || given == ":memory:" {
      throw StoreError.cannotOpen(
        path: given,
        reason: translated(
          "hobnob needs the path of a file, not an address; write ./ before a name that begins so"))
    }
    guard !name.isEmpty, name != ".", name != ".." else {
      throw StoreError.cannotOpen(path: given, reason: translated("it names a folder, not a file"))
    }
    // Check this before the folder's own permissions, which would be the wrong thing to report
    // here.
    if let found = fileStatus(given), found.st_mode & S_IFMT == S_IFDIR {
      throw StoreError.cannotOpen(
        path: given, reason: translated("it is a folder; name a file in it, such as store.sqlite"))
    }
    let folderIsNew = try StoreFiles.ensureFolder(
      parentPath, options: options, missing: StoreError.cannotOpen(path: given, reason: noSuchFile))
    guard let resolved = realPath(parentPath) else {
      throw StoreError.cannotOpen(path: parentPath, reason: SystemFailure().reason)
    }
    folder = resolved
    path = folder == "/" ? "/" + name : folder + "/" + name
    let stem = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
    bell = stem + ".bell"
    shells = stem + ".shells"
    attachments = stem + ".attachments"

    try checkFolder(shared: options.shared, isNew: folderIsNew)
    try checkFiles()
  }

  /// Whether a shared store can be created in the folder of a file.
  package static func isForSharing(folderOf path: String) -> Bool {
    fileStatus(split(path).folder).map { $0.st_mode & 0o2070 == 0o2070 } ?? false
  }

  package static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }

  /// - Returns: whether it was created.
  private static func ensureFolder(
    _ folder: String, options: StoreOptions, missing: StoreError
  ) throws -> Bool {
    if let found = fileStatus(folder) {
      if found.st_mode & S_IFMT == S_IFLNK { throw StoreError.isLink(path: folder) }
      guard found.st_mode & S_IFMT == S_IFDIR else {
        throw StoreError.cannotOpen(path: folder, reason: translated("it is not a folder"))
      }
      if let closed = closed(folder) { throw closed }
      return false
    }
    if let closed = closed(folder) { throw closed }
    guard options.createIfMissing else { throw missing }
    let parent = split(folder).folder
    if parent != folder, access(parent, F_OK) != 0 {
      _ = try ensureFolder(parent, options: .init(), missing: missing)
    }
    if mkdir(folder, 0o700) != 0 {
      // Another process may have been quicker.
      if errno == EEXIST { return try ensureFolder(folder, options: options, missing: missing) }
      throw StoreError.cannotOpen(path: folder, reason: SystemFailure().reason)
    }
    // mkdir obeys the umask, chmod does not.
    chmod(folder, folderMode(shared: options.shared))
    return true
  }

  /// The error for a folder, or one above it, that this user may not enter; nil if they may.
  private static func closed(_ folder: String) -> StoreError? {
    guard access(folder, X_OK) != 0, errno == EACCES else { return nil }
    guard let found = fileStatus(folder) else {
      let parent = split(folder).folder
      return parent == folder ? nil : closed(parent)
    }
    let reason = translated("permission denied")
    guard found.st_mode & 0o010 != 0, !Login.isMember(of: found.st_gid) else {
      return .cannotOpen(path: folder, reason: reason)
    }
    let group = Login.name(ofGroup: found.st_gid) ?? String(found.st_gid)
    return .cannotOpen(
      path: folder,
      reason: filled(("permission denied; you are not in the group %1", [group])))
  }

  private mutating func checkFolder(shared: Bool, isNew: Bool) throws {
    guard let found = fileStatus(folder) else {
      throw StoreError.cannotOpen(path: folder, reason: SystemFailure().reason)
    }
    // A sticky bit does not help: others could create the files beside the store first.
    if found.st_mode & 0o002 != 0 { throw StoreError.folderWritableByOthers(path: folder) }
    if found.st_uid != geteuid(), found.st_uid != 0 {
      refusalIfPrivate = .foreign(path: folder, owner: userName(found.st_uid))
    } else if found.st_mode & 0o020 != 0 {
      refusalIfPrivate = .folderWritableByOthers(path: folder)
    }
    if shared, !isNew, fileStatus(path) == nil, !StoreFiles.isForSharing(folderOf: path) {
      throw StoreError.cannotOpen(
        path: folder,
        reason: translated(
          "a shared store needs a folder whose new files get the group of the folder; run chmod 2770 on it"
        ))
    }
  }

  private mutating func checkFiles() throws {
    for name in [path, path + "-wal", path + "-shm", path + "-journal", bell, shells, attachments] {
      guard let found = fileStatus(name) else { continue }
      let kind = found.st_mode & S_IFMT
      if kind == S_IFLNK { throw link(name) }
      let isFolder = name == shells || name == attachments
      guard kind == (isFolder ? S_IFDIR : S_IFREG) else {
        let reason = translated(isFolder ? "it is not a folder" : "it is not a regular file")
        throw StoreError.cannotOpen(path: name, reason: reason)
      }
      guard found.st_uid != geteuid() else { continue }
      let refusal = StoreError.foreign(path: name, owner: userName(found.st_uid))
      // A file that its group cannot write is not a shared store: do not even open it.
      if name == path, found.st_mode & 0o060 != 0o060 { throw refusal }
      refusalIfPrivate = refusalIfPrivate ?? refusal
    }
  }

  /// A new store must not begin beside shells that have the old one open, nor inherit its log.
  private func checkRemains() throws {
    if hasLivingShell { throw StoreError.moved(path: path) }
    let log = WALFiles.log(of: path)
    if let found = fileStatus(log), found.st_size > 0 {
      throw StoreError.logWithoutStore(path: path, file: log)
    }
  }

  /// The log and the index that every running shell has open. If one was deleted, opening the store
  /// would create another, which would overwrite what the shells have stored in theirs.
  ///
  /// - Throws: `StoreError.logReplaced`.
  package func checkedWALFiles() throws -> WALFiles? {
    let here = WALFiles(of: path)
    let texts = locks().filter { $0.isHeld && !$0.text.isEmpty }.map(\.text)
    for text in texts where text != here?.text {
      let log = WALFiles.log(of: path)
      let hasLog = FileIdentity(log).map { text.hasPrefix($0.text + " ") } ?? false
      throw StoreError.logReplaced(path: path, file: hasLog ? WALFiles.index(of: path) : log)
    }
    return here
  }

  private var hasLivingShell: Bool { locks().contains(where: \.isHeld) }

  private func create(shared: Bool) throws {
    let mode = StoreFiles.fileMode(shared: shared)
    let file = open(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, mode)
    if file < 0 {
      if errno == EEXIST { return }
      throw StoreFiles.refusal(path)
    }
    fchmod(file, mode)
    // Closing a file drops this process's locks on it. There are none yet: the file is new.
    close(file)
  }

  /// - Parameter code: `errno` of the call that failed.
  private static func refusal(_ path: String, _ code: Int32 = errno) -> StoreError {
    switch code {
    case ENOSPC, EDQUOT: .full(path: path)
    case EROFS, EACCES: .readOnly(path: path)
    case ELOOP: .isLink(path: path)
    default: .cannotOpen(path: path, reason: SystemFailure(code: code).reason)
    }
  }

  /// Opens the bell for writing; creates it if it is missing.
  ///
  /// - Throws: `StoreError` `.linkBeside`, `.cannotOpen`, `.full`, `.readOnly`.
  package func openBell(shared: Bool) throws -> Int32 {
    let (parent, name) = StoreFiles.split(bell)
    let file = try refusing(bell) {
      try StoreFiles.opened(name, in: OpenFile(folder: parent, following: false), shared: shared)
    }
    // Ringing writes into the file: it must not be one that somebody linked here.
    let found = try file.status()
    guard found.st_mode & S_IFMT == S_IFREG, found.st_size <= 1 else {
      throw StoreError.cannotOpen(
        path: bell, reason: translated("hobnob did not create it; move it away"))
    }
    return file.released()
  }

  func refusing<T: ~Copyable>(_ path: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let failure as SystemFailure {
      if fileStatus(path).map({ $0.st_mode & S_IFMT == S_IFLNK }) == true { throw link(path) }
      throw StoreFiles.refusal(path, failure.code)
    }
  }

  private func link(_ name: String) -> StoreError {
    name == path ? .isLink(path: name) : .linkBeside(path: name, store: path)
  }

  /// Opens a file in a folder for writing, creates it if it is missing, and never follows a link.
  static func opened(
    _ name: String, in folder: borrowing OpenFile, shared: Bool, exclusively: Bool = false
  ) throws -> OpenFile {
    let (mode, flags) = (fileMode(shared: shared), O_WRONLY | O_NONBLOCK)
    while true {
      do {
        let new = try OpenFile(in: folder, name, flags | O_CREAT | O_EXCL, mode: mode)
        fchmod(new.number, mode)
        return new
      } catch let failure as SystemFailure where failure.code == EEXIST && !exclusively {}
      do { return try OpenFile(in: folder, name, flags) } catch let failure as SystemFailure
        where failure.code == ENOENT
      {
        // Somebody removed it in between.
      }
    }
  }

  /// A name in the store's folder that is not the store's own; nil if there is none. Names that
  /// begin with the store's name, such as a copy's, count as its own.
  package var foreignName: String? {
    let names = (try? OpenFile(folder: folder, following: false).names()) ?? []
    let stem = StoreFiles.split(bell).name.dropLast(".bell".count)
    return names.sorted().first {
      !$0.hasPrefix(stem + ".") && !$0.hasPrefix(stem + "-") && !$0.hasPrefix(".hobnob-")
        && $0 != StoreFiles.split(path).name
    }
  }

  /// Removes permissions that a private store never gave others, as after `cp` or a careless chmod.
  package func tighten() {
    for name in [path, path + "-wal", path + "-shm"] {
      guard let found = fileStatus(name), found.st_uid == geteuid(), found.st_mode & 0o077 != 0
      else { continue }
      fchmodat(AT_FDCWD, name, found.st_mode & 0o700, AT_SYMLINK_NOFOLLOW)
    }
  }
}

private var noSuchFile: String { translated("there is no such file") }

private func userName(_ id: uid_t) -> String {
  Login.name(of: id) ?? filled(("user %1", [String(id)]))
}
