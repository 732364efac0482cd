// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>
#include <stddef.h>

#include "CTestProcess.h"

static void nothing(int signal) { (void)signal; }

/// The programs ignore SIGPIPE. The tests run the same connections in their own process, which a
/// write to somebody who has gone would otherwise end without a word. It is handled rather than
/// ignored, because the programs that tests start would inherit that it is ignored.
__attribute__((constructor)) static void survive_closed_pipes(void) {
  struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, NULL);
}
