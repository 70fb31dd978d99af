// SPDX-License-Identifier: Apache-2.0
#ifndef CSQLITECHANGES_H
#define CSQLITECHANGES_H

/// Adds three SQL functions to a connection (a `sqlite3 *`) and counts every row that it changes from now on.
///
/// - `farewell_row_changes()`: a JSON list with `[table, inserted, updated, deleted]` for each table of the main
///   database, counted since the connection was opened, also in transactions that were rolled back. Null where the
///   library has no pre-update hook. The hook sees the rows that keys, triggers and `ON CONFLICT REPLACE` change.
/// - `farewell_is_open()`: 1 inside a transaction, else 0.
/// - `farewell_open_keys()`: 1 where a deferred foreign key is violated and a commit would fail, else 0.
///
/// Returns 0, or SQLite's result code. The connection frees what it holds when it is closed.
int csqlitechanges_observe(void *connection);

#endif
