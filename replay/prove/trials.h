/* SPDX-License-Identifier: Apache-2.0
 * trials - many runs of an experiment at once.
 * Each is played by a process of its own, which writes what it came to into a pipe; as many at a
 * time as there are processors.  Without processes (WebAssembly) one after the other.  Nothing that
 * is reported depends on how many there are. */
#ifndef STORMGLASS_REPLAY_PROVE_TRIALS_H
#define STORMGLASS_REPLAY_PROVE_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Plays number `index` and fills in `result`, which is all zero. */
typedef void trials_play_fn(void *self, uint32_t index, void *result);

/* `results`: `count` of `bytes` each, all zero.  False: one of the processes ended too early. */
bool trials_play(trials_play_fn *play, void *self, uint32_t count, void *results, size_t bytes);

#endif
