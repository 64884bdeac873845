/* SPDX-License-Identifier: Apache-2.0
 * play_places - which targets there are, where, and what of the scenario is played here. */
#include "base/memory.h"
#include "bridge/play/play_private.h"

#include <netinet/in.h>

static void complain(struct diag *diag, const struct scenario_workload *workload, const char *what,
                     const char *host, const char *remedy)
{
    diag_add(diag, DIAG_ERROR, workload == NULL ? (struct diag_place){0} : workload->place, NULL,
             "%s%s: %s", what, host, remedy);
}

bool play_here(const struct play *play, uint32_t node)
{
    const struct places *places = play->options.places;
    return places == NULL || places->here == NULL || places->here[node];
}

struct play_target *play_target_of(const struct play *play, uint32_t node)
{
    for (uint32_t i = 0; i < play->target_count; i++)
        if (play->targets[i].node == node)
            return &play->targets[i];
    return NULL;
}

static uint32_t address_of(const struct play *play, uint32_t node)
{
    const struct play_options *options = &play->options;
    if (options->places != NULL && options->places->ips[node] != 0)
        return options->places->ips[node];
    return options->role == PLAY_TARGET ? options->address : options->peer;
}

static void add_target(struct play *play, uint32_t node, const struct scenario_workload *workload,
                       struct diag *diag)
{
    const char *name = play->scenario->nodes[node].name;
    const struct play_target target = {
        .play = play,
        .node = node,
        .ip = address_of(play, node),
        .here = (play->options.role & PLAY_TARGET) != 0 &&
                (play->options.role == PLAY_BOTH || play_here(play, node)),
    };
    if (play->options.role == PLAY_TARGET && !target.here)
        return; /* another process plays it */
    if (target.ip == 0)
        complain(diag, workload, "no address for the target ", name,
                 "expected --peer HOST=ADDRESS");
    for (uint32_t i = 0; i < play->target_count && !diag_failed(diag); i++)
        if (play->targets[i].ip == target.ip)
            complain(diag, workload, "one address for two targets, one of them ", name,
                     play->options.role == PLAY_TARGET
                         ? "expected --as HOST, or --peer HOST=ADDRESS for each"
                         : "expected --peer HOST=ADDRESS for each");
    play->targets[play->target_count++] = target;
}

static void find_targets(struct play *play, struct diag *diag)
{
    const struct scenario *scenario = play->scenario;
    for (uint32_t i = 0; i < scenario->workload_count && !diag_failed(diag); i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        play->raw |= !workload->ops->needs_nvme_target;
        for (uint32_t p = 0; p < workload->pair_count && !diag_failed(diag); p++) {
            const struct scenario_pair *pair = &workload->pairs[p];
            const bool needed = play->options.role != PLAY_HOST || play_here(play, pair->from);
            if (needed && play_target_of(play, pair->to) == NULL)
                add_target(play, pair->to, workload, diag);
        }
    }
}

void play_places_find(struct play *play, struct diag *diag)
{
    play->targets = memory_zeroed(play->scenario->host_count, sizeof *play->targets);
    if (play->scenario->workload_count == 0)
        complain(diag, NULL, "the bridge has nothing to run", "", "the scenario has no workload");
    find_targets(play, diag);
    if (!diag_failed(diag) && play->target_count == 0)
        complain(diag, NULL, "the bridge has nothing to run", "",
                 play->options.role == PLAY_TARGET
                     ? "expected --as with a host that workloads go to"
                     : "expected --as with a host that has a workload");
}

void play_tell_listening(const struct play *play, FILE *out)
{
    for (uint32_t i = 0; i < play->target_count; i++) {
        const struct play_target *target = &play->targets[i];
        const uint32_t ip = play->options.any ? INADDR_ANY : target->ip;
        if (target->here)
            fprintf(out, "stormglass-bridge: %s listens on %u.%u.%u.%u%s\n",
                    play->scenario->nodes[target->node].name, ip >> 24, ip >> 16 & 255,
                    ip >> 8 & 255, ip & 255, play->options.any ? " (every address)" : "");
    }
}
