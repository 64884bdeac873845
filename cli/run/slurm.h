/* SPDX-License-Identifier: Apache-2.0
 * slurm - runs a plan as a Slurm array job: each task decides a share of the candidates, and a last
 * job, started after all tasks have ended, searches with their results. */
#ifndef STORMGLASS_CLI_RUN_SLURM_H
#define STORMGLASS_CLI_RUN_SLURM_H

#include "cli/cli.h"
#include "replay/plan/plan_state.h"

/* Writes plan.sbatch, gather.sbatch and submit.sh into the directory of --slurm, which is created.
 * Each task has `at_once` runs at a time (0: one). Returns an exit code. */
int slurm_write(const struct cli_args *args, const struct plan_state *state, uint32_t at_once);

#endif
