/* SPDX-License-Identifier: Apache-2.0
 * io_frames - the frames of one command, hop by hop, from a run recorded with packets.
 * The command capsule is identified by its bytes (command identifier and first block), the response
 * by its command identifier, and data by the key of the command's SGL. Their PSNs identify the rest
 * of their messages, responses to RDMA READs, and acknowledgments. Of NVMe/TCP, the PDUs of the
 * command are ranges of the two streams, and identify their segments and acknowledgments. An ACK
 * that acknowledges a later packet of the same connection is not included.
 * Times in ps since the start of the run. Owner: io_frames_free. */
#ifndef STORMGLASS_REPORTS_WIRE_IO_FRAMES_H
#define STORMGLASS_REPORTS_WIRE_IO_FRAMES_H

#include "replay/database/store.h"

#include <stdbool.h>
#include <stdint.h>

enum { IO_LANES_MAX = 24, IO_HOPS_MAX = 600, IO_NAME_BYTES = 64, IO_WHY_BYTES = 256 };

/* Times at the two ends; 0: did not happen. */
enum io_moment {
    IO_ISSUED,
    IO_POSTED,
    IO_CAPSULE,
    IO_FETCH,
    IO_FETCHED,
    IO_MEDIA,
    IO_MEDIA_BEGUN,
    IO_MEDIA_DONE,
    IO_RESPONSE_SENT,
    IO_RESPONSE,
    IO_COMPLETED,
    IO_MOMENTS
};

struct io_hop {
    int64_t at_ps, arrives_ps;
    uint32_t from, to;       /* indices of lanes */
    int64_t number;          /* PSN; of TCP, the sequence number, or what an ACK acknowledges */
    const char *number_name; /* "PSN", "seq", "ack" */
    int64_t bytes, payload;  /* bytes: size of the frame; payload: size of its payload */
    char opcode[40];         /* "SEND ONLY", "NAK"; of TCP, the PDUs that begin in it */
    bool first;              /* first hop of the frame */
    bool again, lost;
};

struct io_frames {
    char workload[IO_NAME_BYTES], operation[16];
    int64_t bytes, lba;
    int64_t moments[IO_MOMENTS];
    char lanes[IO_LANES_MAX][IO_NAME_BYTES]; /* host, switches, target */
    int64_t nodes[IO_LANES_MAX];
    uint32_t lane_count;
    struct io_hop *hops; /* by time */
    uint32_t hop_count;
    uint32_t left_out; /* omitted hops of the middle of long messages */
};

/* Returns NULL and the reason if the frames cannot be identified. */
struct io_frames *io_frames_read(struct store *store, int64_t io, char why[IO_WHY_BYTES]);
void io_frames_free(struct io_frames *frames);

#endif
