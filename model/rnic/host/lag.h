/* SPDX-License-Identifier: Apache-2.0
 * lag - link aggregation: the RNICs of a host as one device with one address.
 * All members share the address, memory regions and the connection manager's numbers; each has
 * engines, queue pairs and a port of its own. A queue pair is created on one member, selected
 * round-robin or by a bonding hash, and sends only by that member's port. Incoming packets find
 * their queue pair whatever port they arrive at. The frames of a member whose link is known to be
 * down are carried by the next member whose link is up, and all members on one port share it frame
 * by frame.
 * Source: IEEE 802.1AX-2020 6.2.4 (a conversation stays on one link); Linux mlx5 core/lag (RoCE
 * LAG: queue affinity, hash, ports remapped when one fails); drivers/net/bonding bond_main.c
 * (xmit_hash_policy). Not modeled: LACP itself, which takes no time. Owner: the host. Errors:
 * none. */
#ifndef STORMGLASS_RNIC_HOST_LAG_H
#define STORMGLASS_RNIC_HOST_LAG_H

#include "rnic/host/rnic.h"

enum { LAG_MEMBERS = 8 };

struct lag {
    struct rnic *members[LAG_MEMBERS]; /* indexed by port */
    uint32_t count;
    uint8_t cabled;               /* mask: members with a link */
    uint8_t down;                 /* mask: members whose link is known to be down */
    uint32_t made;                /* queue pairs created so far, for round-robin */
    uint8_t carrier[LAG_MEMBERS]; /* by member: port index of the member that sends its frames */
    uint8_t turn[LAG_MEMBERS];    /* by carrier: the member for which it sent last */
    /* by member: its port's functions before carrying */
    port_source *source[LAG_MEMBERS];
    port_later *later[LAG_MEMBERS];
    bool arbitrates[LAG_MEMBERS];
};

/* Input of the hash. */
struct lag_flow {
    uint32_t source_ip, destination_ip;
    uint16_t source_port;
};

/* Makes the RNICs, which must be unused, members of the aggregate; the first has the address. */
void lag_form(struct lag *lag, struct rnic *const *rnics, uint32_t count, uint8_t cabled);

/* The bonding hash of a flow; modulo the number of members it selects one. */
uint32_t lag_hash(enum rnic_lag policy, const struct lag_flow *flow);

/* The member for a new queue pair; the RNIC itself when it is not in an aggregate. Only flows of
 * RoCEv2 are hashed: a RoCE v1 queue pair keeps the member that it got round-robin (Linux
 * rdma_lag_get_ah_roce_slave). */
struct rnic *lag_choose(struct rnic *rnic, uint32_t peer_ip, uint32_t flow_label, bool is_v1);

/* The member with listeners, memory and numbers. */
static inline struct rnic *lag_lead(struct rnic *rnic)
{
    return rnic->lag == NULL ? rnic : rnic->lag->members[0];
}

/* The member with the queue pair; the RNIC itself when no member has it. */
struct rnic *lag_owner(struct rnic *rnic, uint32_t qpn);

/* The host detects that the member's link is down, or up again; between events. */
void lag_set_down(struct lag *lag, uint32_t member, bool down, time_ps now);

/* arbiter_serve for a member that carries or is carried. */
void lag_serve(struct rnic *rnic, time_ps now);

#endif
