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
/// Whether hobnob shows typed text. Another program may do so instead, as Emacs does in M-x shell.
static bool echoes;
/// Whether readline's line is on the screen.
static bool shown;

static ssize_t write_out(void *cookie, const char *bytes, size_t count) {
  (void)cookie;
  if (echoes) creadline_host.write(bytes, count);
  return (ssize_t)count;
}

void creadline_begin_plain(bool with_echo) {
  echoes = with_echo;
  // Not stdout, which blocks if nobody reads the terminal.
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
  fflush(rl_outstream);
  creadline_host.write("\n", 1);
}

static bool is_printable(const char *text, int length) {
  for (int i = 0; i < length; i++)
    if (text[i] < 0x20 || text[i] > 0x7E) return false;
  return true;
}

/// A search shows its pattern, as typed, in the prompt.
static void draw_safe_message(int columns) {
  if (rl_display_prompt == rl_prompt || rl_display_prompt == NULL) return;
  int length = (int)strlen(rl_display_prompt), caret = length;
  if (length <= columns / 2 && is_printable(rl_display_prompt, length)) return;
  char *safe = creadline_host.shown(rl_display_prompt, length, &caret, "", columns / 2);
  if (safe && strcmp(safe, rl_display_prompt) != 0) rl_message("%s", safe);
  free(safe);
}

/// Trap: readline's display writes everything except ASCII control characters unchanged (12.2). It
/// scrolls a line longer than the row by bytes, so that it writes half a character, and compares
/// rows beyond the end of its copies (8.2, update_line). This gives it the visible part, which is
/// not longer than the row, in place of the line.
static void redisplay(void) {
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  draw_safe_message(columns);
  char *text = rl_line_buffer, *safe = NULL;
  int caret = rl_point, end = rl_end, mark = rl_mark;
  // readline keeps two columns free, one of them for a mark.
  int most = columns - 2;
  if (end + (int)strlen(rl_display_prompt) >= most || !is_printable(text, end))
    safe = creadline_host.shown(text, end, &rl_point, rl_display_prompt, most);
  if (safe) {
    rl_line_buffer = safe;
    rl_end = (int)strlen(safe);
  }
  rl_mark = -1;  // no region, for which the inputrc may set colours
  rl_redisplay();
  rl_line_buffer = text;
  rl_point = caret;
  rl_end = end;
  rl_mark = mark;
  free(safe);
}

/// Writes the prompt and the line's text, such as a draft or the message being edited.
static void show_unechoed(void) {
  if (rl_prompt != NULL) creadline_host.write(rl_prompt, strlen(rl_prompt));
  if (rl_end == 0) return;
  int rows, columns, caret = rl_point;
  rl_get_screen_size(&rows, &columns);
  char *safe = creadline_host.shown(rl_line_buffer, rl_end, &caret, rl_prompt, columns - 2);
  const char *text = safe ? safe : rl_line_buffer;
  creadline_host.write(text, strlen(text));
  free(safe);
}

void creadline_plain_show(void) {
  if (!creadline_is_plain) return;
  if (!shown && !echoes) show_unechoed();
  if (!shown) rl_on_new_line();
  shown = true;
  redisplay();
}
