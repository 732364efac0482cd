// SPDX-License-Identifier: GPL-3.0-or-later
// Versions from 1.28 on have other names for what Debian 12's 1.18 has under these alone.
#define CARES_NO_DEPRECATED
#include <ares.h>
