/* SPDX-License-Identifier: Apache-2.0
 * run_laws_figures - every column by its unit, and what columns have to do with each other. */
#include "tests/laws/run/run_laws.h"

#include "base/memory.h"
#include "replay/database/store.h"
#include "reports/summary/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a column's numbers are, and so what bounds each by itself. */
enum unit {
    ANY,     /* a name, an address, a value of the scenario or of the real clock */
    COUNT,   /* 0 or more: bytes, frames, operations; also a sum of times, which a law bounds */
    TIME_PS, /* 0 up to the end of the run */
    TIME_NS,
    TIME_US,
    TIME_MS,
    TIME_S,
    PARTS,   /* 0 up to a million */
    SHARE,   /* 0 up to 1 */
    PERCENT, /* 0 up to 100 */
    NO_LAW,
};

static const struct {
    const char *name; /* "column", or "table.column" */
    enum unit unit;
} columns[] = {
#define OF(unit, name) {name, unit},
#include "tests/laws/run/figure_units.def"
#undef OF
};

/* Units at the end of a name, the longest first. */
static const struct {
    const char *end;
    enum unit unit;
} ends[] = {{"_ppm", PARTS},    {"_percent", PERCENT}, {"_share", SHARE}, {"_bytes", COUNT},
            {"_frames", COUNT}, {"_bps", COUNT},       {"_gbps", COUNT},  {"_per_s", COUNT},
            {"_half", COUNT},   {"_ps", TIME_PS},      {"_ns", TIME_NS},  {"_us", TIME_US},
            {"_ms", TIME_MS}};

static const struct {
    const char *what, *sql;
} laws[] = {
#define LAW(what, sql) {what, sql},
#include "tests/laws/run/figure_laws.def"
#undef LAW
};

struct figures {
    struct store *store;
    double end_ps;
    char *sentence;
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static enum unit unit_of(const char *table, const char *column)
{
    char full[160];
    snprintf(full, sizeof full, "%s.%s", table, column);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
            if (strcmp(columns[i].name, pass == 0 ? full : column) == 0)
                return columns[i].unit;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends_with(column, ends[i].end))
            return ends[i].unit;
    return NO_LAW;
}

/* The most that a value of the unit can be; views round to their last digit. */
static double most_of(const struct figures *figures, enum unit unit)
{
    static const double per[] = {
        [TIME_PS] = 1, [TIME_NS] = 1e3, [TIME_US] = 1e6, [TIME_MS] = 1e9, [TIME_S] = 1e12};
    switch (unit) {
    case PARTS:
        return 1e6;
    case SHARE:
        return 1.000001;
    case PERCENT:
        return 100;
    case TIME_PS:
    case TIME_NS:
    case TIME_US:
    case TIME_MS:
    case TIME_S:
        return figures->end_ps / per[unit] * (1 + 1e-9) + (unit == TIME_PS ? 0 : 0.001);
    default:
        return HUGE_VAL;
    }
}

static void judge(const struct figures *figures, const char *table, const char *column,
                  enum unit unit, double value)
{
    const double most = most_of(figures, unit);
    if (figures->sentence[0] != '\0' || unit == ANY)
        return;
    if (unit == NO_LAW)
        snprintf(figures->sentence, RUN_LAWS_BOUND_BYTES,
                 "figure: %.60s.%.60s has no law: add its unit to figure_units.def", table, column);
    else if (!(value >= 0 && value <= most))
        snprintf(figures->sentence, RUN_LAWS_BOUND_BYTES,
                 "figure: %.60s.%.60s is %.17g, not 0 to %.17g", table, column, value, most);
}

/* ------------------------------------------------------------------ tables and views */

static void judge_table(const struct figures *figures, const char *table)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT * FROM %.100s", table);
    struct store_statement *rows = store_prepare(figures->store, sql);
    const int count = rows == NULL ? 0 : store_columns(rows);
    enum unit *units = memory_zeroed((size_t)count + 1, sizeof *units);
    for (int i = 0; i < count; i++)
        units[i] = unit_of(table, store_column_name(rows, i));
    while (figures->sentence[0] == '\0' && store_step(rows))
        for (int i = 0; i < count; i++) {
            const enum store_type type = store_column_type(rows, i);
            if (type == STORE_INTEGER || type == STORE_REAL)
                judge(figures, table, store_column_name(rows, i), units[i],
                      store_column_real(rows, i));
        }
    free(units);
    store_finish(rows);
}

static void judge_tables(const struct figures *figures)
{
    struct store_statement *names =
        store_prepare(figures->store, "SELECT name FROM sqlite_schema WHERE type IN ('table',"
                                      " 'view') AND name NOT IN ('result', 'frame')");
    while (store_step(names)) {
        char name[100];
        snprintf(name, sizeof name, "%s", store_column_text(names, 0));
        judge_table(figures, name);
    }
    store_finish(names);
}

