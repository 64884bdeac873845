/* SPDX-License-Identifier: Apache-2.0
 * capture - the frames of a pcap or pcapng file.
 * The only place with libpcap.  A file may be anything: what it says of its lengths is believed as
 * far as it lies within the limits.  It may be packed by gzip (at most 1 GiB unpacked).  Frames of
 * `tcpdump -i any` (LINUX_SLL, LINUX_SLL2) and of raw IP get an Ethernet header.  A file that ends
 * within a frame, as that of a tcpdump that was killed, is read up to there, with a note.
 * Owner: who opens, closes.  Errors: a sentence that begins with the file's name. */
#ifndef STORMGLASS_REPORTS_WIRE_CAPTURE_H
#define STORMGLASS_REPORTS_WIRE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CAPTURE_WHY_BYTES = 512,
    CAPTURE_FRAME_MAX = 65535,    /* bytes kept of one frame; more is no Ethernet */
    CAPTURE_FRAMES_MAX = 4000000, /* a limit of ours: an hour of a busy laboratory */
};

struct capture_frame {
    uint64_t number; /* from 1, as Wireshark counts */
    uint64_t at_ns;  /* since 1970 */
    const uint8_t *bytes;
    size_t count;  /* kept in the file */
    size_t length; /* as it was on the wire */
};

struct capture;

/* NULL and why: it cannot be read, is no capture, or of a link that is not understood. */
struct capture *capture_open(const char *path, char why[CAPTURE_WHY_BYTES]);

/* Reads a capture from a stream that is open; closes it, also when it fails. */
struct capture *capture_of_stream(FILE *stream, const char *name, char why[CAPTURE_WHY_BYTES]);

/* The next frame, good until the next call.  False: the end; then `why` is empty, or says what is
 * wrong there. */
bool capture_next(struct capture *capture, struct capture_frame *frame,
                  char why[CAPTURE_WHY_BYTES]);

/* What is to be said of the whole file, or empty: it ends within a frame. */
const char *capture_note(const struct capture *capture);

void capture_close(struct capture *capture);

#endif
