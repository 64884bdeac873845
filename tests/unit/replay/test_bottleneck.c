/* SPDX-License-Identifier: Apache-2.0
 * test_bottleneck - which estimate is the largest. */
#include "replay/explain/bottleneck.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct bottleneck_use use(int64_t percent, const char *where)
{
    struct bottleneck_use use = {.used = percent * PPM / 100, .waiting = PPM / 2, .covers = PPM};
    strncpy(use.where, where, sizeof use.where - 1);
    return use;
}

/* A closed loop of 20 on a link that is half busy. */
static struct bottleneck_input plain(void)
{
    struct bottleneck_input input = {.depth = 20};
    input.uses[BOTTLENECK_LINK] = use(50, "host1:p0 to leaf0");
    return input;
}

static void assert_named(const struct bottleneck_input *input, const char *beginning)
{
    struct bottleneck found;
    bottleneck_find(input, &found);
    if (strncmp(found.text, beginning, strlen(beginning)) != 0)
        fail_msg("'%s' does not begin with '%s'", found.text, beginning);
    assert_memory_equal(found.text, bottleneck_label(found.resource),
                        strlen(bottleneck_label(found.resource)));
}

static void where_nothing_is_full_more_outstanding_gains_most(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    assert_named(&input, "queue depth: 20 is too low to saturate any resource; busiest link: "
                         "host1:p0 to leaf0, 50% used");
    input.uses[BOTTLENECK_LINK] = use(98, "host1:p0 to leaf0");
    assert_named(&input, "link: host1:p0 to leaf0 is 98% busy");
}

/* They serve one after the other, and nobody counts who waits for them. */
static void a_full_engine_is_named_without_a_queue(void **state)
{
    (void)state;
    static const enum bottleneck_resource engines[] = {BOTTLENECK_RNIC, BOTTLENECK_PCIE};
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        struct bottleneck_input input = plain();
        input.uses[engines[i]] = use(100, "host0");
        input.uses[engines[i]].waiting = 0;
        assert_named(&input, bottleneck_word(engines[i]));
        input.uses[engines[i]] = use(50, "host0");
        assert_named(&input, "queue depth");
    }
}

static void a_full_station_is_named_and_the_first_of_two(void **state)
{
    (void)state;
    static const enum bottleneck_resource stations[] = {BOTTLENECK_MEDIA, BOTTLENECK_TARGET_CPU,
                                                        BOTTLENECK_HOST_CPU};
    for (size_t i = 0; i < sizeof stations / sizeof stations[0]; i++) {
        struct bottleneck_input input = plain();
        input.uses[stations[i]] = use(100, "host0");
        assert_named(&input, bottleneck_word(stations[i]));
        input.uses[BOTTLENECK_LINK] = use(100, "host1:p0 to leaf0");
        assert_named(&input, "link");
    }
}

/* Dies are hit at random: none is always busy, and what is outstanding waits for some. */
static void waiting_tells_of_a_limit_that_is_not_always_busy(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_MEDIA] = use(70, "host0's dies");
    input.uses[BOTTLENECK_MEDIA].waiting = 0;
    assert_named(&input, "queue depth: ");
    input.uses[BOTTLENECK_MEDIA].waiting = PPM * 6 / 10;
    assert_named(&input,
                 "media: host0's dies are 70% busy, and 60% of outstanding I/Os are there; ");
    input.uses[BOTTLENECK_MEDIA].used = PPM / 10; /* nobody can wait long for what is idle */
    assert_named(&input, "queue depth: ");
}

/* Dies that program what a buffer took long ago; of two that are full one has the queue. */
static void what_nobody_waits_for_is_no_limit(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_MEDIA] = use(100, "host0's dies");
    input.uses[BOTTLENECK_MEDIA].waiting = 0;
    assert_named(&input, "queue depth: ");
    input.uses[BOTTLENECK_TARGET_CPU] = use(100, "host0's cores");
    assert_named(&input, "target cpu: ");
    input.uses[BOTTLENECK_MEDIA].waiting = PPM * 8 / 10;
    assert_named(&input, "media: ");
}

