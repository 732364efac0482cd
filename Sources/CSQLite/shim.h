// SPDX-License-Identifier: GPL-3.0-or-later
#include <sqlite3.h>

// SQLITE_TRANSIENT is a pointer-cast macro, which Swift cannot import.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes) {
  return sqlite3_bind_text(statement, index, text, bytes, SQLITE_TRANSIENT);
}
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *data, int bytes) {
  return sqlite3_bind_blob(statement, index, data, bytes, SQLITE_TRANSIENT);
}
// sqlite3_config is variadic. SQLite counts its memory under a lock, with every allocation, for
// figures that nobody asks for here. Later calls, after the first connection, change nothing.
static inline void csqlite_count_no_memory(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
// sqlite3_db_config is variadic. Defensive mode: SQL in a hostile file cannot reach beyond its own
// tables. (Its schema has to be trusted: FTS5 before 3.41 refuses to be written to by triggers
// otherwise. Nothing dangerous is registered that it could call.)
static inline void csqlite_defend(sqlite3 *handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, (int *)0);
}
// The last to close brings no log into the file, and deletes none.
static inline void csqlite_leave_log(sqlite3 *handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
// Lets the list of tables itself be changed, as whoever may write the file can. For tests.
static inline void csqlite_let_schema_be_written(sqlite3 *handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0, (int *)0);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, (int *)0);
}
