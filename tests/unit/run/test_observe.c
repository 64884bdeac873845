/* SPDX-License-Identifier: Apache-2.0
 * What the probe says, as explain is to hear it. */
#include "replay/explain/explain_walk.h"
#include "replay/record/observe.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { HOST, SWITCH, NODES };
enum { HOST_P, SWITCH_P, SPARE_P, PORTS };
enum { PRIO = 3 };

static const char *const names[NODES] = {"host", "switch"};
static const bool is_host[NODES] = {true, false};
static const uint32_t first_port[NODES + 1] = {0, 1, 3}, node_of[PORTS] = {HOST, SWITCH, SWITCH};
static const uint32_t peer[PORTS] = {SWITCH_P, HOST_P, EXPLAIN_NONE};
static const int64_t rate[PORTS] = {100, 100, 100};

static const struct explain_fabric fabric = {
    .node_count = NODES,
    .names = names,
    .is_host = is_host,
    .first_port = first_port,
    .peer = peer,
    .node_of = node_of,
    .rate_bps = rate,
};

/* What may come after a pause has begun, comes once: a refresh of it lets nothing more in. */
static void headroom_is_expected_once_a_pause(void **state)
{
    (void)state;
    struct observe observe;
    const struct observe_wishes wishes = {0};
    observe_init(&observe, &fabric, 0, &wishes);
    const struct explain_hold *hold = &observe.explain.open_holds[explain_key(SWITCH_P, PRIO)];
    struct probe_pause pause = {.at = 1000,
                                .node = SWITCH,
                                .port = 0,
                                .priority = PRIO,
                                .xoff = true,
                                .headroom = 5000,
                                .reason_count = 1,
                                .reasons = {{SPARE_P - SWITCH_P, PRIO, 1, 700}}};
    observe.probe.pause(observe.probe.self, &pause);
    assert_int_equal(hold->from, 1000);
    assert_int_equal(hold->coming, 5000);
    assert_int_equal(hold->reasons[0].port, SPARE_P);
    assert_int_equal(hold->reasons[0].queued, 700);
    pause.at = 2000;
    pause.refresh = true;
    observe.probe.pause(observe.probe.self, &pause);
    assert_int_equal(hold->from, 2000);
    assert_int_equal(hold->coming, 0);
    pause.at = 3000;
    pause.xoff = pause.refresh = false;
    observe.probe.pause(observe.probe.self, &pause);
    assert_int_equal(hold->until, 0);
    observe_finish(&observe, 4000);
    observe_fini(&observe);
}

/* A group is full when it holds its threshold, not one byte before; of nothing nothing is full. */
static void a_pause_is_full_from_its_threshold_on(void **state)
{
    (void)state;
    static const struct {
        int64_t occupancy, threshold;
        bool full;
    } rows[] = {
        {999, 1000, false}, {1000, 1000, true}, {1001, 1000, true}, {5, 0, false}, {1, 1, true}};
    struct observe observe;
    const struct observe_wishes wishes = {0};
    observe_init(&observe, &fabric, 0, &wishes);
    const struct explain_hold *hold = &observe.explain.open_holds[explain_key(SWITCH_P, PRIO)];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct probe_pause pause = {.at = 1000 * (time_ps)(i + 1),
                                          .node = SWITCH,
                                          .priority = PRIO,
                                          .xoff = true,
                                          .occupancy = rows[i].occupancy,
                                          .threshold = rows[i].threshold};
        observe.probe.pause(observe.probe.self, &pause);
        assert_int_equal(hold->full, rows[i].full);
    }
    observe_finish(&observe, 10000);
    observe_fini(&observe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headroom_is_expected_once_a_pause),
        cmocka_unit_test(a_pause_is_full_from_its_threshold_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
