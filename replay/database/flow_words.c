/* SPDX-License-Identifier: Apache-2.0
 * flow_words - the rows. */
#include "replay/database/flow_words.h"

#include "base/plural.h"

#include <stdio.h>

#define OF_CREDITS                                                                                 \
    .credits = true, .title = "Credits", .one = "wait for credits", .many = "waits for credits",   \
    .none = "no port waited for credits", .is = "waits for credits",                               \
    .is_not = "does not wait for credits", .was = "waited for credits",                            \
    .held = "waited for credits", .by = "waits for", .of = "waits for credits of",                 \
    .time = "wait for credits", .most = "longest waiting", .origin = "Wait origin"

enum { OF_SEVERAL = SCENARIO_KIND_COUNT };

static const struct flow_words words[] = {
    [SCENARIO_ETHERNET] = {.title = "Pauses",
                           .one = "pause",
                           .many = "pauses",
                           .none = "no port was paused",
                           .is = "is paused",
                           .is_not = "is not paused",
                           .was = "was paused",
                           .held = "paused",
                           .by = "paused by",
                           .of = "paused by",
                           .time = "pause time",
                           .most = "most paused",
                           .origin = "Pause origin",
                           .frame = "PFC frame",
                           .frames = "PFC frames",
                           .retransmits = "no retransmissions, no ECN marks"},
    [SCENARIO_INFINIBAND] = {OF_CREDITS, .frame = "credit update", .frames = "credit updates",
                             .retransmits = "no retransmissions"},
    [SCENARIO_FIBRE_CHANNEL] = {OF_CREDITS, .frame = "R_RDY", .frames = "R_RDYs",
                                .retransmits = "no link resets; class 3 retransmits nothing"},
    [OF_SEVERAL] = {.title = "Flow control",
                    .one = "pause or wait for credits",
                    .many = "pauses and waits for credits",
                    .none = "no port was paused or waited for credits",
                    .is = "is paused or waits for credits",
                    .is_not = "is not paused and does not wait for credits",
                    .was = "was paused or waited for credits",
                    .held = "paused or waited for credits",
                    .by = "paused by or waits for",
                    .of = "paused by or waits for credits of",
                    .time = "time paused or without credits",
                    .most = "longest held",
                    .origin = "Origin of pauses and waits",
                    .frame = "flow-control frame",
                    .frames = "flow-control frames",
                    .retransmits = "no retransmissions, no ECN marks"},
};

const struct flow_words *flow_words_of_kind(enum scenario_kind kind)
{
    return &words[kind];
}

const struct flow_words *flow_words_of_kinds(uint8_t kinds)
{
    for (int kind = 0; kind < SCENARIO_KIND_COUNT; kind++)
        if (kinds == 1u << kind)
            return &words[kind];
    return &words[OF_SEVERAL];
}

struct flow_dropped flow_words_dropped(const struct flow_words *flow, int64_t frames,
                                       int64_t controls)
{
    struct flow_dropped text;
    if (controls > 0 && controls == frames)
        snprintf(text.text, sizeof text.text, "%s %s", words_count(frames).text,
                 plural(frames, flow->frame, flow->frames));
    else if (controls > 0)
        snprintf(text.text, sizeof text.text, "%s %s (%s %s)", words_count(frames).text,
                 plural(frames, "frame", "frames"), words_count(controls).text,
                 plural(controls, flow->frame, flow->frames));
    else
        snprintf(text.text, sizeof text.text, "%s %s", words_count(frames).text,
                 plural(frames, "frame", "frames"));
    return text;
}