static void a_host_that_always_drains_slowly_is_a_station(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.slow_by_nature = true;
    input.uses[BOTTLENECK_RECEIVER] = use(100, "host0");
    assert_named(&input, "slow receiver: host0 drains its receive buffer too slowly 100%");
    input.uses[BOTTLENECK_RECEIVER] = use(79, "host0");
    input.uses[BOTTLENECK_CONGESTION] = use(90, "w");
    assert_named(&input, "congestion control: ");
}

static void one_more_of_few_outstanding_is_much(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_MEDIA] = use(70, "host0's medium");
    input.uses[BOTTLENECK_MEDIA].waiting = PPM * 6 / 10;
    input.depth = 1;
    assert_named(&input, "queue depth: ");
}

static void time_that_is_lost_counts_as_far_as_there_is_room(void **state)
{
    (void)state;
    static const enum bottleneck_resource lost[] = {BOTTLENECK_RECEIVER, BOTTLENECK_PAUSES,
                                                    BOTTLENECK_CREDIT,   BOTTLENECK_CONGESTION,
                                                    BOTTLENECK_LOSS,     BOTTLENECK_RECOVERY};
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) {
        struct bottleneck_input input = plain();
        input.uses[lost[i]] = use(40, "w");
        assert_named(&input, bottleneck_word(lost[i]));
        input.uses[BOTTLENECK_LINK] = use(99, "host1:p0 to leaf0");
        assert_named(&input, "link");
        input = plain();
        input.uses[lost[i]] = use(5, "w");
        assert_named(&input, "queue depth: ");
    }
}

static void what_is_sent_again_is_no_use_of_a_link(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_LINK] = use(100, "host1:p0 to leaf0");
    input.uses[BOTTLENECK_LOSS] = use(90, "w");
    assert_named(&input, "link: ");
    input.resent = PPM * 9 / 10;
    assert_named(&input,
                 "loss: queue pairs of w wait for or retransmit lost packets for 90% of their "
                 "time; busiest link: host1:p0 to leaf0, 100% used");
}

/* Nor of who drains it; and of what is full they take their share, though few wait for them. */
static void what_is_sent_again_is_no_use_of_a_receiver(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.slow_by_nature = true;
    input.uses[BOTTLENECK_RECEIVER] = use(100, "host0");
    input.uses[BOTTLENECK_LOSS] = use(80, "w");
    assert_named(&input, "slow receiver: ");
    input.resent = PPM * 43 / 100;
    assert_named(&input, "loss: ");
    input.uses[BOTTLENECK_LOSS] = use(0, "w");
    input.uses[BOTTLENECK_CREDIT] = use(3, "w");
    assert_named(&input, "credit: ");
    input.uses[BOTTLENECK_RECEIVER] = use(60, "host0");
    assert_named(&input, "queue depth: ");
}

static void what_a_medium_does_for_a_lost_controller_is_no_use(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_MEDIA] = use(100, "host0's dies");
    input.uses[BOTTLENECK_RECOVERY] = use(30, "controllers of w were lost");
    assert_named(&input, "media: ");
    input.away = PPM * 3 / 10;
    assert_named(&input, "recovery: ");
}

/* A link at 93 % whose queue marks: it is what holds them, and READs wait for what is held. */
static void what_holds_answers_holds_the_reads_that_wait_for_them(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_LINK] = use(93, "host1:p0 to leaf0");
    input.uses[BOTTLENECK_LINK].waiting = PPM * 9 / 10;
    input.uses[BOTTLENECK_READS] = use(99, "w");
    input.uses[BOTTLENECK_CONGESTION] = use(100, "w");
    assert_named(&input, "link: ");
    input.uses[BOTTLENECK_LINK].used = PPM * 6 / 10;
    assert_named(&input, "congestion control: ");
}

/* A tenth of the fourth power of the busy share, of which READs that wait take half their share
 * unless the link is full; what congestion control holds does not wait as a READ. */
static void a_link_gains_less_where_reads_wait(void **state)
{
    (void)state;
    static const struct {
        int64_t link, reads, congestion, gain;
    } rows[] = {{97, 0, 0, 88529}, {97, 40, 0, 70823}, {97, 40, 50, 79676}, {98, 40, 0, 92236}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bottleneck_input input = plain();
        struct bottleneck found;
        input.uses[BOTTLENECK_LINK] = use(rows[i].link, "host1:p0 to leaf0");
        input.uses[BOTTLENECK_LINK].waiting = PPM;
        input.uses[BOTTLENECK_READS] = use(rows[i].reads, "w");
        input.uses[BOTTLENECK_CONGESTION] = use(rows[i].congestion, "w");
        bottleneck_find(&input, &found);
        assert_int_equal(found.resource, BOTTLENECK_LINK);
        assert_in_range(found.gain, rows[i].gain - 3, rows[i].gain + 3);
    }
}

