// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE
#include "CReadline.h"

#include "internal.h"

#include <langinfo.h>
#include <locale.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <readline/tilde.h>

struct creadline_callbacks creadline_host;
static bool dirty, changed;
static FILE *nowhere;

// MARK: Bytes in

static unsigned char *ring;
static size_t ring_start, ring_end, ring_size;

/// How often in this step readline has asked for a byte when none was waiting.
static int missing;
/// readline asks for no more bytes than this to complete one character.
static const int most_missing = 16;

static int next_byte(FILE *stream) {
  (void)stream;
  if (ring_start < ring_end) return ring[ring_start++];
  // hobnob feeds only whole keys, so input can be missing only for a command that reads by itself;
  // end of input would end the line, but C-g ends only the command.
  if (++missing <= most_missing) return '\a';
  // Abort a command that still reads, or it would do so for ever (1.15).
  RL_UNSETSTATE(RL_STATE_MOREINPUT | RL_STATE_METANEXT);
  return rl_abort(1, '\a');
}

static int bytes_wait(void) { return ring_start < ring_end; }

bool creadline_has_input(void) {
  return bytes_wait() || RL_ISSTATE(RL_STATE_MACROINPUT | RL_STATE_INPUTPENDING);
}

static void push(const unsigned char *bytes, size_t count) {
  if (ring_start == ring_end) ring_start = ring_end = 0;
  if (ring_end + count > ring_size) {
    ring_size = (ring_end + count) * 2;
    ring = realloc(ring, ring_size);
  }
  memcpy(ring + ring_end, bytes, count);
  ring_end += count;
}

// MARK: Return

static bool approved;
static bool began_fresh;

int creadline_accept(int count, int key) {
  (void)count;
  creadline_plain_show();  // keys and Return may have arrived together
  if (!creadline_host.event(creadline_accept_line, NULL)) return 0;
  approved = true;
  return rl_newline(1, key);
}

int creadline_accept_and_next(int count, int key) {
  if (!creadline_host.event(creadline_accept_line, NULL)) return 0;
  approved = true;
  return rl_operate_and_get_next(count, key);
}

static void line_handler(char *line) {
  // At the end of input the cursor is still after the prompt.
  if (line == NULL) creadline_plain_hide();
  if (!approved) creadline_host.event(creadline_line_ended, line);
  approved = false;
  began_fresh = true;
  creadline_plain_new_row();
  creadline_mark_is_set = false;
  creadline_forget_redo();
  free(line);
}

static bool begins_moving;

static int startup_hook(void) {
  // readline clears the line after the handler, so only here can the next one get a text.
  if (began_fresh) {
    began_fresh = false;
    creadline_begin_inserting();
    creadline_host.event(creadline_line_began, NULL);
    begins_moving = creadline_in_vi_command();
    // Another line follows: this key did not change the old one into it.
    creadline_begin_key();
  }
  return 0;
}

static int pre_input_hook(void) {
  // readline begins each line in insert mode; a restored line may have been in command mode.
  if (begins_moving) rl_set_keymap(vi_movement_keymap);
  begins_moving = false;
  return 0;
}

// MARK: Completion

static char **attempted(const char *text, int start, int end) {
  (void)text;
  rl_attempted_completion_over = 1;
  rl_completion_suppress_append = 1;  // the program appends the space after a candidate
  rl_sort_completion_matches = 0;
  return creadline_host.complete(start, end);
}

static void display_matches(char **matches, int count, int longest) {
  (void)longest;
  creadline_host.list(matches + 1, count);
}

// MARK: Drawing

static ssize_t ring_bells(void *cookie, const char *bytes, size_t count) {
  (void)cookie;
  for (size_t i = 0; i < count; i++)
    if (bytes[i] == '\a') creadline_host.write(bytes + i, 1);
  return (ssize_t)count;
}

/// Where an aborted command continues; readline also has such a place.
static sigjmp_buf after_key;
extern sigjmp_buf _rl_top_level;
static bool is_reading;

