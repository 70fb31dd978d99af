// SPDX-License-Identifier: Apache-2.0
#ifndef CCRYPT_H
#define CCRYPT_H

#include <stddef.h>

/// Whether this system can check bcrypt hashes.
int ccrypt_knows_bcrypt(void);

/// Hashes a phrase under a setting (an earlier hash will do) into `output`, which needs 384 bytes.
/// Returns 0, or -1 when the setting or the system does not allow it.
int ccrypt_hash(const char *phrase, const char *setting, char *output, size_t size);

#endif
