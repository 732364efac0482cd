// SPDX-License-Identifier: GPL-3.0-or-later
// What only Linux has, or what Swift's Glibc overlay leaves out.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <malloc.h>
#include <pty.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

// glibc shows O_TMPFILE only to those who ask for GNU.
static const int clinux_o_tmpfile = __O_TMPFILE;

// ioctl is variadic and ambiguous in Swift.
static inline int clinux_window_size(int fd, unsigned short *rows, unsigned short *columns) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
  *rows = size.ws_row;
  *columns = size.ws_col;
  return 0;
}
static inline int clinux_set_window_size(int fd, unsigned short rows, unsigned short columns) {
  struct winsize size = {rows, columns, 0, 0};
  return ioctl(fd, TIOCSWINSZ, &size);
}

// glibc shows it only to those who ask for X/Open, which an imported module cannot.
struct tm;
extern char *strptime(const char *text, const char *format, struct tm *result);

// The same, to those who ask for GNU.
extern int pipe2(int ends[2], int flags);

// The same: where a child begins.
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions,
                                                const char *path);

// Neither this process nor what it starts gains rights; nobody but root reads its memory.
static inline void clinux_no_new_privileges(void) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Gives up the capabilities that only root has. Returns 0, or -1 with the reason in errno.
static inline int clinux_drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
  return (int)syscall(SYS_capset, &header, none);
}

// Landlock as of ABI 6 (Linux 6.12), even if this system's headers are older (linux/landlock.h,
// landlock(7)).
struct clinux_landlock_ruleset {
  __u64 handled_access_fs, handled_access_net, scoped;
};
enum {
  clinux_landlock_refer = 1 << 13,       // ABI 2
  clinux_landlock_truncate = 1 << 14,    // ABI 3
  clinux_landlock_bind = 1 << 0,         // ABI 4
  clinux_landlock_devices = 1 << 15,     // ABI 5
  clinux_landlock_abstract = 1 << 0,     // ABI 6
  clinux_landlock_signals = 1 << 1,
};

// The version of the kernel's Landlock; 0 where it has none, or it is switched off.
static inline int clinux_landlock_version(void) {
  const int version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, 1U);
  return version < 0 ? 0 : version;
}

// Returns a descriptor that becomes readable when the process ends (Linux 5.3), or -1.
static inline int clinux_watch_process(pid_t process) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  (void)process;
  return -1;
#endif
}

// Any system call, for the tests of the sandbox: Swift cannot call syscall, which is variadic.
static inline long clinux_call(long number, long a, long b, long c, long d, long e, long f) {
  return syscall(number, a, b, c, d, e, f);
}

// Whether the kernel can filter the system calls of a process.
static inline int clinux_has_seccomp(void) { return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0; }

// Leaves the process only these folders and files: `own` to write, `readable` to read. It can start
// nothing, listen on no port and reach no process outside.
//
// Returns 0, or -1 with the reason in errno.
static inline int clinux_landlock(
    const char **own, int own_count, const char **readable, int readable_count) {
  const __u64 reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  const __u64 of_files = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                         clinux_landlock_truncate;
  const int version = clinux_landlock_version();
  __u64 rights = (1ULL << 13) - 1;
  if (version >= 2) rights |= clinux_landlock_refer;
  if (version >= 3) rights |= clinux_landlock_truncate;
  if (version >= 5) rights |= clinux_landlock_devices;
  const struct clinux_landlock_ruleset handled = {
      .handled_access_fs = rights,
      .handled_access_net = version >= 4 ? clinux_landlock_bind : 0,
      .scoped = version >= 6 ? clinux_landlock_abstract | clinux_landlock_signals : 0};
  const int rules = (int)syscall(
      SYS_landlock_create_ruleset, &handled, version < 4 ? 8 : version < 6 ? 16 : 24, 0);
  if (rules < 0) return -1;
  for (int n = 0; n < own_count + readable_count; n++) {
    const char *path = n < own_count ? own[n] : readable[n - own_count];
    struct stat found;
    // Of a file, only what can be done with one may be allowed.
    const __u64 possible =
        stat(path, &found) == 0 && S_ISDIR(found.st_mode) ? rights : rights & of_files;
    struct landlock_path_beneath_attr rule = {
        .allowed_access =
            possible & (n < own_count ? rights & ~LANDLOCK_ACCESS_FS_EXECUTE : reading),
        .parent_fd = open(path, 010000000 /* O_PATH, for those who ask for GNU */ | O_CLOEXEC)};
    // A path missing on this system needs no rule.
    if (rule.parent_fd < 0) continue;
    const int added =
        (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
    if (added != 0) {
      close(rules);
      return -1;
    }
  }
  const int result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
  return result;
}

// Macros, which Swift cannot see: the two numbers of a device.
static inline unsigned clinux_major(dev_t device) { return major(device); }
static inline unsigned clinux_minor(dev_t device) { return minor(device); }
