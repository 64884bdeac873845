/* SPDX-License-Identifier: Apache-2.0
 * pcapng - writes a capture file block by block.
 * Source: draft-ietf-opsawg-pcapng: section header, interface description, enhanced packet; times
 * are in nanoseconds (if_tsresol 9). Little-endian on every machine, so the same run gives the same
 * file. */
#ifndef STORMGLASS_REPORTS_WIRE_PCAPNG_H
#define STORMGLASS_REPORTS_WIRE_PCAPNG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pcapng_packet {
    uint32_t interface;
    uint64_t at_ns;
    const uint8_t *bytes;
    size_t count;        /* bytes kept in the file */
    size_t length;       /* bytes on the wire */
    uint32_t flags;      /* epb_flags: PCAPNG_INBOUND .. */
    const char *comment; /* NULL: none */
};

enum { PCAPNG_INBOUND = 1, PCAPNG_OUTBOUND = 2, PCAPNG_CRC_ERROR = 1 << 24 };

/* Errors are those of the stream: ferror(out). */
void pcapng_begin(FILE *out, const char *application);
/* LINKTYPE_... of tcpdump.org. Wireshark has no dissector for LINKTYPE_INFINIBAND (247); it decodes
 * InfiniBand in the records of Endace cards (ERF). */
enum pcapng_link {
    PCAPNG_ETHERNET = 1,
    PCAPNG_ERF = 197,
    PCAPNG_FC = 225, /* LINKTYPE_FC_2_WITH_FRAME_DELIMS */
};

void pcapng_interface(FILE *out, const char *name, uint64_t speed_bps, enum pcapng_link link);
void pcapng_write(FILE *out, const struct pcapng_packet *packet);

#endif
