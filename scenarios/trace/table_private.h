/* SPDX-License-Identifier: Apache-2.0
 * table_private - interfaces between the reader of tables (table.c) and the detection of their
 * format (table_find.c). */
#ifndef STORMGLASS_SCENARIOS_TRACE_TABLE_PRIVATE_H
#define STORMGLASS_SCENARIOS_TRACE_TABLE_PRIVATE_H

#include "scenarios/trace/table.h"

enum { FIELDS_MAX = 32, SNIFF_LINES = 20 };

enum table_words { LETTERS, DIGITS };

/* Columns and units of a table. */
struct table_format {
    const char *name;
    char separator;
    int fields, time;
    int64_t time_ps;
    int kind;
    enum table_words words;
    int offset;
    int64_t offset_step;
    int bytes;
    int64_t bytes_step;
    int device, device2;
};

enum table_left { LEFT_OTHER, LEFT_EMPTY, LEFT_LARGE, LEFT_COUNT };

struct table {
    struct diag *diag;
    const struct tree_file *file;
    const struct trace_ask *ask;
    struct trace *trace;
    struct trace_files files;
    struct arena *arena;
    struct table_format format;
    const char *line;
    size_t length;
    int number;
    const char *fields[FIELDS_MAX];
    size_t lengths[FIELDS_MAX];
    int count;
    bool begun;
    __int128 first; /* time of the first line in ps; times are relative to it until all lines are
                     * read */
    uint32_t left[LEFT_COUNT];
    struct diag_place places[LEFT_COUNT];
};

/* "259,0 1 1 0.000000000 4162 Q WS 4096 + 32 [fio]" */
enum { BLK_DEVICE, BLK_CPU, BLK_SEQUENCE, BLK_TIME, BLK_PID, BLK_ACTION, BLK_RWBS, BLK_SECTOR };

/* Finds the next line, without splitting it; false at the end. */
bool table_next_line(struct table *table, size_t *at);
void table_cut(struct table *table, char separator);

/* Convert fields to values; false: not a value of that kind. */
bool table_whole_at(const struct table *table, int field, int64_t most, int64_t *number);
bool table_time_at(const struct table *table, int field, __int128 *ps);

/* Kind of I/O: enum trace_op; TRACE_OPS: another kind; -1: not a word for a kind. */
int table_kind_at(const struct table *table, int field, enum table_words words);

/* True if the line is a request of blkparse; splits it. */
bool table_is_blkparse(struct table *table);

/* Finds the format of the file and the position of its first I/O; false: not a table. */
bool table_find_format(struct table *table, size_t *begin);

#endif
