/* SPDX-License-Identifier: Apache-2.0
 * draw_paths - a scenario in which paths of one namespace fail.
 * Writers with several paths share few blocks; a neighbor keeps cores of the target busy, so that
 * commands may wait there for longer than it takes a host to lose a path.  quiesce-delay is longer
 * than any command can wait: what a read returns is right, whatever fails.  Nothing is drawn from
 * the rows of the schema, so a seed's scenario stays what it is. */
#ifndef STORMGLASS_TESTS_SWARM_DRAW_PATHS_H
#define STORMGLASS_TESTS_SWARM_DRAW_PATHS_H

#include "draw_pen.h"

/* All of the scenario but its first lines. */
void paths_draw(struct pen *pen);

#endif
