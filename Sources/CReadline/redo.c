// SPDX-License-Identifier: GPL-3.0-or-later
// Redo, which readline does not have: made by watching what undo does.
#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct state {
  char *text;
  int caret;
};
static struct state *redo_stack;
static size_t redo_count, redo_size;
static struct state before;
static size_t before_size;
/// Where in the history the line before this key stood.
static int before_place;
static bool redoing;

void creadline_forget_redo(void) {
  while (redo_count > 0) free(redo_stack[--redo_count].text);
}

void creadline_remember_line(void) {
  if ((size_t)rl_end + 1 > before_size) {
    before_size = (size_t)rl_end * 2 + 64;
    before.text = realloc(before.text, before_size);
  }
  memcpy(before.text, rl_line_buffer, (size_t)rl_end + 1);
  before.caret = rl_point;
  before_place = where_history();
}

bool creadline_watch_undo(void) {
  if (redoing) {
    redoing = false;
    return true;
  }
  if (strcmp(before.text, rl_line_buffer) == 0) return false;
  creadline_mend_text();
  creadline_mark_is_set = false;
  if (creadline_is_undo(rl_last_func)) {
    if (redo_count == redo_size) {
      redo_size = redo_size * 2 + 16;
      redo_stack = realloc(redo_stack, redo_size * sizeof *redo_stack);
    }
    redo_stack[redo_count++] = (struct state){strdup(before.text), before.caret};
  } else {
    creadline_forget_redo();
  }
  // Walking through the history changes the line, but nobody typed it.
  return where_history() == before_place;
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
