// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

// System calls newer than libseccomp 2.5; their numbers are the same on every architecture.
enum { cseccomp_fchmodat2 = 452, cseccomp_setxattrat = 463, cseccomp_removexattrat = 466,
       cseccomp_file_setattr = 469 };

// Refuses the system calls that a network process never needs and an attacker in it would: they
// start a program, inspect, signal or slow another process, change the owner or mode of a file by
// its path (Landlock has no rule for that), wait for connections, open a socket that is not of the
// internet, or bypass this filter. All other calls work.
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
      // A file that the process has open may still get a mode (fchmod) and the present time.
      SCMP_SYS(chmod), SCMP_SYS(fchmodat), cseccomp_fchmodat2, SCMP_SYS(chown), SCMP_SYS(lchown),
      SCMP_SYS(fchown), SCMP_SYS(fchownat), SCMP_SYS(utime), SCMP_SYS(utimes), SCMP_SYS(futimesat),
      SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr), cseccomp_setxattrat,
      SCMP_SYS(removexattr), SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr),
      cseccomp_removexattrat, cseccomp_file_setattr,
      // These take the number of a process, or of a memory segment or queue that several share.
      SCMP_SYS(setpriority), SCMP_SYS(ioprio_set), SCMP_SYS(sched_setaffinity),
      SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr),
      SCMP_SYS(migrate_pages), SCMP_SYS(move_pages), SCMP_SYS(process_madvise), SCMP_SYS(shmat),
      SCMP_SYS(shmctl), SCMP_SYS(semop), SCMP_SYS(semtimedop), SCMP_SYS(semctl), SCMP_SYS(msgsnd),
      SCMP_SYS(msgrcv), SCMP_SYS(msgctl), SCMP_SYS(mq_open), SCMP_SYS(mq_unlink),
      SCMP_SYS(bind), SCMP_SYS(listen),
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
  // glibc writes 0 for this process.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_NE, 0));
  // Without a path, the call changes an open file, and may.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(utimensat), 1, SCMP_A1(SCMP_CMP_NE, 0));
  // Answer as a kernel would that has only IPv4 and IPv6: callers can handle that. Several
  // rules, because a rule can compare an argument only once.
  const uint32_t no_family = SCMP_ACT_ERRNO(EAFNOSUPPORT);
  if (result == 0)
    result = seccomp_rule_add(
        filter, no_family, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_LT, AF_INET));
  for (int family = AF_INET + 1; family < AF_INET6 && result == 0; family++)
    result = seccomp_rule_add(
        filter, no_family, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)family));
  if (result == 0)
    result = seccomp_rule_add(
        filter, no_family, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_GT, AF_INET6));
  if (result == 0) result = seccomp_rule_add(filter, no_family, SCMP_SYS(socketpair), 0);
  // A terminal that is still open must not be typed into.
  if (result == 0)
    result = seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
        SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, 0x5412 /* TIOCSTI */));
  if (result == 0) result = seccomp_load(filter);
  seccomp_release(filter);
  return result;
}
