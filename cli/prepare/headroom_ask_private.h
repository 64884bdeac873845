/* SPDX-License-Identifier: Apache-2.0
 * headroom_ask_private - input of `stormglass headroom`, and its output.
 * Included only by cmd_headroom.c and headroom_*.c. */
#ifndef STORMGLASS_CLI_PREPARE_HEADROOM_ASK_PRIVATE_H
#define STORMGLASS_CLI_PREPARE_HEADROOM_ASK_PRIVATE_H

#include "cli/cli.h"
#include "net/port/port.h"
#include "net/trial/headroom_proof.h"

enum { HEADROOM_RATES_MAX = 16, HEADROOM_FRAMES_MAX = 16, HEADROOM_PROOFS_MAX = 32 };

/* The link without rate-dependent values, and what to compute. */
struct headroom_ask {
    struct headroom_link link;
    struct port_params port; /* determines the propagation delay */
    int64_t rates[HEADROOM_RATES_MAX];
    unsigned rate_count;
    int64_t frames[HEADROOM_FRAMES_MAX]; /* for the proof; none: headroom_sizes */
    unsigned frame_count;
    int64_t response; /* ps, or one of the enum values below */
    bool assumed;     /* the response was not given */
    unsigned phases;  /* 0: no proof */
    bool table, json, csv;
};

enum { HEADROOM_RESPONSE_IEEE = -1, HEADROOM_RESPONSE_SONIC = -2 };

extern const struct cli_option headroom_options[];

/* False, with a message, if the command line is wrong. */
bool headroom_ask(const struct cli_args *args, struct headroom_ask *ask);

/* The link at one of the rates; false, with a message, if it is impossible. */
bool headroom_link_at(const struct headroom_ask *ask, int64_t rate, struct headroom_link *link);

/* Source of the response time on which the result is based: "assumed; ...", "--response", or the
 * name of a table. */
const char *headroom_response_source(const struct headroom_ask *ask);

/* Result for one link: its bound and the proofs. */
struct headroom_answer {
    const char *response_source;
    struct headroom_link link;
    struct headroom_sum bound; /* from headroom_auto_terms */
    struct headroom_proof proofs[HEADROOM_PROOFS_MAX];
    bool dynamic[HEADROOM_PROOFS_MAX]; /* by proof: the threshold fell between two frames */
    unsigned proof_count;
    int64_t need; /* maximum found by a proof; without proofs, maximum by the formula */
    bool holds;   /* every proof succeeded, and none exceeded the bound */
};

void headroom_print_text(const struct headroom_answer *answer);
void headroom_print_table(const struct headroom_answer *answers, unsigned count);
void headroom_print_csv(const struct headroom_answer *answers, unsigned count);
void headroom_print_json(const struct headroom_answer *answers, unsigned count);

#endif
