// SPDX-License-Identifier: GPL-3.0-or-later
// hobnob's own readline functions, and those it replaces: motion and deletion by grapheme, and by
// line in a text with newlines (readline 8.2 takes such a text for one line, and a code point for
// a character). A text of one ASCII line goes to readline's own function, so that it behaves to
// the letter as in any other shell.
#define _GNU_SOURCE
#include "internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool creadline_in_vi_command(void) {
  return rl_editing_mode == 0 && rl_get_keymap() == vi_movement_keymap;
}

static bool has_lines(void) { return memchr(rl_line_buffer, '\n', (size_t)rl_end) != NULL; }

static bool is_simple(void) {
  for (int i = 0; i < rl_end; i++)
    if ((rl_line_buffer[i] & 0x80) || rl_line_buffer[i] == '\n') return false;
  return true;
}

static int line_start(int offset) {
  while (offset > 0 && rl_line_buffer[offset - 1] != '\n') offset--;
  return offset;
}

static int line_end(int offset) {
  const char *newline = memchr(rl_line_buffer + offset, '\n', (size_t)(rl_end - offset));
  return newline ? (int)(newline - rl_line_buffer) : rl_end;
}

static int before(int offset) {
  return creadline_call.previous_grapheme(rl_line_buffer, rl_end, offset);
}

static int after(int offset) {
  return creadline_call.next_grapheme(rl_line_buffer, rl_end, offset);
}

/// `count` graphemes from the caret, within `low` … `high`.
static int moved(int count, int low, int high) {
  int offset = rl_point;
  for (; count > 0 && offset < high; count--) offset = after(offset);
  for (; count < 0 && offset > low; count++) offset = before(offset);
  return offset < low ? low : offset > high ? high : offset;
}

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

static int erase(int from, int to, bool kill) {
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

static int delete_char(int count, int key) {
  if (is_simple()) return rl_delete(count, key);
  return erase(rl_point, moved(count, 0, rl_end), count > 1 || rl_explicit_arg);
}

static int rubout(int count, int key) {
  if (is_simple() || rl_insert_mode == 0) return rl_rubout(count, key);
  return erase(rl_point, moved(-count, 0, rl_end), count > 1 || rl_explicit_arg);
}

static int rubout_or_delete(int count, int key) {
  return rl_end != 0 && rl_point == rl_end ? rubout(count, key) : delete_char(count, key);
}

static int vi_delete(int count, int key) {
  if (is_simple()) return rl_vi_delete(count, key);
  int start = line_start(rl_point), end = line_end(rl_point);
  int target = moved(key == 'X' || key == '\b' || key == 0x7F ? -count : count, start, end);
  return erase(rl_point, target, true);
}

static int vi_rubout(int count, int key) {
  if (is_simple()) return rl_vi_rubout(count, key);
  return erase(rl_point, moved(-count, line_start(rl_point), line_end(rl_point)), true);
}

// MARK: Lines of a text with newlines

static int beginning_of_line(int count, int key) {
  if (!has_lines()) return rl_beg_of_line(count, key);
  rl_point = line_start(rl_point);
  return 0;
}

static int end_of_line(int count, int key) {
  if (!has_lines()) return rl_end_of_line(count, key);
  int start = line_start(rl_point), end = line_end(rl_point);
  // vi stands on the last letter, and an operator takes that too, but not the newline.
  rl_point = creadline_in_vi_command() && end > start ? before(end) : end;
  return 0;
}

static int first_print(int count, int key) {
  if (!has_lines()) return rl_vi_first_print(count, key);
  rl_point = line_start(rl_point);
  while (rl_line_buffer[rl_point] == ' ' || rl_line_buffer[rl_point] == '\t') rl_point++;
  return 0;
}

static int kill_to_start(int count, int key);

static int kill_line(int count, int key) {
  if (!has_lines()) return rl_kill_line(count, key);
  if (count < 0) return kill_to_start(1, key);
  int end = line_end(rl_point);
  if (end == rl_point && end < rl_end) end++;  // at a line's end its newline goes, as in emacs
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
    int offset = creadline_call.vertical(rl_line_buffer, rl_end, rl_point, direction);
    if (offset < 0) break;
    rl_point = offset;
    left--;
  }
  return left;
}

