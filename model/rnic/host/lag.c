/* SPDX-License-Identifier: Apache-2.0
 * lag - member selection, and carrying for members whose link is down.
 * A carried member keeps its arbiter, and its port keeps its queues; but that port's wire is never
 * free, and the carrier's source polls the sources of all members it carries in turn. */
#include "rnic/host/lag.h"

#include "rnic/cm/cm.h"
#include "rnic/host/arbiter.h"
#include "rnic/qp/qp.h"

/* ------------------------------------------------------------------ member selection */

enum { ETHERTYPE_IPV4 = 0x0800, ROCE_PORT = 4791, GATEWAY_MAC = 1 };

/* A big-endian word on the wire, as a little-endian machine loads it. */
static uint32_t load_big_endian(uint32_t value)
{
    return __builtin_bswap32(value);
}

/* Linux bond_eth_hash: the last bytes of both MACs. The destination is always the gateway's because
 * switches route; a host's last byte is that of its IP address. */
static uint32_t layer2(const struct lag_flow *flow)
{
    return ((flow->source_ip & 0xFF) ^ GATEWAY_MAC) ^ ETHERTYPE_IPV4;
}

/* Linux bond_ip_hash, without its last line. */
static uint32_t with_addresses(uint32_t hash, const struct lag_flow *flow)
{
    hash ^= load_big_endian(flow->source_ip) ^ load_big_endian(flow->destination_ip);
    hash ^= hash >> 16;
    return hash ^ hash >> 8;
}

uint32_t lag_hash(enum rnic_lag policy, const struct lag_flow *flow)
{
    switch (policy) {
    case RNIC_LAG_LAYER2:
        return layer2(flow);
    case RNIC_LAG_LAYER2_3:
        return with_addresses(layer2(flow), flow);
    case RNIC_LAG_LAYER3_4: /* the lowest bit is discarded because ports may all be even */
        return with_addresses(load_big_endian((uint32_t)flow->source_port << 16 | ROCE_PORT),
                              flow) >>
               1;
    case RNIC_LAG_NONE:
    case RNIC_LAG_QUEUE_AFFINITY:
        break;
    }
    return 0;
}

/* The n-th member with a link. */
static struct rnic *cabled(const struct lag *lag, uint32_t n)
{
    uint32_t mask = lag->cabled;
    for (; n > 0; n--)
        mask &= mask - 1;
    CHECK(mask != 0);
    return lag->members[__builtin_ctz(mask)];
}

struct rnic *lag_choose(struct rnic *rnic, uint32_t peer_ip, uint32_t flow_label, bool is_v1)
{
    struct lag *lag = rnic->lag;
    if (lag == NULL)
        return rnic;
    const enum rnic_lag policy = (enum rnic_lag)rnic->params.lag;
    const struct lag_flow flow = {rnic_ip(rnic->endpoint), peer_ip, qp_port_of_label(flow_label)};
    const bool in_turn = policy == RNIC_LAG_QUEUE_AFFINITY || is_v1;
    const uint32_t which = in_turn ? lag->made++ : lag_hash(policy, &flow);
    return cabled(lag, which % (uint32_t)__builtin_popcount(lag->cabled));
}

struct rnic *lag_owner(struct rnic *rnic, uint32_t qpn)
{
    for (uint32_t i = 0; rnic->lag != NULL && i < rnic->lag->count; i++)
        if (rnic_find_qp(rnic->lag->members[i], qpn) != NULL)
            return rnic->lag->members[i];
    return rnic;
}

/* ------------------------------------------------------------------ carrying */

static struct rnic *of_port(struct port *port)
{
    return (struct rnic *)(void *)port; /* the port is the first member */
}

static uint8_t ready_of(const struct rnic *rnic)
{
    unsigned ready = 0;
    for (uint8_t i = 0; i < PRIORITIES; i++)
        ready |= (unsigned)arbiter_has_more(rnic, i) << i;
    return (uint8_t)ready;
}

/* Takes the next frame of a member for another member's port. */
static uint32_t next_of(struct lag *lag, uint32_t member, const struct port *by, uint8_t allowed,
                        time_ps now)
{
    struct port *port = &lag->members[member]->port;
    port->ready = ready_of(lag->members[member]);
    if ((port->ready & allowed) == 0)
        return POOL_NONE;
    port_set_choosing(port, true);
    const uint32_t handle = lag->source[member](port, allowed, now);
    port_set_choosing(port, port == by);
    return handle;
}

