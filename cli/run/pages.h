/* SPDX-License-Identifier: Apache-2.0
 * pages - the answer to a plan as a directory of pages: index.html, with links to a page for one
 * run of each candidate and each point of a cliff that was run.
 * The run is the one whose command is in the answer; it is repeated for its page. */
#ifndef STORMGLASS_CLI_RUN_PAGES_H
#define STORMGLASS_CLI_RUN_PAGES_H

#include "cli/cli.h"
#include "replay/plan/plan_state.h"

/* Creates the directory. Returns an exit code. */
int pages_begin(const char *path);

/* `database` contains the answer and is closed. After a signal there is no index. Returns an exit
 * code. */
int pages_write(const struct plan_state *state, const char *database, const char *path);

#endif
