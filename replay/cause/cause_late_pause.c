/* SPDX-License-Identifier: Apache-2.0
 * cause_late_pause - a transmitter that obeys pauses later than comparable ones.
 * The frames that it still sends must drain from the switch before XON, so each of its pauses is
 * longer by that time. */
#include "replay/cause/causes.h"
#include "replay/database/words.h"
#include "replay/explain/verdict.h"

#include <stdio.h>

static void report_transmitter(struct cause_search *search, const struct harm_scene *scene,
                               const struct explain_path *path)
{
    const struct explain_root *root = &scene->explain->roots[path->root];
    const struct port *port = scene_port(scene, path->port);
    const struct port_pauses *pauses = &port->pauses[root->priority];
    const bool open = pauses->blocked_since != TIME_NEVER; /* still paused at the end of the run */
    const time_ps longest =
        time_later(pauses->blocked_longest, open ? scene->now - pauses->blocked_since : 0);
    struct cause_clue clue = cause_clue();
    struct suspect suspect;
    char name[HARM_NAME_BYTES];
    clue.place.port = path->port;
    if (!suspects_deviation(scene, "pfc-response", clue.place, &suspect) ||
        longest < port->params.pfc_response || longest > 2 * port->params.pfc_response)
        return;
    clue.priority = root->priority;
    clue.root = path->root;
    clue.parts = HARM_BIT(PAUSE) | HARM_BIT(BEHIND) | HARM_BIT(SLOW);
    clue.strength = (int64_t)((__int128)path->held_ps * PPM / scene->explain->verdict.all_ps);
    snprintf(clue.seen, sizeof clue.seen,
             "%s stops %s after it receives a pause, and stays stopped for up to %s",
             cause_port_name(scene, path->port, name, sizeof name),
             words_time(port->params.pfc_response).text, words_time(longest).text);
    cause_accuse(search, &clue, &suspect);
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    const struct explain *explain = scene->explain;
    for (uint32_t i = 0; i < explain->path_count && explain->verdict.all_ps > 0; i++)
        if (explain->paths[i].hops == 1 &&
            explain->roots[explain->paths[i].root].kind == EXPLAIN_CONGESTION)
            report_transmitter(search, scene, &explain->paths[i]);
}

const struct cause_kind cause_late_pause = {
    .name = "late-pause",
    .about = "A transmitter reacts to pauses later than its peers and stays stopped longer.",
    .look = look,
};
