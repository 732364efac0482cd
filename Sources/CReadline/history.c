// SPDX-License-Identifier: GPL-3.0-or-later
// The history list, and readline's commands that search it and take words from it.
//
// A line of the history keeps the undo list of its changes, and readline 8.2 confuses the owners of
// these lists: the line on the screen, a line of the history, or the live line, which it saves while
// another is on the screen. Here each list has one owner between two commands.
#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/// The live line, while the screen shows one of the history.
extern HIST_ENTRY *_rl_saved_line_for_history;

bool creadline_history_is_live(void) { return where_history() == history_length; }

void creadline_history_go_live(void) {
  if (creadline_history_is_live()) return;
  rl_maybe_replace_line();
  using_history();
  rl_maybe_unsave_line();
}

static HISTORY_STATE *hidden_history;

bool creadline_history_is_hidden(void) { return hidden_history != NULL; }

void creadline_history_hide(bool hides) {
  if (hides == creadline_history_is_hidden()) return;
  creadline_history_go_live();
  if (hides) {
    HISTORY_STATE nothing = {0};
    hidden_history = history_get_history_state();
    history_set_history_state(&nothing);
  } else {
    history_set_history_state(hidden_history);
    free(hidden_history);
    hidden_history = NULL;
  }
  rl_last_func = NULL;
}

void creadline_history_clear(void) {
  bool hides = creadline_history_is_hidden();
  creadline_history_hide(false);
  creadline_history_go_live();
  clear_history();
  creadline_history_hide(hides);
  rl_last_func = NULL;  // a continued search would compare with a freed line
}

void creadline_history_add(const char *line) {
  bool hides = creadline_history_is_hidden();
  creadline_history_hide(false);
  bool live = creadline_history_is_live();
  // Immediate repetitions count once (1.12).
  HIST_ENTRY *last = history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
  if (last == NULL || strcmp(last->line, line) != 0) add_history(line);
  if (live) using_history();
  creadline_history_hide(hides);
}

// MARK: What is not searched (1.12)

/// Bytes; Up finds a longer line, but searches skip it.
static const size_t longest_searched = 4096;
/// readline's time for a pattern is quadratic in a line's length: this total takes less than half a
/// second.
static const size_t most_searched = (size_t)1 << 28;

/// The lines that a search does not see, and those it sees instead.
static struct {
  int place;
  char *line, *seen;
} *hidden;
static int hidden_count;

static void show_lines(void) {
  HIST_ENTRY **entries = history_list();
  for (; hidden_count > 0; hidden_count--) {
    int place = hidden[hidden_count - 1].place;
    if (entries && place < history_length && entries[place]->line == hidden[hidden_count - 1].seen) {
      entries[place]->line = hidden[hidden_count - 1].line;
      free(hidden[hidden_count - 1].seen);
    } else {
      free(hidden[hidden_count - 1].line);
    }
  }
  free(hidden);
  hidden = NULL;
}

static void hide_long_lines(void) {
  show_lines();
  HIST_ENTRY **entries = history_list();
  size_t cost = 0;
  for (int place = history_length - 1; entries && place >= 0; place--) {
    size_t length = strlen(entries[place]->line);
    if (length <= longest_searched && (cost += length * length) <= most_searched) continue;
    if (hidden == NULL) hidden = calloc((size_t)place + 1, sizeof *hidden);
    char *seen = hidden ? strdup("") : NULL;
    if (seen == NULL) return;
    hidden[hidden_count].place = place;
    hidden[hidden_count].line = entries[place]->line;
    hidden[hidden_count++].seen = entries[place]->line = seen;
  }
}

// MARK: Searches with a prompt of their own, and for the text before the caret

/// The line when a search began.
static struct {
  bool is_kept;
  char *text;
  int caret, mark, place;
  UNDO_LIST *undo;
  HIST_ENTRY *live;
} line;

