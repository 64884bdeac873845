/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bench/memory_bench.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"
#include "net/switch/switch.h"
#include "rnic/qp/qp.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of frames in flight as in the scenarios of these names. */
const struct memory_bench_size memory_bench_sizes[] = {
    {"fat-tree-k8", 80, 8, 128, 41000, 6},
    {"fat-tree-k16", 320, 16, 1024, 310000, 6},
    {0},
};

enum { PRIO = 3, LINE = 64 };

struct memory_bench {
    const struct memory_bench_size *size;
    struct frame *frames;
    struct event *events;
    uint32_t *order; /* permutation of the frames */
    struct swtch *switches;
    struct port *ports;          /* of the switches, then of the hosts */
    struct buffer_group *groups; /* of the switches' ports */
    uint16_t *egress;            /* of each switch to each host */
    struct qp *qps;              /* two per host: one to send and one to receive */
};

/* Allocates a table and writes it once, so that every page is mapped. */
static void *table(size_t count, size_t bytes)
{
    const size_t lines = (count * bytes + LINE - 1) / LINE;
    void *items = memory_aligned(1, (lines + 2) / 2 * 2 * LINE, 2 * LINE);
    memset(items, 0, lines * LINE);
    return items;
}

/* Fisher-Yates shuffle. */
static uint32_t *permutation(uint32_t count, uint64_t seed)
{
    struct rng rng = rng_stream(seed, "touch", "order");
    uint32_t *order = memory_zeroed(count, sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = (uint32_t)rng_below(&rng, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

struct memory_bench *memory_bench_make(const struct memory_bench_size *size, uint64_t seed)
{
    struct memory_bench *bench = memory_zeroed(1, sizeof *bench);
    const size_t ports = (size_t)size->switches * size->ports;
    *bench = (struct memory_bench){
        .size = size,
        .frames = table(size->frames, sizeof(struct frame)),
        .events = table(size->frames, sizeof(struct event)),
        .order = permutation(size->frames, seed),
        .switches = table(size->switches, sizeof(struct swtch)),
        .ports = table(ports + size->hosts, sizeof(struct port)),
        .groups = table(ports * PRIORITIES, sizeof(struct buffer_group)),
        .egress = table((size_t)size->switches * size->hosts, sizeof(uint16_t)),
        .qps = table(2 * (size_t)size->hosts, sizeof(struct qp)),
    };
    return bench;
}

void memory_bench_free(struct memory_bench *bench)
{
    free(bench->frames);
    free(bench->events);
    free(bench->order);
    free(bench->switches);
    free(bench->ports);
    free(bench->groups);
    free(bench->egress);
    free(bench->qps);
    free(bench);
}

/* Maps 32 random bits to a number below `bound`. */
static inline uint32_t below(uint64_t random, uint32_t bound)
{
    return (uint32_t)(((random & UINT32_MAX) * bound) >> 32);
}

static inline void at_switch(struct memory_bench *bench, uint64_t random, struct frame *frame)
{
    const struct memory_bench_size *size = bench->size;
    const uint32_t number = below(random, size->switches);
    const uint32_t in = below(random >> 8, size->ports), out = below(random >> 16, size->ports);
    struct swtch *swtch = &bench->switches[number];
    struct port *ports = &bench->ports[number * size->ports];
    struct buffer_group *group = &bench->groups[(number * size->ports + in) * PRIORITIES + PRIO];
    swtch->node.digest += frame->psn;
    ports[in].prios[PRIO].rx_frames++;
    frame->ttl--;
    frame->in_port = bench->egress[number * size->hosts + below(random >> 24, size->hosts)];
    group->used += frame->bytes;
    ports[out].busy_until++;
    ports[out].prios[PRIO].tx_frames++;
}

static inline void at_host(struct memory_bench *bench, uint64_t random, struct frame *frame)
{
    const struct memory_bench_size *size = bench->size;
    const uint32_t number = below(random, size->hosts);
    struct port *port = &bench->ports[size->switches * size->ports + number];
    struct qp *sender = &bench->qps[2 * number], *receiver = sender + 1;
    port->prios[PRIO].rx_frames++;
    receiver->epsn++;
    sender->next_psn++;
    frame->psn = sender->next_psn;
    port->busy_until++;
    port->prios[PRIO].tx_frames++;
}

uint64_t memory_bench_run(struct memory_bench *bench, uint64_t hops)
{
    const struct memory_bench_size *size = bench->size;
    uint64_t sum = 0;
    uint32_t at = 0, links = size->hops_to_host;
    for (uint64_t i = 0; i < hops; i++) {
        const struct event event = bench->events[at];
        const uint32_t number = bench->order[at];
        const uint64_t random = hash_mix(i);
        struct frame *frame = &bench->frames[number];
        sum += (uint64_t)event.at + frame->psn;
        if (--links > 0) {
            at_switch(bench, random, frame);
        } else {
            at_host(bench, random, frame);
            links = size->hops_to_host;
        }
        bench->events[number].at = event.at + (time_ps)i;
        at = at + 1 < size->frames ? at + 1 : 0;
    }
    return sum;
}
