/* SPDX-License-Identifier: Apache-2.0
 * cmd_headroom - stormglass headroom. */
#include "base/memory.h"
#include "cli/prepare/headroom_ask_private.h"

#include <stdlib.h>

static bool can_prove(const struct headroom_link *link, int64_t frame)
{
    if (headroom_can_prove(link, frame))
        return true;
    cli_error("headroom: too many frames of %lldB fit on this link to simulate: use a larger "
              "--frame, or --phases 0",
              (long long)frame);
    return false;
}

static void raise_need(struct headroom_answer *answer, int64_t bytes)
{
    answer->need = bytes > answer->need ? bytes : answer->need;
}

static void prove_one(const struct headroom_ask *ask, int64_t frame, bool dynamic,
                      struct headroom_answer *answer)
{
    struct headroom_link link = answer->link;
    link.dynamic = dynamic;
    const unsigned at = answer->proof_count++;
    struct headroom_proof *proof = &answer->proofs[at];
    answer->dynamic[at] = dynamic;
    headroom_prove(&link, frame, ask->phases, proof);
    answer->holds &= proof->holds && proof->found <= headroom_auto(&link);
    raise_need(answer, proof->found);
}

/* Computes the need for every frame size with a constant threshold and, if the threshold is
 * dynamic, also with a falling one. False: a proof is impossible. */
static bool prove(const struct headroom_ask *ask, struct headroom_answer *answer)
{
    const struct headroom_link *link = &answer->link;
    int64_t sizes[HEADROOM_SIZES];
    const unsigned usual = headroom_sizes(link, sizes);
    const unsigned count = ask->frame_count > 0 ? ask->frame_count : usual;
    const int64_t *frames = ask->frame_count > 0 ? ask->frames : sizes;
    for (unsigned i = 0; i < count; i++) {
        raise_need(answer, headroom_exact(link, frames[i]));
        if (ask->phases == 0)
            continue;
        if (!can_prove(link, frames[i]))
            return false;
        prove_one(ask, frames[i], false, answer);
        if (link->dynamic)
            prove_one(ask, frames[i], true, answer);
    }
    return true;
}

static int answer_all(const struct headroom_ask *ask, struct headroom_answer *answers)
{
    bool holds = true;
    for (unsigned i = 0; i < ask->rate_count; i++) {
        struct headroom_answer *answer = &answers[i];
        if (!headroom_link_at(ask, ask->rates[i], &answer->link))
            return CLI_USAGE;
        answer->bound = headroom_auto_terms(&answer->link);
        answer->holds = true;
        answer->response_source = headroom_response_source(ask);
        if (!prove(ask, answer))
            return CLI_USAGE;
        holds &= answer->holds;
    }
    if (ask->json)
        headroom_print_json(answers, ask->rate_count);
    else if (ask->csv)
        headroom_print_csv(answers, ask->rate_count);
    else if (ask->table)
        headroom_print_table(answers, ask->rate_count);
    else
        headroom_print_text(answers);
    return holds ? CLI_DONE : CLI_BROKEN;
}

static int run_headroom(const struct cli_args *args)
{
    struct headroom_ask ask;
    if (!headroom_ask(args, &ask))
        return CLI_USAGE;
    struct headroom_answer *answers = memory_zeroed(ask.rate_count, sizeof *answers);
    const int code = answer_all(&ask, answers);
    free(answers);
    return code;
}

const struct cli_command cmd_headroom = {
    .name = "headroom",
    .operands = "",
    .about = "compute the PFC headroom of a link, compare it with published methods, and prove it "
             "by simulation",
    .examples =
        (const struct cli_example[]){
            {"The headroom of a 100 m link, term by term",
             "stormglass headroom --rate 100Gbps --length 100m --response ieee"},
            {"Every published method side by side",
             "stormglass headroom --table --length 300m --mtu 9216B --response sonic --phases 0"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the simulation confirms the bound, or was not requested"},
            {1, "the simulation does not confirm the bound"},
            {2, "the command line or a profile is wrong; nothing was written"},
            {3, "the output could not be written"},
            {0}},
    .options = headroom_options,
    .run = run_headroom,
};