extern char *rl_executing_macro;
extern void _rl_pop_executing_macro(void);
/// How many keys macros have played since the last typed one.
static int played;
static const int most_played = 1 << 17;

/// Trap: readline plays a macro that contains its own key for ever (1.15).
static void end_endless_macro(void) {
  if (!RL_ISSTATE(RL_STATE_MACROINPUT) || ++played <= most_played) return;
  while (rl_executing_macro) _rl_pop_executing_macro();
  rl_ding();
}

static void mark_dirty(void) {
  dirty = true;
  if (!is_reading) return;
  memcpy(_rl_top_level, after_key, sizeof after_key);
  end_endless_macro();
}

/// Trap: readline reads pushed-back input, and a macro, by itself; a command aborted there
/// continues in a function that has returned. After each key, when readline draws, this gives it a
/// valid place.
static void read_char(void) {
  if (sigsetjmp(after_key, 0) == 0) {
    is_reading = true;
    missing = 0;
    rl_callback_read_char();
  }
  is_reading = false;
}

static void nothing_to_prepare(int meta) { (void)meta; }
static void nothing_to_restore(void) {}

// MARK: Start

static void choose_locale(void) {
  setlocale(LC_CTYPE, "");
  if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
  // Without UTF-8 readline would treat each byte as a character and turn the high ones into meta
  // keys; it reads the environment again by itself.
  unsetenv("LC_ALL");
  setenv("LC_CTYPE", "C.UTF-8", 1);
  setlocale(LC_CTYPE, "C.UTF-8");
}

/// Trap: without an answer from a hook, readline asks the C library, which loads name services;
/// that may crash a static program. `~nobody` stays unchanged.
static char *home_of(char *user) {
  char *home = creadline_host.home(user);
  if (home) return home;
  size_t length = strlen(user) + 1;
  char *same = malloc(length + 1);
  same[0] = '~';
  memcpy(same + 1, user, length);
  return same;
}

static void answer_for_tildes(void) {
  tilde_expansion_preexpansion_hook = home_of;
  // readline has no hook for `~` alone.
  const char *own = getenv("HOME");
  if (own && *own) return;
  char *home = creadline_host.home("");
  setenv("HOME", home ? home : "/", 1);
  free(home);
}

void creadline_keep_settings(void) {
  rl_variable_bind("blink-matching-paren", "off");  // it waits for up to half a second
  // Trap: with this, readline's searches and vi's commands read a paste by themselves, up to an end
  // that may never come. hobnob itself reads pastes. The setting takes another one with it.
  const char *region = rl_variable_value("enable-active-region");
  bool shows_region = region && strcmp(region, "on") == 0;
  rl_variable_bind("enable-bracketed-paste", "off");
  rl_variable_bind("enable-active-region", shows_region ? "on" : "off");
  if (creadline_is_plain) creadline_keep_plain_settings();
}

