/* SPDX-License-Identifier: Apache-2.0
 * live_capture - the bytes of NVMe/TCP connections as a capture (pcapng).
 * Each piece that a connection sends or receives becomes a frame with headers that a segment of
 * these bytes would have. These are not the segments on the wire, which only the kernel has, but
 * the same streams: PDUs, their order and their bytes. A connection within this process appears
 * once. */
#include "bridge/run/live_private.h"

#include "base/big_endian.h"

#include "reports/wire/pcapng.h"
#include "reports/wire/wire.h"

#include <string.h>
#include <time.h>

enum {
    TCP_HEADER = 20,
    OVERHEAD = 14 + 20 + TCP_HEADER + 4, /* Ethernet with FCS, IPv4, TCP */
    SMALLEST = 60 + 4,
    PIECE_MAX = WIRE_BYTES_MAX - OVERHEAD,
    SYN = 2,
    PSH = 8,
    ACK = 16
};

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Source: RFC 9293 3.1. Sequence numbers begin with the SYN's 0. */
static void write_segment(FILE *out, const struct stream_real_seen *seen, unsigned flags,
                          const unsigned char *bytes, uint32_t length, const uint64_t next[2])
{
    static unsigned char head[TCP_HEADER + PIECE_MAX];
    static uint8_t frame_bytes[WIRE_BYTES_MAX];
    memset(head, 0, TCP_HEADER);
    big_put(head, 2, seen->port[0]);
    big_put(head + 2, 2, seen->port[1]);
    big_put(head + 4, 4, next[0]);
    big_put(head + 8, 4, (flags & ACK) != 0 ? next[1] : 0);
    head[12] = TCP_HEADER / 4 << 4;
    head[13] = (unsigned char)flags;
    big_put(head + 14, 2, UINT16_MAX);
    if (length > 0)
        memcpy(head + TCP_HEADER, bytes, length);
    struct wire_frame frame = {.opcode = WIRE_TCP,
                               .ttl = 64,
                               .source_ip = seen->ip[0],
                               .destination_ip = seen->ip[1],
                               .payload = (uint16_t)length,
                               .head = head,
                               .head_bytes = TCP_HEADER + length};
    frame.bytes = (uint16_t)(OVERHEAD + length < SMALLEST ? SMALLEST : OVERHEAD + length);
    const size_t count = wire_bytes(&frame, frame_bytes);
    const struct pcapng_packet packet = {
        .at_ns = wall_ns(), .bytes = frame_bytes, .count = count, .length = count};
    pcapng_write(out, &packet);
}

static void write_handshake(FILE *out, const struct stream_real_seen *seen)
{
    const struct stream_real_seen back = {.ip = {seen->ip[1], seen->ip[0]},
                                          .port = {seen->port[1], seen->port[0]}};
    write_segment(out, seen, SYN, NULL, 0, (const uint64_t[]){0, 0});
    write_segment(out, &back, SYN | ACK, NULL, 0, (const uint64_t[]){0, 1});
    write_segment(out, seen, ACK, NULL, 0, (const uint64_t[]){1, 1});
}

void live_capture_begin(const struct live_run *run)
{
    if (run->options.capture == NULL)
        return;
    pcapng_begin(run->options.capture, "stormglass-bridge");
    pcapng_interface(run->options.capture, "sockets", 0, PCAPNG_ETHERNET);
}

/* A connection within this process has two ends here; the one that connected is written. */
static bool is_seen_twice(const struct live_run *run, const struct stream_real_seen *seen)
{
    const uint32_t peer = seen->port[0] == NVME_TCP_PORT ? seen->ip[1] : seen->ip[0];
    return seen->accepted && run->options.role == LIVE_BOTH && live_device_at(run, peer) != NULL;
}

void live_capture_take(void *self, const struct stream_real_seen *seen)
{
    const struct live_run *run = self;
    FILE *out = run->options.capture;
    const bool nvme = seen->port[0] == NVME_TCP_PORT || seen->port[1] == NVME_TCP_PORT;
    if (out == NULL || !nvme || is_seen_twice(run, seen))
        return;
    if (seen->bytes == NULL) {
        write_handshake(out, seen);
        return;
    }
    for (uint32_t at = 0; at < seen->length; at += PIECE_MAX) {
        const uint32_t left = seen->length - at;
        const uint64_t next[2] = {1 + seen->sent[0] + at, 1 + seen->sent[1]};
        write_segment(out, seen, PSH | ACK, seen->bytes + at, left < PIECE_MAX ? left : PIECE_MAX,
                      next);
    }
}
