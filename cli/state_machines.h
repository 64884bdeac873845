/* SPDX-License-Identifier: Apache-2.0
 * state_machines - all state machines of the code, from their edge lists.
 * Names are derived from the files: model/nvme/fsm/host_queue_state.def is host-queue. */
#ifndef STORMGLASS_CLI_STATE_MACHINES_H
#define STORMGLASS_CLI_STATE_MACHINES_H

#include "reports/draw/draw.h"

/* Returns the array and its size; it exists as long as the program. */
const struct draw_machine *state_machines(unsigned *count);

#endif
