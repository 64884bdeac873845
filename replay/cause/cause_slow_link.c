/* SPDX-License-Identifier: Apache-2.0
 * cause_slow_link - a saturated link with a lower rate than comparable links. */
#include "replay/cause/causes.h"

#include "replay/database/words.h"

#include <stdio.h>

enum { FULL = PPM * 85 / 100 };

static void find_slow_link(struct cause_search *search, const struct harm_scene *scene)
{
    const uint32_t ports = scene->fabric->first_port[scene->fabric->node_count];
    for (uint32_t port = 0; port < ports; port++) {
        struct cause_clue clue = cause_clue();
        struct suspect suspect;
        char name[HARM_NAME_BYTES];
        const bool full = scene->uses[port].busy >= FULL || scene_is_root(scene, port);
        clue.place.port = port;
        if (!full || !suspects_deviation(scene, "rate", clue.place, &suspect))
            continue;
        clue.parts = HARM_BIT(BEHIND) | HARM_BIT(PAUSE) | HARM_BIT(HELD);
        clue.least = scene->uses[port].busy / 2;
        clue.proven = true;
        snprintf(clue.seen, sizeof clue.seen, "%s is %s busy at %s",
                 cause_port_name(scene, port, name, sizeof name),
                 words_percent((double)scene->uses[port].busy, PPM).text,
                 words_rate((double)scene->fabric->rate_bps[port]).text);
        cause_accuse(search, &clue, &suspect);
    }
}

const struct cause_kind cause_slow_link = {
    .name = "slow-link",
    .about = "A link runs at a lower rate than its peers.",
    .look = find_slow_link,
};
