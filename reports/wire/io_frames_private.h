/* SPDX-License-Identifier: Apache-2.0
 * io_frames_private - shared by the files of io_frames.
 *   io_frames.c      the command, the lanes and hops, and frames of RoCE
 *   io_frames_tcp.c  segments of NVMe/TCP */
#ifndef STORMGLASS_REPORTS_WIRE_IO_FRAMES_PRIVATE_H
#define STORMGLASS_REPORTS_WIRE_IO_FRAMES_PRIVATE_H

#include "reports/wire/io_frames.h"

/* Offsets of the command identifier, key and first block in an SQE, and of the identifier in a
 * CQE. */
enum { SQE_CID = 2, SQE_KEY = 35, SQE_TYPE = 39, SQE_LBA = 40, CQE_CID = 12, KEYED = 4 };
enum { MIDDLES_KEPT = 2, WORDS_BYTES = 40, IO_RANGES_MAX = 64 };

/* Requests that one end sent for the command: PSNs from first to last; of TCP, the bytes of a PDU
 * from first to before last. */
struct io_range {
    int64_t first, last;
    const char *name; /* of a PDU */
};

struct io_search;

/* How the frames of a transport are found. */
struct io_protocol {
    const char *opcodes; /* pattern of SQL's LIKE, with \ before a character that is meant */
    bool (*find)(struct io_search *); /* false: the command and its response are not there */
    bool (*belongs)(const struct io_search *, struct store_statement *row, bool from_host);
    bool (*is_middle)(const struct io_search *, struct store_statement *row, bool from_host);
    /* The number by which readers know the frame, and its name. */
    int64_t (*number)(struct store_statement *row, const char **name);
    void (*words)(const struct io_search *, struct store_statement *row, bool from_host,
                  char words[WORDS_BYTES]);
};

struct io_search {
    struct store *store;
    struct io_frames *frames;
    const struct io_protocol *protocol;
    int64_t host, target;       /* endpoints */
    int64_t host_qp, target_qp; /* destination QPs of frames to the host, to the target */
    int64_t cid, lba, key;
    int64_t begin_ps, end_ps;
    struct io_range asked[2][IO_RANGES_MAX]; /* requests by the host, by the target */
    uint32_t asked_count[2];
    int64_t response_psn;
    bool hidden; /* TLS records hide the PDUs */
};

extern const struct io_protocol io_frames_tcp;

/* Limits a time, size or number from an untrusted database, so that sums of a few stay in range. */
int64_t io_number(const struct store_statement *row, const char *column);
uint64_t io_little(const unsigned char *bytes, int count);

#endif
