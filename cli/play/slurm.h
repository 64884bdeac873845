/* SPDX-License-Identifier: Apache-2.0
 * slurm - a plan as an array job of Slurm: each task decides a share of the candidates, and when
 * all have ended a last one searches with what they played. */
#ifndef STORMGLASS_CLI_PLAY_SLURM_H
#define STORMGLASS_CLI_PLAY_SLURM_H

#include "cli/cli.h"
#include "replay/plan/plan_state.h"

/* Writes plan.sbatch, gather.sbatch and submit.sh into the folder of --slurm, which is made.
 * `at_once` runs in each task (0: one).  An exit code. */
int slurm_write(const struct cli_args *args, const struct plan_state *state, uint32_t at_once);

#endif