/* The keys of run --json: workloads[0].latency_ns.p99 has the unit of latency_ns. */
static void judge_result(const struct figures *figures)
{
    struct store_statement *rows = store_prepare(
        figures->store,
        "SELECT path, value FROM result WHERE type IN ('integer', 'real') ORDER BY position");
    while (store_step(rows)) {
        char path[200];
        enum unit unit = NO_LAW;
        snprintf(path, sizeof path, "%s", store_column_text(rows, 0));
        for (char *at = path + strlen(path); unit == NO_LAW && at > path; *at = '\0') {
            while (at > path && *at != '.')
                at--;
            unit = unit_of("result", at + (*at == '.'));
        }
        judge(figures, "result", store_column_text(rows, 0), unit, store_column_real(rows, 1));
    }
    store_finish(rows);
}

/* Views of samples take seconds where a run has many: there the other laws are enough. */
enum { SAMPLES_MOST = 1000 };

static bool is_of_samples(const char *sql)
{
    return strstr(sql, "v_series_") != NULL || strstr(sql, "v_queue") != NULL;
}

static void judge_laws(const struct figures *figures)
{
    const int64_t samples = store_ask_int(figures->store, "SELECT count(*) FROM series", 0);
    for (size_t i = 0; i < sizeof laws / sizeof laws[0] && figures->sentence[0] == '\0'; i++) {
        if (samples > SAMPLES_MOST && is_of_samples(laws[i].sql))
            continue;
        struct store_statement *rows = store_prepare(figures->store, laws[i].sql);
        if (store_error(figures->store) != NULL)
            snprintf(figures->sentence, RUN_LAWS_BOUND_BYTES, "figure: %.100s: %.250s",
                     laws[i].what, store_error(figures->store));
        else if (store_step(rows))
            snprintf(figures->sentence, RUN_LAWS_BOUND_BYTES, "figure: %s: %.120s: %.17g, %.17g",
                     laws[i].what, store_column_text(rows, 0), store_column_real(rows, 1),
                     store_column_real(rows, 2));
        store_finish(rows);
    }
}

/* ------------------------------------------------------------------ the summary */

/* Sums over ports or members, formulas of timeouts, and lines that say how long a run should be
 * or what was set. */
static bool is_bounded(const char *line)
{
    static const char *const others[] = {
        "timeout", "-tmo",       "reconnect-delay", "kato",       "summed over ports",
        " lost ",  "delayed by", "at this rate",    "not steady", "  pass ",
        "  FAIL ", "undecided ", "settled in"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strstr(line, others[i]) != NULL)
            return false;
    return true;
}

/* A number with a unit behind it; NULL: `at` is none. */
static void judge_number(const struct figures *figures, const char *line, const char *at)
{
    static const struct {
        const char *unit;
        double ps;
    } units[] = {{" s", 1e12}, {" ms", 1e9}, {" us", 1e6}, {" ns", 1e3}, {" ps", 1}};
    char *end;
    const double value = strtod(at, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t length = strlen(units[i].unit);
        if (strncmp(end, units[i].unit, length) != 0 || isalpha((unsigned char)end[length]))
            continue;
        /* Of four digits the last may have been rounded up. */
        if (value < 0 || (is_bounded(line) && value * units[i].ps > figures->end_ps * 1.006))
            snprintf(figures->sentence, RUN_LAWS_BOUND_BYTES,
                     "figure: the summary says %.17g%s: %.200s", value, units[i].unit, line);
    }
    if (*end == '%' && value > 100 && strstr(line, "+-") == NULL && strncmp(line, "  ", 2) == 0)
        snprintf(figures->sentence, RUN_LAWS_BOUND_BYTES, "figure: the summary says %g%%: %.200s",
                 value, line);
}

/* `word` begins with a space. It may not be the beginning of a longer word. */
static bool has_word(const char *line, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(line, word); at != NULL; at = strstr(at + length, word))
        if (!isalpha((unsigned char)at[length]))
            return true;
    return false;
}

static void judge_line(const struct figures *figures, const char *line)
{
    for (const char *at = line; *at != '\0' && figures->sentence[0] == '\0'; at++) {
        const bool begins = at == line || at[-1] == ' ' || at[-1] == '(';
        if (begins &&
            (isdigit((unsigned char)*at) || (*at == '-' && isdigit((unsigned char)at[1]))))
            judge_number(figures, line, at);
    }
    if (has_word(line, " nan") || has_word(line, " inf"))
        snprintf(figures->sentence, RUN_LAWS_BOUND_BYTES, "figure: the summary says %.200s", line);
}

/* From the table of workloads on: the title has the machine's time, the settings have any. */
static void judge_summary(const struct figures *figures)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    text_run(figures->store, out);
    memory_stream_end(out);
    char *at = strstr(text, "\nWorkloads ");
    for (char *line = at == NULL ? NULL : strtok(at, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (figures->sentence[0] == '\0')
            judge_line(figures, line);
    free(text);
}

void run_laws_figures(struct store *store, char sentence[RUN_LAWS_BOUND_BYTES])
{
    const double end =
        (double)store_ask_int(store, "SELECT max(simulated_ps+drain_ps, reached_ps) FROM meta", 0);
    const struct figures figures = {.store = store, .end_ps = end, .sentence = sentence};
    sentence[0] = '\0';
    judge_tables(&figures);
    judge_result(&figures);
    judge_laws(&figures);
    judge_summary(&figures);
    if (sentence[0] == '\0' && store_error(store) != NULL)
        snprintf(sentence, RUN_LAWS_BOUND_BYTES, "figure: %.300s", store_error(store));
}