static int history_up(int count, int key) {
  if (count < 0) return rl_get_previous_history(count, key);
  if (rl_end == 0 && creadline_history_is_live() && creadline_call.up_on_empty()) return 0;
  int left = has_lines() ? vertical(count, -1) : count;
  return left > 0 ? rl_get_previous_history(left, key) : 0;
}

static int history_down(int count, int key) {
  if (count < 0) return rl_get_next_history(count, key);
  int left = has_lines() ? vertical(count, 1) : count;
  return left > 0 ? rl_get_next_history(left, key) : 0;
}

static int vi_append_eol(int count, int key) {
  if (!has_lines()) return rl_vi_append_eol(count, key);
  rl_point = line_end(rl_point);
  return rl_vi_insert_mode(1, key);
}

static int vi_append(int count, int key) {
  if (is_simple()) return rl_vi_append_mode(count, key);
  if (rl_point < line_end(rl_point)) rl_point = after(rl_point);
  return rl_vi_insert_mode(1, key);
}

static int vi_insert_beginning(int count, int key) {
  if (!has_lines()) return rl_vi_insert_beg(count, key);
  rl_point = line_start(rl_point);
  return rl_vi_insert_mode(1, key);
}

static int vi_movement(int count, int key) {
  if (is_simple()) return rl_vi_movement_mode(count, key);
  int start = line_start(rl_point), from = rl_point;
  rl_vi_movement_mode(count, key);
  rl_point = from > start ? before(from) : from;
  return 0;
}

static int operator_key;

/// vi's d$, c$ and y$ in a text with newlines: to the end of the line, not of the text.
static int operate_to_end(int key) {
  int start = line_start(rl_point), end = line_end(rl_point), caret = rl_point;
  if (caret == end && key != 'c') {
    rl_ding();
    return 0;
  }
  if (key == 'y') {
    rl_begin_undo_group();
    rl_kill_text(caret, end);
    rl_do_undo();
    rl_end_undo_group();
    rl_point = caret;
    return 0;
  }
  if (caret < end) rl_kill_text(caret, end);
  rl_point = caret;
  if (key == 'c') return rl_vi_insert_mode(1, key);
  if (caret > start) rl_point = before(caret);
  return 0;
}

static int vi_delete_to(int count, int key) {
  operator_key = key;
  return key == 'D' && has_lines() ? operate_to_end('d') : rl_vi_delete_to(count, key);
}
static int vi_change_to(int count, int key) {
  operator_key = key;
  return key == 'C' && has_lines() ? operate_to_end('c') : rl_vi_change_to(count, key);
}
static int vi_yank_to(int count, int key) {
  operator_key = key;
  return key == 'Y' && has_lines() ? operate_to_end('y') : rl_vi_yank_to(count, key);
}

static int vi_subst(int count, int key) {
  if (key != 'S' || !has_lines()) return rl_vi_subst(count, key);
  erase(line_start(rl_point), line_end(rl_point), true);
  return rl_vi_insert_mode(1, key);
}

bool creadline_operator_on_line(unsigned char key) {
  if (!RL_ISSTATE(RL_STATE_VIMOTION) || RL_ISSTATE(RL_STATE_CHARSEARCH | RL_STATE_NUMERICARG) ||
      (key != operator_key && key != '$') || !has_lines())
    return false;
  rl_callback_sigcleanup();  // the operator that waits for its motion
  if (key == '$') {
    operate_to_end(operator_key);
    rl_redisplay_function();
    return true;
  }
  int start = line_start(rl_point), end = line_end(rl_point), caret = rl_point;
  if (key == 'c') {
    if (end > start) rl_kill_text(start, end);
    rl_point = start;
    rl_vi_insert_mode(1, key);
  } else if (key == 'd') {
    if (end < rl_end)
      end++;
    else if (start > 0)
      start--;
    rl_kill_text(start, end);
    rl_point = line_start(start < rl_end ? start : rl_end);
  } else {
    rl_begin_undo_group();
    rl_kill_text(start, end);
    rl_do_undo();
    rl_end_undo_group();
    rl_point = caret;
  }
  rl_redisplay_function();
  return true;
}

// MARK: What hobnob adds

