// SPDX-License-Identifier: GPL-3.0-or-later
// readline's text, by grapheme and by line.
#ifndef CREADLINE_TEXT_H
#define CREADLINE_TEXT_H

#include "internal.h"

#include <string.h>

static inline bool has_lines(void) { return memchr(rl_line_buffer, '\n', (size_t)rl_end) != NULL; }

static inline bool is_simple(void) {
  for (int i = 0; i < rl_end; i++)
    if ((rl_line_buffer[i] & 0x80) || rl_line_buffer[i] == '\n') return false;
  return true;
}

static inline int line_start(int offset) {
  while (offset > 0 && rl_line_buffer[offset - 1] != '\n') offset--;
  return offset;
}

static inline int line_end(int offset) {
  const char *newline = memchr(rl_line_buffer + offset, '\n', (size_t)(rl_end - offset));
  return newline ? (int)(newline - rl_line_buffer) : rl_end;
}

static inline int before(int offset) {
  return creadline_host.previous_grapheme(rl_line_buffer, rl_end, offset);
}

static inline int after(int offset) {
  return creadline_host.next_grapheme(rl_line_buffer, rl_end, offset);
}

/// The offset `count` graphemes from the caret, within `low` … `high`.
static inline int moved(int count, int low, int high) {
  int offset = rl_point;
  for (; count > 0 && offset < high; count--) offset = after(offset);
  for (; count < 0 && offset > low; count++) offset = before(offset);
  return offset < low ? low : offset > high ? high : offset;
}

static inline int erase(int from, int to, bool kill) {
  if (from == to) {
    rl_ding();
    return 1;
  }
  if (kill)
    rl_kill_text(from, to);
  else
    rl_delete_text(from < to ? from : to, from < to ? to : from);
  rl_point = from < to ? from : to;
  return 0;
}

#endif
