// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Networks

// Enters the sandbox of a network process and tries what an attacker would who controls one. Prints
// a line for each attempt: `NAME yes` if it succeeded, `NAME no` if not. Then it makes forbidden
// system calls, and prints `call NAME` with the number of the error, 0 for none.
//
// Usage: ConfinementProbe OWN-FOLDER OTHER-FOLDER UNIX-SOCKET; the parent is the process to signal.

let arguments = CommandLine.arguments
let (own, other, socketPath) = (arguments[1], arguments[2], arguments[3])

func tell(_ name: String, _ went: Bool) { print(name, went ? "yes" : "no") }

func opens(_ path: String, _ flags: Int32) -> Bool {
  let file = open(path, flags, 0o600)
  if file >= 0 { close(file) }
  return file >= 0
}

func connects() -> Bool {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(socketPath.utf8)) }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  } == 0
}

func starts() -> Bool {
  var process: pid_t = 0
  let words = [strdup("true"), nil]
  guard posix_spawnp(&process, "true", nil, nil, words, environ) == 0 else { return false }
  var status: Int32 = 0
  waitpid(process, &status, 0)
  return status == 0
}

/// Whether a socket can be opened that is not of the internet; 45 families are known.
func opensOtherFamily() -> Bool {
  (Int32(0)...45).filter { $0 != AF_INET && $0 != AF_INET6 }.contains { family in
    [SOCK_STREAM, SOCK_DGRAM, SOCK_RAW].contains { kind in
      let descriptor = socket(family, Int32(kind.rawValue), 0)
      defer { close(descriptor) }
      return descriptor >= 0
    }
  }
}

func hasCapabilities() -> Bool {
  // The version of linux/capability.h, and this process; then three numbers, twice.
  var header: [UInt32] = [0x2008_0522, 0]
  var sets = [UInt32](repeating: 0, count: 6)
  let result = header.withUnsafeMutableBytes { header in
    sets.withUnsafeMutableBytes { sets in
      clinux_call(
        Int(SYS_capget), Int(bitPattern: header.baseAddress), Int(bitPattern: sets.baseAddress),
        0, 0, 0, 0)
    }
  }
  return result != 0 || sets.contains { $0 != 0 }
}

/// Whether the priority of a process can be set; it stays what it is.
func setsPriority(of process: pid_t) -> Bool {
  let (kind, id) = (__priority_which_t(PRIO_PROCESS.rawValue), id_t(process))
  return setpriority(kind, id, getpriority(kind, id)) == 0
}

func changesModeOfOpenFile() -> Bool {
  let file = open(own + "/new", O_WRONLY)
  defer { close(file) }
  var found = stat()
  return fchmod(file, 0o640) == 0 && futimens(file, nil) == 0 && fstat(file, &found) == 0
    && found.st_mode & 0o777 == 0o640
}

if arguments.count < 5 {
  // It keeps the owner out of new folders.
  umask(0o700)
  do {
    _ = try Sandbox.enter(folders: [own])
  } catch {
    print("refused", error.description)
    exit(1)
  }
}
tell("own-write", opens(own + "/new", O_WRONLY | O_CREAT))
tell("own-read", opens(own + "/new", O_RDONLY))
tell("own-mode", changesModeOfOpenFile())
tell("own-remove", unlink(own + "/new") == 0)
tell(
  "own-folder", mkdir(own + "/folder", 0o700) == 0 && opens(own + "/folder/new", O_RDWR | O_CREAT))
