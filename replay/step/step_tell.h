/* SPDX-License-Identifier: Apache-2.0
 * step_tell - describes the state of a stopped world in words with units.
 * Every function is a step_tell (step_player.h): it writes lines to `out` and changes nothing. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_TELL_H
#define STORMGLASS_REPLAY_STEP_STEP_TELL_H

#include "replay/step/step_player.h"

/* The last `number` events. */
step_tell step_list;

/* A node, a port, a queue pair or a workload; or an overview. */
step_tell step_show;

/* The chain of waits from the subject to the root: each item waits for the next. */
step_tell step_why;

#endif
