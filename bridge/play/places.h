/* SPDX-License-Identifier: Apache-2.0
 * places - addresses of a scenario's hosts, and the hosts that this process runs.
 * `--peer ADDRESS` is the address of every target without its own, `--peer HOST=ADDRESS` that of
 * one target, each with `+` between the addresses of a host's NICs. `--as HOST` names hosts that
 * this process runs (no --as: all). Both may be repeated or have several values separated by
 * commas; hosts are named as in a scenario's `from` (ranges, wildcards).
 * Units: addresses in host byte order, 0: none.
 * Owner: places_free. Errors: located messages (file "--peer" or "--as") in diag, and false. */
#ifndef STORMGLASS_BRIDGE_PLAY_PLACES_H
#define STORMGLASS_BRIDGE_PLAY_PLACES_H

#include "scenarios/fabric/nics.h"

enum { PLACES_TEXTS_MAX = 64, PLACES_TEXT_BYTES = 4096 };

/* Texts from the command line. */
struct places_texts {
    const char *peers[PLACES_TEXTS_MAX], *as[PLACES_TEXTS_MAX];
    uint32_t peer_count, as_count;
};

/* The addresses of a host's NICs, NIC 0 first. */
struct places_nics {
    uint32_t ip[NICS_MAX];
    uint32_t count; /* 0: not given */
};

struct places {
    struct places_nics *nics; /* by node; count 0: uses `peer` */
    bool *here;               /* by node: this process runs it; NULL: all */
    struct places_nics peer;  /* for the other targets */
};

enum { PLACES_NICS_BYTES = NICS_MAX * sizeof "255.255.255.255" };

/* Reads "A" or "A+B+..": distinct IPv4 addresses other than 0.0.0.0. */
bool places_read_nics(const char *text, struct places_nics *nics);
void places_write_nics(const struct places_nics *nics, char text[PLACES_NICS_BYTES]);

/* The scenario is used only for its names. */
bool places_read(const struct places_texts *texts, struct scenario *scenario, struct places *places,
                 struct diag *diag);
void places_free(struct places *places);

#endif
