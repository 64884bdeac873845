/* SPDX-License-Identifier: Apache-2.0
 * cm_setup - what it costs to make and destroy queue pairs and connections.
 *
 *   active    resolve (each its own)  CREATE, INIT      REQ ... REP   RTR, RTS      RTU
 *   passive                                             REQ           CREATE, INIT, RTR, RTS   REP
 *
 * CREATE, the three changes of state and DESTROY are commands of the device, which executes
 * `command-slots` at a time in the order in which they are asked for.  What one step asks for stays
 * in one slot.  The first connection that an RNIC asks for waits for `context-cost` too.
 * An address resolves where the fabric has a way to the peer and back.  Where it has none - the
 * peer's machine is off, a cable is out, no switch has a route - ARP requests stay unanswered, and
 * the attempt fails after `address-timeout`, or `cm-timeout` x (`cm-retries` + 1) if shorter.
 * No frames of ARP are simulated, and no address is remembered: an entry of Linux's neighbor table
 * that is merely stale would let the attempt go on to the REQ.
 * Owner: the RNIC.  Clock: now is passed in.  With all costs 0 nothing waits.
 * Source: Wei et al., KRCORE, USENIX ATC 2022 (what a first connection is made of); Linux cma.c
 * (rdma_resolve_addr, rdma_resolve_route, cma_modify_qp_rtr, cma_modify_qp_rts); addr.c
 * (process_one_req); net/ipv4/arp.c (mcast_solicit 3, retrans_time 1 s). */
#ifndef STORMGLASS_RNIC_CM_CM_SETUP_H
#define STORMGLASS_RNIC_CM_CM_SETUP_H

#include "rnic/host/rnic.h"

enum { CM_ADDRESS_PROBES = 3 };

/* From one ARP request to the next. */
time_ps cm_setup_probe_interval(const struct rnic_params *params);

/* When the address of the peer is looked for again; `now`: it is resolved; TIME_NEVER: it was not
 * in time. */
time_ps cm_setup_address(struct verbs_conn *conn, time_ps now);

/* What an attempt waited for in vain: the address, or an answer to its REQ. */
void cm_setup_note_timeout(const struct verbs_conn *conn, bool address);

/* Each returns when it is done; `now`: at once. */
time_ps cm_setup_resolved(struct rnic *rnic, time_ps now);
time_ps cm_setup_created(struct rnic *rnic, time_ps now);
time_ps cm_setup_connected(struct rnic *rnic, time_ps now);
time_ps cm_setup_accepted(struct rnic *rnic, time_ps now); /* created and connected */
void cm_setup_destroyed(struct rnic *rnic, time_ps now);

#endif
