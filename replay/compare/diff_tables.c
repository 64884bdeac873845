/* SPDX-License-Identifier: Apache-2.0
 * diff_tables - matches the rows of both databases by key.
 * Each section is one query on both databases: key, value as text, value as a number or NULL, unit,
 * and what set it, in key order. The first SELECT of a section names the columns. */
#include "replay/compare/diff.h"

#include "replay/compare/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum rank {
    RANK_KEY,         /* by key */
    RANK_SHARE,       /* by relative change */
    RANK_SIGNIFICANCE /* by significance: how unlikely the difference is by chance */
};

struct table {
    const char *sql;
    bool zeros; /* the table omits rows with value 0 */
    enum rank rank;
};

#define UNIT_OF_PATH                                                                               \
    "CASE WHEN path LIKE '%!_ps' ESCAPE '!' THEN 'ps' WHEN path LIKE '%bytes' THEN 'bytes'"        \
    " ELSE 'count' END"
#define RESULTS                                                                                    \
    "SELECT path AS key, value AS text, value AS number, " UNIT_OF_PATH " AS unit, '' AS set_by"   \
    " FROM result"
#define FIGURE_UNIT_FIGURE_TIME    "'ps'"
#define FIGURE_UNIT_FIGURE_COUNTED "'count'"
#define FIGURE_UNIT_FIGURE_RATE    "'bps'"
#define FIGURE_SELECT(NAME, word, heading, column, unit)                                           \
    " UNION ALL SELECT name||' " heading "', " column ", " column ", " FIGURE_UNIT_##unit          \
        ", '' FROM workload"
#define TALLY_SELECT(word, timed)                                                                  \
    " UNION ALL SELECT name||' " #word "', " #word ", " #word ", iif('" #word                      \
    "' LIKE 'bytes%', 'bytes', 'count'), '' FROM workload"
#define LINK_SELECT(word, column, factor, unit)                                                    \
    " UNION ALL SELECT a.name||' - '||b.name||' " word "', a." column ", a." column factor         \
    ", '" unit "', '' FROM link l JOIN port a ON a.node=a_node AND a.port=a_port"                  \
    " JOIN port b ON b.node=b_node AND b.port=b_port"