static void an_open_loop_gains_no_more_than_it_asks_for(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_LINK] = use(4, "host1:p0 to leaf0");
    input.uses[BOTTLENECK_PAUSES] = use(70, "leaf0:p1");
    input.uses[BOTTLENECK_PAUSES].covers = PPM / 3;
    input.depth = 1;
    assert_named(&input, "queue depth: ");
    input.asked = PPM * 12 / 10;
    assert_named(&input, "pauses: ");
}

static void limits_of_what_may_be_under_way_stand_for_the_depth(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_READS] = use(60, "w");
    assert_named(&input, "outstanding reads: ");
    input.uses[BOTTLENECK_READS] = use(40, "w");
    input.uses[BOTTLENECK_QUEUE_SIZE] = use(70, "w");
    assert_named(&input, "queue size: ");
    input.entries = 3; /* one more is less than a second READ */
    input.reads = 1;
    assert_named(&input, "outstanding reads: ");
}

/* A queue pair registers memory for one command at a time, as if it had one READ under way: both
 * limits gain the same, whatever share of the I/Os waits for them. */
static void a_fence_gains_as_much_as_a_limit_of_one_read(void **state)
{
    (void)state;
    int64_t before = 0;
    for (int percent = 10; percent <= 100; percent += 5) {
        struct bottleneck_input fence = {.depth = 20}, reads = {.depth = 20, .reads = 1};
        struct bottleneck of_fence, of_reads;
        fence.uses[BOTTLENECK_FENCE] = use(percent, "w");
        reads.uses[BOTTLENECK_READS] = use(percent, "w");
        bottleneck_find(&fence, &of_fence);
        bottleneck_find(&reads, &of_reads);
        assert_int_equal(of_fence.resource, BOTTLENECK_FENCE);
        assert_int_equal(of_reads.resource, BOTTLENECK_READS);
        assert_int_equal(of_fence.gain, of_reads.gain);
        assert_true(of_fence.gain > before);
        before = of_fence.gain;
    }
}

/* A depth of 32 that is played as 5. */
static void a_queue_that_holds_less_than_the_depth_stands_for_it(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.entries = 5;
    input.uses[BOTTLENECK_QUEUE_SIZE] = use(84, "the submission queues of w hold 5");
    assert_named(&input, "queue size: the submission queues of w hold 5: 84% of the I/Os wait");
    input.entries = 14;
    input.uses[BOTTLENECK_QUEUE_SIZE] = use(30, "the submission queues of w hold 14");
    assert_named(&input, "queue size: ");
}

/* One more of either alone makes no difference; most of what is outstanding is at the medium. */
static void where_a_queue_holds_just_the_depth_what_serves_is_the_limit(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_MEDIA] = use(20, "host0's drives (medium)");
    input.uses[BOTTLENECK_MEDIA].waiting = 0;
    input.uses[BOTTLENECK_MEDIA].serving = PPM * 8 / 10;
    input.entries = 21;
    input.depth = 20;
    assert_named(&input, "media: ");
    input.entries = 22;
    assert_named(&input, "queue depth: ");
    input.entries = input.depth;
    assert_named(
        &input,
        "media: host0's drives (medium) are 20% busy, and 80% of outstanding I/Os are there; ");
}

/* A port that one pair of four goes by holds up a fourth. */
static void an_outage_counts_for_those_whom_it_meets(void **state)
{
    (void)state;
    static const enum bottleneck_resource of[] = {BOTTLENECK_PAUSES, BOTTLENECK_RECOVERY};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        struct bottleneck_input input = plain(), less = plain();
        struct bottleneck found, found_less;
        input.uses[of[i]] = use(60, "leaf0:p1");
        less.uses[of[i]] = use(60, "leaf0:p1");
        less.uses[of[i]].covers = PPM / 4;
        bottleneck_find(&input, &found);
        bottleneck_find(&less, &found_less);
        assert_int_equal(found.resource, of[i]);
        assert_int_equal(found_less.gain, found.gain / 4);
    }
}