tell("certificates", opens("/etc/ssl", O_RDONLY | O_DIRECTORY))
tell("other-read", opens(other + "/secret", O_RDONLY))
tell("other-write", opens(other + "/secret", O_WRONLY))
tell("other-create", opens(other + "/new", O_WRONLY | O_CREAT))
tell("other-truncate", truncate(other + "/secret", 0) == 0)
tell("other-mode", chmod(other + "/secret", 0o666) == 0)
tell("other-owner", chown(other + "/secret", getuid(), getgid()) == 0)
tell("other-times", utimes(other + "/secret", nil) == 0)
tell("passwd", opens("/etc/passwd", O_RDONLY))
tell("terminal", opens("/dev/tty", O_RDONLY) || opens("/dev/ptmx", O_RDWR))
tell("start", starts())
tell("unix-socket", connects())
tell("internet-socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0)
tell("other-socket", opensOtherFamily())
tell("capabilities", hasCapabilities())
tell("slow", setsPriority(of: getppid()))
tell("signal", kill(getppid(), 0) == 0)

/// With these arguments a kernel that gets to see the call refuses it in another way, and nothing
/// happens.
func call(_ name: String, _ number: Int32, _ arguments: Int...) {
  let all = arguments + [Int](repeating: 0, count: 6 - arguments.count)
  errno = 0
  let result = clinux_call(Int(number), all[0], all[1], all[2], all[3], all[4], all[5])
  print("call", name, result < 0 ? errno : 0)
}

let (process, parent, noSignal) = (Int(getpid()), Int(getppid()), 200)
call("execve", SYS_execve)
call("execveat", SYS_execveat, -1)
call("ptrace", SYS_ptrace, -1)
call("process_vm_readv", SYS_process_vm_readv, process, 0, 0, 0, 0, 1)
call("process_vm_writev", SYS_process_vm_writev, process, 0, 0, 0, 0, 1)
call("kcmp", SYS_kcmp, -1, -1)
call("pidfd_open", SYS_pidfd_open, -1)
call("pidfd_getfd", SYS_pidfd_getfd, -1)
call("pidfd_send_signal", SYS_pidfd_send_signal, -1)
call("kill", SYS_kill, parent, noSignal)
call("tkill", SYS_tkill, parent, noSignal)
call("tgkill", SYS_tgkill, parent, parent, noSignal)
call("tgkill-itself", SYS_tgkill, process, process)
call("rt_sigqueueinfo", SYS_rt_sigqueueinfo, parent)
call("rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo, parent, parent)
call("truncate", SYS_truncate)
call("io_uring_setup", SYS_io_uring_setup)
call("bpf", SYS_bpf, -1)
call("userfaultfd", SYS_userfaultfd, -1)
call("perf_event_open", SYS_perf_event_open, 0, 0, -1, -1)
call("keyctl", SYS_keyctl, -1)
call("add_key", SYS_add_key)
call("request_key", SYS_request_key)
call("unshare", SYS_unshare, 1)
call("setns", SYS_setns, -1)
call("mount", SYS_mount)
call("memfd_create", SYS_memfd_create, 0, 0xffff_ffff)
// Numbers that this system's headers may not have yet.
let (fchmodat2, setxattrat, removexattrat, fileSetattr) = (
  Int32(452), Int32(463), Int32(466), Int32(469)
)
call("chmod", SYS_chmod)
call("fchmod", SYS_fchmod, -1)
call("fchmodat", SYS_fchmodat, -1)
call("fchmodat2", fchmodat2, -1)
call("chown", SYS_chown)
call("lchown", SYS_lchown)
call("fchown", SYS_fchown, -1)
call("fchownat", SYS_fchownat, -1)
call("utime", SYS_utime)
call("utimes", SYS_utimes)
call("futimesat", SYS_futimesat, -1, 1)
call("utimensat", SYS_utimensat, -1, 1)
call("futimens", SYS_utimensat, -1)
call("setxattr", SYS_setxattr)
call("lsetxattr", SYS_lsetxattr)
call("fsetxattr", SYS_fsetxattr, -1)
call("setxattrat", setxattrat, -1)
call("removexattr", SYS_removexattr)
call("lremovexattr", SYS_lremovexattr)
call("fremovexattr", SYS_fremovexattr, -1)
call("removexattrat", removexattrat, -1)
call("file_setattr", fileSetattr, -1)
call("setpriority", SYS_setpriority, -1)
call("ioprio_set", SYS_ioprio_set, -1)
call("sched_setaffinity", SYS_sched_setaffinity, parent)
call("sched_setscheduler", SYS_sched_setscheduler, parent, -1)
call("sched_setparam", SYS_sched_setparam, parent)
call("sched_setattr", SYS_sched_setattr, parent)
call("prlimit64", SYS_prlimit64, parent, -1)
call("prlimit64-itself", SYS_prlimit64)
call("migrate_pages", SYS_migrate_pages, -1)
call("move_pages", SYS_move_pages, -1)
call("process_madvise", SYS_process_madvise, -1)
call("shmat", SYS_shmat, -1)
call("shmctl", SYS_shmctl, -1)
call("semop", SYS_semop, -1)
call("semtimedop", SYS_semtimedop, -1)
call("semctl", SYS_semctl, -1)
call("msgsnd", SYS_msgsnd, -1)
call("msgrcv", SYS_msgrcv, -1)
call("msgctl", SYS_msgctl, -1)
call("mq_open", SYS_mq_open)
call("mq_unlink", SYS_mq_unlink)
call("bind", SYS_bind, -1)
call("listen", SYS_listen, -1)
call("socketpair", SYS_socketpair, Int(AF_INET))
call("clone3", SYS_clone3)
// A thread that shares no signals is invalid.
let aThread = 0x1_0000
call("clone", SYS_clone, aThread)
for (name, flag) in [
  ("NEWNS", 0x2_0000), ("NEWCGROUP", 0x200_0000), ("NEWUTS", 0x400_0000), ("NEWIPC", 0x800_0000),
  ("NEWUSER", 0x1000_0000), ("NEWPID", 0x2000_0000), ("NEWNET", 0x4000_0000),
] {
  call("clone-" + name, SYS_clone, flag | aThread)
}
