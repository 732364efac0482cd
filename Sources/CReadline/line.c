// SPDX-License-Identifier: GPL-3.0-or-later
// The line as a text that the program can set, set aside and restore.
#define _GNU_SOURCE
#include "internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int clamped(int offset) { return offset < 0 ? 0 : offset > rl_end ? rl_end : offset; }

/// Where the first non-ASCII byte from `at` on is. Looks at eight bytes at a time, since a key may
/// be at the end of a long text.
static int ascii_end(const char *text, int at, int end) {
  uint64_t word;
  for (; at + 8 <= end; at += 8) {
    memcpy(&word, text + at, 8);
    if (word & 0x8080808080808080) break;
  }
  while (at < end && !(text[at] & 0x80)) at++;
  return at;
}

int creadline_character_length(const char *bytes) {
  const unsigned char *text = (const unsigned char *)bytes;
  int length = text[0] < 0x80 ? 1 : text[0] < 0xC2 ? 0 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3
               : text[0] < 0xF5 ? 4 : 0;
  for (int i = 1; i < length; i++)
    if ((text[i] & 0xC0) != 0x80) return 0;
  bool is_long = (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xF0 && text[1] < 0x90);
  bool is_surrogate = text[0] == 0xED && text[1] > 0x9F;
  bool is_high = text[0] == 0xF4 && text[1] > 0x8F;
  return is_long || is_surrogate || is_high ? 0 : length;
}

// Trap: vi's y and . with half an operator leave a text that is shorter than readline thinks, and
// keys such as M-é half a character; over either, vi's motions loop for ever. One byte replaces one
// byte, so that the offsets in the undo list stay valid.
void creadline_mend_text(void) {
  rl_end = (int)strnlen(rl_line_buffer, (size_t)rl_end);
  rl_line_buffer[rl_end] = '\0';
  if (!RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH)) {
    for (int at = 0, length; (at = ascii_end(rl_line_buffer, at, rl_end)) < rl_end; at += length) {
      length = creadline_character_length(rl_line_buffer + at);
      if (length == 0) rl_line_buffer[at] = '?', length = 1;
    }
  }
  rl_point = clamped(rl_point);
  rl_mark = clamped(rl_mark);
}

int creadline_selected_from = -1;

void creadline_select(int start) { creadline_selected_from = start < rl_end ? start : -1; }

int creadline_end_selection(void) {
  int start = creadline_selected_from;
  creadline_selected_from = -1;
  return start;
}

void creadline_insert(const char *text) {
  creadline_selected_from = -1;
  creadline_forget_redo();
  creadline_mark_is_set = false;
  rl_begin_undo_group();
  rl_insert_text(text);
  rl_end_undo_group();
  rl_last_func = NULL;
  rl_redisplay_function();
}

void creadline_replace(int start, int end, const char *text, int caret) {
  creadline_selected_from = -1;
  creadline_forget_redo();
  creadline_mark_is_set = false;
  rl_begin_undo_group();
  rl_delete_text(clamped(start), clamped(end));
  rl_point = clamped(start);
  rl_insert_text(text);
  rl_end_undo_group();
  rl_point = clamped(caret);
  rl_last_func = NULL;
  rl_redisplay_function();
}

void creadline_set_line(const char *text, int caret) {
  creadline_selected_from = -1;
  creadline_forget_redo();
  creadline_mark_is_set = false;
  creadline_history_go_live();
  rl_replace_line(text, 1);
  rl_point = clamped(caret);
  rl_mark = 0;
  rl_last_func = NULL;
  rl_redisplay_function();
}

void creadline_offer_on_undo(const char *text) {
  char *present = strdup(rl_line_buffer);
  int caret = rl_point;
  creadline_replace(0, rl_end, text, (int)strlen(text));
  creadline_replace(0, rl_end, present, caret);
  free(present);
}

void creadline_clear(void) {
  if (!creadline_history_is_live()) {
    // The live line comes back first; C-_ then restores the one from the history, and the live one.
    char *text = strdup(rl_line_buffer);
    creadline_history_go_live();
    creadline_replace(0, rl_end, text, (int)strlen(text));
    free(text);
  }
  // The text before the caret is deleted first and comes back last: the caret is then after it.
  int caret = rl_point;
  rl_begin_undo_group();
  creadline_replace(0, caret, "", 0);
  creadline_replace(0, rl_end, "", 0);
  rl_end_undo_group();
}

void creadline_begin_inserting(void) {
  if (creadline_in_vi_command()) rl_vi_insertion_mode(1, 'i');
}

struct aside {
  char *text;
  int caret, mark;
  UNDO_LIST *undo;
  /// Whether it is in vi's command mode.
  bool is_moving;
};

void *creadline_set_aside(void) {
  creadline_history_go_live();
  struct aside *aside = malloc(sizeof *aside);
  *aside = (struct aside){strdup(rl_line_buffer), rl_point, rl_mark, rl_undo_list,
                          creadline_in_vi_command()};
  rl_undo_list = NULL;
  creadline_begin_inserting();
  creadline_set_line("", 0);
  return aside;
}

void creadline_bring_back(void *pointer) {
  struct aside *aside = pointer;
  creadline_set_line(aside->text, aside->caret);
  rl_undo_list = aside->undo;
  rl_mark = clamped(aside->mark);
  if (rl_editing_mode == 0)
    rl_set_keymap(aside->is_moving ? vi_movement_keymap : vi_insertion_keymap);
  free(aside->text);
  free(aside);
}

void creadline_forget_aside(void *pointer) {
  struct aside *aside = pointer;
  UNDO_LIST *present = rl_undo_list;
  rl_undo_list = aside->undo;
  rl_free_undo_list();
  rl_undo_list = present;
  free(aside->text);
  free(aside);
}
