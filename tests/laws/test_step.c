/* SPDX-License-Identifier: Apache-2.0
 * Going back and forward reaches identical states: in random scenarios with a fault each, at random
 * places.
 *   - a run that is stepped through ends with the digest of an ordinary one
 *   - after any sequence of jumps, both ways, to events and to moments, the digest is what a run
 *     that goes straight there has
 *   - back over n frames is where one came from n frames ago
 *   - the ladder keeps no more rungs than it may
 * STEP_SCENARIOS and STEP_SEED in the environment ask for other scenarios. */
#include "tests/laws/truth/culprit.h"

#include "replay/step/step_ladder.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { SCENARIOS = 12, SEED = 20265 };
enum { PLACES = 24, JUMPS = 60, HOPS = 12, LADDER_EVERY = 3000 };

/* Where a straight run was, and its digest there. */
struct place {
    struct step_goal goal;
    struct step_position position;
    struct digest digest;
};

struct law {
    struct scenario *scenario;
    struct rng rng;
    struct step_ladder ladder;
    struct place places[PLACES];
    struct digest end; /* of an ordinary run */
    uint64_t events;   /* and what it executed */
    time_ps lasted;
    unsigned jumps, hops, backwards;
};

static const struct step_goal nowhere = {
    .events = UINT64_MAX, .until = TIME_NEVER, .slice = UINT64_MAX};

