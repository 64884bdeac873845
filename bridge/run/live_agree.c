/* SPDX-License-Identifier: Apache-2.0
 * live_agree - agreement with the targets, and its consequences. */
#include "base/printable.h"
#include "bridge/run/live_private.h"

#include "base/plural.h"
#include "replay/database/words.h"

#include <stdio.h>

static const time_ps slice = 50 * PS_PER_MS;

static struct agree_site site_of(struct live_run *run, const struct live_target *target,
                                 struct verbs_device *device)
{
    return (struct agree_site){.env = &run->agree_env,
                               .verbs = run->verbs,
                               .device = device,
                               .plan = &run->plan,
                               .access = &run->options.access,
                               .node = target->node};
}

bool live_agree_listen(struct live_run *run)
{
    run->agreed.zero = TIME_NEVER;
    if (run->options.foreign || run->options.role == LIVE_BOTH)
        return true;
    agree_plan_make(&run->plan, run->scenario);
    run->agree_env = live_env(run, "agree");
    for (uint32_t i = 0; i < run->target_count; i++) {
        struct live_target *target = &run->targets[i];
        const struct agree_site site =
            site_of(run, target, live_device_at(run, target->nics.ip[0]));
        if (target->here && (target->listens = agree_target_create(
                                 &site, &run->agreed, live_access_report, run)) == NULL)
            return false;
    }
    return true;
}

static void on_done(void *self)
{
    loop_stop(self);
}

/* Handles the answer of one target; false: the run is impossible. */
static bool handle_answer(struct live_run *run, const struct live_target *target)
{
    const char *name = run->scenario->nodes[target->node].name;
    const char *text = agree_host_text(target->asked);
    switch (agree_host_end(target->asked)) {
    case AGREE_AGREED:
        run->zero = agree_host_zero(target->asked);
        return true;
    case AGREE_FOREIGN:
        printable_say("stormglass-bridge", "%s is used as a foreign target: %s", name, text);
        return true;
    case AGREE_REFUSED:
        run->refused = true;
        break;
    default:
        break;
    }
    snprintf(run->error, sizeof run->error, "%s: %s", name, text);
    return false;
}

static bool ask(struct live_run *run, struct live_target *target, time_ps zero)
{
    const struct agree_site site = site_of(run, target, live_device(run));
    loop_touch(run->loop);
    target->asked = agree_host_create(&site, target->nics.ip[0], run->options.address.ip, zero,
                                      run->options.lead, on_done, run->loop);
    while (agree_host_end(target->asked) == AGREE_ASKING && !live_stopped(run))
        loop_run(run->loop, loop_now(run->loop) + slice);
    return live_stopped(run) || handle_answer(run, target);
}

/* The first target that agrees receives the common moment 0. */
bool live_agree_ask(struct live_run *run)
{
    time_ps zero = TIME_NEVER;
    if (run->options.role != LIVE_HOST || run->options.foreign)
        return true;
    for (uint32_t i = 0; i < run->target_count && !live_stopped(run); i++) {
        if (!ask(run, &run->targets[i], zero))
            return false;
        if (agree_host_end(run->targets[i].asked) == AGREE_AGREED)
            zero = run->zero;
    }
    loop_touch(run->loop);
    const time_ps now = loop_now(run->loop);
    if (zero == TIME_NEVER)
        run->zero = now + run->options.lead;
    else if (zero < now)
        printable_say("stormglass-bridge", "the others started %s ago",
                      words_time(now - zero).text);
    return true;
}

void live_agree_fini(struct live_run *run)
{
    for (uint32_t i = 0; i < run->target_count; i++) {
        agree_host_free(run->targets[i].asked);
        agree_target_free(run->targets[i].listens);
    }
    agree_plan_free(&run->plan);
}

void live_agree_describe(const struct live_run *run, char *text, size_t size)
{
    uint32_t agreed = 0;
    if (run->options.role == LIVE_BOTH)
        snprintf(text, size, "one process");
    else if (run->options.foreign)
        snprintf(text, size, "not requested");
    else if (run->options.role == LIVE_TARGET)
        snprintf(
            text, size, "%llu %s agreed, %llu %s refused", (unsigned long long)run->agreed.joined,
            plural(run->agreed.joined, "host", "hosts"), (unsigned long long)run->agreed.refused,
            plural(run->agreed.refused, "was", "were"));
    else {
        for (uint32_t i = 0; i < run->target_count; i++)
            agreed += run->targets[i].asked != NULL &&
                      agree_host_end(run->targets[i].asked) == AGREE_AGREED;
        snprintf(text, size, "%u of %u %s agreed%s", agreed, run->target_count,
                 plural(run->target_count, "target", "targets"),
                 agreed < run->target_count ? "; the others are foreign" : "");
    }
}

time_ps live_agree_round_trip(const struct live_run *run)
{
    time_ps longest = -1;
    for (uint32_t i = 0; i < run->target_count; i++)
        if (run->targets[i].asked != NULL &&
            agree_host_end(run->targets[i].asked) == AGREE_AGREED &&
            agree_host_round_trip(run->targets[i].asked) > longest)
            longest = agree_host_round_trip(run->targets[i].asked);
    return longest;
}
