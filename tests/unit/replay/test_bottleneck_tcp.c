/* SPDX-License-Identifier: Apache-2.0
 * test_bottleneck_tcp - estimates that differ for workloads over TCP. */
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

/* Data that a full link does not take waits in send buffers, and what PCIe passes has crossed the
 * link. */
static void over_tcp_a_full_link_is_named_without_a_queue(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.uses[BOTTLENECK_LINK] = use(99, "host1:p0 to leaf0");
    input.uses[BOTTLENECK_LINK].waiting = 0;
    input.uses[BOTTLENECK_PCIE] = use(85, "PCIe of host1");
    assert_named(&input, "pcie: ");
    input.by_tcp = true;
    assert_named(&input, "link: host1:p0 to leaf0 is 99% busy");
}

/* A larger congestion window, not none. */
static void over_tcp_control_gains_a_tenth(void **state)
{
    (void)state;
    struct bottleneck_input input = plain(); /* a depth of 20: one more in 20 */
    struct bottleneck found;
    input.uses[BOTTLENECK_LINK] = use(20, "host1:p0 to leaf0");
    input.uses[BOTTLENECK_CONGESTION] = use(80, "w");
    bottleneck_find(&input, &found);
    assert_true(found.gain > PPM);
    input.by_tcp = true;
    input.uses[BOTTLENECK_WINDOW] = use(60, "w");
    assert_named(&input, "congestion control: connections of w are throttled for 80% of their");
    bottleneck_find(&input, &found);
    assert_in_range(found.gain, PPM * 7 / 100, PPM * 8 / 100);
    input.uses[BOTTLENECK_WINDOW] = use(95, "w");
    assert_named(&input, "send window: connections of w are at the limit of unacknowledged data "
                         "for 95% of their time");
}

/* A full core limits what passes no full link; the queue of one that is not full is a burst. */
static void a_core_of_tcp_is_the_limit_where_no_link_is_full(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.by_tcp = input.by_tcp_cores = true;
    input.uses[BOTTLENECK_HOST_CPU] = use(100, "host0's TCP cores");
    assert_named(&input, "host cpu: host0's TCP cores are 100% busy");
    input.uses[BOTTLENECK_LINK] = use(99, "host1:p0 to leaf0");
    assert_named(&input, "link: ");
    input.uses[BOTTLENECK_LINK].covers = PPM / 4;
    assert_named(&input, "host cpu: ");
    input = plain();
    input.by_tcp = true;
    input.uses[BOTTLENECK_HOST_CPU] = use(60, "host0's TCP cores");
    input.uses[BOTTLENECK_WINDOW] = use(70, "w");
    assert_named(&input, "host cpu: ");
    input.by_tcp_cores = true;
    assert_named(&input, "send window: connections of w are at the limit");
}

/* What waits for a timer of the peer, or behind a larger message, uses no station. */
static void waits_of_connections_are_lost_time(void **state)
{
    (void)state;
    struct bottleneck_input input = plain();
    input.by_tcp = true;
    input.uses[BOTTLENECK_WINDOW] = use(20, "w");
    input.uses[BOTTLENECK_DELAYED_ACK] = use(70, "w");
    assert_named(&input, "delayed ack: connections of w wait for delayed ACKs for 70% of their");
    input = plain();
    input.by_tcp = true;
    input.uses[BOTTLENECK_STREAM] = use(40, "w");
    assert_named(&input, "head-of-line blocking: connections of w hold messages behind larger "
                         "ones for 40% of their time");
    input.uses[BOTTLENECK_LINK] = use(99, "host1:p0 to leaf0");
    assert_named(&input, "link: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_tcp_a_full_link_is_named_without_a_queue),
        cmocka_unit_test(over_tcp_control_gains_a_tenth),
        cmocka_unit_test(a_core_of_tcp_is_the_limit_where_no_link_is_full),
        cmocka_unit_test(waits_of_connections_are_lost_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
