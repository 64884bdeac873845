/* SPDX-License-Identifier: Apache-2.0
 * pages - the answer to a plan as a folder of pages: index.html, and one of a run of each candidate
 * and point of a cliff that was played, which the first links.  The run is that whose command the
 * answer has; it is played again for its page. */
#ifndef STORMGLASS_CLI_PLAY_PAGES_H
#define STORMGLASS_CLI_PLAY_PAGES_H

#include "cli/cli.h"
#include "replay/plan/plan_state.h"

/* Makes the folder.  An exit code. */
int pages_begin(const char *path);

/* `database` has the answer, and is closed.  A signal ends it: then there is no index.  An exit
 * code. */
int pages_write(const struct plan_state *state, const char *database, const char *path);

#endif
