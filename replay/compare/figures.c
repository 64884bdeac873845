/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/compare/figures.h"

#include "base/quantity.h"
#include "scenarios/data/calibrated.h"

#include <stdlib.h>
#include <string.h>

const struct figure_row figure_rows[FIGURE_COUNT] = {
#define X(NAME, word, heading, column, unit) {word, heading, unit},
    FIGURES(X)
#undef X
};

const struct figure_tally figure_tallies[FIGURE_TALLY_COUNT] = {
#define X(word, timed) {#word, timed},
    FIGURE_TALLIES(X)
#undef X
};

const char *figure_range_name(enum figure_range range)
{
    static const char *const names[FIGURE_RANGES] = {"calibrated", "extrapolated", "uncalibrated",
                                                     "ring-full"};
    return names[range];
}

bool figures_tally_holds(const struct figures_workload *workload, int tally)
{
    return workload->bounded || !figure_tallies[tally].timed;
}

static const char *keep_text(struct arena *arena, const char *text)
{
    return arena_text(arena, text, strlen(text));
}

const char *figures_setting(struct store *store, struct arena *arena, const char *workload,
                            const char *word)
{
    struct store_statement *row = store_prepare(store, "SELECT value FROM setting WHERE path=?");
    store_bind(row, 1, STORE_T(arena_format(arena, "workloads.%s.%s", workload, word)));
    const char *value = keep_text(arena, store_step(row) ? store_text(row, "value") : "");
    store_finish(row);
    return value;
}

/* ------------------------------------------------------------------ ranges */

/* Appends "word value" to a list in words. */
static const char *add_words(struct arena *arena, const char *list, const char *word,
                             const char *value)
{
    return arena_format(arena, "%s%s%s %s", list, *list == '\0' ? "" : ", ", word, value);
}

/* Whether the workload's value of that word is in the range; true if it has no such word. A value
 * that is not a single number (a mix of sizes) is outside. */
static bool is_inside(const char *value, const char *word, int64_t low, int64_t high)
{
    enum quantity_kind kind;
    int64_t parsed;
    char why[QUANTITY_WHY_BYTES];
    return *value == '\0' ||
           (calibrated_quantity(word, &kind) && quantity_parse(kind, value, &parsed, why) &&
            parsed >= low && parsed <= high);
}

static void place(struct store *store, struct arena *arena, struct figures_workload *workload)
{
    workload->range = FIGURE_UNCALIBRATED;
    workload->outside = "";
    struct store_statement *ranges =
        store_prepare(store, "SELECT word, low, high, text FROM calibrated");
    while (store_step(ranges)) {
        const char *word = store_text(ranges, "word");
        const char *value = figures_setting(store, arena, workload->name, word);
        if (workload->range == FIGURE_UNCALIBRATED)
            workload->range = FIGURE_CALIBRATED;
        if (is_inside(value, word, store_int(ranges, "low"), store_int(ranges, "high")))
            continue;
        workload->range = FIGURE_EXTRAPOLATED;
        workload->outside =
            add_words(arena, workload->outside, word,
                      arena_format(arena, "%s (calibrated %s)", value, store_text(ranges, "text")));
    }
    store_finish(ranges);
}

/* If frames found a receive ring full, a few microseconds decide which frames are reordered or
 * lost, and thereby seconds of timeouts. */
static void look_at_rings(struct store *store, struct arena *arena,
                          struct figures_workload *workload)
{
    struct store_statement *row = store_prepare(
        store, "SELECT sum(value) AS frames FROM v_counter WHERE name='rx_out_of_buffer'");
    const int64_t frames = store_step(row) ? store_int(row, "frames") : 0;
    store_finish(row);
    if (frames == 0)
        return;
    workload->range = FIGURE_RING_FULL;
    workload->outside =
        add_words(arena, workload->outside, arena_format(arena, "%lld", (long long)frames),
                  "frames found no buffer in a receive ring");
}

static const char *point_of(struct store *store, struct arena *arena, const char *workload)
{
    static const char *const words[] = {"queue-depth", "outstanding", "block-size", "message-size",
                                        "read"};
    const char *point = "";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *value = figures_setting(store, arena, workload, words[i]);
        if (*value != '\0')
            point = add_words(arena, point, words[i], value);
    }
    return point;
}

/* ------------------------------------------------------------------ entry points */

static void read_row(const struct store_statement *row, struct figures_workload *workload)
{
#define X(NAME, word, heading, column, unit) column,
    static const char *const columns[FIGURE_COUNT] = {FIGURES(X)};
#undef X
    for (int i = 0; i < FIGURE_COUNT; i++) {
        workload->known[i] = !store_is_null(row, columns[i]);
        workload->values[i] = store_real(row, columns[i]);
    }
    for (int i = 0; i < FIGURE_TALLY_COUNT; i++)
        workload->tallies[i] = store_int(row, figure_tallies[i].word);
}

void figures_read(struct store *store, struct arena *arena, struct figures *figures)
{
#define X(NAME, word, heading, column, unit) ", " column
#define Y(word, timed)                       ", " #word
    static const char sql[] =
        "SELECT name" FIGURES(X) FIGURE_TALLIES(Y) " FROM workload ORDER BY workload";
#undef X
#undef Y
    *figures = (struct figures){0};
    struct store_statement *rows = store_prepare(store, sql);
    while (store_step(rows)) {
        struct figures_workload *workload = arena_push(arena, (void **)(void *)&figures->workloads,
                                                       &figures->count, sizeof *workload);
        *workload = (struct figures_workload){.name = keep_text(arena, store_text(rows, "name"))};
        read_row(rows, workload);
        workload->bounded =
            strtoll(figures_setting(store, arena, workload->name, "count"), NULL, 10) > 0;
        workload->point = point_of(store, arena, workload->name);
        place(store, arena, workload);
        look_at_rings(store, arena, workload);
    }
    store_finish(rows);
}
