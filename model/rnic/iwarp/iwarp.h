/* SPDX-License-Identifier: Apache-2.0
 * iwarp - RDMA over TCP: the verbs of RFC 5040 on byte streams.
 * A queue pair is one TCP connection. MPA frames records in the stream, DDP places their data,
 * RDMAP gives them operations:
 *   SEND, SEND_WITH_INV   untagged message into the next receive
 *   RDMA WRITE            tagged message into a region, by STag (rkey) and address
 *   RDMA READ             untagged request; tagged response into the sink
 *   an error              Terminate, and the end of the connection
 * A message is cut so that each FPDU fits into one segment. A send request completes when its last
 * byte is in the send buffer, a READ with its response; requests complete in order. Lost segments
 * are TCP's business: no packet sequence numbers, no NAKs, no retries of the RNIC.
 * The port of a listener is that of the protocol plus one: NVMe/TCP has the same port number, and
 * the Linux port mapper (iwpmd) gives iWARP another one.
 * Not modeled: markers, immediate data, atomics, peer-to-peer start (RTR), flushes of requests when
 * a connection fails, except of shared receives.
 * Source: RFC 5040, 5041, 5044, 6581; drivers/infiniband/sw/siw of Linux 6.1. */
#ifndef STORMGLASS_RNIC_IWARP_IWARP_H
#define STORMGLASS_RNIC_IWARP_IWARP_H

#include "base/env.h"
#include "rnic/verbs.h"
#include "tcp/stream.h"

struct iwarp_params {
    int64_t crc;   /* bool: FPDUs have a CRC32C if one of both sides needs it */
    int64_t reads; /* RDMA READs outstanding per connection, served and issued */
};

struct iwarp_site {
    const struct env *env;
    const struct stream_ops *streams;
    struct stream_device *stream;
};

enum { IWARP_PORT_OFFSET = 1 };

/* Owned by the user of the verbs, who releases it (verbs_ops.release). */
struct verbs_device *iwarp_open(const struct iwarp_site *site, const struct iwarp_params *params);

extern const struct verbs_ops iwarp_verbs;

#endif
