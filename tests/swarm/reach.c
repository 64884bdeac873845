/* SPDX-License-Identifier: Apache-2.0 */
#include "reach.h"

#include "base/drop.h"
#include "draw_value.h"

#include "nvme/fsm/fsm.h"
#include "nvme/media/media.h"
#include "rnic/cc/cc.h"
#include "scenarios/fault/fault_kinds.h"
#include "scenarios/workload/workload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the list */

__attribute__((format(printf, 4, 5))) static void add(struct reach *reach, const struct opt *row,
                                                      int64_t value, const char *format, ...)
{
    CHECK(reach->count < REACH_ITEMS);
    struct reach_item *item = &reach->items[reach->count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(item->name, sizeof item->name, format, arguments);
    va_end(arguments);
    item->row = row;
    item->value = value;
}

/* A loader may have put its table together of several, so a row is known by what it says. */
static bool is_same(const struct opt *a, const struct opt *b)
{
    return a == b || (strcmp(a->name, b->name) == 0 && strcmp(a->about, b->about) == 0);
}

static struct reach_item *by_row(struct reach *reach, const struct opt *row, int64_t value)
{
    for (unsigned i = 0; i < reach->count; i++)
        if (reach->items[i].row != NULL && reach->items[i].value == value &&
            is_same(reach->items[i].row, row))
            return &reach->items[i];
    return NULL;
}

static void count_name(struct reach *reach, uint64_t times, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void count_name(struct reach *reach, uint64_t times, const char *format, ...)
{
    char name[REACH_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    for (unsigned i = 0; times > 0 && i < reach->count; i++)
        if (reach->items[i].row == NULL && strcmp(reach->items[i].name, name) == 0)
            __atomic_fetch_add(&reach->items[i].count, times, __ATOMIC_RELAXED);
}

enum { AWAY = -1000000 }; /* beside the values of a choice */

/* A table may be of several kinds: its rows count once. */
static void add_rows(struct reach *reach)
{
    const struct draw_rows *rows = draw_rows();
    for (unsigned i = 0; i < rows->count; i++) {
        const struct opt *row = rows->list[i].row;
        if (by_row(reach, row, AWAY) != NULL)
            continue;
        const char *where = rows->list[i].where;
        add(reach, row, AWAY, "%s.%s", where, row->name);
        if (row->type != OPT_CHOICE)
            continue;
        const char *at = row->choices;
        for (int64_t value = 0; *at != '\0'; value++) {
            const size_t length = strcspn(at, "|");
            add(reach, row, value, "%s.%s %.*s", where, row->name, (int)length, at);
            at += length + (at[length] == '|');
        }
    }
}

static const struct nvme_fsm *const machines[] = {&nvme_fsm_host, &nvme_fsm_host_queue,
                                                  &nvme_fsm_target_queue};

static const char *const ends[] = {"a controller was lost",   "a controller was connected again",
                                   "a command was sent anew", "an operation failed",
                                   "an operation was late",   "a workload stood still"};

/* Only the bridge asks a lost controller for more. */
static bool is_bridges(const struct nvme_fsm *machine, const struct nvme_fsm_edge *edge)
{
    return machine == &nvme_fsm_host && edge->from == HOST_LOST && edge->to == HOST_FAILED;
}

static void total_name(void *self, const struct result_item *item)
{
    if (item->type == RESULT_INTEGER && strchr(item->path, '.') != NULL)
        add(self, NULL, 0, "result %s", item->path);
}

void reach_init(struct reach *reach)
{
    static const struct result nothing;
    add_rows(reach);
    for (int i = 0; fault_kinds[i] != NULL; i++)
        add(reach, NULL, 0, "fault %s", fault_kinds[i]->name);
    for (int i = 0; i < PROBE_DROP_CAUSE_COUNT; i++)
        add(reach, NULL, 0, "drop cause %d", i);
    for (int i = 0; workload_kinds[i] != NULL; i++)
        add(reach, NULL, 0, "workload %s", workload_kinds[i]->name);
    add(reach, NULL, 0, "workload of a fio job");
    for (int i = 0; media_kinds[i] != NULL; i++)
        add(reach, NULL, 0, "medium %s", media_kinds[i]->name);
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++)
        add(reach, NULL, 0, "%s", ends[i]);
    result_emit(&nothing, total_name, reach);
    for (unsigned i = 0; i < sizeof machines / sizeof machines[0]; i++)
        for (unsigned e = 0; e < machines[i]->edge_count; e++)
            if (machines[i]->edges[e].from != machines[i]->edges[e].to && /* others are not told */
                !is_bridges(machines[i], &machines[i]->edges[e]))
                add(reach, NULL, 0, "%s %s -%s-> %s", machines[i]->name,
                    machines[i]->states[machines[i]->edges[e].from].name,
                    machines[i]->events[machines[i]->edges[e].event].name,
                    machines[i]->states[machines[i]->edges[e].to].name);
}

/* ------------------------------------------------------------------ counting */

static void count_row(struct reach *reach, const struct opt *row, int64_t value)
{
    struct reach_item *item = by_row(reach, row, value);
    if (item != NULL)
        __atomic_fetch_add(&item->count, 1, __ATOMIC_RELAXED);
}

void reach_scenario(struct reach *reach, const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->setting_count; i++) {
        const struct scenario_setting *setting = &scenario->settings[i];
        int64_t preset;
        char why[OPT_WHY_BYTES];
        CHECK(opt_parse(setting->row, setting->row->preset, &preset, why));
        if (setting->value != preset)
            count_row(reach, setting->row, AWAY);
        if (setting->row->type == OPT_CHOICE)
            count_row(reach, setting->row, setting->value);
    }
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        count_name(reach, 1, "fault %s", scenario->faults[i].ops->name);
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        count_name(reach, 1, "workload %s", scenario->workloads[i].ops->name);
        if (scenario->workloads[i].job != NULL)
            count_name(reach, 1, "workload of a fio job");
    }
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_host *host = scenario->nodes[i].host;
        for (uint32_t n = 0; n < host->namespace_count; n++)
            count_name(reach, 1, "medium %s", host->namespaces[n].media->name);
    }
}

static void count_total(void *self, const struct result_item *item)
{
    if (item->type == RESULT_INTEGER && item->integer > 0)
        count_name(self, 1, "result %s", item->path);
}

void reach_result(struct reach *reach, const struct result *result)
{
    struct result totals = *result;
    totals.workload_count = 0;
    result_emit(&totals, count_total, reach);
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        const int64_t counts[] = {workload->losses, workload->reconnects, workload->requeued,
                                  workload->failed, workload->missed,     workload->stalled};
        for (unsigned c = 0; c < sizeof ends / sizeof ends[0]; c++)
            count_name(reach, counts[c] > 0, "%s", ends[c]);
    }
}

void reach_drop(struct reach *reach, uint8_t cause, uint64_t frames)
{
    count_name(reach, frames, "drop cause %d", cause);
}

void reach_state(struct reach *reach, const struct probe_state *state)
{
    count_name(reach, 1, "%s %s -%s-> %s", state->machine, state->from, state->event, state->to);
}

/* ------------------------------------------------------------------ printing */

unsigned reach_print(const struct reach *reach, FILE *out, bool all)
{
    unsigned missed = 0;
    for (unsigned i = 0; i < reach->count; i++) {
        const struct reach_item *item = &reach->items[i];
        missed += item->count == 0;
        if (all || item->count == 0)
            fprintf(out, "  %9" PRIu64 "  %s\n", item->count, item->name);
    }
    return missed;
}
