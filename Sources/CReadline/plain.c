// SPDX-License-Identifier: GPL-3.0-or-later
// The plain face: readline draws the line itself, as on a dumb terminal.
#define _GNU_SOURCE
// With these rl_message is declared with its arguments.
#define USE_VARARGS
#define PREFER_STDARG
#include "internal.h"

#include <stdlib.h>
#include <string.h>

bool creadline_is_plain;
/// readline's line stands on the screen.
static bool shown;

static ssize_t write_out(void *cookie, const char *bytes, size_t count) {
  (void)cookie;
  creadline_call.write(bytes, count);
  return (ssize_t)count;
}

void creadline_begin_plain(void) {
  // Not stdout, which waits for a terminal that nobody reads.
  const cookie_io_functions_t functions = {.write = write_out};
  FILE *terminal = fopencookie(NULL, "w", functions);
  if (terminal != NULL) rl_outstream = terminal;
  rl_terminal_name = "dumb";
}

void creadline_keep_plain_settings(void) {
  rl_variable_bind("bell-style", "none");
  rl_variable_bind("enable-bracketed-paste", "off");
  rl_variable_bind("show-mode-in-prompt", "off");  // its strings may hold any bytes
}

void creadline_plain_new_row(void) { shown = false; }

void creadline_plain_prompt(const char *prompt) {
  creadline_plain_hide();
  rl_set_prompt(prompt);
}

void creadline_plain_hide(void) {
  if (!shown) return;
  shown = false;
  fputc('\n', rl_outstream);
  fflush(rl_outstream);
}

static bool is_printable(const char *text, int length) {
  for (int i = 0; i < length; i++)
    if (text[i] < 0x20 || text[i] > 0x7E) return false;
  return true;
}

/// A search shows what is searched for, as it was typed, in the prompt.
static void draw_safe_message(void) {
  if (rl_display_prompt == rl_prompt || rl_display_prompt == NULL) return;
  int length = (int)strlen(rl_display_prompt), caret = 0;
  if (is_printable(rl_display_prompt, length)) return;
  char *safe = creadline_call.shown(rl_display_prompt, length, &caret);
  if (safe && strcmp(safe, rl_display_prompt) != 0) rl_message("%s", safe);
  free(safe);
}

/// Trap: readline 8.2 compares whole rows of the line, also where what it keeps of the line ends
/// within the row. What it keeps grows with the longest line it has drawn: here one that nobody sees.
static void make_room(void) {
  static size_t room;
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  // A control character takes two bytes.
  size_t needed = strlen(rl_display_prompt) + 2 * (size_t)rl_end + (size_t)columns + 16;
  if (needed <= room) return;
  if (room > 0) rl_clear_visible_line();
  room = 2 * needed;
  char *text = rl_line_buffer, *blanks = malloc(room + 1);
  if (blanks == NULL) return;
  memset(blanks, ' ', room);
  blanks[room] = '\0';
  int caret = rl_point, end = rl_end;
  FILE *terminal = rl_outstream;
  rl_outstream = creadline_nowhere;
  rl_line_buffer = blanks;
  rl_point = 0;
  rl_end = (int)room;
  rl_redisplay();
  rl_outstream = terminal;
  rl_line_buffer = text;
  rl_point = caret;
  rl_end = end;
  rl_on_new_line();
  free(blanks);
}

/// Trap: readline's display writes all but the control characters of ASCII as they are (12.2). It
/// is given what the line is shown as in the place of the line.
static void redisplay(void) {
  draw_safe_message();
  char *text = rl_line_buffer, *safe = NULL;
  int caret = rl_point, end = rl_end, mark = rl_mark;
  if (!is_printable(text, end)) safe = creadline_call.shown(text, end, &rl_point);
  if (safe) {
    rl_line_buffer = safe;
    rl_end = (int)strlen(safe);
  }
  rl_mark = -1;  // no region, which the inputrc may give colours
  make_room();
  rl_redisplay();
  rl_line_buffer = text;
  rl_point = caret;
  rl_end = end;
  rl_mark = mark;
  free(safe);
}

void creadline_plain_show(void) {
  if (!creadline_is_plain) return;
  if (!shown) rl_on_new_line();
  shown = true;
  redisplay();
}
