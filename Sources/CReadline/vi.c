// SPDX-License-Identifier: GPL-3.0-or-later
// vi's own commands by grapheme, and by line in a text with newlines; see motion.c.
#include "text.h"

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

static int first_print(int count, int key) {
  if (!has_lines()) return rl_vi_first_print(count, key);
  rl_point = line_start(rl_point);
  while (rl_line_buffer[rl_point] == ' ' || rl_line_buffer[rl_point] == '\t') rl_point++;
  return 0;
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

/// Trap: the first Escape in a line frees its undo, but a line of the history that was changed
/// before still refers to the older part of that.
static int movement_mode(int count, int key) {
  HIST_ENTRY *entry = current_history();
  histdata_t data = entry ? entry->data : NULL;
  if (entry) entry->data = NULL;
  int result = rl_vi_movement_mode(count, key);
  if (entry && rl_undo_list) entry->data = data;
  return result;
}

static int vi_movement(int count, int key) {
  if (is_simple()) return movement_mode(count, key);
  int start = line_start(rl_point), from = rl_point;
  movement_mode(count, key);
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
  rl_callback_sigcleanup();  // the operator that is waiting for its motion
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

/// Trap: in a line that ends in a character without width, readline searches for ever for a bracket
/// that is not there: each step at the end goes back by one.
static int vi_match(int count, int key) {
  if (!strpbrk(rl_line_buffer + rl_point, "()[]{}")) return rl_ding();
  return rl_vi_match(count, key);
}

/// Trap: in vi's command mode, readline never steps to the end of the line but back from it, as far
/// as a character that the C library gives a width. After one without, such as an emoji that is
/// newer than the library, its motions over words go back and forth for ever. In the keymap of
/// insertion they reach the end; readline moves the caret back afterwards.
static int over_words(rl_command_func_t *command, int count, int key) {
  Keymap map = rl_get_keymap();
  rl_set_keymap(vi_insertion_keymap);
  int result = command(count, key);
  rl_set_keymap(map);
  return result;
}

static int vi_next_word(int count, int key) { return over_words(rl_vi_next_word, count, key); }
static int vi_end_word(int count, int key) { return over_words(rl_vi_end_word, count, key); }
static int vi_fword(int count, int key) { return over_words(rl_vi_fword, count, key); }
static int vi_fWord(int count, int key) { return over_words(rl_vi_fWord, count, key); }
static int vi_eword(int count, int key) { return over_words(rl_vi_eword, count, key); }
static int vi_eWord(int count, int key) { return over_words(rl_vi_eWord, count, key); }

/// Trap: readline goes to the end of the word with its own motion. At a blank it does not go there.
static int vi_complete(int count, int key) {
  while (rl_point < rl_end && !strchr(" \t", rl_line_buffer[rl_point])) rl_point++;
  return rl_vi_complete(count, key);
}

// MARK: Replacing characters

extern int _rl_vi_redoing, rl_arg_sign;

/// How many characters `r` replaces with the next key.
static int awaited;

/// A key that replaces characters, while readline handles it.
static struct {
  bool is_under_way;
  /// `rest`: how many bytes must remain behind the new characters. `on`: the length of the new
  /// character under the caret, if the caret is on one.
  int rest, on;
} replacing;

static void begin_replacing(int count, int on) {
  replacing.is_under_way = true;
  replacing.rest = rl_end - moved(count, 0, rl_end);
  replacing.on = on;
  rl_begin_undo_group();
}

/// readline replaces single code points. This deletes the rest of their graphemes.
void creadline_end_replacing(void) {
  if (!replacing.is_under_way) return;
  replacing.is_under_way = false;
  int start = rl_point + replacing.on, end = rl_end - replacing.rest, caret = rl_point;
  if (start < end) rl_delete_text(start, end);
  rl_point = caret;
  rl_end_undo_group();
}

void creadline_begin_replacing(const unsigned char *key, size_t count) {
  int number = awaited;
  awaited = 0;
  if (is_simple()) return;
  if (number > 0) {
    if (*key != '\033' && *key != CTRL('C')) begin_replacing(number, (int)count);
    return;
  }
  KEYMAP_ENTRY entry = rl_get_keymap()[*key];
  if (rl_insert_mode != 0 || entry.type != ISFUNC || entry.function != rl_insert ||
      creadline_quotes_next() || creadline_is_searching() || creadline_in_sequence())
    return;
  if (!RL_ISSTATE(RL_STATE_NUMERICARG)) return begin_replacing(1, 0);
  bool continues = (*key >= '0' && *key <= '9') || (*key == '-' && !rl_explicit_arg);
  if (!continues && rl_arg_sign > 0) begin_replacing(rl_numeric_arg, 0);
}

static int vi_change_char(int count, int key) {
  if (!_rl_vi_redoing) {
    awaited = count;
    return rl_vi_change_char(count, key);
  }
  if (is_simple()) return rl_vi_change_char(count, key);
  // The caret ends on the last new character.
  begin_replacing(count, 0);
  int result = rl_vi_change_char(count, key);
  replacing.on = rl_point < rl_end ? creadline_character_length(rl_line_buffer + rl_point) : 0;
  creadline_end_replacing();
  return result;
}

static int overstrike(int count, int key) {
  if (is_simple()) return rl_vi_overstrike(count, key);
  // With a count of 0, it only begins the undo group that R ends.
  rl_vi_overstrike(0, key);
  begin_replacing(count, 0);
  int result = rl_vi_overstrike(count, key);
  creadline_end_replacing();
  return result;
}

/// Trap: R has a keymap of its own, which nobody can bind and whose Returns send by themselves.
static int vi_replace(int count, int key) {
  int result = rl_vi_replace(count, key);
  Keymap map = rl_get_keymap();
  for (int each = 0; each < KEYMAP_SIZE; each++)
    if (map[each].type == ISFUNC && map[each].function == rl_vi_overstrike)
      map[each].function = overstrike;
  map['\n'] = vi_insertion_keymap['\n'];
  creadline_replace_in(map);
  return result;
}

/// vi's C-d in a line with text, which readline would send (1.15).
static int vi_end_of_input(int count, int key) {
  return rl_end > 0 ? rl_ding() : rl_vi_eof_maybe(count, key);
}

const struct creadline_replacement creadline_vi_commands[] = {
    {"vi-change-char", rl_vi_change_char, vi_change_char},
    {"vi-replace", rl_vi_replace, vi_replace},
    {"vi-eof-maybe", rl_vi_eof_maybe, vi_end_of_input},
    {"vi-complete", rl_vi_complete, vi_complete},
    {"vi-next-word", rl_vi_next_word, vi_next_word},
    {"vi-end-word", rl_vi_end_word, vi_end_word},
    {"vi-fword", rl_vi_fword, vi_fword},
    {"vi-fWord", rl_vi_fWord, vi_fWord},
    {"vi-eword", rl_vi_eword, vi_eword},
    {"vi-eWord", rl_vi_eWord, vi_eWord},
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
    {"vi-match", rl_vi_match, vi_match},
    {0},
};
