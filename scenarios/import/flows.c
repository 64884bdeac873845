/* SPDX-License-Identifier: Apache-2.0
 * flows - converts the flows in files of other simulators to workloads. */
#include "scenarios/import/flows.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/port/port.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const int64_t message_max = INT64_C(1) << 30;

bool flows_add(struct cabling *cabling, struct cabling_flow flow)
{
    const char *wrong = cabling->flow_count == FLOWS_MAX ? "expected at most 9000 flows"
                        : flow.from == flow.to           ? "a flow from a host to itself"
                        : flow.from->role == CABLING_SWITCH || flow.to->role == CABLING_SWITCH
                            ? "a flow's ends are hosts, but one of these is a switch"
                            : NULL;
    if (wrong != NULL) {
        diag_add(cabling->diag, DIAG_ERROR, flow.place, NULL, "%s", wrong);
        return false;
    }
    *(struct cabling_flow *)arena_push(cabling->arena, (void **)(void *)&cabling->flows,
                                       &cabling->flow_count, sizeof flow) = flow;
    return true;
}

void flows_settle(struct cabling *cabling)
{
    for (size_t i = 0; i < cabling->flow_count; i++) {
        const struct cabling_flow *flow = &cabling->flows[i];
        const struct cabling_node *missing = flow->from->called == NULL ? flow->from
                                             : flow->to->called == NULL ? flow->to
                                                                        : NULL;
        if (missing != NULL)
            diag_add(cabling->diag, DIAG_ERROR, flow->place, NULL,
                     "expected hosts with cables as the ends of a flow: %s has none",
                     notes_clean(cabling->arena, missing->name));
    }
}

const char *flows_time(struct arena *arena, int64_t ps)
{
    return ps % 1000 == 0 ? arena_format(arena, "%" PRId64 "ns", ps / 1000)
                          : arena_format(arena, "%" PRId64 "ps", ps);
}

static int64_t first_start(const struct cabling *cabling)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < cabling->flow_count; i++)
        if (cabling->flows[i].start < first)
            first = cabling->flows[i].start;
    return first;
}

static int64_t rate_of(const struct cabling_link *link)
{
    const struct opt *row = opt_find(port_opts, "rate");
    struct port_params port;
    char why[OPT_WHY_BYTES];
    opt_presets(port_opts, &port);
    for (size_t i = 0; i < link->value_count; i++)
        if (strcmp(link->values[i].name, "rate") == 0)
            CHECK(opt_parse(row, link->values[i].text, &port.rate, why));
    return port.rate;
}

/* By node: rate of its slowest link. */
static int64_t *slowest_rates(const struct cabling *cabling)
{
    int64_t *rates = memory_zeroed(cabling->node_count, sizeof *rates);
    for (size_t i = 0; i < cabling->link_count; i++)
        for (int end = 0; end < 2; end++) {
            int64_t *rate = &rates[cabling->links[i].ends[end].node->index];
            const int64_t own = rate_of(&cabling->links[i]);
            *rate = *rate == 0 || own < *rate ? own : *rate;
        }
    return rates;
}

int64_t flows_duration(const struct cabling *cabling)
{
    const int64_t begin = first_start(cabling);
    int64_t last = 0, busiest = 0;
    int64_t *rates = slowest_rates(cabling);
    __int128 *bytes = memory_zeroed(2 * cabling->node_count, sizeof *bytes); /* sent, received */
    for (size_t i = 0; i < cabling->flow_count; i++) {
        const struct cabling_flow *flow = &cabling->flows[i];
        bytes[2 * flow->from->index] += flow->bytes;
        bytes[2 * flow->to->index + 1] += flow->bytes;
        last = flow->start - begin > last ? flow->start - begin : last;
    }
    for (size_t i = 0; i < 2 * cabling->node_count; i++) {
        if (bytes[i] == 0 || rates[i / 2] == 0)
            continue;
        const __int128 time = bytes[i] * 8 * PS_PER_S / rates[i / 2] * 3 / 2;
        const __int128 most = 1000 * (__int128)PS_PER_S;
        if (time > busiest)
            busiest = (int64_t)(time < most ? time : most);
    }
    free(rates);
    free(bytes);
    const int64_t all = last + busiest + PS_PER_MS;
    return (all + PS_PER_MS - 1) / PS_PER_MS * PS_PER_MS;
}

static void write_flow(const struct cabling *cabling, const struct cabling_flow *flow,
                       size_t number, int64_t begin, FILE *out)
{
    fprintf(out, "  - {name: flow%zu, kind: rdma-write, from: %s, to: %s, ", number,
            flow->from->called, flow->to->called);
    const int64_t count = (flow->bytes + message_max - 1) / message_max;
    if (flow->bytes > 0)
        fprintf(out, "message-size: %" PRId64 "B, count: %" PRId64,
                (flow->bytes + count - 1) / count, count);
    else
        fputs("message-size: 1MiB", out);
    if (flow->start > begin)
        fprintf(out, ", start: %s", flows_time(cabling->arena, flow->start - begin));
    fputs("}\n", out);
}

void flows_write(const struct cabling *cabling, FILE *out)
{
    const int64_t begin = first_start(cabling);
    fputs("workloads:\n", out);
    for (size_t i = 0; i < cabling->flow_count; i++)
        write_flow(cabling, &cabling->flows[i], i + 1, begin, out);
}
