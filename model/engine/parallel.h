/* SPDX-License-Identifier: Apache-2.0
 * parallel - the executors of an engine at work, each on a thread.
 * They go from window to window, and wait for each other in two ways.  A round is windows that
 * follow each other; when all have played it the caller's thread does what is done between windows
 * and says which round is next.  Within a round an executor runs the groups that send to others
 * first.  When all others have done so too, it has been sent all that is due in the next window and
 * begins it, while they may still be busy with the rest of this one: who has more to do in a window
 * has time until the next for it.  They wait by looking again and again, for a moment, then asleep.
 *
 * Why that is right.  What a node sends arrives a lookahead later at the earliest, so never in the
 * window in which it is sent: all that is due in a window comes from groups that others have run.
 * None is two windows ahead of another, so two boxes are enough for what is sent.  engine_cut at t
 * does not end the run before t + lookahead, so not within the window of t, but perhaps within the
 * next: only who is told by `leads` that this will not be goes ahead into that.
 *
 * Windows of too few events to be worth it are played by the caller's thread alone, share after
 * share.  Who executes a share, and when, has no part in its result.
 * Idea: conservative windows, Chandy and Misra, IEEE TSE 5(5), 1979.
 * Owner: the engine, from its first run with several executors; the threads live as long. */
#ifndef STORMGLASS_ENGINE_PARALLEL_H
#define STORMGLASS_ENGINE_PARALLEL_H

#include "engine/engine.h"

struct parallel *parallel_create(struct engine *engine);
void parallel_destroy(struct parallel *parallel); /* NULL: nothing */

/* Executes every event up to engine->until, which may be lowered meanwhile. */
void parallel_run(struct parallel *parallel);

#endif