static int newline(int count, int key) {
  (void)key;
  rl_begin_undo_group();
  for (; count > 0; count--) rl_insert_text("\n");
  rl_end_undo_group();
  return 0;
}

static int clear_screen(int count, int key) {
  (void)count, (void)key;
  creadline_call.request(creadline_request_clear_screen);
  return 0;
}

static int edit_last(int count, int key) {
  (void)count, (void)key;
  creadline_call.request(creadline_request_edit_last);
  return 0;
}

static int clear_line(int count, int key) {
  (void)count, (void)key;
  creadline_call.request(creadline_request_clear_line);
  return 0;
}

#define REQUESTING(name)                                \
  static int name(int count, int key) {                 \
    (void)count, (void)key;                             \
    creadline_call.request(creadline_request_##name);   \
    return 0;                                           \
  }
REQUESTING(edit_in_editor)
REQUESTING(format_bold)
REQUESTING(format_italic)
REQUESTING(format_strike)
REQUESTING(format_code)
REQUESTING(format_preformatted)
REQUESTING(format_quote)

static int backward_kill_word(int count, int key) {
  int start = count == 1 ? creadline_call.mention_word(rl_point) : -1;
  return start < 0 ? rl_backward_kill_word(count, key) : erase(rl_point, start, true);
}

static int cancel(int count, int key) {
  // One level at a time: an argument under way goes first.
  if (!rl_explicit_arg && !RL_ISSTATE(RL_STATE_MACRODEF | RL_STATE_MACROINPUT) &&
      creadline_call.cancel())
    return 0;
  return rl_abort(count, key);
}

static int insert_comment(int count, int key) {
  const char *comment = rl_variable_value("comment-begin");
  int point = rl_point;
  rl_point = 0;
  rl_insert_text(comment && *comment ? comment : "#");
  (void)point, (void)count;
  return creadline_accept(1, key);
}

// MARK: Completion

static bool steps_over_space;

void creadline_step_over_space(void) { steps_over_space = true; }

/// readline replaces a word up to the caret; hobnob's words reach to their end, and a space that
/// stands there already serves as the one behind a completed word.
static int at_word_end(rl_command_func_t *complete, int count, int key) {
  // Where nothing matches, the word's end is said to be the caret.
  rl_point = creadline_call.word_end(rl_line_buffer, rl_end, rl_point);
  steps_over_space = false;
  int result = complete(count, key);
  if (steps_over_space && rl_point < rl_end && rl_line_buffer[rl_point] == ' ') rl_point++;
  return result;
}

static int complete(int count, int key) {
  if (!creadline_is_plain && creadline_call.live_complete()) return 0;
  // readline knows the second TAB by its own function having come before.
  if (rl_last_func == complete) rl_last_func = rl_complete;
  return at_word_end(rl_complete, count, key);
}
static int menu_complete_backward(int count, int key);
static int menu_complete(int count, int key) {
  bool again = rl_last_func == menu_complete || rl_last_func == menu_complete_backward;
  if (again) {
    rl_last_func = rl_menu_complete;
    return rl_menu_complete(count, key);
  }
  return at_word_end(rl_menu_complete, count, key);
}
static int menu_complete_backward(int count, int key) {
  bool again = rl_last_func == menu_complete || rl_last_func == menu_complete_backward;
  if (again) {
    rl_last_func = rl_backward_menu_complete;
    return rl_backward_menu_complete(count, key);
  }
  return at_word_end(rl_backward_menu_complete, count, key);
}
static int old_menu_complete(int count, int key) {
  if (rl_last_func == old_menu_complete) {
    rl_last_func = rl_old_menu_complete;
    return rl_old_menu_complete(count, key);
  }
  return at_word_end(rl_old_menu_complete, count, key);
}
static int possible_completions(int count, int key) {
  return at_word_end(rl_possible_completions, count, key);
}
static int insert_completions(int count, int key) {
  return at_word_end(rl_insert_completions, count, key);
}

// MARK: Commands that print

/// Catches what a command writes, since the terminal has one owner.
static int captured(rl_command_func_t *command, int count, int key) {
  char *text = NULL;
  size_t size = 0;
  FILE *real = rl_outstream, *memory = open_memstream(&text, &size);
  if (memory == NULL) return 1;
  rl_outstream = memory;
  int result = command(count, key);
  rl_outstream = real;
  fclose(memory);
  creadline_call.print(text);
  free(text);
  return result;
}
static int dump_functions(int count, int key) { return captured(rl_dump_functions, count, key); }
static int dump_variables(int count, int key) { return captured(rl_dump_variables, count, key); }
static int dump_macros(int count, int key) { return captured(rl_dump_macros, count, key); }

static int print_last_macro(int count, int key) {
  // readline's own writes past its stream, on standard output, into whatever is drawn there.
  (void)count, (void)key;
  rl_ding();
  return 0;
}

// MARK: The table

static const struct {
  const char *name;
  rl_command_func_t *original, *own;
} replaced[] = {
    {"accept-line", rl_newline, creadline_accept},
    {"operate-and-get-next", rl_operate_and_get_next, creadline_accept_and_next},
    {"insert-comment", rl_insert_comment, insert_comment},
    {"abort", rl_abort, cancel},
    {"clear-screen", rl_clear_screen, clear_screen},
    {"clear-display", rl_clear_display, clear_screen},
    {"forward-char", rl_forward_char, forward_char},
    {"backward-char", rl_backward_char, backward_char},
    {"delete-char", rl_delete, delete_char},
    {"backward-delete-char", rl_rubout, rubout},
    {"forward-backward-delete-char", rl_rubout_or_delete, rubout_or_delete},
    {"beginning-of-line", rl_beg_of_line, beginning_of_line},
    {"end-of-line", rl_end_of_line, end_of_line},
    {"kill-line", rl_kill_line, kill_line},
    {"backward-kill-line", rl_backward_kill_line, backward_kill_line},
    {"unix-line-discard", rl_unix_line_discard, line_discard},
    {"previous-history", rl_get_previous_history, history_up},
    {"next-history", rl_get_next_history, history_down},
    {"vi-delete", rl_vi_delete, vi_delete},
    {"vi-rubout", rl_vi_rubout, vi_rubout},
    {"vi-first-print", rl_vi_first_print, first_print},
    {"vi-append-eol", rl_vi_append_eol, vi_append_eol},
    {"vi-append-mode", rl_vi_append_mode, vi_append},
    {"vi-insert-beg", rl_vi_insert_beg, vi_insert_beginning},
    {"vi-movement-mode", rl_vi_movement_mode, vi_movement},
    {"vi-delete-to", rl_vi_delete_to, vi_delete_to},
    {"vi-change-to", rl_vi_change_to, vi_change_to},
    {"vi-yank-to", rl_vi_yank_to, vi_yank_to},
    {"vi-subst", rl_vi_subst, vi_subst},
    {"backward-kill-word", rl_backward_kill_word, backward_kill_word},
    {"complete", rl_complete, complete},
    {"menu-complete", rl_menu_complete, menu_complete},
    {"menu-complete-backward", rl_backward_menu_complete, menu_complete_backward},
    {"old-menu-complete", rl_old_menu_complete, old_menu_complete},
    {"possible-completions", rl_possible_completions, possible_completions},
    {"insert-completions", rl_insert_completions, insert_completions},
    {"dump-functions", rl_dump_functions, dump_functions},
    {"dump-variables", rl_dump_variables, dump_variables},
    {"dump-macros", rl_dump_macros, dump_macros},
    {"print-last-kbd-macro", rl_print_last_kbd_macro, print_last_macro},
};

static const struct {
  const char *name;
  rl_command_func_t *own;
} added[] = {
    {"newline", newline},
    {"redo", creadline_redo},
    {"edit-last", edit_last},
    {"clear-line", clear_line},
    {"edit-in-editor", edit_in_editor},
    {"format-bold", format_bold},
    {"format-italic", format_italic},
    {"format-strike", format_strike},
    {"format-code", format_code},
    {"format-preformatted", format_preformatted},
    {"format-quote", format_quote},
};

void creadline_register_commands(void) {
  // Before rl_initialize: then a name here comes before readline's own of the same name, and the
  // inputrc can bind it.
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
    rl_add_funmap_entry(replaced[i].name, replaced[i].own);
  for (size_t i = 0; i < sizeof added / sizeof *added; i++)
    rl_add_funmap_entry(added[i].name, added[i].own);
  // The default bindings, also before the inputrc, which may change them.
  emacs_standard_keymap['\n'].function = newline;
  vi_insertion_keymap['\n'].function = newline;
  vi_insertion_keymap['\a'].function = cancel;
  emacs_meta_keymap['\r'].function = newline;
  emacs_meta_keymap['/'].function = creadline_redo;
  emacs_meta_keymap['e'].function = edit_last;
  rl_bind_keyseq_in_map("\\e\\C-m", newline, vi_insertion_keymap);
  emacs_ctlx_keymap[CTRL('E')].function = edit_in_editor;
  vi_movement_keymap['v'].function = edit_in_editor;
  emacs_ctlx_keymap['*'].function = format_bold;
  emacs_ctlx_keymap['_'].function = format_italic;
  emacs_ctlx_keymap['~'].function = format_strike;
  emacs_ctlx_keymap['`'].function = format_code;
  emacs_ctlx_keymap['p'].function = format_preformatted;
  emacs_ctlx_keymap['>'].function = format_quote;
}

/// Keymaps are large and mostly hold functions that are not replaced: one look tells.
static bool may_be_replaced[256];

static unsigned char slot(rl_command_func_t *function) {
  uintptr_t address = (uintptr_t)function;
  return (unsigned char)(address >> 4 ^ address >> 12);
}

static void replace_in(Keymap map) {
  for (int key = 0; key < KEYMAP_SIZE; key++) {
    if (map[key].function == NULL) continue;
    if (map[key].type == ISKMAP) {
      replace_in((Keymap)map[key].function);
    } else if (map[key].type == ISFUNC && may_be_replaced[slot(map[key].function)]) {
      for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
        if (map[key].function == replaced[i].original) {
          map[key].function = replaced[i].own;
          break;
        }
    }
  }
}

/// Trap: an incremental search knows Backspace by readline's own function alone; another one ends it.
void creadline_lend_rubout(bool readlines) {
  Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap};
  for (int map = 0; map < 2; map++)
    for (int key = 0; key < KEYMAP_SIZE; key++)
      if (maps[map][key].type == ISFUNC && maps[map][key].function == (readlines ? rubout : rl_rubout))
        maps[map][key].function = readlines ? rl_rubout : rubout;
}

