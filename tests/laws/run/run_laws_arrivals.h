/* SPDX-License-Identifier: Apache-2.0
 * run_laws_arrivals - which PSN a responder can expect at most, from the requests that reached it
 * and those that it says it refused. */
#ifndef STORMGLASS_TESTS_LAWS_RUN_LAWS_ARRIVALS_H
#define STORMGLASS_TESTS_LAWS_RUN_LAWS_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

enum { RUN_LAWS_ARRIVALS = 1024 };

/* The newest requests in the order in which they came. */
struct run_laws_arrivals {
    struct run_laws_arrival {
        uint32_t psn, end;
    } list[RUN_LAWS_ARRIVALS];
    uint32_t head, tail; /* count up for ever */
    uint32_t base;       /* most that can have been expected when the oldest came */
    uint32_t epsn;       /* and now */
    bool forgets;        /* there were more */
};

/* A request with the PSNs from `psn` to before `end` came; answers the most that can be expected
 * after it. */
uint32_t run_laws_arrivals_add(struct run_laws_arrivals *arrivals, uint32_t psn, uint32_t end);

/* An RNR NAK: a packet came as the expected one and was not taken.  waits: the NAK may have waited
 * while the packet came again and was taken; then the one refused is the first that can have been
 * expected, and those after it count.  Otherwise it is the last that came.  False: it was refused
 * more often than it came. */
bool run_laws_arrivals_refuse(struct run_laws_arrivals *arrivals, uint32_t psn, bool waits);

#endif
