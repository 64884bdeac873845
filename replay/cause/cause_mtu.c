/* SPDX-License-Identifier: Apache-2.0
 * cause_mtu - frames larger than a port on their path takes. */
#include "replay/cause/causes.h"

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    clue.rows = "mtu path-mtu";
    clue.general = "mtu path-mtu";
    clue.ends = true;
    clue.otherwise = HARM_LINK;
    clue.proven = true;
    cause_report_drops(search, scene, 1u << PROBE_DROP_MTU, -1, &clue, "larger than its MTU");
}

const struct cause_kind cause_mtu = {
    .name = "mtu",
    .about = "A port on the path takes only smaller frames.",
    .look = look,
};
