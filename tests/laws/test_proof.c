/* SPDX-License-Identifier: Apache-2.0
 * The proof by repair, on random scenarios with one injected culprit and one innocent: a host whose
 * receive buffer drains as fast as its link delivers, through the same buffer and the same code.
 * Where the statement names the culprit's host surely, and the victims lost time:
 *   - mending the culprit takes at least half of the victims' lost time away in 80 of 100, and
 *     three quarters in 70; in the others congestion, which the culprit had kept small, takes its
 *     place
 *   - mending the innocent changes it by less than a hundredth in 65 of 100 and by less than a
 *     tenth in 80: its frames come a little earlier, and that decides where buffers are about to
 *     be full
 *   - the proof names the culprit, never the innocent, wherever it names anybody
 * and everywhere the run that is played again is the same run.
 * PROOF_SCENARIOS and PROOF_SEED in the environment ask for other scenarios than those of `make
 * test`. */
#include "tests/laws/culprit.h"

#include "replay/prove.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { SCENARIOS = 30, SEED = 20261 };
enum { HALF_PERCENT = 80, MOST_PERCENT = 70, CALM_PERCENT = 65, QUIET_PERCENT = 80 };
enum { CULPRIT = 0, INNOCENT = 1 }; /* faults */

struct tally {
    unsigned proved, sure;             /* sure: the statement names the culprit surely */
    unsigned half, most, named;        /* of them: half and three quarters gone */
    unsigned calm, quiet;              /* the innocent changes less than 1 and 10 % */
    unsigned others, others_unmoved;   /* workloads left out */
    double least_gone, innocent_moved; /* the worst of each */
};

static void add_innocent(struct culprit_draft *draft)
{
    const unsigned host = (draft->culprit + 1) % draft->hosts;
    culprit_add(draft, "  - {at: 0s, kind: slow-receiver, drain: 100%%, where: host%u}\n", host);
}

static const struct prove_row *row_of(const struct prove *prove, uint32_t fault)
{
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (prove->rows[i].repair.kind == REPAIR_FAULT && prove->rows[i].repair.fault == fault)
            return &prove->rows[i];
    return NULL;
}

static double moved(const struct prove_row *row)
{
    const double gone = prove_gone(row);
    return gone < 0 ? -gone : gone;
}

static void count_others(struct tally *tally, const struct prove *prove)
{
    for (uint32_t i = 0; i < prove->row_count; i++) {
        tally->others += !prove->rows[i].suspect;
        tally->others_unmoved += !prove->rows[i].suspect && moved(&prove->rows[i]) < 0.1;
    }
}

static void count(struct tally *tally, const struct prove *prove, unsigned number)
{
    const struct prove_row *culprit = row_of(prove, CULPRIT), *innocent = row_of(prove, INNOCENT);
    const struct prove_row *named = prove_culprit(prove);
    assert_non_null(culprit);
    assert_non_null(innocent);
    const double gone = prove_gone(culprit), change = moved(innocent);
    tally->sure++;
    tally->half += gone >= 0.5;
    tally->most += gone >= 0.75;
    tally->calm += change < 0.01;
    tally->quiet += change < 0.1;
    tally->named += named == culprit;
    tally->least_gone = gone < tally->least_gone ? gone : tally->least_gone;
    tally->innocent_moved = change > tally->innocent_moved ? change : tally->innocent_moved;
    count_others(tally, prove);
    assert_true(named != innocent);
    if (gone < 0.5 || change >= 0.01 || getenv("PROOF_ALL") != NULL)
        print_message("cause-%u: %.3f ms lost; the culprit's repair takes %.1f %%, the innocent's"
                      " %.2f %%\n",
                      number, (double)prove->lost_ps / 1e9, gone * 100, prove_gone(innocent) * 100);
}

static void play(struct tally *tally, struct culprit_draft *draft, unsigned number)
{
    struct run run;
    struct scenario *scenario;
    struct prove prove;
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    culprit_run(&run, draft->text, draft->used, &scenario);
    const struct result_cause *cause = &run.result.cause;
    const bool sure =
        run.result.root_cause[0] != '\0' && cause->sure && strcmp(cause->node, draft->name) == 0;
    if (sure) {
        const enum prove_end end = prove_run(&prove, record_store(run.record), false, diag);
        if (end != PROVE_DONE)
            fail_msg("cause-%u: %s", number, prove.why);
        if (prove.lost_ps > 0)
            count(tally, &prove, number);
    }
    tally->proved++;
    assert_true(run_close(&run));
    scenario_free(scenario);
    free(diag);
}

static void repair_of_the_culprit_gives_the_time_back(void **state)
{
    (void)state;
    const unsigned scenarios = culprit_setting("PROOF_SCENARIOS", SCENARIOS);
    const unsigned seed = culprit_setting("PROOF_SEED", SEED);
    struct tally tally = {.least_gone = 1};
    struct culprit_draft *draft = malloc(sizeof *draft);
    assert_non_null(draft);
    for (unsigned i = 0; i < scenarios; i++) {
        culprit_draft(draft, (uint64_t)seed * 1000000, i);
        add_innocent(draft);
        play(&tally, draft, i);
    }
    free(draft);
    print_message("%u scenarios; of the %u whose culprit is named surely, its repair takes half of"
                  " the lost time away in %u and three quarters in %u, at least %.1f %%; it is"
                  " proved in %u\n",
                  tally.proved, tally.sure, tally.half, tally.most, tally.least_gone * 100,
                  tally.named);
    print_message("the innocent's repair changes less than 1 %% in %u and less than 10 %% in %u, at"
                  " most %.1f %%; of %u workloads left out, %u change less than 10 %%\n",
                  tally.calm, tally.quiet, tally.innocent_moved * 100, tally.others,
                  tally.others_unmoved);
    assert_true(tally.sure * 5 >= tally.proved); /* else it proves little */
    assert_true(tally.half * 100 >= tally.sure * HALF_PERCENT);
    assert_true(tally.most * 100 >= tally.sure * MOST_PERCENT);
    assert_true(tally.named * 100 >= tally.sure * HALF_PERCENT);
    assert_true(tally.calm * 100 >= tally.sure * CALM_PERCENT);
    assert_true(tally.quiet * 100 >= tally.sure * QUIET_PERCENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repair_of_the_culprit_gives_the_time_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
