// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <libsecret/secret.h>

// Functions with any number of arguments are not reached from Swift; these are the few that are needed, with a schema of
// one attribute. All are non-interactive: a collection that would have to be unlocked by hand is not asked for.

static inline const SecretSchema *farewell_secret_schema(void) {
    static const SecretSchema schema = {
        "org.farewell.Session", SECRET_SCHEMA_NONE,
        {{"service", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
    };
    return &schema;
}

static inline GHashTable *farewell_secret_attributes(const char *service) {
    GHashTable *attributes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_hash_table_insert(attributes, g_strdup("service"), g_strdup(service));
    return attributes;
}

enum farewell_secret_outcome {
    FAREWELL_SECRET_FOUND, FAREWELL_SECRET_ABSENT, FAREWELL_SECRET_LOCKED, FAREWELL_SECRET_FAILED
};

enum farewell_secret_collection { FAREWELL_COLLECTION_OPEN, FAREWELL_COLLECTION_LOCKED, FAREWELL_COLLECTION_NONE };

/// How the default collection stands.
static inline enum farewell_secret_collection farewell_secret_default(SecretService *bus, GError **error) {
    SecretCollection *collection = secret_collection_for_alias_sync(
        bus, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_NONE, NULL, error);
    if (collection == NULL) return FAREWELL_COLLECTION_NONE;
    int locked = secret_collection_get_locked(collection);
    g_object_unref(collection);
    return locked ? FAREWELL_COLLECTION_LOCKED : FAREWELL_COLLECTION_OPEN;
}

/// Looks for the item. `text` is to be freed by `secret_password_free` where it is found; `code` is the error's where it
/// failed.
static inline enum farewell_secret_outcome farewell_secret_read(const char *service, char **text, int *code) {
    GError *error = NULL;
    enum farewell_secret_outcome outcome = FAREWELL_SECRET_ABSENT;
    GHashTable *attributes = farewell_secret_attributes(service);
    SecretService *bus = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, NULL, &error);
    GList *items = NULL;
    if (bus != NULL)
        items = secret_service_search_sync(bus, farewell_secret_schema(), attributes, SECRET_SEARCH_ALL, NULL, &error);
    for (GList *item = items; item != NULL && error == NULL; item = item->next) {
        if (secret_item_get_locked(item->data)) { outcome = FAREWELL_SECRET_LOCKED; continue; }
        if (!secret_item_load_secret_sync(item->data, NULL, &error)) break;
        SecretValue *value = secret_item_get_secret(item->data);
        if (value == NULL) continue;
        *text = g_strdup(secret_value_get_text(value));
        secret_value_unref(value);
        outcome = FAREWELL_SECRET_FOUND;
        break;
    }
    // A locked collection does not show its items: an empty result is no answer.
    if (outcome == FAREWELL_SECRET_ABSENT && error == NULL && bus != NULL
        && farewell_secret_default(bus, &error) == FAREWELL_COLLECTION_LOCKED)
        outcome = FAREWELL_SECRET_LOCKED;
    if (error != NULL) { *code = error->code; outcome = FAREWELL_SECRET_FAILED; g_error_free(error); }
    g_list_free_full(items, g_object_unref);
    if (bus != NULL) g_object_unref(bus);
    g_hash_table_unref(attributes);
    return outcome;
}

static inline enum farewell_secret_outcome farewell_secret_write(const char *service, const char *text, int *code) {
    GError *error = NULL;
    enum farewell_secret_outcome outcome = FAREWELL_SECRET_FAILED;
    GHashTable *attributes = farewell_secret_attributes(service);
    SecretService *bus = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, NULL, &error);
    if (bus != NULL) {
        // Without an open collection the person would be asked to unlock or to make one.
        if (farewell_secret_default(bus, &error) != FAREWELL_COLLECTION_OPEN) {
            outcome = FAREWELL_SECRET_LOCKED;
        } else if (secret_password_storev_sync(
                       farewell_secret_schema(), attributes, SECRET_COLLECTION_DEFAULT, "Session", text, NULL, &error)) {
            outcome = FAREWELL_SECRET_FOUND;
        }
        g_object_unref(bus);
    }
    if (error != NULL) { *code = error->code; outcome = FAREWELL_SECRET_FAILED; g_error_free(error); }
    g_hash_table_unref(attributes);
    return outcome;
}

static inline enum farewell_secret_outcome farewell_secret_remove(const char *service, int *code) {
    GError *error = NULL;
    GHashTable *attributes = farewell_secret_attributes(service);
    char *text = NULL;
    enum farewell_secret_outcome outcome = farewell_secret_read(service, &text, code);
    if (text != NULL) secret_password_free(text);
    if (outcome == FAREWELL_SECRET_FOUND) {
        // A missing item is fine.
        secret_password_clearv_sync(farewell_secret_schema(), attributes, NULL, &error);
        if (error != NULL) { *code = error->code; outcome = FAREWELL_SECRET_FAILED; g_error_free(error); }
    }
    g_hash_table_unref(attributes);
    return outcome;
}