void creadline_start(const struct creadline_callbacks *callbacks, bool plain, bool echoes,
                     bool pages, const char *prompt) {
  creadline_host = *callbacks;
  creadline_is_plain = plain;
  choose_locale();
  answer_for_tildes();
  rl_readline_name = "hobnob";
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  rl_change_environment = 0;
  rl_prep_term_function = nothing_to_prepare;
  rl_deprep_term_function = nothing_to_restore;
  rl_instream = stdin;
  nowhere = fopen("/dev/null", "we");
  rl_outstream = nowhere;
  if (plain) creadline_begin_plain(echoes);
  rl_getc_function = next_byte;
  rl_input_available_hook = bytes_wait;
  creadline_register_commands(pages);
  // readline's default of half a second is long for a lone Esc; the inputrc may change it.
  rl_variable_bind("keyseq-timeout", "100");
  creadline_begin_complaints();
  char *inputrc = getenv("INPUTRC");
  bool refused = !creadline_may_read_own();
  if (refused) {
    inputrc = inputrc ? strdup(inputrc) : NULL;
    setenv("INPUTRC", "/dev/null", 1);
  }
  rl_initialize();
  if (refused) {
    // Programs started from here must find the original value.
    if (inputrc)
      setenv("INPUTRC", inputrc, 1);
    else
      unsetenv("INPUTRC");
    free(inputrc);
  }
  creadline_end_complaints();
  creadline_replace_commands();
  rl_tty_set_echoing(1);  // readline would learn it from setting the modes itself
  // Trap: a redisplay function set before rl_initialize makes readline skip the terminal's keys.
  rl_redisplay_function = mark_dirty;
  creadline_keep_settings();
  rl_completer_word_break_characters = " \t\n";
  rl_completer_quote_characters = NULL;
  rl_attempted_completion_function = attempted;
  rl_completion_display_matches_hook = display_matches;
  rl_ignore_completion_duplicates = 0;
  rl_startup_hook = startup_hook;
  rl_pre_input_hook = pre_input_hook;
  using_history();
  rl_callback_handler_install(prompt, line_handler);
}

void creadline_stop(void) {
  rl_callback_handler_remove();
}

/// Trap: a key sequence without a meaning, typed in a search, makes readline 8.2 read a context
/// that it has freed. A search gets only whole sequences with a meaning.
static bool kept_from_search(const unsigned char **bytes, size_t *count) {
  static unsigned char prefix[2];
  static bool has_prefix;
  if (!RL_ISSTATE(RL_STATE_ISEARCH)) {
    has_prefix = false;
    return false;
  }
  if (has_prefix && *count == 1) {
    has_prefix = false;
    prefix[1] = **bytes;
    if (!creadline_is_bound(prefix, 2)) {
      rl_ding();
      return true;
    }
    *bytes = prefix;
    *count = 2;
    return false;
  }
  has_prefix = false;
  if (*count == 1 && **bytes < ' ' && **bytes != '\033' &&
      rl_get_keymap()[**bytes].type == ISKMAP) {
    has_prefix = true;
    prefix[0] = **bytes;
    return true;
  }
  if (*count > 1 && **bytes == '\033' && !creadline_is_bound(*bytes, *count)) {
    rl_ding();
    return true;
  }
  return false;
}

static Keymap typed_in;
static int nothing(int count, int key) {
  (void)count, (void)key;
  rl_set_keymap(typed_in);
  return 0;
}

/// Trap: with the callback interface, a Return after an argument (M-1 RET) ends the line only with
/// the key after it, which readline handles first, in the finished line. This feeds a key that does
/// nothing.
static void end_accepted_line(void) {
  if (!rl_done || !RL_ISSTATE(RL_STATE_CALLBACK)) return;
  static Keymap one_key;
  if (one_key == NULL) {
    one_key = rl_make_bare_keymap();
    one_key[1].function = nothing;
  }
  typed_in = rl_get_keymap();
  rl_set_keymap(one_key);
  rl_execute_next(1);
  read_char();
}

extern int _rl_last_command_was_kill;

