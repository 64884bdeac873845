/* SPDX-License-Identifier: Apache-2.0
 * headroom - what a lossless class must keep free on a link for what still arrives after a pause.
 * Three answers: the exact need of a stream of equal frames, a bound for every mix of frame sizes
 * (`headroom: auto` of a switch), and what each published method says, all as named terms.
 * Source:  IEEE 802.1Q-2018 36 and annex N (the delays that count), IEEE 802.3 31B.3.7 (response);
 *          the methods name their own.
 * Units:   bytes of L2 frame, bits per second, picoseconds, millimetres.  Errors: none. */
#ifndef STORMGLASS_NET_HEADROOM_HEADROOM_H
#define STORMGLASS_NET_HEADROOM_HEADROOM_H

#include "base/units.h"

#include <stdbool.h>

/* A link as the end sees it whose memory the headroom is in. */
struct headroom_link {
    int64_t rate;
    int64_t length;      /* what methods ask that reckon by the metre */
    int64_t propagation; /* one way */
    int64_t mtu;         /* of this end: L2 bytes less 18; bounds what it sends and what it takes */
    int64_t peer_mtu;    /* of the other end: bounds what it sends */
    int64_t lossless_mtu; /* of the lossless class, for the methods that ask for it */
    int64_t response;     /* of the peer: from the pause frame's last bit to its effect */
    int64_t latency;      /* of this end: from a frame's last bit to the memory */
    int64_t cell;         /* bytes of memory that are given out together; 1: none are wasted */
    int64_t smallest;     /* frame of the class, in L2 bytes */
    int64_t largest;
    int64_t dynamic;       /* the threshold may sink below what is held, between two frames */
    int64_t small_packets; /* ppm, for SONiC's method: its small_packet_percentage */
};

enum { HEADROOM_SMALLEST_FRAME = 66 }; /* a RoCEv2 acknowledgement: 62 and AETH 4 */

/* The largest frame of the class that both ends let pass. */
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
    int64_t bytes;    /* of all terms */
    const char *note; /* what is special about it here, or NULL */
    bool known;       /* false: the method says nothing about such a link, and note says why */
};

void headroom_add(struct headroom_sum *sum, const char *name, int64_t bytes);

/* ------------------------------------------------------------------ this model's own */

/* Memory that a frame takes: whole cells. */
int64_t headroom_charge(const struct headroom_link *link, int64_t frame);

/* Enough for every mix of frames between the smallest and the largest, whenever the pause is
 * decided, in whole cells. */
struct headroom_sum headroom_auto_terms(const struct headroom_link *link);
int64_t headroom_auto(const struct headroom_link *link);

/* Just enough for a peer that sends frames of one size without a gap: the most that any phase of
 * this end's own frames needs.  Exact where a byte is a whole number of picoseconds (every Ethernet
 * rate). */
int64_t headroom_exact(const struct headroom_link *link, int64_t frame);

/* What a peer really sends: frames of some sizes without end, and so many small ones between. */
struct headroom_frames {
    const int64_t *sizes; /* L2 bytes */
    unsigned count;       /* 0: small ones only */
    int64_t small, smalls;
};

/* Enough for one of the sizes at a time, with the small frames where they take the most memory. */
int64_t headroom_for(const struct headroom_link *link, const struct headroom_frames *frames);

/* ------------------------------------------------------------------ published methods */

struct headroom_method {
    const char *name, *about, *source;
    void (*compute)(const struct headroom_link *link, struct headroom_sum *sum);
};

extern const struct headroom_method headroom_methods[]; /* a name of NULL ends it */

struct headroom_sum headroom_by(const struct headroom_method *method,
                                const struct headroom_link *link);

/* Linux mlx5's formula in its own units: Mb/s, metres, netdev MTU. */
int64_t headroom_mlx5(int64_t mbps, int64_t metres, int64_t mtu);

/* The longest that a PAUSE may take to act, in quanta of 512 bit times; 0: not known for the rate.
 * By IEEE 802.3 31B.3.7, and by the table of SONiC that differs from it at 10 Gb/s. */
int64_t headroom_ieee_quanta(int64_t rate);
int64_t headroom_sonic_quanta(int64_t rate);

/* Time of so many quanta at the rate. */
time_ps headroom_quanta_ps(int64_t quanta, int64_t rate);

#endif
