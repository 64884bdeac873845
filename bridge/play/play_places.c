/* SPDX-License-Identifier: Apache-2.0
 * play_places - the targets, their addresses, and the part of the scenario that runs here. */
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

static struct places_nics nics_of_target(const struct play *play, uint32_t node)
{
    const struct play_options *options = &play->options;
    if (options->places != NULL && options->places->nics[node].count > 0)
        return options->places->nics[node];
    return options->role == PLAY_TARGET ? options->address : options->peer;
}

static bool share_address(const struct places_nics *a, const struct places_nics *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++)
            if (a->ip[i] == b->ip[k])
                return true;
    return false;
}

static void add_target(struct play *play, uint32_t node, const struct scenario_workload *workload,
                       struct diag *diag)
{
    const char *name = play->scenario->nodes[node].name;
    const struct play_target target = {
        .play = play,
        .node = node,
        .nics = nics_of_target(play, node),
        .here = (play->options.role & PLAY_TARGET) != 0 &&
                (play->options.role == PLAY_BOTH || play_here(play, node)),
    };
    if (play->options.role == PLAY_TARGET && !target.here)
        return; /* another process runs it */
    if (target.nics.count == 0)
        complain(diag, workload, "no address for the target ", name,
                 "expected --peer HOST=ADDRESS");
    for (uint32_t i = 0; i < play->target_count && !diag_failed(diag); i++)
        if (share_address(&play->targets[i].nics, &target.nics))
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
        if (workload->by_tcp)
            complain(diag, workload, "the bridge does not run workloads over TCP: kind ",
                     workload->ops->name,
                     "expected nvme, trace or fio with transport: rdma, or an rdma kind");
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
    static const struct places_nics any = {.ip = {INADDR_ANY}, .count = 1};
    for (uint32_t i = 0; i < play->target_count; i++) {
        const struct play_target *target = &play->targets[i];
        char text[PLACES_NICS_BYTES];
        places_write_nics(play->options.any ? &any : &target->nics, text);
        if (target->here)
            fprintf(out, "stormglass-bridge: %s listens on %s%s\n",
                    play->scenario->nodes[target->node].name, text,
                    play->options.any ? " (every address)" : "");
    }
}
