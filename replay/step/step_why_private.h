/* SPDX-License-Identifier: Apache-2.0
 * step_why_private - internal interface of `why`.
 * Included only by step_why*.c. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_WHY_PRIVATE_H
#define STORMGLASS_REPLAY_STEP_STEP_WHY_PRIVATE_H

#include "replay/step/step_show_private.h"

enum { STEP_PRIOS_MOST = 64 };

/* An egress queue of a port and priority. */
struct step_prio {
    uint32_t node;
    uint16_t port;
    uint8_t priority;
};

struct step_walk {
    const struct stepper *stepper;
    FILE *out;
    struct {
        struct step_prio prio;
        bool open; /* on the current path */
    } met[STEP_PRIOS_MOST];
    int met_count;
    int depth; /* indentation of the next line */
};

/* Writes one wait as a line. */
void step_why_line(const struct step_walk *walk, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* step_why_net.c */
void step_why_prio(struct step_walk *walk, const struct step_prio *prio);

/* step_why_io.c */
bool step_why_frame(struct step_walk *walk, uint32_t destination, uint32_t qpn);
void step_why_qp(struct step_walk *walk, uint32_t node, uint32_t qpn);
void step_why_workload(struct step_walk *walk, uint32_t workload);

/* step_tcp.c: the connections between two hosts, in both directions. */
void step_why_tcp(struct step_walk *walk, uint32_t node, uint32_t peer);

#endif
