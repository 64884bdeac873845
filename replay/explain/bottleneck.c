/* SPDX-License-Identifier: Apache-2.0
 * bottleneck - the rules. */
#include "replay/explain/bottleneck.h"

#include "replay/database/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Where a link is called full: frames of other sizes and gaps keep a busy link below 100 %. */
enum {
    PAUSED_PERCENT = 10,
    AWAY_PERCENT = 10,
    BUSY_PERCENT = 95,
    CNPS_PER_MS = 1,
    RNR_NAKS_PER_MS = 1
};

enum part { PART_MEDIA, PART_TARGET, PART_HOST, PART_NETWORK, PARTS };

static const struct {
    const char *name, *what;
} parts[PARTS] = {
    [PART_MEDIA] = {"media", "is spent waiting for and in the media"},
    [PART_TARGET] = {"target cpu", "is the target's software"},
    [PART_HOST] = {"host software", "is the host's software and its queue"},
    [PART_NETWORK] = {"network", "is capsules and data in flight"},
};

static const enum part part_of[IOJOIN_STAGE_COUNT] = {
    [IOJOIN_SUBMIT] = PART_HOST,    [IOJOIN_REQUEST] = PART_NETWORK,  [IOJOIN_TARGET] = PART_TARGET,
    [IOJOIN_FETCH] = PART_NETWORK,  [IOJOIN_WAIT] = PART_MEDIA,       [IOJOIN_MEDIA] = PART_MEDIA,
    [IOJOIN_RESPOND] = PART_TARGET, [IOJOIN_RESPONSE] = PART_NETWORK, [IOJOIN_COMPLETE] = PART_HOST,
};

static bool at_least(time_ps part, int64_t percent, time_ps whole)
{
    return whole > 0 && (__int128)part * 100 >= (__int128)whole * percent;
}

static void find_part(const struct bottleneck_input *input, char *text, size_t size)
{
    __int128 sums[PARTS] = {0}, whole = 0;
    for (int i = 0; i < IOJOIN_STAGE_COUNT; i++) {
        sums[part_of[i]] += input->stage_ps[i];
        whole += input->stage_ps[i];
    }
    enum part best = PART_MEDIA;
    for (enum part part = PART_MEDIA; part < PARTS; part++)
        if (sums[part] > sums[best])
            best = part;
    snprintf(text, size,
             "%s: %s of the mean latency of %s commands %s; the busiest link is %s used",
             parts[best].name, words_percent((double)sums[best], (double)whole).text,
             words_count((int64_t)input->commands).text, parts[best].what,
             words_percent((double)input->busiest_ps, (double)input->span).text);
}

static void say_loss(const struct bottleneck_input *input, char *text, size_t size)
{
    snprintf(text, size,
             "loss: senders wait for lost packets (%s frames dropped, %s packets retransmitted, %s "
             "timeouts); the busiest link, %s to %s, is %s used",
             words_count(input->drops).text, words_count(input->retransmitted).text,
             words_count(input->timeouts).text, input->busiest_port, input->busiest_peer,
             words_percent((double)input->busiest_ps, (double)input->span).text);
}

static bool often(int64_t times, int64_t per_ms, time_ps span)
{
    return (__int128)times * PS_PER_MS > (__int128)span * per_ms;
}

void bottleneck_word(const char *text, char *word, size_t size)
{
    snprintf(word, size, "%.*s", (int)strcspn(text, ":"), text);
}

void bottleneck_find(const struct bottleneck_input *input, char *text, size_t size)
{
    const double span = (double)input->span;
    if (input->root_cause[0] != '\0' && at_least(input->paused_ps, PAUSED_PERCENT, input->span))
        snprintf(text, size, "pauses: %s was paused for %s (%s of the time)", input->paused_port,
                 words_time(input->paused_ps).text,
                 words_percent((double)input->paused_ps, span).text);
    else if (at_least(input->busiest_ps, BUSY_PERCENT, input->span))
        snprintf(text, size, "link: %s to %s is %s busy", input->busiest_port, input->busiest_peer,
                 words_percent((double)input->busiest_ps, span).text);
    else if (input->losses > 0 && at_least(input->without_service, AWAY_PERCENT, input->span))
        snprintf(text, size,
                 "recovery: controllers were lost %s times, %s without service in total",
                 words_count(input->losses).text, words_time(input->without_service).text);
    else if (often(input->cnps, CNPS_PER_MS, input->span))
        snprintf(text, size,
                 "congestion control: senders slowed down for %s CNPs; the busiest link, %s to %s, "
                 "is %s used",
                 words_count(input->cnps).text, input->busiest_port, input->busiest_peer,
                 words_percent((double)input->busiest_ps, span).text);
    else if (often(input->rnr_naks, RNR_NAKS_PER_MS, input->span))
        snprintf(text, size, "credit: %s messages found no posted receive and waited",
                 words_count(input->rnr_naks).text);
    else if (input->commands > 0)
        find_part(input, text, size);
    else if (input->drops > 0 || input->retransmitted > 0 || input->timeouts > 0)
        say_loss(input, text, size);
    else
        snprintf(text, size,
                 "outstanding limit: no resource is full; the busiest link, %s to %s, is %s used",
                 input->busiest_port, input->busiest_peer,
                 words_percent((double)input->busiest_ps, span).text);
}
