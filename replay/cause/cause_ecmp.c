/* SPDX-License-Identifier: Apache-2.0
 * cause_ecmp - flows that collide on one of several equal-cost links. */
#include "replay/cause/causes.h"

#include "replay/database/words.h"

#include <stdio.h>

/* Flows that share a link with less utilization than that do not need another one. */
enum { FULL = PPM * 85 / 100, USED = PPM / 5 };

static bool was_congested(const struct harm_scene *scene, uint32_t port)
{
    return scene_is_root(scene, port) || scene->uses[port].busy >= FULL;
}

/* The lowest utilization among the equal-cost alternatives of a port. */
static int64_t least_utilization(const struct harm_scene *scene, uint32_t node, uint32_t port,
                                 bool *group)
{
    const struct explain_fabric *fabric = scene->fabric;
    int64_t least = PPM;
    *group = false;
    for (uint32_t endpoint = 0; endpoint < scene->routes[node].endpoint_count; endpoint++) {
        const uint16_t *out;
        const uint32_t count = route_all(&scene->routes[node], endpoint, &out);
        bool has = false;
        for (uint32_t i = 0; i < count; i++)
            has |= fabric->first_port[node] + out[i] == port;
        for (uint32_t i = 0; has && count > 1 && i < count; i++) {
            const int64_t busy = scene->uses[fabric->first_port[node] + out[i]].busy;
            *group = true;
            least = busy < least ? busy : least;
        }
        if (*group)
            return least;
    }
    return least;
}

static void find_ecmp(struct cause_search *search, const struct harm_scene *scene)
{
    const struct explain_fabric *fabric = scene->fabric;
    for (uint32_t node = scene->scenario->host_count; node < fabric->node_count; node++)
        for (uint32_t port = fabric->first_port[node]; port < fabric->first_port[node + 1];
             port++) {
            bool group = false;
            if (scene->uses[port].busy < USED || !was_congested(scene, port))
                continue;
            const int64_t least = least_utilization(scene, node, port, &group);
            if (!group || least > scene->uses[port].busy / 2)
                continue;
            struct cause_clue clue = cause_clue();
            char name[HARM_NAME_BYTES];
            clue.place.port = port;
            clue.parts = HARM_BIT(BEHIND) | HARM_BIT(PAUSE);
            clue.least = (scene->uses[port].busy - least) / 2;
            clue.rows = clue.general = "ecmp-hash ecmp-seed";
            snprintf(clue.seen, sizeof clue.seen,
                     "ECMP hashes flows unevenly: %s is %s busy, an equal-cost link %s",
                     cause_port_name(scene, port, name, sizeof name),
                     words_percent((double)scene->uses[port].busy, PPM).text,
                     words_percent((double)least, PPM).text);
            cause_report(search, &clue);
        }
}

const struct cause_kind cause_ecmp = {
    .name = "ecmp",
    .about = "ECMP put flows onto one of several equal links.",
    .look = find_ecmp,
};
