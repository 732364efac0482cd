// SPDX-License-Identifier: GPL-3.0-or-later
#include <sqlite3.h>

// SQLITE_TRANSIENT is a pointer-cast macro, which Swift cannot import.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes) {
  return sqlite3_bind_text(statement, index, text, bytes, SQLITE_TRANSIENT);
}
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *data, int bytes) {
  return sqlite3_bind_blob(statement, index, data, bytes, SQLITE_TRANSIENT);
}
