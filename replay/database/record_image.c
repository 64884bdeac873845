/* SPDX-License-Identifier: Apache-2.0
 * record_image - writes the C file with the image of an empty run database, as SQLite creates it.
 * Runs at build time. Most of the database is zeros, which are omitted. */
#include "replay/database/record_schema.h"
#include "replay/database/store_guard.h"

#include <stdio.h>
#include <stdlib.h>

enum { ZEROS_MIN = 16 }; /* bytes; shorter runs of zeros stay within a piece */

static void stop(sqlite3 *database, const char *what)
{
    fprintf(stderr, "record_image: %s: %s\n", what, sqlite3_errmsg(database));
    exit(EXIT_FAILURE);
}

static void execute(sqlite3 *database, const char *sql)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
        stop(database, "the tables");
}

/* Returns where the zeros that end the piece at `from` begin. */
static sqlite3_int64 piece_end(const unsigned char *image, sqlite3_int64 bytes, sqlite3_int64 from)
{
    sqlite3_int64 end = from;
    for (sqlite3_int64 at = from; at < bytes && at - end < ZEROS_MIN; at++)
        if (image[at] != 0)
            end = at + 1;
    return end;
}

static void write_pieces(const unsigned char *image, sqlite3_int64 bytes)
{
    sqlite3_int64 at = 0;
    puts("static const struct store_piece pieces[] = {");
    while (at < bytes) {
        const sqlite3_int64 end = piece_end(image, bytes, at);
        if (end > at)
            printf("{%lld, %lld, (const unsigned char[]){", (long long)at, (long long)(end - at));
        for (sqlite3_int64 i = at; i < end; i++)
            printf("%d,%s", image[i], i % 32 == 31 ? "\n" : "");
        if (end > at)
            puts("}},");
        for (at = end; at < bytes && image[at] == 0;)
            at++;
    }
    puts("{0, 0, NULL}};");
}

int main(void)
{
    char pragma[64];
    sqlite3 *database = NULL;
    sqlite3_int64 bytes = 0;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK)
        stop(database, "memory");
    snprintf(pragma, sizeof pragma, "PRAGMA application_id=%d", STORE_RUN);
    execute(database, "BEGIN");
    execute(database, pragma);
    execute(database, record_schema);
    execute(database, "COMMIT");
    unsigned char *image = sqlite3_serialize(database, "main", &bytes, 0);
    if (image == NULL)
        stop(database, "the image");
    puts("#include \"replay/database/record_schema.h\"");
    write_pieces(image, bytes);
    printf("const struct store_image record_image = {%lld, pieces};\n", (long long)bytes);
    sqlite3_free(image);
    sqlite3_close(database);
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
