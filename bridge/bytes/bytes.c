/* SPDX-License-Identifier: Apache-2.0
 * bytes - list of the store kinds. */
#include "bridge/bytes/bytes.h"

#include <string.h>

const struct bytes_kind *const bytes_kinds[] = {&bytes_null, &bytes_memory, &bytes_file, NULL};

static bool names(const char *word, const struct bytes_kind *kind)
{
    const size_t length = strlen(kind->name);
    if (strncmp(word, kind->name, length) != 0)
        return false;
    return kind->has_path ? word[length] == ':' && word[length + 1] != '\0' : word[length] == '\0';
}

const struct bytes_kind *bytes_find(const char *word, const char **path)
{
    for (unsigned i = 0; bytes_kinds[i] != NULL; i++)
        if (names(word, bytes_kinds[i])) {
            *path = bytes_kinds[i]->has_path ? word + strlen(bytes_kinds[i]->name) + 1 : NULL;
            return bytes_kinds[i];
        }
    return NULL;
}
