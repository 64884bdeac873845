/* SPDX-License-Identifier: Apache-2.0
 * tcp_kernel - an exchange between two sockets of this machine's kernel, which loses one segment.
 * A process in a network namespace of its own has both sockets and the wire between them, a TUN
 * device: it reads each packet, swaps the addresses and writes the packet back after a delay,
 * except the segment that is lost; it may also hold all packets for a while.  No privilege is
 * needed where users may create namespaces. */
#ifndef STORMGLASS_TESTS_TCP_KERNEL_H
#define STORMGLASS_TESTS_TCP_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TCP_LOST_NONE = -2, TCP_LOST_SYN = -1 };

/* A message.  Its receiver sends the next one when it has all bytes, unless the next one has the
 * same sender. */
struct kernel_message {
    int sender; /* 0: the side that connects */
    uint32_t bytes;
};

struct tcp_setting {
    const char *name, *value; /* below /proc/sys/net/ipv4 */
};

struct tcp_exchange {
    const struct kernel_message *messages;
    size_t count;
    const struct tcp_setting *settings; /* the last one has no name */
    int64_t delay_us;                   /* one way */
    /* The first segment of that sender with that byte of its stream is lost.  The byte behind the
     * last one is the FIN. */
    int lost_sender;
    int64_t lost_byte;
    /* The wire holds all segments for that time, from the first one of side 0 with data on.
     * 0: none. */
    int64_t hold_us;
};

struct tcp_outcome {
    uint64_t timeouts, probes, recoveries, retransmitted; /* of both sides */
    uint64_t spurious, undone;                            /* timeouts: by F-RTO; by any means */
    /* AE, CWR and ECE of the first three packets, three bits each. */
    uint32_t handshake;
    int64_t us; /* until the side that connects has read the FIN; -1: never */
};

/* False: this user may have no namespace or no TUN device.  Changes the namespace of the calling
 * process. */
bool tcp_kernel_run(const struct tcp_exchange *exchange, struct tcp_outcome *outcome);

#endif
