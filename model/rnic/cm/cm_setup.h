/* SPDX-License-Identifier: Apache-2.0
 * cm_setup - the time it takes to create and destroy queue pairs and connections.
 *   active    resolve (each its own)  CREATE, INIT      REQ ... REP   RTR, RTS      RTU
 *   passive                                             REQ           CREATE, INIT, RTR, RTS   REP
 * CREATE, the three state changes and DESTROY are commands of the device, which executes
 * `command-slots` of them concurrently in the order of the requests. The commands of one step use
 * the same slot. The first connection of an RNIC additionally waits for `context-cost`. An address
 * resolves when the fabric has a path to the peer and back. Otherwise (the peer's machine is off, a
 * cable is unplugged, a switch has no route) ARP requests stay unanswered, and the attempt fails
 * after `address-timeout`, or after `cm-timeout` x (`cm-retries` + 1) if that is shorter. ARP
 * frames are not simulated, and addresses are not cached: a stale entry of Linux's neighbor table
 * would let the attempt proceed to the REQ.
 * Owner: the RNIC. Clock: now is passed in. With all costs 0 nothing waits. Source: Wei et al.,
 * KRCORE, USENIX ATC 2022 (components of a first connection); Linux cma.c (rdma_resolve_addr,
 * rdma_resolve_route, cma_modify_qp_rtr, cma_modify_qp_rts); addr.c (process_one_req);
 * net/ipv4/arp.c (mcast_solicit 3, retrans_time 1 s). */
#ifndef STORMGLASS_RNIC_CM_CM_SETUP_H
#define STORMGLASS_RNIC_CM_CM_SETUP_H

#include "rnic/host/rnic.h"

enum { CM_ADDRESS_PROBES = 3 };

/* Time between ARP requests. */
time_ps cm_setup_probe_interval(const struct rnic_params *params);

/* When to check the peer's address again; `now`: resolved; TIME_NEVER: timed out. */
time_ps cm_setup_address(struct verbs_conn *conn, time_ps now);

/* Reports the timeout of an attempt: of address resolution, or of its REQ. */
void cm_setup_note_timeout(const struct verbs_conn *conn, bool address);

/* Each returns when the step ends; `now`: at once. */
time_ps cm_setup_resolved(struct rnic *rnic, time_ps now);
time_ps cm_setup_created(struct rnic *rnic, time_ps now);
time_ps cm_setup_connected(struct rnic *rnic, time_ps now);
time_ps cm_setup_accepted(struct rnic *rnic, time_ps now); /* created and connected */
void cm_setup_destroyed(struct rnic *rnic, time_ps now);

#endif
