/* SPDX-License-Identifier: Apache-2.0
 * bottleneck_words - the sentence about a bottleneck. */
#include "replay/explain/bottleneck_private.h"

#include "replay/database/words.h"

#include <stdio.h>
#include <string.h>

static struct words percent(int64_t share)
{
    return words_percent((double)share, (double)PPM);
}

static void say_busiest(const struct bottleneck_input *input, char *text, size_t size)
{
    const struct bottleneck_use *link = &input->uses[BOTTLENECK_LINK];
    *text = '\0';
    if (link->where[0] != '\0')
        snprintf(text, size, "; busiest link: %s, %s used", link->where, percent(link->used).text);
}

/* Why a station below saturation is the bottleneck: I/Os wait or are served there. */
static void say_load(enum bottleneck_resource resource, const struct bottleneck_use *use,
                     char *text, size_t size)
{
    const int64_t there = use->waiting + use->serving;
    *text = '\0';
    if (resource >= BOTTLENECK_RNIC && resource <= BOTTLENECK_HOST_CPU &&
        use->used < BOTTLENECK_FULL && there > 0)
        snprintf(text, size, ", and %s of outstanding I/Os are there",
                 percent(there < PPM ? there : PPM).text);
}

/* Some of the traffic meets a station that is always busy. */
static bool is_any_saturated(const struct bottleneck_input *input)
{
    for (enum bottleneck_resource i = 0; i <= BOTTLENECK_HOST_CPU; i++)
        if (input->uses[i].used >= BOTTLENECK_FULL)
            return true;
    return false;
}

/* Why there is no more offered load, or why it completed late. */
static void say_asked(const struct bottleneck_input *input, char *text, size_t size)
{
    const struct bottleneck_use *recovery = &input->uses[BOTTLENECK_RECOVERY];
    *text = '\0';
    if (input->thinking > 0)
        snprintf(text, size, "; think time takes %s of the time", percent(input->thinking).text);
    else if (recovery->used >= BOTTLENECK_AWAY_LEAST)
        snprintf(text, size, ", but I/O completed late because %s for %s of the time",
                 recovery->where, percent(recovery->used).text);
}

/* Waits of connections, by the name of their workload. */
static const char *connections_of(const struct bottleneck_input *input,
                                  enum bottleneck_resource resource)
{
    if (!bottleneck_is_wait(resource))
        return "";
    return input->by_tcp ? "connections of " : "queue pairs of ";
}

/* The busiest station of a target is its cores or the lock that they share. */
static bool is_lock(const struct bottleneck_input *input)
{
    static const char lock[] = " lock";
    const char *where = input->uses[BOTTLENECK_TARGET_CPU].where;
    const size_t length = strlen(where), tail = sizeof lock - 1;
    return length > tail && strcmp(where + length - tail, lock) == 0;
}

void bottleneck_write(const struct bottleneck_input *input, struct bottleneck *found)
{
    const char *const phrases[] = {
        [BOTTLENECK_LINK] = "%s is %s busy",
        [BOTTLENECK_RECEIVER] = "%s drains its receive buffer too slowly %s of the time",
        [BOTTLENECK_RNIC] = "%s is %s busy",
        [BOTTLENECK_PCIE] = "%s is %s busy",
        [BOTTLENECK_COMPLETIONS] = "%s are %s busy",
        [BOTTLENECK_MEDIA] = "%s are %s busy",
        [BOTTLENECK_TARGET_CPU] = is_lock(input) ? "%s is %s busy" : "%s are %s busy",
        [BOTTLENECK_HOST_CPU] = "%s are %s busy",
        [BOTTLENECK_PAUSES] = "%s was paused for %s of the time",
        [BOTTLENECK_CREDIT] = "%s wait for a posted receive for %s of their time",
        [BOTTLENECK_CONGESTION] = "%s are throttled for %s of their time",
        [BOTTLENECK_LOSS] = "%s wait for or retransmit lost packets for %s of their time",
        [BOTTLENECK_RECOVERY] = "%s for %s of the time",
        [BOTTLENECK_READS] = "%s wait for outstanding READs for %s of their time",
        [BOTTLENECK_FENCE] = ("%s wait at memory registrations until earlier "
                              "requests complete, for %s of their time"),
        [BOTTLENECK_WINDOW] = "%s are at the limit of unacknowledged data for %s of their time",
        [BOTTLENECK_DELAYED_ACK] = "%s wait for delayed ACKs for %s of their time",
        [BOTTLENECK_STREAM] = "%s hold messages behind larger ones for %s of their time",
        [BOTTLENECK_BUFFERS] = "%s for %s of the time",
        [BOTTLENECK_WRS] = "%s for %s of the time",
        [BOTTLENECK_LIMIT] = "%s for %s of the time",
        [BOTTLENECK_WORKLOAD_LIMIT] = "%s for %s of the time",
        [BOTTLENECK_QUEUE_SIZE] = "%s: %s of the I/Os wait for a free entry",
    };
    const bool credits = input->by_credits && found->resource == BOTTLENECK_PAUSES;
    const char *word = credits ? "link credits" : bottleneck_word(found->resource);
    const struct bottleneck_use *use = &input->uses[found->resource];
    char busiest[BOTTLENECK_WHERE_BYTES + 80], phrase[BOTTLENECK_WHERE_BYTES + 140];
    char where[BOTTLENECK_WHERE_BYTES + 20], load[80];
    say_busiest(input, busiest, sizeof busiest);
    switch (found->resource) {
    case BOTTLENECK_ASKED:
        say_asked(input, phrase, sizeof phrase);
        snprintf(found->text, sizeof found->text, "%s: %s%s%s", bottleneck_label(found->resource),
                 is_any_saturated(input) ? "more of any one resource would gain less than 1%"
                                         : "no resource is saturated",
                 phrase, busiest);
        return;
    case BOTTLENECK_DEPTH:
        snprintf(found->text, sizeof found->text, "%s: %s%stoo low %s%s", word,
                 input->depth > 0 ? words_count(input->depth).text : "",
                 input->depth > 0 ? " is " : "",
                 is_any_saturated(input) ? "on the paths without a saturated resource"
                                         : "to saturate any resource",
                 busiest);
        return;
    default:
        break;
    }
    snprintf(where, sizeof where, "%s%s", connections_of(input, found->resource), use->where);
    if (credits)
        snprintf(phrase, sizeof phrase, "%s waited for credits for %s of the time", where,
                 percent(use->used).text);
    else
        snprintf(phrase, sizeof phrase, phrases[found->resource], where, percent(use->used).text);
    say_load(found->resource, use, load, sizeof load);
    snprintf(found->text, sizeof found->text, "%s: %s%s%s", word, phrase, load,
             found->resource == BOTTLENECK_LINK ? "" : busiest);
}
