/* SPDX-License-Identifier: Apache-2.0
 * text_stages - one column for each kind of command. */
#include "reports/summary/text_part.h"

#include "replay/breakdown/breakdown.h"
#include "replay/database/words.h"
#include "replay/record/record.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMNS_MAX = 5, ONE_BY_ONE_MAX = 4, HEAD_BYTES = 40, WIDTH_LEAST = 17 };

struct column {
    char head[HEAD_BYTES];
    time_ps sum[BREAKDOWN_STAGES]; /* over `count` commands */
    int64_t count;
};

struct table {
    struct column columns[COLUMNS_MAX];
    int count;
    int width; /* of a column */
    bool one_by_one;
};

/* Commands whose latency workloads count: successful ones, and compares that found different
 * data. */
#define COMPLETED " FROM io JOIN workload w USING(workload) WHERE status IN (0, 645)"

static struct column *new_column(struct table *table, const char *workload, const char *operation)
{
    struct column *column = &table->columns[table->count++];
    *column = (struct column){.count = 1};
    snprintf(column->head, sizeof column->head, "%.20s %s", workload, operation);
    const int width = (int)strlen(column->head) + 2;
    table->width = width > table->width ? width : table->width;
    return column;
}

static void read_commands(struct store *store, struct table *table)
{
    struct store_statement *rows = store_prepare(
        store,
        "SELECT w.name, operation, issued_ps, posted_ps, response_ps, completed_ps, capsule_ps,"
        " begun_ps, buffered_ps, wrs_ps, fetch_ps, fetched_ps, limit_ps, media_ps, media_begun_ps,"
        " media_done_ps, response_sent_ps, admitted_ps" COMPLETED " ORDER BY io");
    while (table->count < ONE_BY_ONE_MAX && store_step(rows)) {
        struct column *column =
            new_column(table, store_text(rows, "name"), store_text(rows, "operation"));
        const struct probe_host_io host = {.issued_at = store_int(rows, "issued_ps"),
                                           .admitted_at = store_int(rows, "admitted_ps"),
                                           .posted_at = store_int(rows, "posted_ps"),
                                           .response_at = store_int(rows, "response_ps"),
                                           .completed_at = store_int(rows, "completed_ps")};
        const struct probe_target_io target = {.capsule_at = store_int(rows, "capsule_ps"),
                                               .begun_at = store_int(rows, "begun_ps"),
                                               .buffered_at = store_int(rows, "buffered_ps"),
                                               .wrs_at = store_int(rows, "wrs_ps"),
                                               .fetch_at = store_int(rows, "fetch_ps"),
                                               .fetched_at = store_int(rows, "fetched_ps"),
                                               .limit_at = store_int(rows, "limit_ps"),
                                               .media_at = store_int(rows, "media_ps"),
                                               .media_begun_at = store_int(rows, "media_begun_ps"),
                                               .media_done_at = store_int(rows, "media_done_ps"),
                                               .response_at = store_int(rows, "response_sent_ps")};
        breakdown_stages(&host, target.capsule_at == 0 ? NULL : &target, column->sum);
    }
    store_finish(rows);
}

/* The most frequent kinds of command, in the order of the workloads. */
static void read_means(struct store *store, struct table *table)
{
    struct store_statement *rows = store_prepare(
        store, "WITH kinds AS (SELECT workload, operation, count FROM stage WHERE position=0"
               " ORDER BY count DESC, workload LIMIT ?)"
               " SELECT w.name, s.operation, s.position, s.sum_ps, s.count FROM stage s"
               " JOIN kinds USING(workload, operation) JOIN workload w USING(workload)"
               " ORDER BY workload, s.operation, s.position");
    store_bind(rows, 1, STORE_I(COLUMNS_MAX));
    struct column *column = NULL;
    while (store_step(rows)) {
        const int64_t position = store_int(rows, "position");
        if (position == 0 && table->count == COLUMNS_MAX)
            break;
        if (position == 0)
            column = new_column(table, store_text(rows, "name"), store_text(rows, "operation"));
        if (column == NULL || position < 0 || position >= BREAKDOWN_STAGES)
            continue;
        column->sum[position] = store_int(rows, "sum_ps");
        column->count = store_int(rows, "count");
    }
    store_finish(rows);
}

static void write_cell(FILE *out, const struct table *table, time_ps sum, int64_t count)
{
    char text[WORDS_BYTES];
    if (table->one_by_one && sum < 100 * PS_PER_US) /* exact while readable */
        snprintf(text, sizeof text, "%" PRId64 ".%03" PRId64 " ns", sum / PS_PER_NS,
                 sum % PS_PER_NS);
    else
        snprintf(text, sizeof text, "%s", words_time(count == 0 ? 0 : sum / count).text);
    fprintf(out, "%*s", table->width, sum == 0 ? "-" : text);
}

static void write_row(FILE *out, const struct table *table, int stage)
{
    fprintf(out, "  %-18s", breakdown_stage_name((enum breakdown_stage)stage));
    for (int i = 0; i < table->count; i++)
        write_cell(out, table, table->columns[i].sum[stage], table->columns[i].count);
    fputc('\n', out);
}

/* Only shown if a command waited there. */
static bool is_optional(int stage)
{
    return stage == BREAKDOWN_STAGE_THROTTLE || stage == BREAKDOWN_STAGE_BUFFERS ||
           stage == BREAKDOWN_STAGE_WRS || stage == BREAKDOWN_STAGE_LIMIT;
}

static bool has_happened(const struct table *table, int stage)
{
    for (int i = 0; i < table->count; i++)
        if (table->columns[i].sum[stage] != 0)
            return true;
    return false;
}

static void write_total(const struct text *text, const struct table *table)
{
    fprintf(text->out, "  %s%-18s", text->paint.bold, "= latency");
    for (int i = 0; i < table->count; i++) {
        time_ps sum = 0;
        for (int stage = 0; stage < BREAKDOWN_STAGES; stage++)
            sum += table->columns[i].sum[stage];
        write_cell(text->out, table, sum, table->columns[i].count);
    }
    fprintf(text->out, "%s\n", text->paint.off);
}

void text_stages(const struct text *text)
{
    struct table table = {.width = WIDTH_LEAST};
    const int64_t commands =
        store_ask_int(text->store, "SELECT sum(count) FROM stage WHERE position=0", 0);
    if (commands == 0)
        return;
    table.one_by_one = commands <= ONE_BY_ONE_MAX &&
                       store_ask_int(text->store, "SELECT count(*)" COMPLETED, 0) == commands;
    if (table.one_by_one)
        read_commands(text->store, &table);
    else
        read_means(text->store, &table);
    fprintf(text->out, "\n%s%-20s%s", text->paint.bold,
            table.one_by_one ? "Where the time went" : "Mean time per stage", text->paint.off);
    for (int i = 0; i < table.count; i++)
        fprintf(text->out, "%*s", table.width, table.columns[i].head);
    fputc('\n', text->out);
    for (int stage = 0; stage < BREAKDOWN_STAGES; stage++)
        if (!is_optional(stage) || has_happened(&table, stage))
            write_row(text->out, &table, stage);
    write_total(text, &table);
}