void creadline_replace_commands(void) {
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
    may_be_replaced[slot(replaced[i].original)] = true;
  replace_in(emacs_standard_keymap);
  replace_in(vi_insertion_keymap);
  replace_in(vi_movement_keymap);
}

void creadline_each_binding(void (*body)(void *context, const char *name, const char *keys),
                            void *context) {
  const char **names = rl_funmap_names();
  if (names == NULL) return;
  for (size_t i = 0; names[i]; i++) {
    // readline's own function of a name that hobnob replaces is bound to nothing any more.
    if (i > 0 && strcmp(names[i], names[i - 1]) == 0) continue;
    char **keys = rl_invoking_keyseqs(rl_named_function(names[i]));
    if (keys == NULL) continue;
    size_t size = 1;
    for (size_t k = 0; keys[k]; k++) size += strlen(keys[k]) + 1;
    char *all = malloc(size), *end = all;
    for (size_t k = 0; keys[k]; k++) {
      if (all) end += sprintf(end, "%s%s", k ? " " : "", keys[k]);
      free(keys[k]);
    }
    free(keys);
    if (all) body(context, names[i], all);
    free(all);
  }
  free(names);
}

// MARK: Complaints

static char *complaints;
static size_t complaints_size;
static FILE *kept, *real_errors;

void creadline_begin_complaints(void) {
  // Trap: what is wrong in an inputrc readline says on standard error, into whatever is drawn there.
  if (kept == NULL) kept = open_memstream(&complaints, &complaints_size);
  if (kept == NULL) return;
  real_errors = stderr;
  stderr = kept;
}

void creadline_end_complaints(void) {
  if (real_errors == NULL) return;
  stderr = real_errors;
  real_errors = NULL;
}

const char *creadline_take_complaints(void) {
  static char *taken;
  free(taken);
  taken = NULL;
  if (kept == NULL) return "";
  fclose(kept);
  kept = NULL;
  taken = complaints;
  complaints = NULL;
  return taken ? taken : "";
}
