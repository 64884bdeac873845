/* SPDX-License-Identifier: Apache-2.0
 * queries - what the program asks SQLite, and what it costs: preloaded, between the two.
 * queries - what the program asks SQLite, and what it costs: preloaded between the two.
 *     cost TAB steps TAB rows of scans TAB rows of automatic indexes TAB text
 *     plan TAB id TAB parent TAB detail
 * A statement that is executed often has the costs of all its executions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int prepare_fn(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
typedef int finalize_fn(sqlite3_stmt *);

/* A function's address as a function: ISO C has no other way than through its bytes. */
#define REAL(function, name)                                                                       \
    do {                                                                                           \
        void *address = dlsym(RTLD_NEXT, name);                                                    \
        memcpy(&(function), &address, sizeof(function));                                           \
    } while (0)

static void print_line(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        fputc(*text == '\n' || *text == '\t' ? ' ' : *text, out);
    fputc('\n', out);
}

static void print_plan(FILE *out, sqlite3_stmt *statement, finalize_fn *finalize)
{
    prepare_fn *prepare;
    REAL(prepare, "sqlite3_prepare_v2");
    char *sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sqlite3_sql(statement));
    sqlite3_stmt *plan = NULL;
    if (prepare(sqlite3_db_handle(statement), sql, -1, &plan, NULL) == SQLITE_OK)
        while (sqlite3_step(plan) == SQLITE_ROW) {
            fprintf(out, "plan\t%d\t%d\t", sqlite3_column_int(plan, 0),
                    sqlite3_column_int(plan, 1));
            print_line(out, (const char *)sqlite3_column_text(plan, 3));
        }
    finalize(plan);
    sqlite3_free(sql);
}

static int status(sqlite3_stmt *statement, int what)
{
    return sqlite3_stmt_status(statement, what, 0);
}

int sqlite3_finalize(sqlite3_stmt *statement)
{
    finalize_fn *finalize;
    REAL(finalize, "sqlite3_finalize");
    FILE *out = statement == NULL || !sqlite3_stmt_readonly(statement)
                    ? NULL
                    : fopen(getenv("QUERIES"), "ae");
    if (out != NULL) {
        fprintf(out, "cost\t%d\t%d\t%d\t", status(statement, SQLITE_STMTSTATUS_VM_STEP),
                status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP),
                status(statement, SQLITE_STMTSTATUS_AUTOINDEX));
        print_line(out, sqlite3_sql(statement));
        print_plan(out, statement, finalize);
        fclose(out);
    }
    return finalize(statement);
}