static void feed(const unsigned char *bytes, size_t count) {
  if (kept_from_search(&bytes, &count)) return;
  push(bytes, count);
  played = 0;
  int caret_before = rl_point;
  // Trap: a macro with a search or an argument in it stops there until the next key.
  while (bytes_wait() || RL_ISSTATE(RL_STATE_MACROINPUT)) {
    bool is_typed = !RL_ISSTATE(RL_STATE_MACROINPUT);
    if (is_typed && creadline_operator_on_line(ring[ring_start])) {
      ring_start++;
      continue;
    }
    creadline_begin_key();
    caret_before = rl_point;
    // A macro continues the line; it never replaces it.
    if (!is_typed) creadline_selected_from = -1;
    if (is_typed) creadline_check_pattern(ring[ring_start]);
    bool searches = RL_ISSTATE(RL_STATE_ISEARCH);
    int kills = _rl_last_command_was_kill;
    bool region = rl_mark_active_p(), in_sequence = RL_ISSTATE(RL_STATE_MULTIKEY);
    if (searches) {
      creadline_bind_rubout(rl_rubout);
      creadline_check_search();
    }
    // A letter that begins a sequence belongs to the pattern; readline would wait for the next key.
    Keymap map = rl_get_keymap();
    KEYMAP_ENTRY *entry = searches && is_typed ? &map[ring[ring_start]] : NULL;
    if (entry && (ring[ring_start] < ' ' || entry->type != ISKMAP)) entry = NULL;
    KEYMAP_ENTRY bound = entry ? *entry : (KEYMAP_ENTRY){0};
    if (entry) *entry = (KEYMAP_ENTRY){ISFUNC, NULL};
    bool quotes = creadline_quoting;
    if (is_typed) creadline_begin_replacing(ring + ring_start, ring_end - ring_start);
    read_char();
    creadline_end_replacing();
    if (quotes) creadline_quoting = false;
    if (entry) *entry = bound;
    end_accepted_line();
    if (searches) creadline_bind_rubout(NULL);
    creadline_end_search();
    // Trap: with the callback interface, the first byte of a sequence counts as a command that
    // killed nothing, so M-d M-d would be two kills; and as one that has finished with the region.
    if (RL_ISSTATE(RL_STATE_MULTIKEY)) {
      _rl_last_command_was_kill = kills;
      if (region) rl_activate_mark();
    } else if (in_sequence && region && rl_last_func != rl_exchange_point_and_mark) {
      rl_deactivate_mark();
    }
    if (creadline_end_key()) changed = true;
  }
  // readline moves by code point where hobnob does not replace its function; a caret inside a
  // grapheme would draw and delete halves.
  if (rl_point > 0 && rl_point < rl_end && (rl_line_buffer[rl_point] & 0x80) &&
      !RL_ISSTATE(RL_STATE_VIMOTION)) {
    int previous = creadline_host.previous_grapheme(rl_line_buffer, rl_end, rl_point);
    int next = creadline_host.next_grapheme(rl_line_buffer, rl_end, previous);
    if (next != rl_point) rl_point = rl_point > caret_before ? next : previous;
  }
}

// Trap: readline rings on standard error, and blocks there if nobody reads the terminal.
static FILE *begin_bells(void) {
  static FILE *bells;
  const cookie_io_functions_t functions = {.write = ring_bells};
  if (bells == NULL) bells = fopencookie(NULL, "w", functions);
  FILE *errors = stderr;
  if (bells != NULL) stderr = bells;
  return errors;
}

void creadline_feed(const unsigned char *bytes, size_t count) {
  FILE *errors = begin_bells();
  feed(bytes, count);
  stderr = errors;
}

bool creadline_is_searching(void) { return RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH); }

void creadline_search_for(const char *text) {
  if (*text == '\0') return;
  if (RL_ISSTATE(RL_STATE_NSEARCH)) {
    // The line is the pattern.
    rl_insert_text(text);
    rl_redisplay_function();
    return;
  }
  // readline's own function searches once for the whole text, not after each letter of it.
  static const char key[] = "\001", end[] = "\033[201~";
  size_t length = strlen(text);
  char *bytes = malloc(length + sizeof key + sizeof end);
  memcpy(bytes, key, 1);
  memcpy(bytes + 1, text, length);
  memcpy(bytes + 1 + length, end, sizeof end);
  Keymap map = rl_get_keymap();
  KEYMAP_ENTRY bound = map[1];
  map[1] = (KEYMAP_ENTRY){ISFUNC, rl_bracketed_paste_begin};
  creadline_feed((const unsigned char *)bytes, length + sizeof end);
  map[1] = bound;
  free(bytes);
}

void creadline_ding(void) {
  FILE *errors = begin_bells();
  rl_ding();
  stderr = errors;
}

