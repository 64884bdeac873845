/* SPDX-License-Identifier: Apache-2.0
 * compare_protocol - compares what both runs did, regardless of when.
 * The n-th I/O of a workload does not depend on time: its operation, location and size are drawn
 * when it is issued. This does not apply with several instances or a rate limit that skips I/Os. */
#include "replay/compare/compare_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 256 };

/* ------------------------------------------------------------------ counts */

static void compare_tallies(struct compare *compare, const struct figures_workload *model,
                            const struct figures_workload *measured)
{
    for (int i = 0; i < FIGURE_TALLY_COUNT; i++) {
        char what[TEXT_BYTES], texts[2][32];
        if (!figures_tally_holds(model, i))
            continue;
        snprintf(what, sizeof what, "%.100s: %s", model->name, figure_tallies[i].word);
        snprintf(texts[0], sizeof texts[0], "%" PRId64, model->tallies[i]);
        snprintf(texts[1], sizeof texts[1], "%" PRId64, measured->tallies[i]);
        compare_add(compare, what, texts[0], texts[1], true);
    }
}

/* ------------------------------------------------------------------ sequences */

struct sequence {
    const char *what; /* "operations in the order of issue" */
    const char *sql;  /* one row per item, its columns are compared; ? is the workload */
};

/* "write of 4096 B at block 512, status 0x0": the columns of a row, or "" after the last row. */
static void row_text(const struct store_statement *row, bool there, char text[TEXT_BYTES])
{
    if (there)
        snprintf(text, TEXT_BYTES, "%.200s", store_text(row, "text"));
    else
        snprintf(text, TEXT_BYTES, "(none)");
}

/* Steps through both sequences up to the first difference. With `whole`, a longer sequence is a
 * difference. */
static void compare_sequence(const struct compare_input *input, const struct sequence *sequence,
                             int64_t index, const char *what, bool whole, bool counts_so)
{
    struct store_statement *rows[2];
    char texts[2][TEXT_BYTES], at[TEXT_BYTES];
    uint64_t equal = 0;
    bool more[2], parted = false;
    for (int i = 0; i < 2; i++) {
        rows[i] = store_prepare(input->stores[i], sequence->sql);
        store_bind(rows[i], 1, STORE_I(index));
    }
    for (;;) {
        for (int i = 0; i < 2; i++) {
            more[i] = store_step(rows[i]);
            row_text(rows[i], more[i], texts[i]);
        }
        parted = strcmp(texts[0], texts[1]) != 0;
        if (!more[0] || !more[1] || parted)
            break;
        equal++;
    }
    parted = parted && (whole || (more[0] && more[1]));
    snprintf(at, sizeof at, "%.100s: %s", what, sequence->what);
    for (int i = 0; i < 2 && !parted; i++)
        snprintf(texts[i], sizeof texts[i], "%" PRIu64 " equal", equal);
    if (parted)
        snprintf(at, sizeof at, "%.100s: %s, number %" PRIu64, what, sequence->what, equal + 1);
    compare_add(input->compare, at, texts[0], texts[1], counts_so);
    store_finish(rows[0]);
    store_finish(rows[1]);
}

#define IO_TEXT "operation||' of '||bytes||' B at block '||lba||printf(', status 0x%x', status)"

static const struct sequence by_issue = {"I/Os in the order of issue",
                                         "SELECT " IO_TEXT
                                         " AS text FROM io WHERE workload=? ORDER BY serial"};
static const struct sequence by_completion = {"I/Os in the order of completion",
                                              "SELECT " IO_TEXT
                                              " AS text FROM io WHERE workload=? ORDER BY io"};
/* In a measurement, several instances are one host, so the I/Os of all of them are compared
 * together. */
static const struct sequence by_content = {
    "I/Os in any order",
    "SELECT " IO_TEXT " AS text FROM io WHERE workload=? ORDER BY operation, bytes, lba, status"};

static int64_t number_of(const struct compare_input *input, const char *workload, const char *word)
{
    const char *text = figures_setting(input->stores[0], &input->compare->arena, workload, word);
    const int64_t value = strtoll(text, NULL, 10);
    return value > 0 ? value : 1;
}

static bool has_every_io(const struct compare_side *side)
{
    return strcmp(side->record, "ios") == 0 || strcmp(side->record, "packets") == 0;
}

static void compare_ios(const struct compare_input *input, int64_t index,
                        const struct figures_workload *workload, int64_t pairs)
{
    const char *name = workload->name;
    const bool one_by_one =
        number_of(input, name, "queue-depth") * number_of(input, name, "queues") == 1;
    if (pairs == 1) {
        compare_sequence(input, &by_issue, index, name, workload->bounded, true);
        compare_sequence(input, &by_completion, index, name, workload->bounded, one_by_one);
    } else if (workload->bounded) {
        compare_sequence(input, &by_content, index, name, true, true);
    }
}

/* ------------------------------------------------------------------ entry point */

void compare_protocol(const struct compare_input *input)
{
    struct compare *compare = input->compare;
    const struct compare_side *sides = compare->sides;
    const bool every_io = has_every_io(&sides[0]) && has_every_io(&sides[1]);
    compare_add(compare, "status", sides[0].status, sides[1].status, true);
    struct store_statement *rows =
        store_prepare(input->stores[0], "SELECT kind, pairs FROM workload ORDER BY workload");
    for (size_t i = 0; i < compare->figures[0].count && store_step(rows); i++) {
        const struct figures_workload *workload = &compare->figures[0].workloads[i];
        compare_tallies(compare, workload, &compare->figures[1].workloads[i]);
        if (every_io && strcmp(store_text(rows, "kind"), "nvme") == 0)
            compare_ios(input, (int64_t)i, workload, store_int(rows, "pairs"));
    }
    store_finish(rows);
}
