// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the parts of the shim: creadline.c (the engine), plain.c (its display on a dumb
// terminal), line.c, redo.c, commands.c, motion.c, vi.c and history.c (its commands), inputrc.c,
// complaints.c.
#ifndef CREADLINE_INTERNAL_H
#define CREADLINE_INTERNAL_H

#include "CReadline.h"

#include <stdio.h>
#include <readline/readline.h>
#include <readline/history.h>

extern struct creadline_callbacks creadline_host;
extern bool creadline_is_plain;
/// Whether set-mark set the mark, and the text has not changed since.
extern bool creadline_mark_is_set;
/// Whether the next key is quoted.
extern bool creadline_quoting;
/// Where the selection, which reaches to the end of the line, begins; -1 if there is none.
extern int creadline_selected_from;

/// Whether a byte waits for a command that reads keys itself.
bool creadline_has_input(void);
/// Call these before and after a typed key: if the key replaces characters, they remove the rest of
/// the characters' graphemes, in one undo step.
void creadline_begin_replacing(const unsigned char *key, size_t count);
void creadline_end_replacing(void);
/// The number of bytes of the character at `text`, 0 if it is not UTF-8.
int creadline_character_length(const char *text);
/// Replaces readline's own functions in a keymap.
void creadline_replace_in(Keymap map);

int creadline_accept(int count, int key);
int creadline_accept_and_next(int count, int key);
int creadline_redo(int count, int key);
void creadline_forget_redo(void);
/// Call these around a key. True: somebody changed the text.
void creadline_begin_key(void);
bool creadline_end_key(void);
/// Runs one of readline's two functions that undo, and records what it removed.
int creadline_undo_with(rl_command_func_t *undo, int count, int key);
/// After a key: ends the line at its first NUL, and turns each byte that is not UTF-8 into a
/// question mark.
void creadline_mend_text(void);
/// Whether it is one of the two functions that undo.
bool creadline_is_undo(rl_command_func_t *function);

/// A readline function and its replacement. Tables of them end with an empty name.
struct creadline_replacement {
  const char *name;
  rl_command_func_t *original, *own;
};
extern const struct creadline_replacement creadline_motions[], creadline_vi_commands[],
    creadline_history_commands[];

/// Gives hobnob's functions their names, before the inputrc is read.
void creadline_register_commands(bool pages);
/// Replaces readline's own functions with hobnob's wherever they are bound, also by the user.
void creadline_replace_commands(void);
/// Resets settings of an inputrc that would do harm here.
void creadline_keep_settings(void);
/// Makes readline draw, before rl_initialize; and settings that an inputrc must not change then.
void creadline_begin_plain(bool with_echo);
void creadline_keep_plain_settings(void);
/// Call this when readline has begun a new row on the screen by itself.
void creadline_plain_new_row(void);
/// Whether the user's inputrc, or the file that a line of one includes, and all that they include,
/// may be read. The complaints then say why not.
bool creadline_may_read_own(void);
bool creadline_read_own(void);
/// Binds Backspace to readline's own function; NULL binds it to hobnob's again.
void creadline_bind_rubout(rl_command_func_t *own);
bool creadline_in_vi_command(void);

/// Leaves a line of the history for the live one.
void creadline_history_go_live(void);
/// After a key: if a search with its own prompt has ended, puts its result into the line.
void creadline_end_search(void);
/// Before a key of such a search.
void creadline_check_pattern(unsigned char key);
/// Before a key of an incremental search.
void creadline_check_search(void);

/// Between these two, hobnob keeps what readline writes to standard error for the program to show.
void creadline_begin_complaints(void);
void creadline_end_complaints(void);
/// The second key of vi's dd, cc, yy, d$, c$ or y$ in a text with newlines, which readline would
/// apply to the whole text. True: it is done.
bool creadline_operator_on_line(unsigned char key);

#endif
