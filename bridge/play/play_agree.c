/* SPDX-License-Identifier: Apache-2.0
 * play_agree - agreement with the targets, and its consequences. */
#include "base/printable.h"
#include "bridge/play/play_private.h"

#include "base/plural.h"
#include "replay/database/words.h"

#include <stdio.h>

static const time_ps slice = 50 * PS_PER_MS;

static struct agree_site site_of(struct play *play, const struct play_target *target,
                                 struct verbs_device *device)
{
    return (struct agree_site){.env = &play->agree_env,
                               .verbs = &verbs_real,
                               .device = device,
                               .plan = &play->plan,
                               .access = &play->options.access,
                               .node = target->node};
}

bool play_agree_listen(struct play *play)
{
    play->agreed.zero = TIME_NEVER;
    if (play->options.foreign || play->options.role == PLAY_BOTH)
        return true;
    agree_plan_make(&play->plan, play->scenario);
    play->agree_env = play_env(play, "agree");
    for (uint32_t i = 0; i < play->target_count; i++) {
        struct play_target *target = &play->targets[i];
        const struct agree_site site =
            site_of(play, target, play_device_at(play, target->nics.ip[0]));
        if (target->here && (target->listens = agree_target_create(&site, &play->agreed,
                                                                   play_access_say, play)) == NULL)
            return false;
    }
    return true;
}

static void on_done(void *self)
{
    loop_stop(self);
}

/* Handles the answer of one target; false: the run is impossible. */
static bool handle_answer(struct play *play, const struct play_target *target)
{
    const char *name = play->scenario->nodes[target->node].name;
    const char *text = agree_host_text(target->asked);
    switch (agree_host_end(target->asked)) {
    case AGREE_AGREED:
        play->zero = agree_host_zero(target->asked);
        return true;
    case AGREE_FOREIGN:
        printable_say("stormglass-bridge", "%s is used as a foreign target: %s", name, text);
        return true;
    case AGREE_REFUSED:
        play->refused = true;
        break;
    default:
        break;
    }
    snprintf(play->error, sizeof play->error, "%s: %s", name, text);
    return false;
}

static bool ask(struct play *play, struct play_target *target, time_ps zero)
{
    const struct agree_site site = site_of(play, target, play_device(play));
    loop_touch(play->loop);
    target->asked = agree_host_create(&site, target->nics.ip[0], play->options.address.ip, zero,
                                      play->options.lead, on_done, play->loop);
    while (agree_host_end(target->asked) == AGREE_ASKING && !play_stopped(play))
        loop_run(play->loop, loop_now(play->loop) + slice);
    return play_stopped(play) || handle_answer(play, target);
}

/* The first target that agrees receives the common moment 0. */
bool play_agree_ask(struct play *play)
{
    time_ps zero = TIME_NEVER;
    if (play->options.role != PLAY_HOST || play->options.foreign)
        return true;
    for (uint32_t i = 0; i < play->target_count && !play_stopped(play); i++) {
        if (!ask(play, &play->targets[i], zero))
            return false;
        if (agree_host_end(play->targets[i].asked) == AGREE_AGREED)
            zero = play->zero;
    }
    loop_touch(play->loop);
    const time_ps now = loop_now(play->loop);
    if (zero == TIME_NEVER)
        play->zero = now + play->options.lead;
    else if (zero < now)
        printable_say("stormglass-bridge", "the others started %s ago",
                      words_time(now - zero).text);
    return true;
}

void play_agree_fini(struct play *play)
{
    for (uint32_t i = 0; i < play->target_count; i++) {
        agree_host_free(play->targets[i].asked);
        agree_target_free(play->targets[i].listens);
    }
    agree_plan_free(&play->plan);
}

void play_agree_words(const struct play *play, char *text, size_t size)
{
    uint32_t agreed = 0;
    if (play->options.role == PLAY_BOTH)
        snprintf(text, size, "one process");
    else if (play->options.foreign)
        snprintf(text, size, "not asked for");
    else if (play->options.role == PLAY_TARGET)
        snprintf(
            text, size, "%llu %s agreed, %llu %s refused", (unsigned long long)play->agreed.joined,
            plural(play->agreed.joined, "host", "hosts"), (unsigned long long)play->agreed.refused,
            plural(play->agreed.refused, "was", "were"));
    else {
        for (uint32_t i = 0; i < play->target_count; i++)
            agreed += play->targets[i].asked != NULL &&
                      agree_host_end(play->targets[i].asked) == AGREE_AGREED;
        snprintf(text, size, "%u of %u %s agreed%s", agreed, play->target_count,
                 plural(play->target_count, "target", "targets"),
                 agreed < play->target_count ? "; the others are foreign" : "");
    }
}

time_ps play_agree_round_trip(const struct play *play)
{
    time_ps longest = -1;
    for (uint32_t i = 0; i < play->target_count; i++)
        if (play->targets[i].asked != NULL &&
            agree_host_end(play->targets[i].asked) == AGREE_AGREED &&
            agree_host_round_trip(play->targets[i].asked) > longest)
            longest = agree_host_round_trip(play->targets[i].asked);
    return longest;
}
