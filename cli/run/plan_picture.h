/* SPDX-License-Identifier: Apache-2.0
 * plan_picture - the fabric of the chosen candidate as a drawing, for the page of a plan. */
#ifndef STORMGLASS_CLI_RUN_PLAN_PICTURE_H
#define STORMGLASS_CLI_RUN_PLAN_PICTURE_H

#include "replay/plan/plan_state.h"

/* The SVG, which the caller frees; NULL if no candidate is chosen or Graphviz is missing. */
char *plan_picture(const struct plan_state *state);

#endif
