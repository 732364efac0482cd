// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/socket.h>

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
      SCMP_SYS(pidfd_send_signal), SCMP_SYS(kill), SCMP_SYS(tkill), SCMP_SYS(truncate),
      SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
      SCMP_SYS(bpf), SCMP_SYS(userfaultfd), SCMP_SYS(perf_event_open), SCMP_SYS(keyctl),
      SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(unshare), SCMP_SYS(setns),
      SCMP_SYS(mount), SCMP_SYS(memfd_create),
  };
  int result = 0;
  for (unsigned n = 0; n < sizeof refused / sizeof *refused && result == 0; n++)
    result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[n], 0);
  // As if this kernel had none: who asks for one does without.
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
