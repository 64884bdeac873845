/* SPDX-License-Identifier: Apache-2.0
 * capture - the frames of a pcap or pcapng file.
 * The only file that includes libpcap. Files are untrusted: lengths are accepted within limits. A
 * file may be compressed with gzip (at most 1 GiB uncompressed). Frames of `tcpdump -i any`
 * (LINUX_SLL, LINUX_SLL2) and raw IP get an Ethernet header. A file that ends within a frame, for
 * instance of a killed tcpdump, is read up to there, with a note.
 * Owner: the caller of capture_open closes it. Errors: messages that begin with the file's name. */
#ifndef STORMGLASS_REPORTS_WIRE_CAPTURE_H
#define STORMGLASS_REPORTS_WIRE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CAPTURE_WHY_BYTES = 512,
    CAPTURE_FRAME_MAX = 65535,    /* bytes kept of a frame; larger ones are not Ethernet */
    CAPTURE_FRAMES_MAX = 4000000, /* arbitrary limit: an hour of a busy laboratory */
};

struct capture_frame {
    uint64_t number; /* counted from 1, as in Wireshark */
    uint64_t at_ns;  /* since 1970 */
    const uint8_t *bytes;
    size_t count;  /* bytes kept in the file */
    size_t length; /* bytes on the wire */
};

struct capture;

/* Returns NULL and the reason if the file cannot be read, is not a capture, or has an unsupported
 * link type. */
struct capture *capture_open(const char *path, char why[CAPTURE_WHY_BYTES]);

/* Reads a capture from an open stream; closes the stream, even on failure. */
struct capture *capture_of_stream(FILE *stream, const char *name, char why[CAPTURE_WHY_BYTES]);

/* Reads the next frame, valid until the next call. Returns false at the end; `why` is then empty or
 * describes an error there. */
bool capture_next(struct capture *capture, struct capture_frame *frame,
                  char why[CAPTURE_WHY_BYTES]);

/* A note on the whole file if it ends within a frame, otherwise empty. */
const char *capture_note(const struct capture *capture);

void capture_close(struct capture *capture);

#endif
