/* SPDX-License-Identifier: Apache-2.0
 * cause_slow_host - a host that drains frames more slowly than they arrive. */
#include "base/drop.h"
#include "replay/cause/causes.h"
#include "replay/explain/verdict.h"

#include "replay/database/words.h"

#include "rnic/host/rnic.h"
#include "scenarios/data/fault.h"

#include <stdio.h>
#include <string.h>

enum { ALWAYS = PPM * 85 / 100, NOTABLE = PPM / 20, FILLED = 16 * 1024, WORTH_A_PAUSE = 32 * 1024 };

/* The receive buffer was never empty, so the host drained as fast as it could; it paused senders or
 * they slowed down. */
static void look_at_buffers(struct cause_search *search, const struct harm_scene *scene,
                            const struct cause_clue *shape)
{
    for (uint32_t node = 0; node < scene->scenario->host_count; node++) {
        const struct harm_use *use = &scene->uses[scene->fabric->first_port[node]];
        struct cause_clue clue = *shape;
        const uint32_t port = scene->fabric->peer[scene->fabric->first_port[node]];
        if (use->drained < ALWAYS || scene->uses[port].busy >= PPM - NOTABLE)
            continue;
        clue.place.node = node;
        clue.parts = HARM_LOST_PARTS | HARM_BIT(PAUSE) | HARM_BIT(HELD);
        clue.least = PPM - scene->uses[port].busy;
        snprintf(clue.seen, sizeof clue.seen,
                 "frames waited in the receive buffer of %s for %s of the run, although the link "
                 "of this host was only %s busy",
                 scene->scenario->nodes[node].name, words_percent((double)use->drained, PPM).text,
                 words_percent((double)scene->uses[port].busy, PPM).text);
        cause_report(search, &clue);
    }
}

/* The host pauses with little in its buffer and then idles: the buffer is empty before its link may
 * resume. */
static void look_at_thresholds(struct cause_search *search, const struct harm_scene *scene)
{
    static const char rows[] = "rx-xoff rx-buffer rx-xon";
    for (uint32_t node = 0; node < scene->scenario->host_count; node++) {
        const uint32_t first = scene->fabric->first_port[node];
        const int64_t blocked = scene->uses[scene->fabric->peer[first]].blocked;
        const int64_t idle = PPM - scene->uses[first].drained;
        struct cause_clue clue = cause_clue();
        struct suspect suspect;
        clue.place.node = node;
        clue.least = blocked < idle ? blocked : idle;
        if (clue.least < PPM - ALWAYS ||
            world_host(scene->world, node)->rnics[0]->rx.peak >= WORTH_A_PAUSE ||
            !(suspects_deviation(scene, rows, clue.place, &suspect) ||
              suspects_general(scene, rows, &suspect)))
            continue;
        clue.proven = true;
        snprintf(clue.seen, sizeof clue.seen,
                 "%s pauses its link too early: the link was paused for %s of the time, and the "
                 "receive buffer was empty for %s",
                 scene->scenario->nodes[node].name, words_percent((double)blocked, PPM).text,
                 words_percent((double)idle, PPM).text);
        cause_accuse(search, &clue, &suspect);
    }
}

static void look_at_drops(struct cause_search *search, const struct harm_scene *scene,
                          const struct cause_clue *shape)
{
    struct cause_clue clue = *shape;
    clue.parts = HARM_LOST_PARTS;
    for (uint32_t i = 0; i < scene->drop_count; i++)
        if (scene->drops[i].cause == PROBE_DROP_RX_BUFFER &&
            !cause_pauses_lost(scene, &scene->drops[i]))
            cause_report_drop(search, scene, &scene->drops[i], &clue,
                              "its receive buffer was full");
}

static bool slows_by_nature(const struct rnic_params *params)
{
    return params->drain > 0 || pipeline_slows_receiving(&params->pipeline);
}

/* All hosts have such a drain limit; then a host reaches it because much traffic converges
 * there. */
static bool is_common(const struct harm_scene *scene)
{
    bool common = true;
    for (uint32_t node = 0; node < scene->scenario->host_count; node++)
        common &= slows_by_nature(scene->scenario->nodes[node].host->rnic);
    return common;
}

/* The buffer held more than a link delivers while one frame is drained. */
static bool is_filled(const struct harm_scene *scene, uint32_t node)
{
    return world_host(scene->world, node)->rnics[0]->rx.peak >= FILLED;
}

/* A fault slowed the host temporarily, although no sender had to be paused. */
static void look_at_faults(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t i = 0; i < scene->scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scene->scenario->faults[i];
        const time_ps until = time_earlier(fault->end, scene->window_end);
        if (strcmp(fault->ops->name, "slow-receiver") != 0 || fault->at >= until ||
            (fault->ops->in_vain != NULL && fault->ops->in_vain(fault->params) != NULL))
            continue;
        const int64_t lasted = (int64_t)((__int128)(until - fault->at) * PPM / scene->window_end);
        const struct suspect suspect = suspects_named_fault(scene, i);
        for (uint32_t k = 0; k < fault->spot_count; k++) {
            struct cause_clue clue = cause_clue();
            clue.place.node = fault->spots[k].node;
            const struct harm_use *use = &scene->uses[scene->fabric->first_port[clue.place.node]];
            if (use->drained < PPM / 10 || !is_filled(scene, clue.place.node))
                continue;
            clue.least = (use->drained < lasted ? use->drained : lasted) / 2;
            clue.proven = use->drained >= lasted / 2;
            snprintf(clue.seen, sizeof clue.seen,
                     "frames waited in the receive buffer of %s for %s of the active time of its "
                     "workloads",
                     scene->scenario->nodes[clue.place.node].name,
                     words_percent((double)use->drained, PPM).text);
            cause_accuse(search, &clue, &suspect);
        }
    }
}

static void find_slow_host(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_BIT(PAUSE) | HARM_BIT(STOOD) | HARM_BIT(FAILED);
    clue.faults = "slow-receiver";
    clue.rows =
        "drain pcie-lanes pcie-generation pcie-payload rx-packet-cost qp-cache iotlb-miss-cost "
        "rx-buffer rx-xoff rx-xon rx-delay software";
    clue.otherwise = is_common(scene) ? HARM_LOAD : HARM_HOST;
    clue.proven = true;
    cause_report_roots(search, scene, 1u << EXPLAIN_SLOW_RECEIVER, &clue);
    look_at_buffers(search, scene, &clue);
    look_at_thresholds(search, scene);
    look_at_drops(search, scene, &clue);
    look_at_faults(search, scene);
}

const struct cause_kind cause_slow_host = {
    .name = "slow-host",
    .about = "A host drains its receive buffer slower than its link delivers.",
    .look = find_slow_host,
};
