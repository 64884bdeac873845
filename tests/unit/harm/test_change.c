/* SPDX-License-Identifier: Apache-2.0
 * test_change - what a fault cost by the operations before and after it, where nothing else begins
 * or ends. */
#include "harm_fixture.h"
#include "replay/harm/change.h"
#include "scenarios/workload/wl_history.h"

#define MIRROR                                                                                     \
    "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host2, namespaces: [{media: "    \
    "\"null\", drives: 2, layout: "                                                                \
    "mirror}]}}\n"
#define READS  "workloads: [{name: w, kind: nvme, from: host0, to: host2}"
#define FAILED "]\nfaults: [{at: 400us, kind: drive-failed, where: host2}"

enum { EACH = 1000000 }; /* an operation each microsecond: 1,000 in the run */

/* Latencies of 10 us and every eighth of them 12 us; from `at` on `slow` more; until `until`. */
static struct wl_history history_of(time_ps at, time_ps slow, time_ps until)
{
    struct wl_history history;
    wl_history_init(&history, 0);
    for (time_ps now = EACH; now < until; now += EACH) {
        const time_ps own = now / EACH % 8 == 0 ? 2 * PS_PER_US : 0;
        wl_history_add(&history, now, 10 * PS_PER_US + own + (now >= at ? slow : 0), 4096, 0);
    }
    return history;
}

static struct change change_of(const char *text, time_ps slow, struct harm *harm)
{
    struct fixture fixture;
    build(&fixture, text);
    struct wl_history history = history_of(400 * PS_PER_US, slow, PS_PER_MS);
    fixture.world->stats[0].history = &history;
    const struct change change = change_since(&fixture.scene, 0, 0);
    if (harm != NULL) {
        judge(&fixture);
        *harm = fixture.harm;
        harm->causes = NULL;
        harm->workloads = NULL;
    }
    fixture.world->stats[0].history = NULL;
    wl_history_fini(&history);
    raze(&fixture);
    return change;
}

static void an_array_that_is_slower_since_costs_what_it_is_slower_by(void **state)
{
    (void)state;
    struct harm harm;
    const struct change change = change_of(STAR MIRROR READS FAILED "]\n", 10 * PS_PER_US, &harm);
    assert_true(change.known);
    assert_in_range(change.before, 10200 * PS_PER_NS, 10300 * PS_PER_NS);
    assert_in_range(change.after, 20200 * PS_PER_NS, 20300 * PS_PER_NS);
    /* 600 operations with 10 us more, of 600 x 20.25 + 400 x 10.25 us in all. */
    assert_in_range(change.lost, 355000, 375000);
    assert_in_range(harm.lost_ps, 355 * PS_PER_US, 375 * PS_PER_US);
    assert_int_equal(harm.severity, HARM_SEVERE);
}

static void one_that_is_as_fast_costs_nothing(void **state)
{
    (void)state;
    struct harm harm;
    const struct change change = change_of(STAR MIRROR READS FAILED "]\n", 0, &harm);
    assert_true(change.known);
    assert_int_equal(change.lost, 0);
    assert_string_equal(harm.sentence, "none: no measurable impact");
}

/* Before the failure it was now faster and now slower than since. */
static void what_changes_anyway_costs_nothing(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, STAR MIRROR READS FAILED "]\n");
    struct wl_history history;
    wl_history_init(&history, 0);
    for (time_ps now = EACH; now < PS_PER_MS; now += EACH) {
        const bool slow = now / (100 * PS_PER_US) % 2 == 1;
        const time_ps latency = now >= 400 * PS_PER_US ? 22 : slow ? 30 : 10;
        wl_history_add(&history, now, latency * PS_PER_US, 4096, 0);
    }
    fixture.world->stats[0].history = &history;
    const struct change change = change_since(&fixture.scene, 0, 0);
    assert_true(change.known);
    assert_true(change.after > change.before);
    assert_int_equal(change.lost, 0);
    fixture.world->stats[0].history = NULL;
    wl_history_fini(&history);
    raze(&fixture);
}

/* Something else may be why: another workload, another fault; or there is no before. */
static void what_may_have_another_reason_is_not_told(void **state)
{
    (void)state;
    static const char *const others[] = {
        STAR MIRROR READS ", {name: v, kind: nvme, from: host1, to: host2, start: 400us}" FAILED
                          "]\n",
        STAR MIRROR READS FAILED ", {at: 400us, kind: slow-receiver, where: host0, drain: 50%}]\n",
        STAR MIRROR READS "]\nfaults: [{at: 0us, kind: drive-failed, where: host2}]\n",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct harm harm;
        const struct change change = change_of(others[i], 10 * PS_PER_US, &harm);
        assert_false(change.known);
        assert_int_equal(change.lost, 0);
        if (harm.severity == HARM_NOTHING)
            assert_non_null(strstr(harm.sentence, "simulates it without drive-failed at "));
    }
}

/* What begins earlier or later only bounds the time that is compared. */
static void what_begins_elsewhere_bounds_what_is_compared(void **state)
{
    (void)state;
    const struct change change =
        change_of(STAR MIRROR READS ", {name: v, kind: nvme, from: host1, to: host2, start: 100us,"
                                    " stop: 700us}" FAILED "]\n",
                  10 * PS_PER_US, NULL);
    assert_true(change.known);
    /* Of those in 300 us. */
    assert_in_range(change.lost, 175000, 190000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_that_is_slower_since_costs_what_it_is_slower_by),
        cmocka_unit_test(one_that_is_as_fast_costs_nothing),
        cmocka_unit_test(what_changes_anyway_costs_nothing),
        cmocka_unit_test(what_may_have_another_reason_is_not_told),
        cmocka_unit_test(what_begins_elsewhere_bounds_what_is_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
