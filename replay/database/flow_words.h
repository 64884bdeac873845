/* SPDX-License-Identifier: Apache-2.0
 * flow_words - the words for the flow control of a fabric's links, one row for each kind of fabric.
 * A port of Ethernet is paused by its peer; a port of InfiniBand or Fibre Channel waits for credits
 * of its peer. Tables and JSON have the same columns for all kinds ("paused_ps"); texts for people
 * take their words from here. */
#ifndef STORMGLASS_REPLAY_DATABASE_FLOW_WORDS_H
#define STORMGLASS_REPLAY_DATABASE_FLOW_WORDS_H

#include "replay/database/store.h"
#include "replay/database/words.h"
#include "scenarios/data/scenario.h"

struct flow_words {
    bool credits;
    const char *title;             /* "Pauses" */
    const char *one, *many;        /* "pause" */
    const char *none;              /* "no port was paused" */
    const char *is, *is_not, *was; /* "is paused" */
    const char *held;              /* before "for 3 ms" or "since 3 ms": "paused" */
    const char *by;                /* between two ports: "paused by" */
    const char *of;                /* between two ports, before "for 3 ms": "paused by" */
    const char *time;              /* "pause time" */
    const char *most;              /* "most paused" */
    const char *origin;            /* "Pause origin" */
    const char *frame, *frames;    /* that carry it: "PFC frame" */
    const char *retransmits; /* of the summary, if nothing was lost: "no retransmissions, ..." */
};

enum { FLOW_DROPPED_BYTES = 96 };

struct flow_dropped {
    char text[FLOW_DROPPED_BYTES];
};

const struct flow_words *flow_words_of_kind(enum scenario_kind kind);

/* The words for several link layers together: a bit mask. */
const struct flow_words *flow_words_of_kinds(uint8_t kinds);

/* "24 R_RDYs", "30 frames (24 R_RDYs)": dropped frames, `controls` of which carried flow
 * control. */
struct flow_dropped flow_words_dropped(const struct flow_words *flow, int64_t frames,
                                       int64_t controls);

/* The words of a run database. */
const struct flow_words *flow_words(struct store *store);

#endif
