/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/sent_frames.h"

#include "rnic/host/rnic.h"
#include "scenarios/check/offered.h"
#include "scenarios/workload/workload.h"

#include <string.h>

enum {
    LEAST_BLOCK = 512,       /* smallest block of a trace or a fio job, whose sizes vary */
    LEAST_SEGMENT = 70,      /* a TCP segment with timestamps and without data */
    MANY = 1 << 20,          /* assumed operations in flight of a trace or a fio job */
    SMALLS_PER_OPERATION = 2 /* a request and its acknowledgment */
};

/* Inserts a size in ascending order. When the row is full, further sizes are dropped. */
static void add_size(struct sent_sizes *row, int64_t size)
{
    unsigned at = 0;
    while (at < row->count && row->sizes[at] < size)
        at++;
    if ((at < row->count && row->sizes[at] == size) || row->count == SENT_FRAMES_MAX)
        return;
    memmove(&row->sizes[at + 1], &row->sizes[at], (row->count - at) * sizeof row->sizes[0]);
    row->sizes[at] = size;
    row->count++;
}

/* Adds the packet sizes of one operation, with the shortest and the longest headers possible. */
static void add_operation(struct sent_sizes *row, int64_t bytes, const struct rnic_params *rnic)
{
    const int64_t path_mtu = rnic->path_mtu, headers = rnic_header_bytes(rnic);
    const int64_t full = bytes < path_mtu ? bytes : path_mtu;
    const int64_t rest = bytes % path_mtu;
    add_size(row, full + headers);
    add_size(row, full + headers + WIRE_RETH_BYTES);
    if (rest > 0)
        add_size(row, rest + headers);
}

static int64_t value_of(const struct scenario_workload *workload, const char *name,
                        int64_t otherwise)
{
    return opt_value(workload->ops->opts, name, workload->params, otherwise);
}

static int64_t under_way(const struct scenario_workload *workload)
{
    const int64_t depth =
        value_of(workload, "queue-depth", value_of(workload, "outstanding", MANY));
    return depth * value_of(workload, "queues", value_of(workload, "qps", 1)) * workload->copies;
}

static void add_pair(struct sent_frames *frames, const struct scenario *scenario,
                     const struct scenario_workload *workload, const struct scenario_pair *pair,
                     uint8_t dscp)
{
    const struct rnic_params *from = scenario->nodes[pair->from].host->rnic;
    struct sent_sizes *row = &frames->by_dscp[dscp];
    if (workload->by_tcp) {
        add_size(row, LEAST_SEGMENT);
        add_size(row, scenario->nodes[pair->from].ports[0].params->mtu + WIRE_ETHERNET_BYTES);
        row->smalls += MANY;
        return;
    }
    const bool vary = offered_varies(workload);
    const int64_t largest = offered_operation(workload, from->path_mtu);
    add_operation(row, largest, from);
    if (vary)
        add_operation(row, LEAST_BLOCK, from);
    row->smalls += SMALLS_PER_OPERATION * (vary ? MANY : under_way(workload));
}

void sent_frames_gather(struct sent_frames *frames, const struct scenario *scenario)
{
    *frames = (struct sent_frames){0};
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            const struct scenario_workload *workload = &scenario->workloads[w];
            const struct scenario_pair *pair = &workload->pairs[i];
            const uint8_t out = scenario_dscp(scenario, workload, pair);
            const uint8_t back = scenario_dscp_back(scenario, workload, pair);
            add_pair(frames, scenario, workload, pair, out);
            if (back != out)
                add_pair(frames, scenario, workload, pair, back);
        }
}
