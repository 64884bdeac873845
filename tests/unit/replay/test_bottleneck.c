/* SPDX-License-Identifier: Apache-2.0
 * test_bottleneck - one row for each rule. */
#include "replay/explain/bottleneck.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A run of 10 ms on a link that is half busy, with 100 commands of 10 us each in the media. */
static struct bottleneck_input plain(void)
{
    struct bottleneck_input input = {
        .span = 10 * PS_PER_MS,
        .paused_port = "leaf0:p0",
        .root_cause = "",
        .busiest_port = "host1:p0",
        .busiest_peer = "leaf0",
        .busiest_ps = 5 * PS_PER_MS,
        .commands = 100,
    };
    input.stage_ps[IOJOIN_MEDIA] = 1000 * PS_PER_US;
    input.stage_ps[IOJOIN_SUBMIT] = 100 * PS_PER_US;
    return input;
}

static void assert_named(const struct bottleneck_input *input, const char *beginning)
{
    char text[320];
    bottleneck_find(input, text, sizeof text);
    if (strncmp(text, beginning, strlen(beginning)) != 0)
        fail_msg("'%s' does not begin with '%s'", text, beginning);
}

static void longest_part_of_the_latency_is_named(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    assert_named(&input, "media: 91% of the mean latency of 100 commands");
    input.stage_ps[IOJOIN_RESPOND] = 3000 * PS_PER_US;
    assert_named(&input, "target cpu: ");
    input.stage_ps[IOJOIN_FETCH] = 4000 * PS_PER_US;
    assert_named(&input, "network: ");
    input.stage_ps[IOJOIN_COMPLETE] = 9000 * PS_PER_US;
    assert_named(&input, "host software: ");
}

static void pauses_come_before_a_full_link(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.busiest_ps = 96 * PS_PER_MS / 10;
    assert_named(&input, "link: host1:p0 to leaf0 is 96% busy");
    input.root_cause = "host0: slow";
    input.paused_ps = PS_PER_MS - 1; /* just below a tenth */
    assert_named(&input, "link: ");
    input.paused_ps = PS_PER_MS;
    assert_named(&input, "pauses: leaf0:p0 was paused for 1.000 ms (10% of the time)");
}

static void notifications_matter_only_below_a_full_link(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.cnps = 10; /* one in each millisecond is not enough */
    assert_named(&input, "media: ");
    input.cnps = 11;
    assert_named(&input, "congestion control: ");
    input.busiest_ps = 95 * PS_PER_MS / 10;
    assert_named(&input, "link: ");
}

static void nothing_full_and_no_commands_is_the_workloads_own_limit(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.commands = 0;
    assert_named(&input, "outstanding limit: ");
    input = (struct bottleneck_input){.root_cause = ""}; /* nothing ran at all */
    assert_named(&input, "outstanding limit: ");
}

static void loss_is_told_before_nothing_is_full(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.timeouts = 7;
    assert_named(&input, "media: ");
    input.commands = 0;
    assert_named(&input,
                 "loss: senders wait for lost packets (0 frames dropped, 0 packets "
                 "retransmitted, 7 timeouts); the busiest link, host1:p0 to leaf0, is 50% used");
    input.timeouts = 0;
    input.drops = 1;
    assert_named(&input, "loss: senders wait for lost packets (1 frames");
    input.drops = 0;
    input.retransmitted = 1;
    assert_named(&input, "loss: ");
    input.cnps = 11;
    assert_named(&input, "congestion control: ");
}

static void receivers_without_a_receive_are_named_before_the_latency(void **state)
{
    (void)state;
    char word[32];
    struct bottleneck_input input = plain();
    input.rnr_naks = 10; /* one in each millisecond is not enough */
    assert_named(&input, "media: ");
    input.rnr_naks = 11;
    assert_named(&input, "credit: 11 messages found no posted receive");
    input.cnps = 11;
    assert_named(&input, "congestion control: ");
    bottleneck_word("target cpu: 60% of it", word, sizeof word);
    assert_string_equal(word, "target cpu");
}

static void controllers_that_are_away_are_named_before_the_latency(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.losses = 2;
    input.without_service = PS_PER_MS - 1;
    assert_named(&input, "media: ");
    input.without_service = PS_PER_MS;
    assert_named(&input, "recovery: controllers were lost 2 times, 1.000 ms without "
                         "service in total");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longest_part_of_the_latency_is_named),
        cmocka_unit_test(pauses_come_before_a_full_link),
        cmocka_unit_test(notifications_matter_only_below_a_full_link),
        cmocka_unit_test(receivers_without_a_receive_are_named_before_the_latency),
        cmocka_unit_test(controllers_that_are_away_are_named_before_the_latency),
        cmocka_unit_test(loss_is_told_before_nothing_is_full),
        cmocka_unit_test(nothing_full_and_no_commands_is_the_workloads_own_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
