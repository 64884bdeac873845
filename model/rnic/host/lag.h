/* SPDX-License-Identifier: Apache-2.0
 * lag - link aggregation: the RNICs of a host as one device with one address.
 * All of them share address, memory regions and the connection manager's numbers; each has engines,
 * queue pairs and a port of its own.  A queue pair is made on one member, by whose port all that it
 * sends leaves: in turns, or by a hash that bonding has.  What comes in by any port finds its queue
 * pair.  A member whose link is known to be down has its frames carried by the next one that is
 * not, all that is left of the aggregate sharing that port frame by frame.
 * Source: IEEE 802.1AX-2020 6.2.4 (a conversation keeps to one link); Linux mlx5 core/lag (RoCE
 * LAG: queue affinity, hash, ports remapped when one fails); drivers/net/bonding bond_main.c
 * (xmit_hash_policy).  Not modelled: LACP itself, which takes no time.
 * Owner: the host.  Errors: none. */
#ifndef STORMGLASS_RNIC_HOST_LAG_H
#define STORMGLASS_RNIC_HOST_LAG_H

#include "rnic/host/rnic.h"

enum { LAG_MEMBERS = 8 };

struct lag {
    struct rnic *members[LAG_MEMBERS]; /* by the index of their port */
    uint32_t count;
    uint8_t cabled;               /* mask: those with a link */
    uint8_t down;                 /* mask: those whose link is known to be down */
    uint32_t made;                /* queue pairs so far: whose turn it is */
    uint8_t carrier[LAG_MEMBERS]; /* by member: the one by whose port its frames leave */
    uint8_t turn[LAG_MEMBERS];    /* by carrier: the member that it sent for last */
    /* by member: what it was before it carried or was carried */
    port_source *source[LAG_MEMBERS];
    port_later *later[LAG_MEMBERS];
    bool arbitrates[LAG_MEMBERS];
};

/* What a hash is made of. */
struct lag_flow {
    uint32_t source_ip, destination_ip;
    uint16_t source_port;
};

/* The RNICs, which have nothing yet, become members; the first has the address. */
void lag_form(struct lag *lag, struct rnic *const *rnics, uint32_t count, uint8_t cabled);

/* By which bonding tells flows apart; the member is what is left of it by their number. */
uint32_t lag_hash(enum rnic_lag policy, const struct lag_flow *flow);

/* The member for a new queue pair; the RNIC itself where it is no member. */
struct rnic *lag_choose(struct rnic *rnic, uint32_t peer_ip, uint32_t flow_label);

/* Where listeners, memory and numbers are. */
static inline struct rnic *lag_lead(struct rnic *rnic)
{
    return rnic->lag == NULL ? rnic : rnic->lag->members[0];
}

/* The member that has the queue pair; the RNIC itself where none has. */
struct rnic *lag_owner(struct rnic *rnic, uint32_t qpn);

/* The host knows that the member's link is down, or up again; between events. */
void lag_set_down(struct lag *lag, uint32_t member, bool down, time_ps now);

/* arbiter_serve of a member that carries, or is carried. */
void lag_serve(struct rnic *rnic, time_ps now);

#endif
