// SPDX-License-Identifier: Apache-2.0
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CCrypt.h"
#include <string.h>

#if defined(__linux__) && __has_include(<crypt.h>)
#include <crypt.h>
#include <stdlib.h>

int ccrypt_hash(const char *phrase, const char *setting, char *output, size_t size) {
    // 32 KiB, too much for a thread's stack.
    struct crypt_data *data = calloc(1, sizeof *data);
    if (data == NULL) return -1;
    const char *hash = crypt_r(phrase, setting, data);
    int found = hash != NULL && hash[0] != '*' && strlen(hash) < size;
    if (found) strcpy(output, hash);
    explicit_bzero(data, sizeof *data);
    free(data);
    return found ? 0 : -1;
}

int ccrypt_knows_bcrypt(void) {
    char output[384];
    return ccrypt_hash("", "$2b$04$......................", output, sizeof output) == 0;
}
#else
int ccrypt_hash(const char *phrase, const char *setting, char *output, size_t size) {
    (void)phrase; (void)setting; (void)output; (void)size;
    return -1;
}

int ccrypt_knows_bcrypt(void) { return 0; }
#endif
