/* SPDX-License-Identifier: Apache-2.0
 * test_odd_setting - what a setting does to those behind it, and what does nothing. */
#include "harm_fixture.h"
#include "net/switch/buffer_kinds.h"

#include "net/port/port.h"
#include "nvme/media/media.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/workload.h"

/* Odd, and nothing is the worse for it: a better value, a delay too short to be felt, a host that
 * nobody talks to, thresholds where nobody paused. */
static void what_is_odd_and_does_no_harm_is_not_named(void **state)
{
    (void)state;
    static const char *const odd[] = {
        STAR WRITES "hosts: {defaults: {rnic: {profile: ideal}}, odd: {where: host0, rnic: "
                    "{max-rd-atomic: 32}}}\n",
        STAR WRITES "hosts: {defaults: {rnic: {profile: ideal}}, odd: {where: host0, rnic: "
                    "{tx-delay: 400ns}}}\n",
        STAR WRITES "hosts: {defaults: {rnic: {profile: ideal}}, odd: {where: host0, rnic: "
                    "{timeout: 9, retry-count: 6}}}\n",
        STAR WRITES FAULT "link-down, where: host3-switch0}]\n",
        STAR "  overrides: [{where: host0-switch0, rate: 99Gbps}]\n" WRITES,
        STAR "  overrides: [{where: switch0, alpha: 1%, xon-offset: 16KB}]\n" WRITES,
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct fixture fixture;
        build(&fixture, odd[i]);
        /* host0 does worse than others, for whatever reason */
        fixture.uses[0].blocked = fixture.uses[0].held = fixture.uses[0].lost = PPM / 2;
        judge(&fixture);
        if (fixture.harm.cause_count > 0)
            fail_msg("%s: %s", odd[i], fixture.harm.causes[0].sentence);
        raze(&fixture);
    }
}

static void a_sender_that_is_not_held_back_is_named_by_those_who_are(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture,
          STAR WRITES "hosts: {defaults: {rnic: {profile: ideal, congestion-control: dcqcn}}, "
                      "odd: {where: host1, rnic: {congestion-control: none}}}\n");
    fixture.uses[SWITCH + 2].busy = PPM;
    fixture.uses[0].held = PPM / 2;
    judge(&fixture);
    expect_first(&fixture, "throttle", HARM_SETTING, "hosts.odd.rnic.congestion-control");
    raze(&fixture);
}

static void a_host_that_pauses_while_it_is_empty_is_named(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, STAR WRITES "hosts: {defaults: {rnic: {profile: ideal, rx-xoff: 1KB}}}\n");
    fixture.uses[2].drained = PPM / 2;
    fixture.uses[SWITCH + 2].blocked = PPM / 2;
    judge(&fixture);
    expect_first(&fixture, "slow-host", HARM_SETTING, "hosts.defaults.rnic.rx-xoff");
    raze(&fixture);
}

/* A tenth more is at most an eleventh of the time, however long the wait for it is. */
static void a_cost_that_is_little_more_costs_little(void **state)
{
    (void)state;
    for (int dear = 0; dear < 2; dear++) {
        struct fixture fixture;
        char text[400];
        snprintf(text, sizeof text,
                 STAR "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host2, "
                      "namespaces: [{media: \"null\"}]},\n"
                      "        odd: {where: host0, nvme: {submit-cost: %s}}}\n"
                      "workloads: [{name: w, kind: nvme, from: host0, to: host2}]\n",
                 dear ? "10us" : "1100ns");
        build(&fixture, text);
        fixture.limits[0].resource = BOTTLENECK_HOST_CPU;
        fixture.limits[0].used = PPM;
        judge(&fixture);
        expect_first(&fixture, "bottleneck", HARM_SETTING, "hosts.odd.nvme.submit-cost");
        assert_int_equal(fixture.harm.lost_ps, dear ? PS_PER_MS / 2 : PS_PER_MS / 1000000 * 90909);
        raze(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_odd_and_does_no_harm_is_not_named),
        cmocka_unit_test(a_sender_that_is_not_held_back_is_named_by_those_who_are),
        cmocka_unit_test(a_host_that_pauses_while_it_is_empty_is_named),
        cmocka_unit_test(a_cost_that_is_little_more_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
