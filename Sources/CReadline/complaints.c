// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps readline's complaints about an inputrc for the program to show.
#include "internal.h"

#include <stdlib.h>

static char *complaints;
static size_t complaints_size;
static FILE *kept, *real_errors;

void creadline_begin_complaints(void) {
  // Trap: readline reports errors in an inputrc on standard error, over hobnob's drawing.
  if (kept == NULL) kept = open_memstream(&complaints, &complaints_size);
  if (kept == NULL) return;
  real_errors = stderr;
  stderr = kept;
}

void creadline_end_complaints(void) {
  if (real_errors == NULL) return;
  stderr = real_errors;
  real_errors = NULL;
}

const char *creadline_take_complaints(void) {
  static char *taken;
  free(taken);
  taken = NULL;
  if (kept == NULL) return "";
  fclose(kept);
  kept = NULL;
  taken = complaints;
  complaints = NULL;
  return taken ? taken : "";
}
