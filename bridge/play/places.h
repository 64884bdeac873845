/* SPDX-License-Identifier: Apache-2.0
 * places - which hosts of a scenario are where, and which of them this process plays.
 * `--peer ADDRESS` is where every target is that has no place of its own, `--peer HOST=ADDRESS`
 * that of one; `--as HOST` names those that are played here (no --as: all).  Both may be given
 * often, and several in one, with commas; hosts are named as in a scenario's `from` (ranges,
 * wildcards).
 * Units: addresses in host byte order, 0: none.
 * Owner: places_free.  Errors: located messages (file "--peer" or "--as") in diag, and false. */
#ifndef STORMGLASS_BRIDGE_PLAY_PLACES_H
#define STORMGLASS_BRIDGE_PLAY_PLACES_H

#include "scenarios/load/scenario.h"

enum { PLACES_TEXTS_MAX = 64, PLACES_TEXT_BYTES = 4096 };

/* What the command line says. */
struct places_texts {
    const char *peers[PLACES_TEXTS_MAX], *as[PLACES_TEXTS_MAX];
    uint32_t peer_count, as_count;
};

struct places {
    uint32_t *ips; /* by node; 0: no place of its own */
    bool *here;    /* by node; NULL: all */
    uint32_t peer; /* of the others; 0: not given */
};

/* An IPv4 address other than 0.0.0.0. */
bool places_read_address(const char *text, uint32_t *ip);

/* The scenario only lends its names. */
bool places_read(const struct places_texts *texts, struct scenario *scenario, struct places *places,
                 struct diag *diag);
void places_free(struct places *places);

#endif
