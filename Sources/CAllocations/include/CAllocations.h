// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counts what a program asks of malloc. glibc lets a program bring its own malloc ("Replacing
// malloc" in its manual); this one counts and hands on to glibc's. Only the benchmark links it.
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stddef.h>

/// Bytes asked for since the program began; what was given back is not subtracted. Growing a block
/// counts as a new one of its new size.
size_t callocations_bytes(void);
/// How often something was asked for.
size_t callocations_count(void);

#endif