/* Half used, but full whenever the target is there. */
static void control_gains_nothing_from_what_is_full_between_outages(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_LINK] = use(50, "host1:p0 to leaf0");
    input.uses[BOTTLENECK_CONGESTION] = use(99, "w");
    assert_named(&input, "congestion control: ");
    input.uses[BOTTLENECK_RECOVERY] = use(50, "the target on host1 stalled");
    assert_named(&input, "recovery: the target on host1 stalled for 50% of the time");
}

static void who_gets_all_is_limited_by_what_he_asks_for(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.satisfied = true;
    input.uses[BOTTLENECK_MEDIA] = use(80, "host0");
    assert_named(&input, "offered load: no resource is saturated; busiest link");
    input.uses[BOTTLENECK_RECOVERY] = use(10, "controllers of w were lost");
    assert_named(&input, "offered load: no resource is saturated, but I/O completed late because "
                         "controllers of w were lost for 10% of the time; busiest link");
    input.satisfied = false;
    assert_named(&input, "recovery: controllers of w were lost for 10% of the time");
    input = plain();
    input.few = true;
    assert_named(&input, "offered load: ");
    input.idle = true;
    assert_named(&input, "offered load: no I/O was issued");
}

/* It thinks half of the time, and is at the link in nine tenths of the rest. */
static void who_thinks_is_limited_by_that_and_by_what_is_full_meanwhile(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_LINK] = use(49, "host1:p0 to leaf0");
    input.uses[BOTTLENECK_LINK].waiting = PPM;
    input.thinking = PPM * 3 / 10;
    input.depth = 100;
    assert_named(&input, "queue depth: ");
    input.uses[BOTTLENECK_LINK].used = PPM * 69 / 100;
    assert_named(&input, "link: host1:p0 to leaf0 is 69% busy");
    input.few = true;
    input.thinking = PPM * 6 / 10;
    assert_named(&input, "offered load: no resource is saturated; think time takes 60% of the "
                         "time; busiest link: host1:p0 to leaf0, 69% used");
    input.thinking = PPM;
    assert_named(&input, "offered load: no resource is saturated; think time takes 100% of");
}

/* Both would fill the link; but who is held no more is repeated all the same. */
static void of_loss_and_control_the_loss_is_ended_first(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_CONGESTION] = use(80, "w");
    input.uses[BOTTLENECK_LOSS] = use(55, "w");
    assert_named(&input, "loss: ");
    input.uses[BOTTLENECK_LOSS] = use(15, "w");
    assert_named(&input, "congestion control: ");
}

/* What comes faster is refused more often. */
static void who_is_refused_gains_no_more_without_control_than_with_receives(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_CONGESTION] = use(90, "w");
    assert_named(&input, "congestion control: ");
    input.uses[BOTTLENECK_CREDIT] = use(20, "w");
    assert_named(&input, "credit: ");
}

/* Nobody knows how much room there is where nothing was used: it is no bound. */
static void what_was_not_used_bounds_nothing(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_LINK] = use(5, "host1:p0 to leaf0");
    input.uses[BOTTLENECK_CONGESTION] = use(95, "w");
    input.uses[BOTTLENECK_PAUSES] = use(60, "leaf0:p1");
    assert_named(&input,
                 "congestion control: queue pairs of w are throttled for 95% of their time");
}

/* Of two targets one is away for half of the time, and the other's link is full all of it. */
static void another_targets_full_link_leaves_room_for_the_one_that_is_away(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_LINK] = use(100, "leaf0:p0 to host0");
    input.uses[BOTTLENECK_LINK].covers = PPM * 87 / 100;
    input.uses[BOTTLENECK_RECOVERY] = use(9, "the target on host1 stalled");
    assert_named(&input, "link: ");
    input.uses[BOTTLENECK_RECOVERY] = use(50, "the target on host1 stalled");
    assert_named(&input, "recovery: the target on host1 stalled for 50% of the time");
}

/* Of two commands one is worked on, and the other is an answer that nobody has looked at. */
static void a_full_host_cpu_is_the_limit_of_few_commands(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.depth = 2;
    input.uses[BOTTLENECK_HOST_CPU] = use(100, "the host CPUs of w's queues");
    input.uses[BOTTLENECK_HOST_CPU].waiting = PPM / 100;
    assert_named(&input, "host cpu: the host CPUs of w's queues are 100% busy");
}

