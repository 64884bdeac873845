/* SPDX-License-Identifier: Apache-2.0
 * wl_tcp - messages over raw TCP connections.
 * An instance opens `connections` to the sink of the other host and keeps `outstanding` messages
 * in each, or issues at a rate. A message is a header of 16 bytes and bulk data; the sink answers
 * it with response-size bytes of bulk data, and the message is complete when all of them have
 * arrived. Small responses make it a bulk transfer, small messages with large responses a read:
 * several targets that answer one host at once are an incast.
 * Header, big-endian: version 4, message bytes 4 (with the header), response bytes 4, zero 4.
 * Owner: the caller of create. Errors: a connection that fails is given up; its messages count as
 * failed. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_TCP_WL_TCP_H
#define STORMGLASS_SCENARIOS_WORKLOAD_TCP_WL_TCP_H

#include "scenarios/workload/workload.h"
#include "tcp/stream.h"

enum {
    WL_TCP_VERSION = 1,
    WL_TCP_HEADER = 16,
    WL_TCP_MESSAGE_MAX = 1 << 30,
    WL_TCP_PORT = 5201, /* the port of iperf3 */
};

struct wl_tcp_params {
    int64_t message_size, response_size;
    int64_t outstanding; /* messages of each connection */
    int64_t count;       /* messages of each instance; 0: until stop */
    int64_t connections;
    int64_t rate;    /* thousandths of messages per second of each instance; 0: closed loop */
    int64_t arrival; /* enum wl_pace_arrival */
};

extern const struct opt wl_tcp_opts[];

struct wl_tcp_header {
    uint32_t message, response; /* bytes */
};

void wl_tcp_encode(const struct wl_tcp_header *header, unsigned char bytes[WL_TCP_HEADER]);
bool wl_tcp_decode(const unsigned char bytes[WL_TCP_HEADER], struct wl_tcp_header *header);

#endif
