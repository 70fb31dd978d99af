// SPDX-License-Identifier: Apache-2.0
#include "CSQLiteChanges.h"
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*change_callback)(
    void *, sqlite3 *, int, char const *, char const *, sqlite3_int64, sqlite3_int64);
typedef void *(*install_hook)(sqlite3 *, change_callback, void *);

// The system's header declares the function only for those who say that their library has it. Whether this one
// does is known when the program is linked.
#if defined(__APPLE__)
#include <dlfcn.h>
static install_hook hook_of_library(void) { return (install_hook)dlsym(RTLD_DEFAULT, "sqlite3_preupdate_hook"); }
#else
extern void *sqlite3_preupdate_hook(sqlite3 *, change_callback, void *) __attribute__((weak));
static install_hook hook_of_library(void) { return sqlite3_preupdate_hook; }
#endif

typedef struct {
    char *name;
    int64_t rows[3];
} table_changes;

// An open hash table by the tables' names; the size is a power of two, and at most half of the places are taken.
typedef struct {
    int is_counting;
    int has_failed;
    size_t size;
    size_t count;
    table_changes *places;
} changes;

static size_t hash_of(const char *name) {
    uint64_t hash = 14695981039346656037u;
    for (; *name != 0; name++) hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(hash ^ (hash >> 32));
}

static table_changes *place_of(table_changes *places, size_t size, const char *name) {
    size_t place = hash_of(name) & (size - 1);
    while (places[place].name != NULL && strcmp(places[place].name, name) != 0) place = (place + 1) & (size - 1);
    return &places[place];
}

static int grow(changes *all) {
    size_t size = all->size == 0 ? 32 : all->size * 2;
    table_changes *places = calloc(size, sizeof *places);
    if (places == NULL) return 0;
    for (size_t place = 0; place < all->size; place++) {
        if (all->places[place].name != NULL) *place_of(places, size, all->places[place].name) = all->places[place];
    }
    free(all->places);
    all->places = places;
    all->size = size;
    return 1;
}

static void note(
    void *context, sqlite3 *connection, int operation, char const *database, char const *table,
    sqlite3_int64 old_row, sqlite3_int64 new_row) {
    (void)connection; (void)old_row; (void)new_row;
    changes *all = context;
    if (all->has_failed || strcmp(database, "main") != 0) return;
    if (all->count * 2 >= all->size && !grow(all)) { all->has_failed = 1; return; }
    table_changes *found = place_of(all->places, all->size, table);
    if (found->name == NULL) {
        found->name = strdup(table);
        if (found->name == NULL) { all->has_failed = 1; return; }
        all->count++;
    }
    found->rows[operation == SQLITE_INSERT ? 0 : operation == SQLITE_UPDATE ? 1 : 2]++;
}

static void append_text(sqlite3_str *json, const char *text) {
    sqlite3_str_appendchar(json, 1, '"');
    for (; *text != 0; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20) {
            sqlite3_str_appendf(json, "\\u%04x", byte);
        } else {
            if (byte == '"' || byte == '\\') sqlite3_str_appendchar(json, 1, '\\');
            sqlite3_str_appendchar(json, 1, (char)byte);
        }
    }
    sqlite3_str_appendchar(json, 1, '"');
}

static void row_changes(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count; (void)arguments;
    changes *all = sqlite3_user_data(context);
    if (!all->is_counting) return sqlite3_result_null(context);
    if (all->has_failed) return sqlite3_result_error_nomem(context);
    sqlite3_str *json = sqlite3_str_new(sqlite3_context_db_handle(context));
    sqlite3_str_appendchar(json, 1, '[');
    int is_first = 1;
    for (size_t place = 0; place < all->size; place++) {
        table_changes *table = &all->places[place];
        if (table->name == NULL) continue;
        sqlite3_str_appendall(json, is_first ? "[" : ",[");
        is_first = 0;
        append_text(json, table->name);
        sqlite3_str_appendf(
            json, ",%lld,%lld,%lld]", (long long)table->rows[0], (long long)table->rows[1], (long long)table->rows[2]);
    }
    sqlite3_str_appendchar(json, 1, ']');
    char *text = sqlite3_str_finish(json);
    if (text == NULL) return sqlite3_result_error_nomem(context);
    sqlite3_result_text(context, text, -1, sqlite3_free);
}

static void is_open(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count; (void)arguments;
    sqlite3_result_int(context, !sqlite3_get_autocommit(sqlite3_context_db_handle(context)));
}

static void open_keys(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count; (void)arguments;
    int current = 0, highest = 0;
    sqlite3_db_status(sqlite3_context_db_handle(context), SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0);
    sqlite3_result_int(context, current != 0);
}

static void release(void *context) {
    changes *all = context;
    for (size_t place = 0; place < all->size; place++) free(all->places[place].name);
    free(all->places);
    free(all);
}

int csqlitechanges_observe(void *connection) {
    changes *all = calloc(1, sizeof *all);
    if (all == NULL) return SQLITE_NOMEM;
    int flags = SQLITE_UTF8;
    // From here on the connection owns the counts, even if this fails.
    int result = sqlite3_create_function_v2(
        connection, "farewell_row_changes", 0, flags, all, row_changes, NULL, NULL, release);
    if (result != SQLITE_OK) return result;
    install_hook install = hook_of_library();
    if (install != NULL) {
        install(connection, note, all);
        all->is_counting = 1;
    }
    result = sqlite3_create_function_v2(connection, "farewell_is_open", 0, flags, NULL, is_open, NULL, NULL, NULL);
    if (result != SQLITE_OK) return result;
    return sqlite3_create_function_v2(connection, "farewell_open_keys", 0, flags, NULL, open_keys, NULL, NULL, NULL);
}
