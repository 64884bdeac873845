/* SPDX-License-Identifier: Apache-2.0
 * cause_timeout - retransmission timeouts though nothing was lost. */
#include "replay/cause/causes.h"

#include "replay/database/words.h"

#include <stdio.h>

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t node = 0; node < scene->scenario->host_count; node++) {
        uint64_t timeouts = 0;
        for (uint16_t i = 0; i < scene->scenario->nodes[node].port_count; i++)
            timeouts += world_host(scene->world, node)->rnics[i]->counters.timeouts;
        if (timeouts == 0)
            continue;
        struct cause_clue clue = cause_clue();
        clue.place.node = node;
        clue.parts = HARM_LOST_PARTS;
        clue.rows = "timeout retry-count";
        clue.otherwise = HARM_LOAD;
        clue.general = scene->drop_count > 0 ? NULL : "timeout";
        clue.strength = scene->drop_count > 0 ? PPM / 4 : PPM / 2;
        snprintf(clue.seen, sizeof clue.seen, "%s: %s retransmission timeouts%s",
                 scene->scenario->nodes[node].name, words_count((int64_t)timeouts).text,
                 scene->drop_count > 0 ? "" : " though no frame was lost");
        cause_report(search, &clue);
    }
}

const struct cause_kind cause_timeout = {
    .name = "timeout",
    .about = "Retransmission timers run out before an answer can come.",
    .look = look,
};