static const struct table tables[DIFF_SECTION_COUNT] = {
    [DIFF_SETTINGS] = {"SELECT path AS key, value AS text, NULL AS number, '' AS unit, set_by FROM "
                       "setting UNION ALL"
                       " SELECT 'scenario', scenario, NULL, '', '' FROM meta UNION ALL"
                       " SELECT '--until', coalesce(until_ps/1e9||'ms', 'to the end'), NULL, '', ''"
                       " FROM meta ORDER BY 1",
                       false, RANK_KEY},
    [DIFF_FABRIC] = {"SELECT name AS key, kind AS text, NULL AS number, '' AS unit, '' AS set_by "
                     "FROM node" LINK_SELECT("rate", "rate_bps", "", "bps") LINK_SELECT(
                         "length", "length_mm", "", "mm") LINK_SELECT("delay", "delay_ps", "", "ps")
                         LINK_SELECT("mtu", "mtu_bytes", "", "bytes") " ORDER BY 1",
                     false, RANK_KEY},
    [DIFF_VERDICT] =
        {"SELECT path AS key, coalesce(value, 'none') AS text, NULL AS number, '' AS "
         "unit, '' AS set_by FROM result WHERE path IN"
         " ('status', 'root_cause', 'bottleneck', 'deadlock') UNION ALL"
         " SELECT 'expect '||text, CASE held WHEN 1 THEN 'pass' WHEN 0"
         " THEN 'fail ('||actual||')' ELSE 'not evaluated ('||actual||')' END, NULL, '', ''"
         " FROM expectation UNION ALL"
         " SELECT 'failure', text, NULL, '', '' FROM failure UNION ALL"
         " SELECT 'victim '||what||' '||name, class, NULL, '', '' FROM v_victim"
         " ORDER BY 1, 2",
         false, RANK_KEY},
    [DIFF_WORKLOADS] = {"SELECT name AS key, kind AS text, NULL AS number, '' AS unit, '' AS "
                        "set_by FROM workload" FIGURES(FIGURE_SELECT)
                            FIGURE_TALLIES(TALLY_SELECT) " ORDER BY 1",
                        false, RANK_SHARE},
    [DIFF_PAUSES] = {RESULTS " WHERE path LIKE 'pfc.%' UNION ALL"
                             " SELECT p.name||iif(n.link_layer<>'ethernet', ' waits for ',"
                             " ' paused by ')||q.name||', priority "
                             "'||c.priority, c.value,"
                             " c.value, 'ps', '' FROM counter c JOIN port p ON p.node=c.node AND"
                             " p.port=c.port JOIN node n ON n.node=p.node JOIN port q ON "
                             "q.node=p.peer_node AND q.port=p.peer_port"
                             " WHERE c.name='tx_prio'||c.priority||'_blocked_ps' ORDER BY 1",
                     true, RANK_SIGNIFICANCE},
    [DIFF_DROPS] = {RESULTS
                    " WHERE path LIKE 'drops.%' UNION ALL"
                    " SELECT port||' priority '||priority||' '||cause||iif(lossless, ', lossless',"
                    " ''), frames, frames, 'count', '' FROM v_drop ORDER BY 1",
                    true, RANK_SIGNIFICANCE},
    [DIFF_TOTALS] = {RESULTS " WHERE type IN ('integer', 'real') AND path NOT LIKE '%[%'"
                             " AND path NOT LIKE 'pfc.%' AND path NOT LIKE 'drops.%'"
                             " AND path NOT LIKE 'root_cause%' AND path NOT IN ('seed', 'threads')"
                             " ORDER BY 1",
                     false, RANK_SIGNIFICANCE},
    [DIFF_COUNTERS] = {"SELECT coalesce(port, node)||' '||name AS key, value AS text, value AS "
                       "number, unit, '' AS set_by"
                       " FROM v_counter ORDER BY 1",
                       true, RANK_SIGNIFICANCE},
};

/* ------------------------------------------------------------------ weights */

/* Importance by name: losses, retransmissions and failures come before pauses and workload results,
 * and these before traffic. The last word is what is counted; names of hosts and workloads precede
 * it. */
static double class_of(const char *what)
{
    static const struct {
        const char *word;
        double class;
    } words[] = {{"lossless", 3}, {"dropped", 3}, {"discard", 3}, {"err", 3},    {"retrans", 3},
                 {"out_of_", 3},  {"storm", 3},   {"rnr", 3},     {"naks", 3},   {"timeouts", 3},
                 {"deadlock", 3}, {"pfcwd", 3},   {"qp_", 3},     {"failed", 3}, {"unfinished", 3},
                 {"corrupt", 3},  {"p99", 2},     {"p50", 2},     {"mean", 2},   {"IOPS", 2},
                 {"goodput", 2},  {"pause", 2},   {"blocked", 2}, {"ecn", 2},    {"cnp", 2},
                 {"headroom", 2}};
    const char *space = strrchr(what, ' '), *last = space == NULL ? what : space;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(last, words[i].word) != NULL)
            return words[i].class;
    return 1;
}

/* Size of one unit, roughly one event: a full frame, the time of a short wait. */
static double grain(const char *unit)
{
    static const struct {
        const char *unit;
        double grain;
    } grains[] = {{"ps", 1e6}, {"us", 1}, {"bytes", 4096}, {"bps", 1e6}};
    for (size_t i = 0; i < sizeof grains / sizeof grains[0]; i++)
        if (strcmp(unit, grains[i].unit) == 0)
            return grains[i].grain;
    return 1;
}

/* How significant the difference of two counts is, if each has an uncertainty of about its square
 * root: 1000 against 1100 is more than 0 against 1. */
static double significance_of(const struct diff_row *row)
{
    const double a = row->values[0] / grain(row->unit), b = row->values[1] / grain(row->unit);
    const double sum = fabs(a) + fabs(b);
    return sum > 0 ? fabs(a - b) / sqrt(sum) : 0;
}

