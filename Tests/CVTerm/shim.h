// SPDX-License-Identifier: GPL-3.0-or-later
// What the test terminal is made of: libvterm, and the pseudo-terminal calls that the system's
// headers hide from Swift because it does not define _GNU_SOURCE.
#include <stddef.h>
#include <vterm.h>

extern int posix_openpt(int flags);
extern int grantpt(int fd);
extern int unlockpt(int fd);
extern int ptsname_r(int fd, char *buffer, size_t length);
enum { cvterm_spawn_setsid = 0x80 }; // POSIX_SPAWN_SETSID
