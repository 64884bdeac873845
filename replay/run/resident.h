/* SPDX-License-Identifier: Apache-2.0
 * resident - resident memory of this process.
 * As counted by Linux: touched pages, and entire huge pages of which any part was touched. */
#ifndef STORMGLASS_REPLAY_RUN_RESIDENT_H
#define STORMGLASS_REPLAY_RUN_RESIDENT_H

#include <stdint.h>

/* Current bytes: the second value in /proc/self/statm (proc(5)). 0: cannot be read. */
int64_t resident_bytes(void);

/* Maximum so far, in bytes (getrusage(2)). */
int64_t resident_peak_bytes(void);

#endif
