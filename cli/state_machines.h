/* SPDX-License-Identifier: Apache-2.0
 * state_machines - every state machine of the code, made from its edge list.
 * The names are those of the files: model/nvme/fsm/host_queue_state.def is host-queue. */
#ifndef STORMGLASS_CLI_STATE_MACHINES_H
#define STORMGLASS_CLI_STATE_MACHINES_H

#include "reports/draw/draw.h"

/* The row, and how many; they live as long as the program. */
const struct draw_machine *state_machines(unsigned *count);

#endif
