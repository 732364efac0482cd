// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <stddef.h>

/// The shapes of characters: Unicode Technical Standard 39's skeleton, in lower case and without
/// invisible characters. Each line is a character and its shape, in the order of the characters.
/// The shape of any other character is its own lower case.
const unsigned char *cshapes_lines(size_t *count);