/* The source of a port that carries others. */
static uint32_t next_carried(struct port *port, uint8_t allowed, time_ps now)
{
    struct lag *lag = of_port(port)->lag;
    uint8_t *turn = &lag->turn[port->index];
    uint32_t handle = POOL_NONE;
    for (uint32_t i = 0; i < lag->count && handle == POOL_NONE; i++) {
        *turn = (uint8_t)((*turn + 1) % lag->count);
        if (lag->carrier[*turn] == port->index)
            handle = next_of(lag, *turn, port, allowed, now);
    }
    unsigned ready = 0;
    for (uint32_t i = 0; i < lag->count; i++)
        ready |= lag->carrier[i] == port->index ? ready_of(lag->members[i]) : 0u;
    port->ready = (uint8_t)ready;
    return handle;
}

void lag_serve(struct rnic *rnic, time_ps now)
{
    struct port *by = &rnic->lag->members[rnic->lag->carrier[rnic->port.index]]->port;
    by->ready |= rnic->port.ready;
    port_dequeue(by, now);
}

/* A carried port has a frame. */
static void later_carried(struct port *port)
{
    lag_serve(of_port(port), node_now(port->node));
}

static uint8_t carrier_of(const struct lag *lag, uint32_t member)
{
    const unsigned up = lag->cabled & ~(unsigned)lag->down;
    for (uint32_t i = 0; i < lag->count; i++) {
        const uint32_t at = (member + i) % lag->count;
        if ((up & 1u << at) != 0)
            return (uint8_t)at;
    }
    return (uint8_t)member;
}

static bool carries(const struct lag *lag, uint32_t member)
{
    for (uint32_t i = 0; i < lag->count; i++)
        if (i != member && lag->carrier[i] == member)
            return true;
    return false;
}

/* A port's own wire is free once its last frame is out; for a carried port that was long ago. */
static void update_wire(struct lag *lag, uint32_t member, time_ps now)
{
    const time_ps never_free = TIME_NEVER - 1;
    struct rnic *rnic = lag->members[member];
    const bool is_carried = lag->carrier[member] != member, does_carry = carries(lag, member);
    rnic->port.source = does_carry ? next_carried : lag->source[member];
    rnic->port.later = is_carried ? later_carried : lag->later[member];
    rnic->carry = is_carried || does_carry;
    rnic->arbitrates = lag->arbitrates[member] && !rnic->carry;
    if (is_carried)
        rnic->port.busy_until = never_free;
    else if (rnic->port.busy_until == never_free)
        rnic->port.busy_until = now;
    rnic->port.ready = ready_of(rnic);
}

void lag_set_down(struct lag *lag, uint32_t member, bool down, time_ps now)
{
    const uint8_t bit = (uint8_t)(1u << member);
    lag->down = (uint8_t)(down ? lag->down | bit : lag->down & ~bit);
    for (uint32_t i = 0; i < lag->count; i++)
        lag->carrier[i] = carrier_of(lag, i);
    for (uint32_t i = 0; i < lag->count; i++)
        update_wire(lag, i, now);
    for (uint32_t i = 0; i < lag->count; i++)
        port_dequeue(&lag->members[i]->port, now);
}

/* ------------------------------------------------------------------ creation */

void lag_form(struct lag *lag, struct rnic *const *rnics, uint32_t count, uint8_t cabled_ports)
{
    enum { ID_MEMBER_SHIFT = 24 }; /* above the bits of a connection's slot and generation */
    CHECK(count <= LAG_MEMBERS && cabled_ports != 0);
    *lag = (struct lag){.count = count, .cabled = cabled_ports};
    for (uint32_t i = 0; i < count; i++) {
        struct rnic *rnic = rnics[i];
        CHECK(rnic->port.index == i && rnic->soft == NULL && rnic->qps.used == 0);
        lag->members[i] = rnic;
        lag->carrier[i] = (uint8_t)i;
        lag->source[i] = rnic->port.source;
        lag->later[i] = rnic->port.later;
        lag->arbitrates[i] = rnic->arbitrates;
        rnic->lag = lag;
        rnic->endpoint = rnics[0]->endpoint;
        rnic->mrs = &rnics[0]->own_mrs;
        rnic->cm.id_base = rnics[0]->cm.id_base ^ i << ID_MEMBER_SHIFT;
    }
}
