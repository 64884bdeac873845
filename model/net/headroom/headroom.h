/* SPDX-License-Identifier: Apache-2.0
 * headroom - buffer space that a lossless class needs on a link for frames that arrive after a
 * pause.
 * Three results, all as named terms: the exact need for a stream of equal frames, a bound for every
 * mix of frame sizes (`headroom: auto` of a switch), and the figure of each published method.
 * Source: IEEE 802.1Q-2018 36 and annex N (the delays that count), IEEE 802.3 31B.3.7 (response);
 * the methods state their own. Units: bytes of L2 frame, bits per second, picoseconds, millimeters.
 * Errors: none. */
#ifndef STORMGLASS_NET_HEADROOM_HEADROOM_H
#define STORMGLASS_NET_HEADROOM_HEADROOM_H

#include "base/units.h"

#include <stdbool.h>

/* A link, seen from the end that has the headroom. */
struct headroom_link {
    int64_t rate;
    int64_t length;       /* millimeters, for methods that use the cable length */
    int64_t propagation;  /* one way, ps */
    int64_t mtu;          /* of this end: L2 bytes less 18; limits sent and received frames */
    int64_t peer_mtu;     /* of the other end: limits sent frames */
    int64_t lossless_mtu; /* of the lossless class, for methods that use it */
    int64_t response;     /* of the peer: last bit of the pause frame to its effect, ps */
    int64_t latency;      /* of this end: last bit of a frame to its arrival in memory, ps */
    int64_t cell;         /* allocation unit of the memory, bytes; 1: no rounding */
    int64_t smallest;     /* smallest frame of the class, L2 bytes */
    int64_t largest;
    int64_t dynamic;       /* nonzero: the threshold can fall below the occupancy between two
                            * frames */
    int64_t small_packets; /* small_packet_percentage of SONiC's method, ppm */
};

enum { HEADROOM_SMALLEST_FRAME = 66 }; /* a RoCEv2 acknowledgment: 62 and AETH 4 */

/* The largest frame of the class that both ends accept. */
int64_t headroom_largest(const struct headroom_link *link);

/* ------------------------------------------------------------------ terms */

enum { HEADROOM_TERMS_MAX = 12 };

struct headroom_term {
    const char *name;
    int64_t bytes;
};

struct headroom_sum {
    struct headroom_term terms[HEADROOM_TERMS_MAX];
    unsigned count;
    int64_t bytes;    /* sum of all terms */
    const char *note; /* remark about this term, or NULL */
    bool known;       /* false: the method does not cover such a link, and note says why */
};

void headroom_add(struct headroom_sum *sum, const char *name, int64_t bytes);

/* ------------------------------------------------------------------ this model */

/* Memory that a frame occupies: whole cells. */
int64_t headroom_charge(const struct headroom_link *link, int64_t frame);

/* Headroom in whole cells that suffices for every mix of frames between the smallest and the
 * largest, whenever the pause is decided. */
struct headroom_sum headroom_auto_terms(const struct headroom_link *link);
int64_t headroom_auto(const struct headroom_link *link);

/* Minimum headroom for a peer that sends back-to-back frames of one size: the maximum over all
 * phases of this end's own frames. Exact where a byte is a whole number of picoseconds (every
 * Ethernet rate). */
int64_t headroom_exact(const struct headroom_link *link, int64_t frame);

/* What a peer actually sends: frames of some sizes without limit, and a number of small ones in
 * between. */
struct headroom_frames {
    const int64_t *sizes; /* L2 bytes */
    unsigned count;       /* 0: small frames only */
    int64_t small, smalls;
};

/* Headroom that suffices for one of the sizes at a time, with the small frames where they take the
 * most memory. */
int64_t headroom_for(const struct headroom_link *link, const struct headroom_frames *frames);

/* ------------------------------------------------------------------ published methods */

struct headroom_method {
    const char *name, *about, *source;
    void (*compute)(const struct headroom_link *link, struct headroom_sum *sum);
};

extern const struct headroom_method headroom_methods[]; /* ends with a row whose name is NULL */

struct headroom_sum headroom_by(const struct headroom_method *method,
                                const struct headroom_link *link);

/* Linux mlx5's formula in its own units: Mb/s, meters, netdev MTU. */
int64_t headroom_mlx5(int64_t mbps, int64_t meters, int64_t mtu);

/* The maximum reaction time to a PAUSE, in quanta of 512 bit times; 0: undefined for the rate. From
 * IEEE 802.3 31B.3.7, and from SONiC's table, which differs at 10 Gb/s. */
int64_t headroom_ieee_quanta(int64_t rate);
int64_t headroom_sonic_quanta(int64_t rate);

/* Duration of `quanta` pause quanta at the rate. */
time_ps headroom_quanta_ps(int64_t quanta, int64_t rate);

#endif
