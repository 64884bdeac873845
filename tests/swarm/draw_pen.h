/* SPDX-License-Identifier: Apache-2.0
 * draw_pen - writes keys of one mapping after the other, each once. */
#ifndef STORMGLASS_TESTS_SWARM_DRAW_PEN_H
#define STORMGLASS_TESTS_SWARM_DRAW_PEN_H

#include "script.h"

#include "base/rng.h"
#include "scenarios/data/scenario.h"

enum { PLACES_MAX = 64, PLACE_BYTES = 48, PEN_KEYS = 128, PEN_KEY_BYTES = 40 };

/* Names that the topology gave. */
struct places {
    char hosts[PLACES_MAX][PLACE_BYTES], switches[PLACES_MAX][PLACE_BYTES];
    char links[PLACES_MAX][PLACE_BYTES], ports[PLACES_MAX][PLACE_BYTES];
    unsigned host_count, switch_count, link_count, port_count;
};

enum bent {
    BENT_PLAIN,  /* nothing is odd, nothing fails: what is lossless is, and nothing is sent twice */
    BENT_MIXED,  /* anything */
    BENT_CIRCLE, /* routes round a circle: deadlocks */
    BENT_STORM,  /* pauses for longer than a watchdog waits */
    BENT_CRASH,  /* targets die, hosts reconnect */
    BENT_TIGHT,  /* little memory, little headroom */
    BENT_GIANT,  /* frames larger than a port takes */
    BENT_LOOP,   /* written routes that go round */
    BENT_UNREADY, /* receivers without receives */
    BENT_LOSSY,   /* frames are lost on wires */
    BENT_BROKEN,  /* links and switches fail */
    BENT_PATHS,   /* paths of a namespace fail */
    BENT_COUNT
};

/* Switches of one link layer with their hosts, in a fabric of several. */
struct island {
    enum scenario_kind kind;
    unsigned first_host, host_count, first_switch, switch_count;
};

struct pen {
    struct rng rng;
    struct script *script;
    struct places *places;
    enum bent bent;
    enum scenario_kind kind; /* link layer of the fabric, or of the island in hand */
    unsigned island_count;   /* 0: one link layer */
    struct island islands[SCENARIO_KIND_COUNT];
    bool roce_v1;            /* all RNICs send RoCE v1 */
    bool calm;               /* few rows away from their defaults */
    bool large; /* messages of up to 1 GiB, with a small path MTU: more than a window of PSNs */
    unsigned indent;
    unsigned nics; /* of each host */
    unsigned duration_us;
    unsigned fixed; /* lines that are not left out: the topology */
    unsigned used_count;
    char used[PEN_KEYS][PEN_KEY_BYTES];
};

/* Begins a mapping: what is put stands in it. */
void pen_open(struct pen *pen, unsigned indent, const char *line);
struct pen pen_inner(const struct pen *pen, const char *line);

/* Writes a key that has not been written in this mapping. */
void pen_put(struct pen *pen, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Each row of the table with so many percent probability. */
void pen_rows(struct pen *pen, const char *where, unsigned percent);

/* Takes the names of a scenario that has a topology. */
void pen_learn(struct pen *pen, const struct scenario *scenario);

/* The name of some place. */
const char *pen_place(struct pen *pen);

/* Writes another place into a line that names one; false: it names none, or hosts of a workload,
 * which are right. */
bool pen_redraw(struct pen *pen, unsigned line);

#endif
