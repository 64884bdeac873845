/* SPDX-License-Identifier: Apache-2.0
 * crew - the executors of an engine at work, each on a thread.
 * They go from window to window together.  Each executes its share; the last to come to the end of
 * it does what is done between windows and says which is next.  That is the only place where they
 * wait for each other: for a moment by looking again and again, then asleep.  Windows of too few
 * events to be worth it are executed by the caller's thread alone, share after share.  Who executes
 * a share has no part in its result.
 * Idea: conservative windows, Chandy and Misra, IEEE TSE 5(5), 1979.
 * Owner: the engine, from its first run with several executors; the threads live as long. */
#ifndef STORMGLASS_ENGINE_CREW_H
#define STORMGLASS_ENGINE_CREW_H

#include "engine/engine.h"

struct crew *crew_create(struct engine *engine);
void crew_destroy(struct crew *crew); /* NULL: nothing */

/* Executes every event up to engine->until, which may be lowered meanwhile. */
void crew_run(struct crew *crew);

#endif
