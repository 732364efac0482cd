// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux

/// File systems that other computers may use at the same time. There SQLite's write-ahead log, which
/// needs memory shared between all who have the store open, fails without notice
/// (https://www.sqlite.org/wal.html), and inotify does not see what other computers write.
package enum NetworkFileSystem {
  /// - Parameter type: `f_type` of statfs(2).
  /// - Returns: its name; nil for a local file system.
  package static func name(ofType type: UInt32) -> String? {
    switch type {
    case 0x6969: "NFS"
    case 0x517b, 0xff53_4d42, 0xfe53_4d42: "SMB"
    case 0x0102_1997: "9P"
    case 0x5346_414f, 0x6b41_4653: "AFS"
    case 0x00c3_6400: "Ceph"
    case 0x7375_7245: "Coda"
    case 0x0bd0_0bd0: "Lustre"
    case 0x4750_4653: "GPFS"
    case 0x0116_1970: "GFS2"
    case 0x7461_636f: "OCFS2"
    default: nil
    }
  }
}

extension StoreFiles {
  /// The network file system that the store is on; usually nil.
  package var networkFileSystem: String? {
    NetworkFileSystem.name(ofType: clinux_file_system_type(folder))
  }
}
