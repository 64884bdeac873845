/* SPDX-License-Identifier: Apache-2.0
 * host_addresses - addresses of a scenario's hosts, and the hosts that this process runs.
 * `--peer ADDRESS` is the address of every target without its own, `--peer HOST=ADDRESS` that of
 * one target, each with `+` between the addresses of a host's NICs. `--as HOST` names hosts that
 * this process runs (no --as: all). Both may be repeated or have several values separated by
 * commas; hosts are named as in a scenario's `from` (ranges, wildcards).
 * Units: addresses in host byte order, 0: none.
 * Owner: host_addresses_free. Errors: located messages (file "--peer" or "--as") in diag, and
 * false. */
#ifndef STORMGLASS_BRIDGE_RUN_HOST_ADDRESSES_H
#define STORMGLASS_BRIDGE_RUN_HOST_ADDRESSES_H

#include "scenarios/fabric/nics.h"

enum { HOST_ADDRESSES_TEXTS_MAX = 64, HOST_ADDRESSES_TEXT_BYTES = 4096 };

/* Texts from the command line. */
struct host_addresses_texts {
    const char *peers[HOST_ADDRESSES_TEXTS_MAX], *as[HOST_ADDRESSES_TEXTS_MAX];
    uint32_t peer_count, as_count;
};

/* The addresses of a host's NICs, NIC 0 first. */
struct nic_addresses {
    uint32_t ip[NICS_MAX];
    uint32_t count; /* 0: not given */
};

struct host_addresses {
    struct nic_addresses *nics; /* by node; count 0: uses `peer` */
    bool *here;                 /* by node: this process runs it; NULL: all */
    struct nic_addresses peer;  /* for the other targets */
};

enum { NIC_ADDRESSES_BYTES = NICS_MAX * sizeof "255.255.255.255" };

/* Reads "A" or "A+B+..": distinct IPv4 addresses other than 0.0.0.0. */
bool nic_addresses_read(const char *text, struct nic_addresses *nics);
void nic_addresses_write(const struct nic_addresses *nics, char text[NIC_ADDRESSES_BYTES]);

/* The scenario is used only for its names. */
bool host_addresses_read(const struct host_addresses_texts *texts, struct scenario *scenario,
                         struct host_addresses *addresses, struct diag *diag);
void host_addresses_free(struct host_addresses *addresses);

#endif
