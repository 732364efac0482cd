// SPDX-License-Identifier: GPL-3.0-or-later
// Detects whether a key changed the text, and adds redo, which readline lacks.
#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/// The line before an undo.
struct state {
  char *text;
  int caret;
};
static struct state *redo_stack;
static size_t redo_count, redo_size;
static bool redoing;

void creadline_forget_redo(void) {
  while (redo_count > 0) free(redo_stack[--redo_count].text);
}

/// The last known text: readline does not report its own changes.
static struct {
  char *text;
  size_t length, size;
  unsigned edition;
} seen;

unsigned creadline_edition(void) {
  size_t length = (size_t)rl_end;
  if (seen.edition > 0 && length == seen.length && memcmp(seen.text, rl_line_buffer, length) == 0)
    return seen.edition;
  if (length + 1 > seen.size) {
    seen.size = length * 2 + 64;
    seen.text = realloc(seen.text, seen.size);
  }
  memcpy(seen.text, rl_line_buffer, length);
  seen.length = length;
  return ++seen.edition;
}

static unsigned edition_before;
/// Where in the history the line before this key was.
static int place_before;

void creadline_begin_key(void) {
  edition_before = creadline_edition();
  place_before = where_history();
}

bool creadline_end_key(void) {
  if (redoing) {
    redoing = false;
    return true;
  }
  if (creadline_edition() == edition_before) return false;
  creadline_mend_text();
  creadline_mark_is_set = false;
  if (!creadline_is_undo(rl_last_func)) creadline_forget_redo();
  // Walking through the history changes the line, but is not typing.
  return where_history() == place_before;
}

int creadline_undo_with(rl_command_func_t *undo, int count, int key) {
  struct state before = {strdup(rl_line_buffer), rl_point};
  int result = undo(count, key);
  if (before.text == NULL || strcmp(before.text, rl_line_buffer) == 0) {
    free(before.text);
    return result;
  }
  if (redo_count == redo_size) {
    redo_size = redo_size * 2 + 16;
    redo_stack = realloc(redo_stack, redo_size * sizeof *redo_stack);
  }
  redo_stack[redo_count++] = before;
  return result;
}

static int utf8_start(const char *text, int offset) {
  while (offset > 0 && (text[offset] & 0xC0) == 0x80) offset--;
  return offset;
}

bool creadline_last_was_undo(void) {
  return creadline_is_undo(rl_last_func) || rl_last_func == creadline_redo;
}

int creadline_redo(int count, int key) {
  (void)count, (void)key;
  if (redo_count == 0) {
    rl_ding();
    return 0;
  }
  struct state wanted = redo_stack[--redo_count];
  int length = (int)strlen(wanted.text), head = 0, tail = 0;
  while (head < length && head < rl_end && wanted.text[head] == rl_line_buffer[head]) head++;
  head = utf8_start(wanted.text, head);
  while (tail < length - head && tail < rl_end - head &&
         wanted.text[length - 1 - tail] == rl_line_buffer[rl_end - 1 - tail] &&
         (wanted.text[length - 1 - tail] & 0x80) == 0)
    tail++;
  rl_begin_undo_group();
  rl_delete_text(head, rl_end - tail);
  rl_point = head;
  char *middle = strndup(wanted.text + head, (size_t)(length - tail - head));
  rl_insert_text(middle);
  free(middle);
  rl_end_undo_group();
  rl_point = wanted.caret;
  free(wanted.text);
  redoing = true;
  return 0;
}
