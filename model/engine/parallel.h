/* SPDX-License-Identifier: Apache-2.0
 * parallel - runs the executors of an engine, each on a thread.
 * The executors advance from window to window and synchronize in two ways. A round is a number of
 * consecutive windows; when all executors have finished it, the caller's thread does the work
 * between windows and determines the next round. Within a round an executor first runs the groups
 * that send to other executors. When all others have done so too, it has received everything that
 * is due in the next window and begins it, even if the others are still busy with the rest of the
 * present one; an executor with more work in a window has until the next window to catch up.
 * Waiting threads poll for a moment, then sleep.
 * Correctness: what a node sends arrives at the earliest one lookahead later, so never in the
 * window in which it is sent: everything due in a window comes from groups that the others have
 * already run. No executor is two windows ahead of another, so two mailboxes are enough. engine_cut
 * at t does not end the run before t + lookahead, so not within the window of t but possibly within
 * the next one: an executor enters that window early only if `leads` has ruled this out.
 * Windows with too few events run on the caller's thread alone, share after share. The result does
 * not depend on which thread executes a share, or when.
 * Idea: conservative windows, Chandy and Misra, IEEE TSE 5(5), 1979. Owner: the engine, from its
 * first run with several executors; the threads live as long. */
#ifndef STORMGLASS_ENGINE_PARALLEL_H
#define STORMGLASS_ENGINE_PARALLEL_H

#include "engine/engine.h"

struct parallel *parallel_create(struct engine *engine);
void parallel_destroy(struct parallel *parallel); /* No-op for NULL. */

/* Executes every event up to engine->until, which may be lowered during the run. */
void parallel_run(struct parallel *parallel);

#endif
