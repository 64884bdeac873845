/* SPDX-License-Identifier: Apache-2.0
 * verbs_tcp - the part of the verbs table that carries agreements, on TCP.
 * Agreements (bridge/agree) are written for verbs: a request and an answer as private data of the
 * connection, then messages. Here each of these is a frame of a TCP connection:
 *   "sgag" | type, 1 B | 0 | length, 2 B little-endian | that many bytes
 *   REQ, first from the side that connects -> REP: accepted, or REJ: rejected; then MESSAGEs
 * A peer that sends anything else, or no REQ within 10 s, is disconnected. A message needs a posted
 * receive that has room, as with verbs. Sends complete without a completion. There is no RDMA.
 * The device is also the handle by which workloads name their NIC when they use TCP.
 * Owner: verbs_tcp_close, after all connections were destroyed. Clock: the loop.
 * Errors: as in verbs.h. A connection refused by the peer's kernel is REJECTED with status 8, as
 * for a service ID without a listener (IBTA Vol 1 12.6.7.2). */
#ifndef STORMGLASS_BRIDGE_STREAMS_VERBS_TCP_H
#define STORMGLASS_BRIDGE_STREAMS_VERBS_TCP_H

#include "bridge/streams/stream_real.h"
#include "rnic/verbs.h"

/* NULL: as stream_real_open. */
struct verbs_device *verbs_tcp_open(const struct stream_real_site *site);
void verbs_tcp_close(struct verbs_device *device);

/* Owned by the device. */
struct stream_device *verbs_tcp_streams(const struct verbs_device *device);

extern const struct verbs_ops verbs_tcp;

#endif