/* Of a device's run only what it asked for is known. */
static void what_nobody_counted_is_unknown(void **state)
{
    (void)state;
    struct bottleneck_input input = {.depth = 20, .uncounted = true};
    assert_named(&input, "unknown: a measured run does not count");
    input.satisfied = true;
    assert_named(&input, "offered load: no resource is saturated");
    input = (struct bottleneck_input){.uncounted = true, .few = true};
    assert_named(&input, "offered load: ");
    input = (struct bottleneck_input){.uncounted = true, .idle = true};
    assert_named(&input, "offered load: no I/O was issued");
}

static void a_run_is_judged_by_what_all_of_it_gains(void **state)
{
    (void)state;
    struct bottleneck_input small = plain(), large = plain();
    const struct bottleneck_input *inputs[] = {&small, &large};
    struct bottleneck found;
    small.uses[BOTTLENECK_MEDIA] = use(100, "host0's cells");
    small.weight = 20;
    large.uses[BOTTLENECK_LINK] = use(100, "host9:p0 to leaf9");
    large.weight = 80;
    bottleneck_of_all(inputs, 2, &found);
    assert_string_equal(found.text, "link: host9:p0 to leaf9 is 100% busy");
    assert_in_range(found.gain, 76000, 78000); /* the other's half-used link gains a little */
    large.uses[BOTTLENECK_LINK] = use(50, "host9:p0 to leaf9");
    large.satisfied = true;
    bottleneck_of_all(inputs, 2, &found);
    assert_int_equal(found.resource, BOTTLENECK_MEDIA);
    bottleneck_of_all(NULL, 0, &found);
    assert_string_equal(found.text, "offered load: no I/O was issued");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_nothing_is_full_more_outstanding_gains_most),
        cmocka_unit_test(a_full_engine_is_named_without_a_queue),
        cmocka_unit_test(a_full_station_is_named_and_the_first_of_two),
        cmocka_unit_test(waiting_tells_of_a_limit_that_is_not_always_busy),
        cmocka_unit_test(what_nobody_waits_for_is_no_limit),
        cmocka_unit_test(a_host_that_always_drains_slowly_is_a_station),
        cmocka_unit_test(one_more_of_few_outstanding_is_much),
        cmocka_unit_test(time_that_is_lost_counts_as_far_as_there_is_room),
        cmocka_unit_test(what_is_sent_again_is_no_use_of_a_link),
        cmocka_unit_test(what_is_sent_again_is_no_use_of_a_receiver),
        cmocka_unit_test(what_a_medium_does_for_a_lost_controller_is_no_use),
        cmocka_unit_test(what_holds_answers_holds_the_reads_that_wait_for_them),
        cmocka_unit_test(a_link_gains_less_where_reads_wait),
        cmocka_unit_test(an_open_loop_gains_no_more_than_it_asks_for),
        cmocka_unit_test(limits_of_what_may_be_under_way_stand_for_the_depth),
        cmocka_unit_test(a_fence_gains_as_much_as_a_limit_of_one_read),
        cmocka_unit_test(a_queue_that_holds_less_than_the_depth_stands_for_it),
        cmocka_unit_test(where_a_queue_holds_just_the_depth_what_serves_is_the_limit),
        cmocka_unit_test(an_outage_counts_for_those_whom_it_meets),
        cmocka_unit_test(control_gains_nothing_from_what_is_full_between_outages),
        cmocka_unit_test(who_gets_all_is_limited_by_what_he_asks_for),
        cmocka_unit_test(who_thinks_is_limited_by_that_and_by_what_is_full_meanwhile),
        cmocka_unit_test(of_loss_and_control_the_loss_is_ended_first),
        cmocka_unit_test(who_is_refused_gains_no_more_without_control_than_with_receives),
        cmocka_unit_test(what_was_not_used_bounds_nothing),
        cmocka_unit_test(another_targets_full_link_leaves_room_for_the_one_that_is_away),
        cmocka_unit_test(a_full_host_cpu_is_the_limit_of_few_commands),
        cmocka_unit_test(what_nobody_counted_is_unknown),
        cmocka_unit_test(a_run_is_judged_by_what_all_of_it_gains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
