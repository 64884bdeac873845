/* SPDX-License-Identifier: Apache-2.0
 * cause_load - more offered load than a link carries; there is no fault. */
#include "replay/cause/causes.h"
#include "replay/explain/verdict.h"

static void look_at_load(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_BIT(PAUSE);
    cause_report_roots(search, scene, 1u << EXPLAIN_CONGESTION | 1u << EXPLAIN_CIRCLE, &clue);
}

const struct cause_kind cause_load = {
    .name = "load",
    .about = "More traffic than a link carries.",
    .look = look_at_load,
};
