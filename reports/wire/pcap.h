/* SPDX-License-Identifier: Apache-2.0
 * pcap - what Wireshark would have seen, from a run database of level packets. */
#ifndef STORMGLASS_REPORTS_WIRE_PCAP_H
#define STORMGLASS_REPORTS_WIRE_PCAP_H

#include "replay/database/store.h"

#include <stdbool.h>
#include <stdio.h>

enum { PCAP_WHY_BYTES = 256 };

struct pcap_options {
    const char *const *ports; /* "leaf0:p3"; none: each RNIC's, and only what leaves by it */
    uint32_t port_count;
    uint32_t snap; /* bytes kept of a frame; 0: all */
};

/* False and a sentence in `why`: the run has no frames, or there is no such port.  False and none:
 * the output could not be written. */
bool pcap_write(struct store *store, const struct pcap_options *options, FILE *out,
                char why[PCAP_WHY_BYTES]);

#endif
