/* SPDX-License-Identifier: Apache-2.0
 * pcap - what Wireshark would have captured, from a run database of level packets. */
#ifndef STORMGLASS_REPORTS_WIRE_PCAP_H
#define STORMGLASS_REPORTS_WIRE_PCAP_H

#include "replay/database/store.h"

#include <stdbool.h>
#include <stdio.h>

enum { PCAP_WHY_BYTES = 256 };

struct pcap_options {
    const char *const *ports; /* "leaf0:p3"; none: all RNIC ports, outgoing frames only */
    uint32_t port_count;
    uint32_t snap; /* bytes kept per frame; 0: all */
};

/* Returns false with a message in `why` if the run has no frames or the port does not exist; false
 * with an empty `why` if the output could not be written. */
bool pcap_write(struct store *store, const struct pcap_options *options, FILE *out,
                char why[PCAP_WHY_BYTES]);

#endif
