/* SPDX-License-Identifier: Apache-2.0
 * cause_nvme_timer - controllers that a host gives up because of its own timers although they are
 * healthy.
 * A timer at its default expires because of something else, which other causes find. */
#include "replay/cause/causes.h"

#include "base/plural.h"
#include "nvme/host/host.h"
#include "replay/database/words.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>

static const struct {
    const char *row, *seen;
} timers[NVME_HOST_TIMERS] = {
    [NVME_HOST_IO_TIMEOUT] = {"io-timeout", "an I/O timed out"},
    [NVME_HOST_KEEP_ALIVE] = {"keep-alive", "a keep-alive came too late"},
    [NVME_HOST_ADMIN] = {"admin-timeout", "an admin command timed out"},
};

static const struct nvme_host *controller(const struct harm_scene *scene,
                                          const struct harm_member *member, uint32_t path)
{
    if (member->number >= world_instances(scene->world, member->workload)) /* not started yet */
        return NULL;
    return world_controller(scene->world, member->workload, member->number, path);
}

/* How often the member lost a controller because that timer expired. */
static uint64_t expired(const struct harm_scene *scene, const struct harm_member *member,
                        enum nvme_host_timer timer)
{
    uint64_t sum = 0;
    const struct nvme_host *host;
    for (uint32_t path = 0; (host = controller(scene, member, path)) != NULL; path++)
        sum += nvme_host_stats(host)->expired[timer];
    return sum;
}

/* Share of the member's time in which it had no live controller. */
static int64_t lost_share(const struct harm_scene *scene, const struct harm_member *member)
{
    time_ps least = member->span;
    const struct nvme_host *host;
    for (uint32_t path = 0; (host = controller(scene, member, path)) != NULL; path++)
        least = time_earlier(least, nvme_host_without_service(host, scene->now));
    return member->span == 0 ? 0 : (int64_t)((__int128)least * PPM / member->span);
}

/* Sum over the workload's members at the host. *left: at least one of them has no other suspect.
 * Load does not count as one, because only the timer turns it into a loss. */
static uint64_t expired_at(const struct cause_search *search, const struct harm_scene *scene,
                           uint32_t first, enum nvme_host_timer timer, bool *left)
{
    const struct harm_member *at = &scene->members[first];
    const struct member_list list = scene_members_at(scene, at->from);
    uint64_t sum = 0;
    *left = false;
    for (uint32_t k = 0; k < list.count; k++) {
        const uint32_t i = list.members[k];
        const struct harm_member *member = &scene->members[i];
        if (member->workload != at->workload || member->from != at->from)
            continue;
        const uint64_t here = expired(scene, member, timer);
        if (here > 0 && i < first)
            return 0; /* already reported */
        *left |= here > 0 && !cause_is_blamed(search, i);
        sum += here;
    }
    return sum;
}

static time_ps limit_of(const struct harm_scene *scene, uint32_t host, enum nvme_host_timer timer)
{
    const struct nvme_host_params *params = &scene->scenario->nodes[host].host->nvme_host->core;
    return timer == NVME_HOST_IO_TIMEOUT   ? params->io_timeout
           : timer == NVME_HOST_KEEP_ALIVE ? params->keep_alive
                                           : params->admin_timeout;
}

static void look_at_nvme_timer(struct cause_search *search, const struct harm_scene *scene,
                               uint32_t first, enum nvme_host_timer timer)
{
    const struct harm_member *member = &scene->members[first];
    struct cause_clue clue = cause_clue();
    struct suspect suspect;
    bool left;
    if (expired(scene, member, timer) == 0)
        return;
    const uint64_t times = expired_at(search, scene, first, timer, &left);
    clue.place.node = member->from;
    clue.workload = member->workload;
    clue.rows = timers[timer].row;
    if (times == 0 || (!suspects_deviation(scene, clue.rows, clue.place, &suspect) &&
                       !(left && suspects_general(scene, clue.rows, &suspect))))
        return;
    clue.parts = HARM_BIT(FAILED) | HARM_BIT(STOOD) | HARM_BIT(BEHIND);
    clue.proven = left;
    clue.least =
        lost_share(scene, member); /* other members of the workload may have lost as much */
    if (!left)
        clue.strength = PPM / 2;
    snprintf(clue.seen, sizeof clue.seen, "%s lost controllers %s time%s because %s (%s %s)",
             scene->scenario->nodes[member->from].name, words_count((int64_t)times).text,
             plural(times, "", "s"), timers[timer].seen, timers[timer].row,
             words_time(limit_of(scene, member->from, timer)).text);
    cause_accuse(search, &clue, &suspect);
}

static void find_nvme_timer(struct cause_search *search, const struct harm_scene *scene)
{
    if (scene->world == NULL)
        return;
    for (uint32_t i = 0; i < scene->member_count; i++)
        for (int timer = 0; timer < NVME_HOST_TIMERS; timer++)
            if (scene->scenario->workloads[scene->members[i].workload].ops->needs_nvme_target)
                look_at_nvme_timer(search, scene, i, (enum nvme_host_timer)timer);
}

const struct cause_kind cause_nvme_timer = {
    .name = "nvme-timer",
    .about = "NVMe timers of a host are so short that it gives up healthy controllers.",
    .look = find_nvme_timer,
};