/// Trap: these searches save the line in place of the live one, free undo lists that are still in
/// use, and may show a line of the history that readline confuses with another. This gives them a
/// line without undo that is not one of the history's.
static void keep_line(void) {
  line.is_kept = true;
  line.text = strdup(rl_line_buffer);
  line.caret = rl_point;
  line.mark = rl_mark;
  line.place = where_history();
  line.undo = rl_undo_list;
  line.live = _rl_saved_line_for_history;
  rl_undo_list = NULL;
  _rl_saved_line_for_history = NULL;
  hide_long_lines();
}

void creadline_end_search(void) {
  if (!line.is_kept || RL_ISSTATE(RL_STATE_NSEARCH)) return;
  line.is_kept = false;
  show_lines();
  char *found = strdup(rl_line_buffer);
  int caret = rl_point, mark = rl_mark, place = where_history();
  // Readline restores the line that it saved, or frees it, unless the search was aborted.
  bool has_ended = _rl_saved_line_for_history == NULL;
  if (!has_ended) {
    free(_rl_saved_line_for_history->line);
    free(_rl_saved_line_for_history);
    rl_clear_message();
  }
  rl_free_undo_list();
  history_set_pos(line.place);
  rl_replace_line(line.text, 0);
  rl_undo_list = line.undo;
  _rl_saved_line_for_history = line.live;
  rl_point = line.caret;
  rl_mark = line.mark;
  if (has_ended) {
    if (place != line.place) {
      // In vi mode the found line is on the screen, in emacs mode its text.
      rl_get_previous_history(line.place - place, 0);
    } else if (strcmp(found, line.text) != 0) {
      rl_begin_undo_group();
      rl_delete_text(0, rl_end);
      rl_point = 0;
      rl_insert_text(found);
      rl_end_undo_group();
    }
    rl_point = caret < rl_end ? caret : rl_end;
    rl_mark = mark < rl_end ? mark : rl_end;
  }
  free(line.text);
  free(found);
}

// Trap: for vi's pattern "^" alone, readline reads before its start.
void creadline_check_pattern(unsigned char key) {
  if (!RL_ISSTATE(RL_STATE_NSEARCH) || !creadline_in_vi_command() || (key != '\r' && key != '\n') ||
      strcmp(rl_line_buffer, "^") != 0)
    return;
  rl_point = rl_end;
  rl_insert_text("*");
}

#define SEARCHING(name, original)            \
  static int name(int count, int key) {      \
    keep_line();                             \
    int result = original(count, key);       \
    creadline_end_search();                  \
    return result;                           \
  }
SEARCHING(search_back, rl_noninc_reverse_search)
SEARCHING(search_on, rl_noninc_forward_search)
SEARCHING(search_back_again, rl_noninc_reverse_search_again)
SEARCHING(search_on_again, rl_noninc_forward_search_again)
SEARCHING(vi_search, rl_vi_search)
SEARCHING(vi_search_again, rl_vi_search_again)

static bool is_prefix_empty;

/// Goes back `count` lines that contain the text before the caret. readline recognises a continued
/// search because its own functions ran before.
static int prefix_search(rl_command_func_t *search, bool goes_on, int count, int key, bool back) {
  if (goes_on)
    rl_last_func = search;
  else
    is_prefix_empty = rl_point == 0;
  if (is_prefix_empty) return rl_get_previous_history(back ? count : -count, key);
  keep_line();
  int result = search(count, key);
  creadline_end_search();
  return result;
}

static int prefix_back(int count, int key);
static int prefix_on(int count, int key) {
  bool goes_on = rl_last_func == prefix_on || rl_last_func == prefix_back;
  return prefix_search(rl_history_search_forward, goes_on, count, key, false);
}
static int prefix_back(int count, int key) {
  bool goes_on = rl_last_func == prefix_on || rl_last_func == prefix_back;
  return prefix_search(rl_history_search_backward, goes_on, count, key, true);
}
static int part_back(int count, int key);
static int part_on(int count, int key) {
  bool goes_on = rl_last_func == part_on || rl_last_func == part_back;
  return prefix_search(rl_history_substr_search_forward, goes_on, count, key, false);
}
static int part_back(int count, int key) {
  bool goes_on = rl_last_func == part_on || rl_last_func == part_back;
  return prefix_search(rl_history_substr_search_backward, goes_on, count, key, true);
}

