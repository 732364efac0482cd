// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Networks

// Enters the sandbox of a network process and tries what somebody would who took one over. Prints a
// line for each: `NAME yes` where it went, `NAME no` where it did not.
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

if arguments.count < 5 {
  do {
    _ = try Confinement.enter(folders: [own])
  } catch {
    print("refused", error.description)
    exit(1)
  }
}
tell("own-write", opens(own + "/new", O_WRONLY | O_CREAT))
tell("own-read", opens(own + "/new", O_RDONLY))
tell("own-remove", unlink(own + "/new") == 0)
tell("certificates", opens("/etc/ssl", O_RDONLY | O_DIRECTORY))
tell("other-read", opens(other + "/secret", O_RDONLY))
tell("other-write", opens(other + "/secret", O_WRONLY))
tell("other-create", opens(other + "/new", O_WRONLY | O_CREAT))
tell("other-truncate", truncate(other + "/secret", 0) == 0)
tell("passwd", opens("/etc/passwd", O_RDONLY))
tell("terminal", opens("/dev/tty", O_RDONLY) || opens("/dev/ptmx", O_RDWR))
tell("start", starts())
tell("unix-socket", connects())
tell("internet-socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0)
tell("signal", kill(getppid(), 0) == 0)
