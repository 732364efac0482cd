// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

// Refuses the system calls that a network process never needs and an attacker in it would: they
// start a program, look into or signal another process, open a Unix socket, or bypass this filter.
// All other calls work.
//
// Returns 0, or a negative error number.
static inline int cseccomp_confine(void) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (filter == NULL) return -ENOMEM;
  static const int refused[] = {
      SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv),
      SCMP_SYS(process_vm_writev), SCMP_SYS(kcmp), SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_getfd),
      SCMP_SYS(pidfd_send_signal), SCMP_SYS(kill), SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo),
      SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(truncate), SCMP_SYS(io_uring_setup), SCMP_SYS(bpf),
      SCMP_SYS(userfaultfd), SCMP_SYS(perf_event_open), SCMP_SYS(keyctl), SCMP_SYS(add_key),
      SCMP_SYS(request_key), SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(mount),
      SCMP_SYS(memfd_create),
  };
  int result = 0;
  for (unsigned n = 0; n < sizeof refused / sizeof *refused && result == 0; n++)
    result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[n], 0);
  // raise and abort signal a thread of this process.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_NE, getpid()));
  // A filter cannot read its flags, which are in memory. glibc falls back to clone.
  if (result == 0)
    result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  // In new namespaces a process would have rights that it lacks outside them.
  static const unsigned namespaces[] = {
      0x00020000 /* CLONE_NEWNS */,  0x02000000 /* CLONE_NEWCGROUP */,
      0x04000000 /* CLONE_NEWUTS */, 0x08000000 /* CLONE_NEWIPC */,
      0x10000000 /* CLONE_NEWUSER */, 0x20000000 /* CLONE_NEWPID */,
      0x40000000 /* CLONE_NEWNET */,
  };
  for (unsigned n = 0; n < sizeof namespaces / sizeof *namespaces && result == 0; n++)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
        SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces[n], namespaces[n]));
  // As if this kernel had no Unix sockets: callers then do without.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socketpair), 1,
        SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
  // A terminal that is still open must not be typed into.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
        SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, 0x5412 /* TIOCSTI */));
  if (result == 0) result = seccomp_load(filter);
  seccomp_release(filter);
  return result;
}