// MARK: Incremental search

/// readline's record of an incremental search (rlprivate.h, the same in 8.0 to 8.3).
struct search {
  int type, flags;
  char *string;
  int string_index, string_size;
  char **lines, *allocated_line;
  int line_count, index;
  int save_point, save_mark, save_line, last_found_line;
  char *previous_line_found;
  UNDO_LIST *undo;
  Keymap keymap, outer_keymap;
  int place, direction;
  int previous_key, key;
  char bytes[16], previous_bytes[16];  // MB_LEN_MAX each
  char *line;
  int line_length, line_index;
};
extern struct search *_rl_iscxt;

/// Trap: a failed search keeps its offset from another line in a shorter one, and reads on from
/// there. This gives it a copy that is long enough.
void creadline_check_search(void) {
  static char *copy, nothing[] = "";
  struct search *search = _rl_iscxt;
  if (rl_readline_version < 0x0800 || rl_readline_version > 0x0803 || search == NULL) return;
  // The last line, and the one that was on the screen, do not belong to the history alone.
  for (int i = 0; i < search->line_count - 1; i++)
    if (i != search->save_line && strlen(search->lines[i]) > longest_searched)
      search->lines[i] = nothing;
  if (search->line_index <= search->line_length) return;
  char *longer = calloc((size_t)search->line_index + 1, 1);
  if (longer == NULL) return;
  memcpy(longer, search->line, (size_t)search->line_length);
  search->line = longer;
  free(copy);
  copy = longer;
}

// MARK: Words of earlier lines

/// Trap: if a line ends in a backslash or an open parenthesis, readline looks for its words after
/// its end. This adds another end there.
static void lengthen_lines(void) {
  HIST_ENTRY **entries = history_list();
  for (int i = 0; entries && i < history_length; i++) {
    size_t length = strlen(entries[i]->line);
    if (length == 0 || strchr("\\(", entries[i]->line[length - 1]) == NULL) continue;
    char *longer = realloc(entries[i]->line, length + 2);
    if (longer == NULL) continue;
    longer[length + 1] = '\0';
    entries[i]->line = longer;
  }
}

static int yank_last_argument(int count, int key) {
  // readline recognises by its own function that this call replaces the word before.
  if (rl_last_func == yank_last_argument) rl_last_func = rl_yank_last_arg;
  lengthen_lines();
  return rl_yank_last_arg(count, key);
}
static int yank_argument(int count, int key) {
  lengthen_lines();
  return rl_yank_nth_arg(count, key);
}
static int vi_yank_argument(int count, int key) {
  lengthen_lines();
  return rl_vi_yank_arg(count, key);
}

const struct creadline_replacement creadline_history_commands[] = {
    {"non-incremental-reverse-search-history", rl_noninc_reverse_search, search_back},
    {"non-incremental-forward-search-history", rl_noninc_forward_search, search_on},
    {"non-incremental-reverse-search-history-again", rl_noninc_reverse_search_again,
     search_back_again},
    {"non-incremental-forward-search-history-again", rl_noninc_forward_search_again,
     search_on_again},
    {"vi-search", rl_vi_search, vi_search},
    {"vi-search-again", rl_vi_search_again, vi_search_again},
    {"history-search-forward", rl_history_search_forward, prefix_on},
    {"history-search-backward", rl_history_search_backward, prefix_back},
    {"history-substring-search-forward", rl_history_substr_search_forward, part_on},
    {"history-substring-search-backward", rl_history_substr_search_backward, part_back},
    {"yank-last-arg", rl_yank_last_arg, yank_last_argument},
    {"yank-nth-arg", rl_yank_nth_arg, yank_argument},
    {"vi-yank-arg", rl_vi_yank_arg, vi_yank_argument},
    {0},
};
