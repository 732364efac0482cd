// SPDX-License-Identifier: GPL-3.0-or-later
//
// GNU readline as an editing engine. This is the only place that names a readline global: the
// program hands complete keys in, asks for the line, and draws it itself (or lets readline draw
// on a dumb terminal). Everything here belongs to one thread.
//
// Rule for every callback: it may change the line through the functions below, but never abort,
// read a key or feed: readline leaves an aborted command with longjmp, and no Swift frame may be
// in between.
#ifndef CREADLINE_H
#define CREADLINE_H

#include <stdbool.h>
#include <stddef.h>

/// Events while readline handles a key. The program receives each, and returns whether it has
/// handled it; beside each is readline's default.
enum creadline_event {
  creadline_accept_line,    // Return. True: the program took the text, and readline clears it
  creadline_line_ended,     // a line that readline ended by itself, with the text (NULL: end of input)
  creadline_line_began,     // a fresh line, which may get a text now
  creadline_cancel,         // C-g outside readline's own searches and arguments; otherwise abort
  creadline_up_on_empty,    // previous-history on an empty line; otherwise the history
  creadline_undo,           // undo and vi-undo; otherwise readline's undo
  creadline_live_complete,  // `complete` where a menu can be shown; otherwise readline's completion
  creadline_command,        // a function of hobnob's own, or clear-screen: the text is its name
};

struct creadline_callbacks {
  /// The grapheme boundary before / after `offset`, in bytes.
  int (*previous_grapheme)(const char *text, int length, int offset);
  int (*next_grapheme)(const char *text, int length, int offset);
  /// The offset one line up (direction -1) or down (+1) in a text with newlines; -1 on the first or
  /// last line.
  int (*vertical)(const char *text, int length, int offset, int direction);
  /// An event. True: the program has handled it.
  bool (*event)(enum creadline_event event, const char *text);
  /// Where M-Backspace ends within a name of several words; -1 if the caret is in none.
  int (*mention_word)(int offset);
  /// Completion of the bytes start ..< end: a malloc'ed, NULL-terminated list of malloc'ed
  /// strings, the first of which replaces the word; or NULL.
  char **(*complete)(int start, int end);
  /// The byte offset at which the word around the caret ends, for completion; `choice`: which of
  /// the listed candidates completes it, from 1, or 0.
  int (*word_end)(int offset, int choice);
  /// Writes readline's drawing on a dumb terminal, and its bell on any.
  void (*write)(const char *bytes, size_t count);
  /// Lists candidates for readline.
  void (*list)(char **matches, int count);
  /// Prints the text of a readline command (dump-functions and the like).
  void (*print)(const char *text);
  /// Plain face: a malloc'ed safe text to show for `text`, no longer than the rest of a row after
  /// `prompt`, and `caret` in it.
  char *(*shown)(const char *text, int length, int *caret, const char *prompt, int columns);
  /// The malloc'ed home folder of a user, "" for one's own; NULL if unknown.
  char *(*home)(const char *user);
};

struct creadline_line {
  const char *text;     // owned by readline, valid until the next call
  int length, caret;    // bytes
  int region_start, region_end;  // bytes; equal when no region is active
  int mark;  // bytes, if the region is active or set-mark set it and nothing changed since; or -1
  const char *message;  // the text in place of the prompt (a search, an argument), or NULL
  const char *mode;     // show-mode-in-prompt's string, or ""
  bool vi;
};

/// Starts readline: locale, functions, inputrc. `plain`: readline draws by itself on descriptor 1
/// as a dumb terminal; otherwise it draws nothing. `echoes`: readline shows the typed text, too;
/// otherwise hobnob writes only the prompt and a text that it puts into the line. `pages`: PageUp
/// is page-history, since the terminal does not scroll back. Call once.
void creadline_start(const struct creadline_callbacks *callbacks, bool plain, bool echoes,
                     bool pages, const char *prompt);
/// Whether the editing mode is vi's.
bool creadline_is_vi(void);
/// Stops readline and frees its memory.
void creadline_stop(void);
/// Feeds bytes, complete keys only.
void creadline_feed(const unsigned char *bytes, size_t count);
/// True once since the last call if something changed that needs drawing.
bool creadline_take_dirty(void);
/// True once since the last call if a key changed the text.
bool creadline_take_changed(void);
struct creadline_line creadline_line(void);
/// A new number after each change of the text.
unsigned creadline_edition(void);

/// Whether no search, argument, macro recording or half a command is under way.
bool creadline_is_idle(void);
// Whether the last key was undo or redo.
bool creadline_last_was_undo(void);
/// Whether a quoted insert waits for its key.
bool creadline_quotes_next(void);
/// Whether a key sequence has begun but is not complete (a meta prefix).
bool creadline_in_sequence(void);
/// Whether readline or the inputrc binds a key sequence.
bool creadline_is_bound(const unsigned char *bytes, size_t count);
/// Whether a search reads its text.
bool creadline_is_searching(void);
/// Adds a text without control characters to what that search looks for.
void creadline_search_for(const char *text);
/// Ends a search or argument under way, keeping the line.
void creadline_drop_pending_key(void);

/// Inserts at the caret as one undo step.
void creadline_insert(const char *text);
/// Replaces start ..< end as one undo step and puts the caret at `caret` (bytes).
void creadline_replace(int start, int end, const char *text, int caret);
/// Empties the line as one undo step, leaving a line of the history for the live one.
void creadline_clear(void);
/// Selects the line from an offset to its end: it is the region, whatever mark and caret, until the
/// line changes or the selection ends.
void creadline_select(int start);
/// Ends that selection, and returns where it began; -1 if there was none.
int creadline_end_selection(void);
/// Whether a key inserts text: a character, or yank.
bool creadline_inserts(const unsigned char *bytes, size_t count);
/// Replaces the line's text, without undo or redo.
void creadline_set_line(const char *text, int caret);
/// Makes C-_ bring `text` into the line, which itself stays unchanged.
void creadline_offer_on_undo(const char *text);
/// For use within `complete`: a space follows the only candidate, and the caret must pass it.
void creadline_step_over_space(void);
/// Leaves vi's command mode.
void creadline_begin_inserting(void);
void creadline_ding(void);

/// Sets the line aside with its caret and undo, leaving an empty one; and restores it.
void *creadline_set_aside(void);
void creadline_bring_back(void *aside);
void creadline_forget_aside(void *aside);

void creadline_history_clear(void);
void creadline_history_add(const char *line);
/// Whether the line on the screen is the live one, not one from the history.
bool creadline_history_is_live(void);

/// Hides the history: nothing finds a line in it, but it can still be cleared and added to.
void creadline_history_hide(bool hides);
bool creadline_history_is_hidden(void);

void creadline_set_size(int rows, int columns);
const char *creadline_variable(const char *name);
/// Reads one line of an inputrc. Returns zero if readline understood it.
int creadline_bind(const char *line);
/// Whether a function of this name can be bound.
bool creadline_knows_function(const char *name);
/// readline's complaints since the last call, one a line; empty for none. Valid until the next
/// call.
const char *creadline_take_complaints(void);
/// Calls `body` for every named function; `keys` are those it has in the current keymap, in
/// readline's notation, separated by blanks, maybe empty.
void creadline_each_binding(void (*body)(void *context, const char *name, const char *keys),
                            void *context);

/// Plain face: the prompt, drawn by readline; and output between two drawings of the line.
void creadline_plain_prompt(const char *prompt);
void creadline_plain_hide(void);
void creadline_plain_show(void);

#endif
