/* SPDX-License-Identifier: Apache-2.0
 * resident - how much of the machine's memory this process has.
 * Linux's figures: pages that were touched, and huge ones that were touched in one place. */
#ifndef STORMGLASS_REPLAY_RUN_RESIDENT_H
#define STORMGLASS_REPLAY_RUN_RESIDENT_H

#include <stdint.h>

/* Bytes, now: the second figure of /proc/self/statm (proc(5)).  0: it cannot be read. */
int64_t resident_bytes(void);

/* Bytes, the most that there ever were (getrusage(2)). */
int64_t resident_peak_bytes(void);

#endif
