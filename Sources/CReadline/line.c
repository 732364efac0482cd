// SPDX-License-Identifier: GPL-3.0-or-later
// The line as a text that the program puts in, takes away and brings back; and the history list.
#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static int clamped(int offset) { return offset < 0 ? 0 : offset > rl_end ? rl_end : offset; }

void creadline_insert(const char *text) {
  creadline_forget_redo();
  creadline_mark_is_set = false;
  rl_begin_undo_group();
  rl_insert_text(text);
  rl_end_undo_group();
  rl_last_func = NULL;
  rl_redisplay_function();
}

void creadline_replace(int start, int end, const char *text, int caret) {
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

/// Leaves a line of the history for the live one.
static void go_live(void) {
  rl_maybe_replace_line();
  using_history();
  rl_maybe_unsave_line();
}

void creadline_set_line(const char *text, int caret) {
  creadline_forget_redo();
  creadline_mark_is_set = false;
  if (!creadline_history_is_live()) go_live();
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
    // The live line comes back first; C-_ then gives the one from the history, and the live one.
    char *text = strdup(rl_line_buffer);
    go_live();
    creadline_replace(0, rl_end, text, (int)strlen(text));
    free(text);
  }
  // What is in front of the caret goes first and comes back last: the caret then stands behind it.
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
};

void *creadline_set_aside(void) {
  if (!creadline_history_is_live()) go_live();
  struct aside *aside = malloc(sizeof *aside);
  *aside = (struct aside){strdup(rl_line_buffer), rl_point, rl_mark, rl_undo_list};
  rl_undo_list = NULL;
  creadline_set_line("", 0);
  return aside;
}

void creadline_bring_back(void *pointer) {
  struct aside *aside = pointer;
  creadline_set_line(aside->text, aside->caret);
  rl_undo_list = aside->undo;
  rl_mark = clamped(aside->mark);
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

const char *creadline_aside_text(const void *pointer, int *caret) {
  const struct aside *aside = pointer;
  *caret = aside->caret;
  return aside->text;
}

// MARK: History

void creadline_history_clear(void) { clear_history(); }
void creadline_history_add(const char *line) {
  // The same line twice in a row stands once (1.12).
  HIST_ENTRY *last = history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
  if (last == NULL || strcmp(last->line, line) != 0) add_history(line);
  using_history();
}
void creadline_history_drop(int count) {
  while (count-- > 0 && history_length > 0) {
    HIST_ENTRY *entry = remove_history(history_length - 1);
    if (entry) free_history_entry(entry);
  }
  using_history();
}
bool creadline_history_is_live(void) { return where_history() == history_length; }
