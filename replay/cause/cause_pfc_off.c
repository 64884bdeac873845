/* SPDX-License-Identifier: Apache-2.0
 * cause_pfc_off - a hop where pauses are not sent or not obeyed. */
#include "base/drop.h"
#include "replay/cause/causes.h"

#include "base/plural.h"
#include "replay/database/words.h"

#include <stdio.h>

/* Settings that must agree at both ends of a link; otherwise pauses apply to a different class than
 * the frames. */
static const char hop_rows[] = "pfc-enabled flow-control pfc pfc-priorities dscp priority";

static bool has_pfc(const struct harm_scene *scene, uint32_t port, uint8_t priority)
{
    const struct port *of = scene_port(scene, port);
    return (of->enabled >> priority & 1) != 0;
}

bool cause_pauses_lost(const struct harm_scene *scene, const struct observe_drops *drops)
{
    const uint32_t port = scene_port_of(scene, drops->node, drops->port);
    const uint32_t peer = scene->fabric->peer[port];
    const struct suspects_place place = {port, HARM_NONE};
    struct suspect suspect;
    if (drops->cause == PROBE_DROP_RX_BUFFER &&
        (world_host(scene->world, drops->node)->rnics[drops->port]->rx.lossless >> drops->priority &
         1) == 0)
        return true;
    return !has_pfc(scene, port, drops->priority) || !has_pfc(scene, peer, drops->priority) ||
           scene_port(scene, peer)->pfc_frames_ignored > 0 ||
           suspects_fault(scene, "pfc-off", place, drops->first, drops->last, &suspect) ||
           suspects_deviation(scene, hop_rows, place, &suspect);
}

static uint64_t not_obeyed(const struct port *port)
{
    return port->pfc_frames_ignored + port->xoffs_unheeded;
}

/* Pauses that a transmitter ignored without frame loss: others were paused longer. */
static void look_at_ignored(struct cause_search *search, const struct harm_scene *scene)
{
    const uint32_t ports = scene->fabric->first_port[scene->fabric->node_count];
    for (uint32_t port = 0; port < ports; port++) {
        struct cause_clue clue = cause_clue();
        struct suspect suspect;
        char name[HARM_NAME_BYTES];
        clue.place.port = port;
        if (not_obeyed(scene_port(scene, port)) == 0 ||
            !(suspects_fault(scene, "pfc-off", clue.place, 0, scene->now, &suspect) ||
              suspects_deviation(scene, hop_rows, clue.place, &suspect)))
            continue;
        clue.parts = HARM_BIT(PAUSE) | HARM_BIT(BEHIND) | HARM_BIT(LOSS);
        clue.strength = PPM / 2;
        clue.everywhere = true;
        snprintf(clue.seen, sizeof clue.seen, "%s did not obey %s %s",
                 cause_port_name(scene, port, name, sizeof name),
                 words_count((int64_t)not_obeyed(scene_port(scene, port))).text,
                 plural(not_obeyed(scene_port(scene, port)), "pause", "pauses"));
        cause_accuse(search, &clue, &suspect);
    }
}

static void find_pfc_off(struct cause_search *search, const struct harm_scene *scene)
{
    look_at_ignored(search, scene);
    for (uint32_t i = 0; i < scene->drop_count; i++) {
        const struct observe_drops *drops = &scene->drops[i];
        if ((drops->cause != PROBE_DROP_BUFFER && drops->cause != PROBE_DROP_RX_BUFFER) ||
            (!drops->lossless && drops->cause == PROBE_DROP_BUFFER) ||
            !cause_pauses_lost(scene, drops))
            continue;
        struct cause_clue clue = cause_clue();
        clue.parts = HARM_LOST_PARTS;
        clue.faults = "pfc-off";
        clue.rows = hop_rows;
        clue.general = "pfc-enabled flow-control pfc pfc-priorities";
        clue.otherwise = HARM_LINK;
        clue.proven = true;
        cause_report_drop(search, scene, drops, &clue, "its pauses are not obeyed");
    }
}

const struct cause_kind cause_pfc_off = {
    .name = "pfc-off",
    .about = "Pauses are not sent or not obeyed on a hop.",
    .look = find_pfc_off,
};
