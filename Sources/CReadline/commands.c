// SPDX-License-Identifier: GPL-3.0-or-later
// hobnob's own readline functions, and those it replaces: their names, keys and bindings.
// motion.c and vi.c contain those that move and delete.
#define _GNU_SOURCE
#include "text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

bool creadline_is_vi(void) { return rl_editing_mode == 0; }

bool creadline_in_vi_command(void) {
  return rl_editing_mode == 0 && rl_get_keymap() == vi_movement_keymap;
}

// MARK: What hobnob adds

static int newline(int count, int key) {
  (void)key;
  rl_begin_undo_group();
  for (; count > 0; count--) rl_insert_text("\n");
  rl_end_undo_group();
  return 0;
}

/// Functions of which the program only hears the name.
#define COMMANDS(COMMAND)                                 \
  COMMAND(edit_last, "edit-last")                         \
  COMMAND(clear_line, "clear-line")                       \
  COMMAND(edit_in_editor, "edit-in-editor")               \
  COMMAND(format_bold, "format-bold")                     \
  COMMAND(format_italic, "format-italic")                 \
  COMMAND(format_strike, "format-strike")                 \
  COMMAND(format_code, "format-code")                     \
  COMMAND(format_preformatted, "format-preformatted")     \
  COMMAND(format_quote, "format-quote")                   \
  COMMAND(set_aside, "set-aside")                         \
  COMMAND(page_history, "page-history")                   \
  COMMAND(next_unread, "next-unread")                     \
  COMMAND(next_conversation, "next-conversation")         \
  COMMAND(previous_conversation, "previous-conversation") \
  COMMAND(last_conversation, "last-conversation")         \
  COMMAND(switch_conversation, "switch-conversation")     \
  COMMAND(conversation_1, "conversation-1")               \
  COMMAND(conversation_2, "conversation-2")               \
  COMMAND(conversation_3, "conversation-3")               \
  COMMAND(conversation_4, "conversation-4")               \
  COMMAND(conversation_5, "conversation-5")               \
  COMMAND(conversation_6, "conversation-6")               \
  COMMAND(conversation_7, "conversation-7")               \
  COMMAND(conversation_8, "conversation-8")               \
  COMMAND(conversation_9, "conversation-9")

#define TELLING(function, name)                    \
  static int function(int count, int key) {        \
    (void)count, (void)key;                        \
    creadline_host.event(creadline_command, name); \
    return 0;                                      \
  }
COMMANDS(TELLING)
TELLING(clear_screen, "clear-screen")

static int backward_kill_word(int count, int key) {
  int start = count == 1 ? creadline_host.mention_word(rl_point) : -1;
  return start < 0 ? rl_backward_kill_word(count, key) : erase(rl_point, start, true);
}

static int cancel(int count, int key) {
  // One level at a time: an argument under way ends first.
  if (!rl_explicit_arg && !RL_ISSTATE(RL_STATE_MACRODEF | RL_STATE_MACROINPUT) &&
      creadline_host.event(creadline_cancel, NULL))
    return 0;
  return rl_abort(count, key);
}

static int undo(int count, int key) {
  return creadline_host.event(creadline_undo, NULL)
             ? 0
             : creadline_undo_with(rl_undo_command, count, key);
}

static int vi_undo(int count, int key) {
  return creadline_host.event(creadline_undo, NULL) ? 0 : creadline_undo_with(rl_vi_undo, count, key);
}

bool creadline_is_undo(rl_command_func_t *function) {
  return function == undo || function == vi_undo;
}

bool creadline_mark_is_set;

static int set_mark(int count, int key) {
  int result = rl_set_mark(count, key);
  creadline_mark_is_set = true;
  return result;
}

/// readline's own function reads until the mark at the end of a paste, which may never come. Pastes
/// of the terminal do not come here: only what a macro, or a key that the user bound, begins.
static int bracketed_paste(int count, int key) {
  (void)count, (void)key;
  static const char end[] = "\033[201~";
  const size_t end_length = sizeof end - 1;
  char *text = NULL;
  size_t length = 0, size = 0;
  bool has_end = false;
  // With this state, readline ends a macro when it reads the macro's last key.
  RL_SETSTATE(RL_STATE_MOREINPUT);
  while (!has_end && creadline_has_input()) {
    int byte = rl_read_key();
    if (byte < 0) break;
    if (length + 2 > size) text = realloc(text, size = size * 2 + 64);
    text[length++] = byte == '\r' ? '\n' : (char)byte;
    has_end = length >= end_length && memcmp(text + length - end_length, end, end_length) == 0;
  }
  RL_UNSETSTATE(RL_STATE_MOREINPUT);
  if (has_end) length -= end_length;
  if (length == 0) {
    free(text);
    return rl_ding();
  }
  text[length] = '\0';
  creadline_insert(text);
  free(text);
  return 0;
}

