// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform

/// File systems that other computers may use at the same time. There SQLite's write-ahead log, which
/// needs memory shared between all who have the store open, fails without notice
/// (https://www.sqlite.org/wal.html), and inotify does not see what other computers write.
package enum NetworkFileSystem {
  /// By the kernel's name of the type, without FUSE's prefix. (statfs(2) gives every FUSE program the
  /// same number, and most of them use a disk of this computer.)
  private static let names = [
    "nfs": "NFS", "nfs4": "NFS", "cifs": "SMB", "smb3": "SMB", "smbfs": "SMB", "smbnetfs": "SMB",
    "9p": "9P", "virtiofs": "virtiofs", "vboxsf": "VirtualBox", "vmhgfs-fuse": "VMware",
    "afs": "AFS", "ceph": "Ceph", "ceph-fuse": "Ceph", "coda": "Coda", "lustre": "Lustre",
    "gpfs": "GPFS", "gfs2": "GFS2", "ocfs2": "OCFS2", "beegfs": "BeeGFS", "pvfs2": "OrangeFS",
    "glusterfs": "GlusterFS", "mfs": "MooseFS", "sshfs": "sshfs", "davfs": "WebDAV",
    "gvfsd-fuse": "GVfs", "kio-fuse": "KIO", "rclone": "rclone", "s3fs": "S3", "gcsfuse": "gcsfuse",
    "blobfuse2": "blobfuse", "juicefs": "JuiceFS", "goofys": "S3", "mount-s3": "S3",
  ]

  /// - Parameters:
  ///   - device: the file system's major and minor number, as in `0:45`.
  ///   - mounts: the text of `/proc/self/mountinfo` (proc(5)).
  /// - Returns: its name; nil for any other file system.
  package static func name(ofDevice device: String, mounts: String) -> String? {
    for mount in mounts.split(separator: "\n") {
      let fields = mount.split(separator: " ")
      // The type is after the dash, which ends the optional fields.
      guard fields.count > 2, fields[2] == device,
        let type = fields.drop(while: { $0 != "-" }).dropFirst().first
      else { continue }
      return names[String(type.hasPrefix("fuse.") ? type.dropFirst(5) : type)]
    }
    return nil
  }
}

extension StoreFiles {
  /// The network file system that the store is on; usually nil.
  package var networkFileSystem: String? {
    var found = stat()
    guard stat(folder, &found) == 0 else { return nil }
    let mounts = OpenFile(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC))
    guard mounts.number >= 0, let text = try? readAll(mounts.number) else { return nil }
    return NetworkFileSystem.name(
      ofDevice: "\(clinux_major(found.st_dev)):\(clinux_minor(found.st_dev))",
      mounts: String(decoding: text, as: UTF8.self))
  }
}
