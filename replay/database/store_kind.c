/* SPDX-License-Identifier: Apache-2.0
 * store_kind - the kind of a database. */
#include "replay/database/store_private.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum store_kind store_kind(struct store *store)
{
    return (enum store_kind)store_ask_int(store, "PRAGMA application_id", 0);
}

const char *store_kind_words(enum store_kind kind)
{
    return kind == STORE_PLAN ? "a plan's database" : "a run database";
}

/* Bytes 68 to 71 of the file header are the application ID (SQLite file format, 1.3.12). */
bool store_is_foreign(const char *path, enum store_kind kind)
{
    struct stat status;
    if (stat(path, &status) != 0 || (S_ISREG(status.st_mode) && status.st_size == 0))
        return false; /* creating the file will report the error, if any */
    unsigned char head[72] = {0};
    FILE *file = S_ISREG(status.st_mode) ? fopen(path, "rbe") : NULL;
    const size_t got = file == NULL ? 0 : fread(head, 1, sizeof head, file);
    if (file != NULL)
        fclose(file);
    const uint32_t number =
        (uint32_t)head[68] << 24 | (uint32_t)head[69] << 16 | (uint32_t)head[70] << 8 | head[71];
    return got != sizeof head || memcmp(head, "SQLite format 3", 16) != 0 ||
           number != (uint32_t)kind;
}
