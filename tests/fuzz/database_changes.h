/* SPDX-License-Identifier: Apache-2.0
 * database_changes - changes of a database that the bytes of an input say: of values, by SQL, or of
 * the file's own bytes.
 * Included by the targets that read databases. */
#ifndef STORMGLASS_TESTS_DATABASE_CHANGES_H
#define STORMGLASS_TESTS_DATABASE_CHANGES_H

#include "base/memory.h"
#include "replay/database/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 1024, CHANGES_MAX = 16 };

/* What can be changed: columns, and of which table; the file as it was. */
struct changeable {
    char *columns[COLUMNS_MAX][2];
    uint32_t column_count;
    char path[64];
    unsigned char *image;
    size_t bytes;
};

static char *copy_of(const char *name)
{
    char *copy = strdup(name);
    if (copy == NULL)
        abort();
    return copy;
}

static void list_columns(struct changeable *of, struct store *store)
{
    struct store_statement *rows =
        store_prepare(store, "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name)"
                             " c WHERE m.type='table' ORDER BY 1, c.cid");
    for (; of->column_count < COLUMNS_MAX && store_step(rows); of->column_count++)
        for (int i = 0; i < 2; i++)
            of->columns[of->column_count][i] = copy_of(store_column_text(rows, i));
    store_finish(rows);
}

static void read_image(struct changeable *of)
{
    FILE *file = fopen(of->path, "rbe");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        abort();
    of->bytes = (size_t)ftell(file);
    of->image = memory_zeroed(of->bytes, 1);
    rewind(file);
    if (fread(of->image, 1, of->bytes, file) != of->bytes || fclose(file) != 0)
        abort();
}

/* The next bytes of the input; zeroes behind its end. */
struct bytes {
    const uint8_t *at, *end;
};

static uint64_t take(struct bytes *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | (bytes->at < bytes->end ? *bytes->at++ : 0);
    return value;
}

static void value_text(struct bytes *bytes, char value[64])
{
    static const char *const odd[] = {"-1",
                                      "0",
                                      "1",
                                      "2",
                                      "NULL",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "4294967296",
                                      "65536",
                                      "'running'",
                                      "''",
                                      "'<&\"\\'",
                                      "1e300",
                                      "-0.5",
                                      "x'00ff'",
                                      "zeroblob(70000)",
                                      "printf('%5000c', 'x')"};
    const uint64_t kind = take(bytes, 1);
    if (kind < sizeof odd / sizeof odd[0])
        snprintf(value, 64, "%s", odd[kind]);
    else
        snprintf(value, 64, "%" PRId64, (int64_t)take(bytes, kind % 8 + 1));
}

static void change_value(const struct changeable *of, struct store *store, struct bytes *bytes)
{
    char *const *column = of->columns[take(bytes, 2) % of->column_count];
    const unsigned row = (unsigned)take(bytes, 1);
    char value[64], sql[512];
    value_text(bytes, value);
    if (row == 255)
        snprintf(sql, sizeof sql, "UPDATE OR IGNORE %s SET %s=%s", column[0], column[1], value);
    else if (row == 254)
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE %s>=%s", column[0], column[1], value);
    else
        snprintf(sql, sizeof sql,
                 "UPDATE OR IGNORE %s SET %s=%s WHERE %s=(SELECT %s FROM %s LIMIT 1 OFFSET %u)",
                 column[0], column[1], value, column[1], column[1], column[0], row);
    store_exec(store, sql);
}

static void change_values(const struct changeable *of, struct store *store, struct bytes *bytes)
{
    for (int i = 0; i < CHANGES_MAX && bytes->at < bytes->end; i++)
        change_value(of, store, bytes);
}

/* Writes the file anew, with changed bytes; true: it is as it was. */
static bool change_bytes(const struct changeable *of, struct bytes *bytes)
{
    unsigned char *image = memory_zeroed(of->bytes, 1);
    memcpy(image, of->image, of->bytes);
    for (int i = 0; i < CHANGES_MAX && bytes->at < bytes->end; i++) {
        const size_t at = (size_t)take(bytes, 3) % of->bytes, count = take(bytes, 1) % 9;
        for (size_t k = at; k < at + count && k < of->bytes; k++)
            image[k] = (unsigned char)take(bytes, 1);
    }
    FILE *file = fopen(of->path, "wbe");
    if (file == NULL || fwrite(image, 1, of->bytes, file) != of->bytes || fclose(file) != 0)
        abort();
    const bool whole = memcmp(image, of->image, of->bytes) == 0;
    free(image);
    return whole;
}

#endif
