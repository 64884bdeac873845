/* SPDX-License-Identifier: Apache-2.0
 * headroom_ask_private - what a command line asks of `stormglass headroom`, and how it is said.
 * Included only by cmd_headroom.c and headroom_*.c. */
#ifndef STORMGLASS_CLI_PREPARE_HEADROOM_ASK_PRIVATE_H
#define STORMGLASS_CLI_PREPARE_HEADROOM_ASK_PRIVATE_H

#include "cli/cli.h"
#include "net/port/port.h"
#include "net/trial/headroom_proof.h"

enum { HEADROOM_RATES_MAX = 16, HEADROOM_FRAMES_MAX = 16, HEADROOM_PROOFS_MAX = 32 };

/* The link without what goes by its rate, and what to do with it. */
struct headroom_ask {
    struct headroom_link link;
    struct port_params port; /* what the propagation comes from */
    int64_t rates[HEADROOM_RATES_MAX];
    unsigned rate_count;
    int64_t frames[HEADROOM_FRAMES_MAX]; /* of the proof; none: headroom_sizes */
    unsigned frame_count;
    int64_t response; /* ps, or one of the words */
    bool assumed;     /* nobody gave it */
    unsigned phases;  /* 0: no proof */
    bool table, json;
};

enum { HEADROOM_RESPONSE_IEEE = -1, HEADROOM_RESPONSE_SONIC = -2 };

extern const struct cli_option headroom_options[];

/* False and a message: the command line is wrong. */
bool headroom_ask(const struct cli_args *args, struct headroom_ask *ask);

/* The link at one of the rates; false and a message when it cannot be. */
bool headroom_link_at(const struct headroom_ask *ask, int64_t rate, struct headroom_link *link);

/* Where the response comes from that all rests on: "assumed; ...", "--response", a table's name. */
const char *headroom_response_source(const struct headroom_ask *ask);

/* One link, its bound and the proofs. */
struct headroom_answer {
    const char *response_source;
    struct headroom_link link;
    struct headroom_sum bound; /* headroom_auto_terms */
    struct headroom_proof proofs[HEADROOM_PROOFS_MAX];
    bool dynamic[HEADROOM_PROOFS_MAX]; /* by proof: the threshold sank between two frames */
    unsigned proof_count;
    int64_t need; /* the most that a proof found; without one the most by the formula */
    bool holds;   /* every proof, and none found more than the bound */
};

void headroom_print_text(const struct headroom_answer *answer);
void headroom_print_table(const struct headroom_answer *answers, unsigned count);
void headroom_print_json(const struct headroom_answer *answers, unsigned count);

#endif
