/* SPDX-License-Identifier: Apache-2.0
 * places - which hosts of a scenario are where, and which of them this process plays.
 * `--peer ADDRESS` is where every target is that has no place of its own, `--peer HOST=ADDRESS`
 * that of one, each with a `+` between the addresses of a host's NICs; `--as HOST` names those
 * that are played here (no --as: all).  Both may be given often, and several in one, with commas;
 * hosts are named as in a scenario's `from` (ranges, wildcards).
 * Units: addresses in host byte order, 0: none.
 * Owner: places_free.  Errors: located messages (file "--peer" or "--as") in diag, and false. */
#ifndef STORMGLASS_BRIDGE_PLAY_PLACES_H
#define STORMGLASS_BRIDGE_PLAY_PLACES_H

#include "scenarios/fabric/nics.h"

enum { PLACES_TEXTS_MAX = 64, PLACES_TEXT_BYTES = 4096 };

/* What the command line says. */
struct places_texts {
    const char *peers[PLACES_TEXTS_MAX], *as[PLACES_TEXTS_MAX];
    uint32_t peer_count, as_count;
};

/* The addresses of a host's NICs, NIC 0 first. */
struct places_nics {
    uint32_t ip[NICS_MAX];
    uint32_t count; /* 0: none was given */
};

struct places {
    struct places_nics *nics; /* by node; none: no place of its own */
    bool *here;               /* by node; NULL: all */
    struct places_nics peer;  /* of the others */
};

enum { PLACES_NICS_BYTES = NICS_MAX * sizeof "255.255.255.255" };

/* "A", or "A+B+..": different IPv4 addresses other than 0.0.0.0. */
bool places_read_nics(const char *text, struct places_nics *nics);
void places_write_nics(const struct places_nics *nics, char text[PLACES_NICS_BYTES]);

/* The scenario only lends its names. */
bool places_read(const struct places_texts *texts, struct scenario *scenario, struct places *places,
                 struct diag *diag);
void places_free(struct places *places);

#endif
