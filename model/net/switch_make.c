/* SPDX-License-Identifier: Apache-2.0
 * switch_make - a switch comes into being: its ports, and the carving of its memory. */
#include "net/headroom.h"
#include "net/switch_private.h"
#include "net/watchdog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t strict_mask(const struct switch_params *params)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < PRIORITIES; i++)
        mask |= params->weight[i] == 0 ? 1u << i : 0;
    return (uint8_t)mask;
}

/* Zeroed memory that begins with a cache line. */
static void *lines(size_t count, size_t bytes)
{
    const size_t size = (count * bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    CHECK(memory != NULL);
    return memset(memory, 0, size);
}

void switch_init(struct swtch *swtch, struct engine *engine, const char *name,
                 const struct switch_params *params, uint16_t port_count,
                 const struct port_params *port_params, struct frame_pool *frames,
                 const struct probe *probe)
{
    *swtch = (struct swtch){
        .frames = frames,
        .port_count = port_count,
        .lossless = (uint8_t)params->pfc_priorities,
        .strict = strict_mask(params),
        .cut_through = params->forwarding == SWITCH_CUT_THROUGH,
        .mark_above = {INT64_MAX, INT64_MAX},
        .ecmp_seed = params->ecmp_seed == SWITCH_ECMP_SEED_OWN
                         ? hash_text(name, hash_mix(engine->seed))
                         : hash_mix((uint64_t)params->ecmp_seed),
        .special =
            params->forwarding == SWITCH_CUT_THROUGH || params->ecmp_hash != SWITCH_HASH_5_TUPLE,
        .params = *params,
        .marking = rng_stream(engine->seed, name, "ecn"),
        .watchdog = watchdog_new(params, port_count),
        .probe = probe,
    };
    swtch->careful = swtch->special;
    engine_add(engine, &swtch->node, &switch_node_ops, name);
    if (params->ecn_kmax > 0)
        swtch->mark_above[params->ecn_at] = params->ecn_kmin;
    swtch->ports = lines(port_count, sizeof *swtch->ports);
    swtch->port_counters = lines(port_count, sizeof *swtch->port_counters);
    swtch->buffer.groups = lines((size_t)port_count * PRIORITIES, sizeof *swtch->buffer.groups);
    for (uint16_t i = 0; i < port_count; i++)
        port_init(&swtch->ports[i], &swtch->node, i, &port_params[i], frames, probe, switch_take);
    for (uint16_t i = 0; i < port_count; i++)
        swtch->ports[i].reason = switch_reason;
    for (unsigned dscp = 0; dscp < 64; dscp++)
        swtch->priority_of_dscp[dscp] = (uint8_t)(dscp >> 3);
}

void switch_fini(struct swtch *swtch)
{
    route_table_fini(&swtch->routes);
    watchdog_free(swtch->watchdog);
    free(swtch->ports);
    free(swtch->port_counters);
    free(swtch->buffer.groups);
}

struct port_ingress switch_ingress(const struct swtch *swtch)
{
    return (struct port_ingress){
        .latency = swtch->params.latency,
        .cut_through = swtch->cut_through ? CUT_THROUGH_BYTES : 0,
    };
}

int64_t switch_headroom_needed(const struct swtch *swtch, const struct port *port)
{
    const struct headroom_link link = {
        .rate = (int64_t)port->rate.bps,
        .length = port->params.length,
        .propagation = port->propagation,
        .mtu = port->params.mtu,
        .peer_mtu = port->peer_mtu,
        .response = port->peer_response,
        .latency = swtch->params.latency,
        .cell = 1,
        .smallest = HEADROOM_SMALLEST_FRAME,
        .largest = port->params.mtu + WIRE_ETHERNET_BYTES,
        .dynamic = true, /* with a static threshold, too: the shared memory may be full before it */
    };
    return headroom_auto(&link);
}

static int64_t lossless_headroom(const struct swtch *swtch, uint16_t port)
{
    if (swtch->params.headroom != SWITCH_HEADROOM_AUTO)
        return swtch->params.headroom;
    return switch_headroom_needed(swtch, &swtch->ports[port]);
}

/* Sets the groups' limits; returns the room of all of them together, and of the ports that are not
 * linked but that the memory is carved for: so a port more changes nothing for the others. */
static int64_t set_aside(struct swtch *swtch)
{
    const int64_t lossless = __builtin_popcount(swtch->lossless);
    const int64_t ports =
        swtch->params.ports > swtch->port_count ? swtch->params.ports : swtch->port_count;
    int64_t sum = 0, most = 0;
    for (uint16_t i = 0; i < swtch->port_count; i++) {
        const int64_t headroom = lossless_headroom(swtch, i);
        sum += headroom * lossless;
        most = headroom > most ? headroom : most;
        for (unsigned p = 0; p < PRIORITIES; p++) {
            struct buffer_group *group = &swtch->buffer.groups[i * PRIORITIES + p];
            group->lossless = (swtch->lossless & 1u << p) != 0;
            group->headroom = group->lossless ? (uint32_t)headroom : 0;
        }
    }
    return sum + (ports - swtch->port_count) * most * lossless +
           ports * PRIORITIES * swtch->params.reserved;
}

bool switch_carve(struct swtch *swtch, char *why, size_t size)
{
    const struct switch_params *params = &swtch->params;
    const int64_t aside = set_aside(swtch);
    if (aside >= params->buffer) {
        snprintf(why, size,
                 "%s: reserved room and headroom take %lld bytes, the packet memory has %lld",
                 swtch->node.name, (long long)aside, (long long)params->buffer);
        return false;
    }
    struct buffer *buffer = &swtch->buffer;
    buffer->policy = buffer_policies[params->policy];
    buffer->total = params->buffer;
    buffer->shared_size = params->buffer - aside;
    buffer->reserved = params->reserved;
    buffer->alpha_lossless = params->alpha;
    buffer->alpha_lossy = params->alpha_lossy;
    buffer->static_threshold = params->xoff;
    buffer->xon_offset = params->xon_offset;
    buffer->group_count = (uint32_t)swtch->port_count * PRIORITIES;
    buffer_reckon_ample(buffer);
    return true;
}