// MARK: Completion

static bool steps_over_space;

void creadline_step_over_space(void) { steps_over_space = true; }

/// readline replaces a word up to the caret; hobnob's words extend to their end, and an existing
/// space there serves as the one after a completed word.
static int choose_at_word_end(rl_command_func_t *complete, int count, int key, int choice) {
  // If nothing matches, the end of the word is the caret.
  rl_point = creadline_host.word_end(rl_point, choice);
  steps_over_space = false;
  int result = complete(count, key);
  if (steps_over_space && rl_point < rl_end && rl_line_buffer[rl_point] == ' ') rl_point++;
  return result;
}

static int at_word_end(rl_command_func_t *complete, int count, int key) {
  return choose_at_word_end(complete, count, key, 0);
}

static int insert_choice(int count, int key) {
  (void)count, (void)key;
  return rl_complete_internal('!');  // lists all if no candidate has this number
}

static int complete(int count, int key) {
  // The list numbers its candidates, since nobody can point at one (11.5).
  if (creadline_is_plain && rl_explicit_arg)
    return choose_at_word_end(insert_choice, count, key, count);
  if (!creadline_is_plain && creadline_host.event(creadline_live_complete, NULL)) return 0;
  // readline recognises the second TAB because its own function ran before.
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

/// Captures a command's output, since only hobnob writes to the terminal.
static int captured(rl_command_func_t *command, int count, int key) {
  char *text = NULL;
  size_t size = 0;
  FILE *real = rl_outstream, *memory = open_memstream(&text, &size);
  if (memory == NULL) return 1;
  rl_outstream = memory;
  int result = command(count, key);
  rl_outstream = real;
  fclose(memory);
  creadline_host.print(text);
  free(text);
  return result;
}
static int dump_functions(int count, int key) { return captured(rl_dump_functions, count, key); }
static int dump_variables(int count, int key) { return captured(rl_dump_variables, count, key); }
static int dump_macros(int count, int key) { return captured(rl_dump_macros, count, key); }

/// Trap: readline plays a macro until the count is exactly 0, and ending one decrements it.
static int call_macro(int count, int key) { return rl_call_last_kbd_macro(count < 0 ? 0 : count, key); }
static int end_macro(int count, int key) { return rl_end_kbd_macro(count < 1 ? 1 : count, key); }

static int print_last_macro(int count, int key) {
  // readline's own function bypasses its stream and writes to standard output, over hobnob's
  // drawing.
  (void)count, (void)key;
  rl_ding();
  return 0;
}

/// Shows the errors of the inputrc like any other line, and replaces readline's own functions that
/// it binds, as at the start.
static int re_read_init_file(int count, int key) {
  (void)count, (void)key;
  creadline_begin_complaints();
  int result = creadline_read_own() ? 0 : 1;
  creadline_end_complaints();
  creadline_replace_commands();
  creadline_keep_settings();
  const char *complaints = creadline_take_complaints();
  if (*complaints) creadline_host.print(complaints);
  return result;
}

bool creadline_quoting;

/// Trap: with the callback interface, no state of readline's shows that the next key is quoted.
static int quoted_insert(int count, int key) {
  creadline_quoting = RL_ISSTATE(RL_STATE_CALLBACK) && !RL_ISSTATE(RL_STATE_MACROINPUT);
  return rl_quoted_insert(count, key);
}

// MARK: The table

static const struct creadline_replacement replaced[] = {
    {"accept-line", rl_newline, creadline_accept},
    {"operate-and-get-next", rl_operate_and_get_next, creadline_accept_and_next},
    // In a shell it sends the line as a comment; here that would be a message (1.15).
    {"insert-comment", rl_insert_comment, set_aside},
    {"bracketed-paste-begin", rl_bracketed_paste_begin, bracketed_paste},
    {"abort", rl_abort, cancel},
    {"clear-screen", rl_clear_screen, clear_screen},
    {"clear-display", rl_clear_display, clear_screen},
    {"quoted-insert", rl_quoted_insert, quoted_insert},
    {"undo", rl_undo_command, undo},
    {"vi-undo", rl_vi_undo, vi_undo},
    {"set-mark", rl_set_mark, set_mark},
    {"backward-kill-word", rl_backward_kill_word, backward_kill_word},
    {"complete", rl_complete, complete},
    {"menu-complete", rl_menu_complete, menu_complete},
    {"menu-complete-backward", rl_backward_menu_complete, menu_complete_backward},
    {"old-menu-complete", rl_old_menu_complete, old_menu_complete},
    {"possible-completions", rl_possible_completions, possible_completions},
    {"insert-completions", rl_insert_completions, insert_completions},
    {"re-read-init-file", rl_re_read_init_file, re_read_init_file},
    {"dump-functions", rl_dump_functions, dump_functions},
    {"dump-variables", rl_dump_variables, dump_variables},
    {"dump-macros", rl_dump_macros, dump_macros},
    {"call-last-kbd-macro", rl_call_last_kbd_macro, call_macro},
    {"end-kbd-macro", rl_end_kbd_macro, end_macro},
    {"print-last-kbd-macro", rl_print_last_kbd_macro, print_last_macro},
    {0},
};

static const struct creadline_replacement *const tables[] = {
    replaced, creadline_motions, creadline_vi_commands, creadline_history_commands};

static const size_t table_count = sizeof tables / sizeof *tables;

#define ADDED(function, name) {name, function},
static const struct {
  const char *name;
  rl_command_func_t *own;
} added[] = {
    {"newline", newline},
    {"redo", creadline_redo},
    COMMANDS(ADDED)
};

void creadline_register_commands(bool pages) {
  // Before rl_initialize: a name added now precedes readline's own of the same name, and the
  // inputrc can bind it.
  for (size_t i = 0; i < table_count; i++)
    for (const struct creadline_replacement *entry = tables[i]; entry->name; entry++)
      rl_add_funmap_entry(entry->name, entry->own);
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
  emacs_meta_keymap['q'].function = set_aside;
  emacs_meta_keymap['a'].function = next_unread;
  emacs_ctlx_keymap[CTRL('N')].function = next_conversation;
  emacs_ctlx_keymap[CTRL('P')].function = previous_conversation;
  emacs_ctlx_keymap[CTRL('L')].function = last_conversation;
  emacs_ctlx_keymap['b'].function = switch_conversation;
  if (pages) {
    rl_bind_keyseq_in_map("\\e[5~", page_history, emacs_standard_keymap);
    rl_bind_keyseq_in_map("\\e[5~", page_history, vi_insertion_keymap);
    rl_bind_keyseq_in_map("\\e[5~", page_history, vi_movement_keymap);
  }
  rl_bind_keyseq_in_map("gq", set_aside, vi_movement_keymap);
  rl_bind_keyseq_in_map("ga", next_unread, vi_movement_keymap);
  rl_bind_keyseq_in_map("gn", next_conversation, vi_movement_keymap);
  rl_bind_keyseq_in_map("gp", previous_conversation, vi_movement_keymap);
  rl_bind_keyseq_in_map("gl", last_conversation, vi_movement_keymap);
  rl_bind_keyseq_in_map("gb", switch_conversation, vi_movement_keymap);
}

/// Keymaps are large and mostly contain functions that are not replaced: one look-up tells.
static bool may_be_replaced[256];

static unsigned char slot(rl_command_func_t *function) {
  uintptr_t address = (uintptr_t)function;
  return (unsigned char)(address >> 4 ^ address >> 12);
}

static rl_command_func_t *in_place_of(rl_command_func_t *function) {
  for (size_t i = 0; i < table_count; i++)
    for (const struct creadline_replacement *entry = tables[i]; entry->name; entry++)
      if (function == entry->original) return entry->own;
  return function;
}

void creadline_replace_in(Keymap map) {
  // Most keys have the same function as the key before.
  rl_command_func_t *last = NULL, *own = NULL;
  for (int key = 0; key < KEYMAP_SIZE; key++) {
    if (map[key].function == NULL) continue;
    if (map[key].type == ISKMAP) {
      creadline_replace_in((Keymap)map[key].function);
    } else if (map[key].type == ISFUNC && map[key].function == rl_do_lowercase_version &&
               (key > 255 || tolower(key) == key)) {
      // Trap: readline would dispatch the key to itself for ever.
      map[key].function = NULL;
    } else if (map[key].type == ISFUNC && may_be_replaced[slot(map[key].function)]) {
      if (map[key].function != last) own = in_place_of(last = map[key].function);
      map[key].function = own;
    }
  }
}

void creadline_replace_commands(void) {
  for (size_t i = 0; i < table_count; i++)
    for (const struct creadline_replacement *entry = tables[i]; entry->name; entry++)
      may_be_replaced[slot(entry->original)] = true;
  creadline_replace_in(emacs_standard_keymap);
  creadline_replace_in(vi_insertion_keymap);
  creadline_replace_in(vi_movement_keymap);
}

void creadline_each_binding(void (*body)(void *context, const char *name, const char *keys),
                            void *context) {
  const char **names = rl_funmap_names();
  if (names == NULL) return;
  for (size_t i = 0; names[i]; i++) {
    // readline's own function of a name that hobnob replaces no longer has any keys.
    if (i > 0 && strcmp(names[i], names[i - 1]) == 0) continue;
    char **keys = rl_invoking_keyseqs(rl_named_function(names[i]));
    if (keys == NULL) {
      body(context, names[i], "");
      continue;
    }
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
