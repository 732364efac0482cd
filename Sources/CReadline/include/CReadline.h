// SPDX-License-Identifier: GPL-3.0-or-later
//
// GNU readline as an editing engine. This is the only place that names a readline global: the
// program hands complete keys in, asks for the line, and draws it itself (or lets readline draw
// on a dumb terminal). Everything here belongs to one thread.
//
// Rule for every callback: it may change the line through the functions below, but never abort,
// read a key or feed: readline leaves an aborted command with longjmp, and no Swift frame may lie
// in between.
#ifndef CREADLINE_H
#define CREADLINE_H

#include <stdbool.h>
#include <stddef.h>

/// What happens while a key is handled. Each is told to the program, which says whether it has dealt
/// with it; what readline does otherwise stands beside each.
enum creadline_event {
  creadline_accept_line,    // Return. True: the text was taken and is to be cleared
  creadline_line_ended,     // a line that readline ended by itself, with the text (NULL: end of input)
  creadline_line_began,     // a fresh line; the place to put a text into it
  creadline_cancel,         // C-g outside readline's own searches and arguments; otherwise abort
  creadline_up_on_empty,    // previous-history on an empty line; otherwise the history
  creadline_undo,           // undo and vi-undo; otherwise readline's undo
  creadline_live_complete,  // `complete` where a menu can be shown; otherwise readline's completion
  creadline_clear_screen,   // clear-screen, clear-display
  creadline_clear_line,     // clear-line
  creadline_edit_last,
  creadline_edit_in_editor,
  creadline_format_bold,
  creadline_format_italic,
  creadline_format_strike,
  creadline_format_code,
  creadline_format_preformatted,
  creadline_format_quote,
  creadline_set_line_aside,  // set-aside
  creadline_move,            // to another conversation; the text is the function's name
};

struct creadline_callbacks {
  /// The grapheme boundary before / after `offset`, in bytes.
  int (*previous_grapheme)(const char *text, int length, int offset);
  int (*next_grapheme)(const char *text, int length, int offset);
  /// The place one line up (direction -1) or down (+1) in a text with newlines; -1 on the first
  /// or last line.
  int (*vertical)(const char *text, int length, int offset, int direction);
  /// Something happened. True: the program has dealt with it.
  bool (*event)(enum creadline_event event, const char *text);
  /// Where M-Backspace ends within a name of several words; -1 where the caret is in none.
  int (*mention_word)(int offset);
  /// Completion of the bytes start ..< end: a malloc'ed, NULL-terminated list of malloc'ed
  /// strings, the first of which replaces the word; or NULL.
  char **(*complete)(int start, int end);
  /// The byte offset at which the word around the caret ends, for completion.
  int (*word_end)(int offset);
  /// What readline draws on a dumb terminal, and its bell on any.
  void (*write)(const char *bytes, size_t count);
  /// The candidates that readline wants listed.
  void (*list)(char **matches, int count);
  /// Text that a readline command wanted to print (dump-functions and the like).
  void (*print)(const char *text);
  /// Plain face: a malloc'ed text that may be written to the terminal for `text`, no longer than the
  /// rest of a row behind `prompt`, and `caret` in it.
  char *(*shown)(const char *text, int length, int *caret, const char *prompt, int columns);
  /// The malloc'ed home folder of a user, "" for one's own; NULL where nobody knows it.
  char *(*home)(const char *user);
};

struct creadline_line {
  const char *text;     // owned by readline, valid until the next call
  int length, caret;    // bytes
  int region_start, region_end;  // bytes; equal when no region is active
  int mark;  // bytes, where the region is active or set-mark put it and nothing changed since; or -1
  const char *message;  // what stands instead of the prompt (a search, an argument), or NULL
  const char *mode;     // show-mode-in-prompt's string, or ""
  bool vi;
};

/// Starts readline: locale, functions, inputrc. `plain`: readline draws by itself on descriptor 1
/// as a dumb terminal; otherwise it draws nothing. Call once.
void creadline_start(const struct creadline_callbacks *callbacks, bool plain, const char *prompt);
/// Ends readline's part and gives back what it holds.
void creadline_stop(void);
/// Hands bytes in, complete keys only.
void creadline_feed(const unsigned char *bytes, size_t count);
/// True once since the last call when something changed that is to be drawn.
bool creadline_take_dirty(void);
/// True once since the last call when a key changed the text.
bool creadline_take_changed(void);
struct creadline_line creadline_line(void);
/// Another number whenever the text is another.
unsigned creadline_edition(void);

/// No search, argument, macro recording or half a command is under way.
bool creadline_is_idle(void);
// Whether the key that came last was undo or redo.
bool creadline_last_was_undo(void);
/// A quoted insert waits for its key.
bool creadline_quotes_next(void);
/// A key sequence is only begun (a meta prefix).
bool creadline_in_sequence(void);
/// A key sequence that readline or the inputrc gives a meaning.
bool creadline_is_bound(const unsigned char *bytes, size_t count);
/// Ends a search or argument under way, keeping the line.
void creadline_settle(void);

/// Inserts at the caret as one undo step.
void creadline_insert(const char *text);
/// Replaces start ..< end as one undo step and puts the caret at `caret` (bytes).
void creadline_replace(int start, int end, const char *text, int caret);
/// Empties the line as one undo step, leaving a line of the history for the live one.
void creadline_clear(void);
/// Selects all of the line: it is the region, whatever mark and caret, until the line is changed or the
/// selection ended.
void creadline_select(void);
/// Ends that selection. True: there was one.
bool creadline_end_selection(void);
/// Whether a key inserts text: a character, or yank.
bool creadline_inserts(const unsigned char *bytes, size_t count);
/// Gives the line another text, without undo or redo.
void creadline_set_line(const char *text, int caret);
/// Lets C-_ bring `text` into the line, which itself stays as it is.
void creadline_offer_on_undo(const char *text);
/// From within `complete`: the only candidate is followed by a space, which the caret is to pass.
void creadline_step_over_space(void);
/// Leaves vi's command mode.
void creadline_begin_inserting(void);
void creadline_ding(void);

/// Takes the line away with its caret and undo, leaving an empty one; and puts it back.
void *creadline_set_aside(void);
void creadline_bring_back(void *aside);
void creadline_forget_aside(void *aside);

void creadline_history_clear(void);
void creadline_history_add(const char *line);
/// The line on screen is the live one, not one from the history.
bool creadline_history_is_live(void);

/// While it is hidden nothing finds a line in it; it can be cleared and added to all the same.
void creadline_history_hide(bool hides);
bool creadline_history_is_hidden(void);

void creadline_set_size(int rows, int columns);
const char *creadline_variable(const char *name);
/// Reads one line of an inputrc. Zero when it was understood.
int creadline_bind(const char *line);
/// Whether a function of this name can be bound.
bool creadline_knows_function(const char *name);
/// What readline had to complain about since the last call, a line each; empty for nothing. Valid
/// until the next call.
const char *creadline_take_complaints(void);
/// Calls `body` for every named function; `keys` are those it has in the current keymap, in
/// readline's notation, separated by blanks, empty where it has none.
void creadline_each_binding(void (*body)(void *context, const char *name, const char *keys),
                            void *context);

/// Plain face: the prompt, drawn by readline; and what comes between two drawings of the line.
void creadline_plain_prompt(const char *prompt);
void creadline_plain_hide(void);
void creadline_plain_show(void);

#endif
