// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the inputrc and single lines of one. Limits the files that readline may read: by itself it
// opens anything, waits for a named pipe until somebody writes to it, and includes a file in itself
// until the stack overflows.
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <readline/tilde.h>

static const off_t most_bytes = 1 << 20;
static const int most_levels = 10;

static bool is_null_device(const struct stat *status) {
  return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);
}

/// The path that a line includes, cut out of the line; NULL for any other line.
static char *included(char *line) {
  line += strspn(line, " \t");
  if (*line != '$') return NULL;
  line += 1 + strspn(line + 1, " \t");
  if (strncasecmp(line, "include", 7) != 0 || strchr(" \t", line[7]) == NULL) return NULL;
  line += 7 + strspn(line + 7, " \t");
  line[strcspn(line, "\r\n")] = '\0';
  return line;
}

/// - Parameter outermost: the file that hobnob wants to read; a file that it includes can rule out
///   all of it.
static bool may_read(const char *name, const char *outermost, int level) {
  char *path = tilde_expand(name);
  struct stat status;
  // readline itself skips a file that it cannot find.
  if (stat(path, &status) != 0 || is_null_device(&status)) {
    free(path);
    return true;
  }
  const char *objection = !S_ISREG(status.st_mode)      ? "is not a regular file"
                          : status.st_size > most_bytes ? "has more than 1 MiB"
                          : level > most_levels         ? "is included more than 10 levels deep"
                                                        : NULL;
  FILE *file = objection ? NULL : fopen(path, "re");
  free(path);
  if (objection) {
    fprintf(stderr, "%s %s, so %s was not read; name another file\n", name, objection,
            level > 0 ? outermost : "it");
  }
  if (file == NULL) return objection == NULL;
  bool may = true;
  char *line = NULL;
  size_t size = 0;
  while (may && getline(&line, &size, file) >= 0) {
    char *next = included(line);
    if (next) may = may_read(next, outermost, level + 1);
  }
  free(line);
  fclose(file);
  return may;
}

static const char *own_name(void) {
  const char *name = getenv("INPUTRC");
  return name && *name ? name : "~/.inputrc";
}

bool creadline_may_read_own(void) { return may_read(own_name(), own_name(), 0); }

bool creadline_read_own(void) {
  // Pass the name: without it, readline would read its last file again, or none if that was
  // refused.
  return creadline_may_read_own() && rl_read_init_file(own_name()) == 0;
}

static bool may_bind(const char *line) {
  char *copy = strdup(line), *path = included(copy);
  bool may = path == NULL || may_read(path, path, 0);
  free(copy);
  return may;
}

bool creadline_knows_function(const char *name) { return rl_named_function(name) != NULL; }

int creadline_bind(const char *line) {
  char *copy = strdup(line);
  creadline_begin_complaints();
  int result = may_bind(copy) ? rl_parse_and_bind(copy) : 1;
  creadline_end_complaints();
  free(copy);
  creadline_replace_commands();
  creadline_keep_settings();
  return result;
}
