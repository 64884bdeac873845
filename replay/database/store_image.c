/* SPDX-License-Identifier: Apache-2.0
 * store_image - initializes a new database as a copy.
 * SQLite's backup copies the pages of an image, opened as a database in memory, into the new file
 * or memory. */
#include "base/memory.h"
#include "replay/database/store_private.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *unpack(const struct store_image *image)
{
    unsigned char *bytes = memory_zeroed(image->bytes, 1);
    for (const struct store_piece *piece = image->pieces; piece->bytes > 0; piece++)
        memcpy(bytes + piece->at, piece->data, piece->bytes);
    return bytes;
}

static int copy(sqlite3 *to, sqlite3 *from, unsigned char *bytes, sqlite3_int64 count)
{
    const int code =
        sqlite3_deserialize(from, "main", bytes, count, count, SQLITE_DESERIALIZE_READONLY);
    sqlite3_backup *backup =
        code == SQLITE_OK ? sqlite3_backup_init(to, "main", from, "main") : NULL;
    if (backup == NULL) {
        store_nothing(code == SQLITE_OK ? to : from);
        return code == SQLITE_OK ? sqlite3_errcode(to) : code;
    }
    sqlite3_backup_step(backup, -1);
    return sqlite3_backup_finish(backup); /* also returns errors of the step */
}

int store_image_copy(sqlite3 *to, const struct store_image *image)
{
    sqlite3 *from = NULL;
    int code =
        sqlite3_open_v2(":memory:", &from, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    unsigned char *bytes = unpack(image);
    if (code == SQLITE_OK)
        code = copy(to, from, bytes, (sqlite3_int64)image->bytes);
    else
        store_nothing(from);
    sqlite3_close(from);
    free(bytes);
    return code;
}