static double share_of(const struct diff_row *row)
{
    const double most = fmax(fabs(row->values[0]), fabs(row->values[1]));
    return most > 0 ? fabs(row->values[0] - row->values[1]) / most : 0;
}

/* Rows where one side is not a number come first. */
static double weight_of(const struct diff_row *row, enum rank rank)
{
    if (rank == RANK_KEY)
        return 0;
    if (!row->number)
        return 1e10;
    return 1e9 * class_of(row->what) + (rank == RANK_SHARE ? share_of(row) : significance_of(row));
}

static int by_weight(const void *left, const void *right)
{
    const struct diff_row *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return strcmp(a->what, b->what);
}

/* ------------------------------------------------------------------ rows */

/* One side's current row. */
struct cursor {
    struct store_statement *rows;
    bool more;
};

static void next_row(struct cursor *cursor)
{
    cursor->more = cursor->more && store_step(cursor->rows);
}

/* Which sides have the next row: 1, 2, or both (3). */
static unsigned sides_of(const struct cursor cursors[2])
{
    if (!cursors[0].more || !cursors[1].more)
        return cursors[0].more ? 1 : 2;
    const int order =
        strcmp(store_text(cursors[0].rows, "key"), store_text(cursors[1].rows, "key"));
    return order == 0 ? 3 : order < 0 ? 1 : 2;
}

static const char *keep_text(struct arena *arena, const char *text)
{
    return arena_text(arena, text, strlen(text));
}

static void add_row(struct diff *diff, struct diff_section *section, const struct table *table,
                    const struct cursor cursors[2], unsigned sides)
{
    const struct store_statement *any = cursors[sides == 2].rows;
    struct diff_row *row =
        arena_push(&diff->arena, (void **)(void *)&section->rows, &section->count, sizeof *row);
    *row = (struct diff_row){
        .what = keep_text(&diff->arena, store_text(any, "key")),
        .unit = keep_text(&diff->arena, store_text(any, "unit")),
        .where = {"", ""},
    };
    row->number = (sides == 3 || table->zeros) && !store_is_null(any, "number");
    for (unsigned i = 0; i < 2; i++) {
        if ((sides & 1u << i) == 0) {
            row->texts[i] = table->zeros ? "0" : NULL;
            continue;
        }
        row->texts[i] = keep_text(&diff->arena, store_text(cursors[i].rows, "text"));
        row->where[i] = keep_text(&diff->arena, store_text(cursors[i].rows, "set_by"));
        row->values[i] = store_real(cursors[i].rows, "number");
        row->measured[i] = !store_is_null(cursors[i].rows, "number");
        row->number &= row->measured[i];
    }
    row->weight = weight_of(row, table->rank);
}

static void read_section(struct diff *diff, enum diff_section_kind kind, struct store *stores[2])
{
    const struct table *table = &tables[kind];
    struct diff_section *section = &diff->sections[kind];
    struct cursor cursors[2];
    for (int i = 0; i < 2; i++) {
        cursors[i] = (struct cursor){.rows = store_prepare(stores[i], table->sql), .more = true};
        next_row(&cursors[i]);
    }
    while (cursors[0].more || cursors[1].more) {
        const unsigned sides = sides_of(cursors);
        if (sides == 3 &&
            strcmp(store_text(cursors[0].rows, "text"), store_text(cursors[1].rows, "text")) == 0)
            section->equal++;
        else
            add_row(diff, section, table, cursors, sides);
        for (unsigned i = 0; i < 2; i++)
            if ((sides & 1u << i) != 0)
                next_row(&cursors[i]);
    }
    for (int i = 0; i < 2; i++)
        store_finish(cursors[i].rows);
    if (table->rank != RANK_KEY && section->count > 0)
        qsort(section->rows, section->count, sizeof *section->rows, by_weight);
}

void diff_read(struct diff *diff, struct store *stores[2])
{
    for (int kind = 0; kind < DIFF_SECTION_COUNT; kind++)
        read_section(diff, (enum diff_section_kind)kind, stores);
}
