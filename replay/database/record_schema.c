/* SPDX-License-Identifier: Apache-2.0
 * record_schema - the SQL of the schema.
 * Units are in the column names; times are virtual picoseconds since the start of the run. Values
 * that differ between two runs of the same scenario (the wall clock) are only in the table wall, so
 * all other tables of two databases can be compared row by row. Comments are inside the CREATE
 * statements because SQLite keeps exactly that text in sqlite_schema. */
#include "replay/database/record_schema.h"

const char record_schema[] =
#define TABLE(name, text)   "CREATE TABLE " #name "(" text
#define COLUMN(name, text)  "\n  " #name " " text
#define BESIDE(name, text)  " " #name " " text
#define UNTYPED(name, text) "\n  " #name text
#define END(text)           text
#define SQL(text)           text
#include "replay/database/record_schema.def"
    ;

const struct record_about record_tables[RECORD_TABLES] = {
#define ABOUT(name, unread)                                                                        \
    {#name, sizeof(struct record_row_##name) / sizeof(struct store_value), unread},
#define TABLE(name, text)  ABOUT(name, false)
#define UNREAD(name, text) ABOUT(name, true)
#include "replay/database/record_schema.def"
};