bool creadline_take_dirty(void) {
  bool was = dirty;
  dirty = false;
  return was;
}

bool creadline_take_changed(void) {
  bool was = changed;
  changed = false;
  return was;
}

static const char *mode_string(void) {
  const char *shown = rl_variable_value("show-mode-in-prompt");
  if (shown == NULL || strcmp(shown, "on") != 0) return "";
  const char *value = rl_variable_value(
      rl_editing_mode != 0                             ? "emacs-mode-string"
      : creadline_in_vi_command()                      ? "vi-cmd-mode-string"
                                                       : "vi-ins-mode-string");
  return value ? value : "";
}

struct creadline_line creadline_line(void) {
  bool region =
      rl_mark_active_p() && rl_mark >= 0 && rl_mark <= rl_end && creadline_selected_from < 0;
  bool marked = region || (creadline_mark_is_set && rl_mark >= 0 && rl_mark <= rl_end);
  // Trap: a search or an argument replaces rl_prompt on the screen; only the pointer shows it.
  bool message = rl_display_prompt != rl_prompt && rl_display_prompt != NULL;
  return (struct creadline_line){
      .text = rl_line_buffer,
      .length = rl_end,
      .caret = rl_point,
      .region_start = creadline_selected_from >= 0 ? creadline_selected_from
                      : region ? (rl_mark < rl_point ? rl_mark : rl_point)
                               : 0,
      .region_end = creadline_selected_from >= 0 ? rl_end
                    : region ? (rl_mark < rl_point ? rl_point : rl_mark)
                             : 0,
      .mark = marked ? rl_mark : -1,
      .message = message ? rl_display_prompt : NULL,
      .mode = mode_string(),
      .vi = rl_editing_mode == 0,
  };
}

#define BUSY                                                                                    \
  (RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG | RL_STATE_MULTIKEY |              \
   RL_STATE_MOREINPUT | RL_STATE_CHARSEARCH | RL_STATE_VIMOTION | RL_STATE_MACRODEF |           \
   RL_STATE_METANEXT)

bool creadline_is_idle(void) { return !creadline_quoting && !RL_ISSTATE(BUSY); }
bool creadline_quotes_next(void) {
  return creadline_quoting || RL_ISSTATE(RL_STATE_METANEXT | RL_STATE_CHARSEARCH);
}
bool creadline_in_sequence(void) { return RL_ISSTATE(RL_STATE_MULTIKEY); }

bool creadline_is_bound(const unsigned char *bytes, size_t count) {
  int type = 0;
  rl_command_func_t *function =
      rl_function_of_keyseq_len((const char *)bytes, count, rl_get_keymap(), &type);
  return function != NULL && function != rl_do_lowercase_version;
}

bool creadline_inserts(const unsigned char *bytes, size_t count) {
  // Each byte of a character is a key.
  int type = 0;
  rl_command_func_t *function = rl_function_of_keyseq_len(
      (const char *)bytes, bytes[0] < 0x80 ? count : 1, rl_get_keymap(), &type);
  return type == ISFUNC && (function == rl_insert || function == rl_yank);
}

void creadline_drop_pending_key(void) {
  if (creadline_quoting ||
      RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG | RL_STATE_MULTIKEY |
                 RL_STATE_CHARSEARCH | RL_STATE_VIMOTION | RL_STATE_METANEXT)) {
    creadline_quoting = false;
    if (RL_ISSTATE(RL_STATE_NSEARCH)) rl_restore_prompt();
    rl_callback_sigcleanup();
    creadline_end_search();
    rl_clear_message();
  }
  rl_last_func = NULL;
}

void creadline_set_size(int rows, int columns) {
  // On a dumb terminal readline keeps one column free and divides by the rest.
  rl_set_screen_size(rows < 2 ? 2 : rows, columns < 8 ? 8 : columns);
}
const char *creadline_variable(const char *name) { return rl_variable_value(name); }
