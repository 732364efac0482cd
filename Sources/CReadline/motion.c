// SPDX-License-Identifier: GPL-3.0-or-later
// Motion and deletion by grapheme, and by line in a text with newlines (readline 8.2 treats such a
// text as one line, and a code point as a character). A text of one ASCII line goes to readline's
// own function, so that it behaves to the letter as in any other shell.
#include "text.h"

#include <stdlib.h>

static int move_by(int count) {
  bool vi = creadline_in_vi_command();
  int low = vi ? line_start(rl_point) : 0, high = vi ? line_end(rl_point) : rl_end;
  if (vi && !RL_ISSTATE(RL_STATE_VIMOTION) && high > low) high = before(high);
  int target = moved(count, low, high);
  if (target == rl_point) rl_ding();
  rl_point = target;
  return 0;
}

static int forward_char(int count, int key) {
  return is_simple() ? rl_forward_char(count, key) : move_by(count);
}

static int backward_char(int count, int key) {
  return is_simple() ? rl_backward_char(count, key) : move_by(-count);
}

static int delete_char(int count, int key) {
  if (is_simple()) return rl_delete(count, key);
  return erase(rl_point, moved(count, 0, rl_end), count > 1 || rl_explicit_arg);
}

/// Backspace in overwrite mode: blanks take the place of what was before the caret.
static int rubout_over(int count) {
  int start = moved(-count, 0, rl_end), end = rl_point;
  if (start == end || rl_point == rl_end) return erase(end, start, false);
  int graphemes = 0;
  for (int at = start; at < end; at = after(at)) graphemes++;
  rl_begin_undo_group();
  rl_delete_text(start, end);
  rl_point = start;
  for (; graphemes > 0; graphemes--) rl_insert_text(" ");
  rl_end_undo_group();
  rl_point = start;
  return 0;
}

static int rubout(int count, int key) {
  if (is_simple()) return rl_rubout(count, key);
  if (rl_insert_mode == 0 && count > 0) return rubout_over(count);
  return erase(rl_point, moved(-count, 0, rl_end), count > 1 || rl_explicit_arg);
}

/// Moves the grapheme before the caret over the next ones; at the end, over the one before it.
static int transpose_chars(int count, int key) {
  if (is_simple()) return rl_transpose_chars(count, key);
  if (count == 0) return 0;
  int caret = rl_point == rl_end ? before(rl_end) : rl_point, start = before(caret);
  if (start == caret) return rl_ding();
  if (rl_point == rl_end) count = 1;
  char *grapheme = rl_copy_text(start, caret);
  rl_begin_undo_group();
  rl_delete_text(start, caret);
  rl_point = start;
  rl_point = moved(count, 0, rl_end);
  rl_insert_text(grapheme);
  rl_end_undo_group();
  free(grapheme);
  return 0;
}

static int rubout_or_delete(int count, int key) {
  return rl_end != 0 && rl_point == rl_end ? rubout(count, key) : delete_char(count, key);
}

static int beginning_of_line(int count, int key) {
  if (!has_lines()) return rl_beg_of_line(count, key);
  rl_point = line_start(rl_point);
  return 0;
}

static int end_of_line(int count, int key) {
  if (!has_lines()) return rl_end_of_line(count, key);
  int start = line_start(rl_point), end = line_end(rl_point);
  // vi's caret is on the last letter, and an operator includes that, but not the newline.
  rl_point = creadline_in_vi_command() && end > start ? before(end) : end;
  return 0;
}

static int kill_to_start(int count, int key);

static int kill_line(int count, int key) {
  if (!has_lines()) return rl_kill_line(count, key);
  if (count < 0) return kill_to_start(1, key);
  int end = line_end(rl_point);
  if (end == rl_point && end < rl_end) end++;  // at a line's end: its newline, as in emacs
  return erase(rl_point, end, true);
}

static int kill_to_start(int count, int key) {
  if (count < 0) return kill_line(1, key);
  int start = line_start(rl_point);
  if (start == rl_point && start > 0) start--;
  return erase(rl_point, start, true);
}

static int backward_kill_line(int count, int key) {
  return has_lines() ? kill_to_start(count, key) : rl_backward_kill_line(count, key);
}

static int line_discard(int count, int key) {
  return has_lines() ? kill_to_start(1, key) : rl_unix_line_discard(count, key);
}

static int vertical(int count, int direction) {
  int left = count;
  while (left > 0) {
    int offset = creadline_host.vertical(rl_line_buffer, rl_end, rl_point, direction);
    if (offset < 0) break;
    rl_point = offset;
    left--;
  }
  return left;
}

/// Whether Up and Down move between the lines of the text: in one of the history only after a
/// change (1.12).
static bool moves_in_lines(void) {
  if (!has_lines()) return false;
  HIST_ENTRY *entry = current_history();
  return creadline_history_is_live() || entry == NULL || rl_undo_list != NULL ||
         strcmp(entry->line, rl_line_buffer) != 0;
}

static int history_up(int count, int key) {
  if (count < 0) return rl_get_previous_history(count, key);
  if (rl_end == 0 && creadline_history_is_live() &&
      creadline_host.event(creadline_up_on_empty, NULL))
    return 0;
  int left = moves_in_lines() ? vertical(count, -1) : count;
  return left > 0 ? rl_get_previous_history(left, key) : 0;
}

static int history_down(int count, int key) {
  if (count < 0) return rl_get_next_history(count, key);
  int left = moves_in_lines() ? vertical(count, 1) : count;
  return left > 0 ? rl_get_next_history(left, key) : 0;
}

/// Trap: an incremental search recognises Backspace only by readline's own function; another one
/// ends it.
void creadline_bind_rubout(rl_command_func_t *own) {
  rl_command_func_t *present = own ? rubout : rl_rubout;
  Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap};
  for (int map = 0; map < 2; map++)
    for (int key = 0; key < KEYMAP_SIZE; key++)
      if (maps[map][key].type == ISFUNC && maps[map][key].function == present)
        maps[map][key].function = own ? own : rubout;
}

const struct creadline_replacement creadline_motions[] = {
    {"forward-char", rl_forward_char, forward_char},
    {"backward-char", rl_backward_char, backward_char},
    {"delete-char", rl_delete, delete_char},
    {"backward-delete-char", rl_rubout, rubout},
    {"transpose-chars", rl_transpose_chars, transpose_chars},
    {"forward-backward-delete-char", rl_rubout_or_delete, rubout_or_delete},
    {"beginning-of-line", rl_beg_of_line, beginning_of_line},
    {"end-of-line", rl_end_of_line, end_of_line},
    {"kill-line", rl_kill_line, kill_line},
    {"backward-kill-line", rl_backward_kill_line, backward_kill_line},
    {"unix-line-discard", rl_unix_line_discard, line_discard},
    {"previous-history", rl_get_previous_history, history_up},
    {"next-history", rl_get_next_history, history_down},
    {0},
};