static void assert_same(const struct digest *a, const struct digest *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

static struct stepper *new_stepper(const struct law *law)
{
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    struct stepper *stepper = stepper_new(law->scenario, NULL, diag);
    assert_non_null(stepper);
    free(diag);
    return stepper;
}

/* ------------------------------------------------------------------ going straight */

static int by_goal(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->goal.until < b->goal.until ? -1 : a->goal.until > b->goal.until;
}

/* Moments, and in each second place the event that was just before. */
static void draw_places(struct law *law)
{
    for (unsigned i = 0; i < PLACES; i++) {
        law->places[i].goal = nowhere;
        law->places[i].goal.until = (time_ps)rng_below(&law->rng, (uint64_t)law->lasted - 1) + 1;
    }
    qsort(law->places, PLACES, sizeof law->places[0], by_goal);
}

static void go_straight(struct law *law)
{
    struct stepper *stepper = new_stepper(law);
    struct step_moved moved;
    for (unsigned i = 0; i < PLACES; i++) {
        struct place *place = &law->places[i];
        if (i % 2 == 1) {
            place->goal.until = TIME_NEVER;
            place->goal.events = stepper_position(stepper).events + 1 + rng_below(&law->rng, 500);
        } else if (place->goal.until < stepper_position(stepper).now) {
            place->goal.until = stepper_position(stepper).now; /* the events went beyond it */
        }
        stepper_move(stepper, &place->goal, &moved);
        place->position = moved.position;
        place->digest = stepper_digest(stepper);
    }
    stepper_move(stepper, &nowhere, &moved);
    assert_int_equal(moved.end, STEP_AT_END);
    const struct digest end = stepper_digest(stepper);
    assert_same(&end, &law->end);
    assert_int_equal(engine_events(&stepper_world(stepper)->engine), law->events);
    stepper_free(stepper);
}

/* ------------------------------------------------------------------ jumping */

static void look_at_ladder(const struct step_ladder *ladder)
{
    assert_true(ladder->count >= 1 && ladder->count <= ladder->most);
    for (uint32_t i = 1; i < ladder->count; i++)
        assert_true(ladder->rungs[i - 1].position.events <= ladder->rungs[i].position.events);
    assert_int_equal(ladder->rungs[0].position.events, 0);
}

static void jump(struct law *law, const struct place *place)
{
    struct step_moved moved;
    struct digest digest;
    law->backwards += place->position.events < law->ladder.present.position.events;
    law->jumps++;
    assert_true(step_ladder_seek(&law->ladder, &place->goal, &moved));
    assert_true(step_player_digest(&law->ladder.present.player, &digest));
    assert_same(&digest, &place->digest);
    assert_int_equal(moved.position.events, place->position.events);
    assert_int_equal(moved.position.now, place->position.now);
    assert_int_equal(moved.position.between, place->position.between);
    look_at_ladder(&law->ladder);
}

/* On over n frames of any kind, one at a time, and back over them at once. */
static void hop(struct law *law)
{
    struct step_goal goal = nowhere;
    struct step_moved moved;
    struct digest first, again;
    uint64_t left;
    const unsigned frames = 1 + (unsigned)rng_below(&law->rng, 40);
    goal.hits = 1;
    goal.condition_count = 1;
    goal.conditions[0] = step_condition_of(STEP_PACKET);
    assert_true(step_ladder_move(&law->ladder, &goal, &moved));
    const struct step_position from = moved.position;
    assert_true(step_player_digest(&law->ladder.present.player, &first));
    for (unsigned i = 0; i < frames && moved.end == STEP_AT_HIT; i++)
        assert_true(step_ladder_move(&law->ladder, &goal, &moved));
    if (moved.end != STEP_AT_HIT)
        return; /* the run ends before */
    assert_true(step_ladder_back(&law->ladder, &goal, frames, &left, &moved));
    assert_true(step_player_digest(&law->ladder.present.player, &again));
    assert_int_equal(left, 0);
    assert_int_equal(moved.position.events, from.events);
    assert_same(&again, &first);
    law->hops++;
}

static void go_anywhere(struct law *law)
{
    struct step_moved moved;
    struct digest digest;
    assert_true(step_ladder_begin(&law->ladder, new_stepper(law)));
    law->ladder.every = LADDER_EVERY;
    for (unsigned i = 0; i < JUMPS; i++) {
        jump(law, &law->places[rng_below(&law->rng, PLACES)]);
        if (i % (JUMPS / HOPS) == 0)
            hop(law);
    }
    assert_true(step_ladder_move(&law->ladder, &nowhere, &moved));
    assert_int_equal(moved.end, STEP_AT_END);
    assert_true(step_player_digest(&law->ladder.present.player, &digest));
    assert_same(&digest, &law->end);
    jump(law, &law->places[0]); /* also from behind the end */
    step_ladder_end(&law->ladder);
}

/* ------------------------------------------------------------------ scenarios */

/* Beside the culprit: losses, which end in timers and retransmissions, and a link that goes. */
static void add_losses(struct law *law, struct culprit_draft *draft)
{
    culprit_add(draft, "  - {at: 0s, kind: drop-every, where: \"host%u:p0\", n: %u}\n",
                (unsigned)rng_below(&law->rng, draft->hosts),
                60 + (unsigned)rng_below(&law->rng, 400));
    culprit_add(draft, "  - {at: %uus, for: 30us, kind: link-down, where: \"host%u:p0\"}\n",
                100 + (unsigned)rng_below(&law->rng, 100),
                (unsigned)rng_below(&law->rng, draft->hosts));
}

static void play(struct law *law, struct culprit_draft *draft)
{
    struct run run;
    add_losses(law, draft);
    culprit_run(&run, draft->text, draft->used, &law->scenario);
    law->end = run.result.digest;
    law->events = (uint64_t)run.result.totals.events;
    law->lasted = run.result.totals.simulated_ps;
    assert_true(run_close(&run));
    draw_places(law);
    go_straight(law);
    go_anywhere(law);
    scenario_free(law->scenario);
}

static void back_and_forward_reach_the_same_states(void **state)
{
    (void)state;
    const unsigned scenarios = culprit_setting("STEP_SCENARIOS", SCENARIOS);
    const unsigned seed = culprit_setting("STEP_SEED", SEED);
    struct culprit_draft *draft = malloc(sizeof *draft);
    struct law *law = calloc(1, sizeof *law);
    assert_non_null(draft);
    assert_non_null(law);
    law->rng = rng_stream(seed, "step", "law");
    for (unsigned i = 0; i < scenarios; i++) {
        culprit_draft(draft, (uint64_t)seed * 1000000, i);
        play(law, draft);
    }
    print_message("%u scenarios, %u jumps, %u of them back, and %u times back over frames: every"
                  " digest the same\n",
                  scenarios, law->jumps, law->backwards, law->hops);
    assert_true(law->backwards * 4 > law->jumps);
    assert_true(law->hops * 2 > scenarios * HOPS);
    free(law);
    free(draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(back_and_forward_reach_the_same_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
