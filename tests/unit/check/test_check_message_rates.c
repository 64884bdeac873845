/* SPDX-License-Identifier: Apache-2.0
 * What a run says of RNICs without a limit of messages. */
#include "scenarios/check/check.h"
#include "scenarios/load/load.h"
#include "scenarios/workload/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define US   PS_PER_US
#define HEAD "stormglass: 1\nname: test\nfabric: {topology: {kind: single-switch, hosts: 2}}\n"
#define FAST(rnic, load)                                                                           \
    HEAD "hosts: {defaults: {rnic: {profile: ideal, " rnic                                         \
         "}}}\nworkloads: [{name: w, kind: rdma-write, from: "                                     \
         "host1, to: host0, " load "}]\n"

/* 10 us from the first to the last of so many. */
static void more_messages_than_cards_make_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t completed;
        bool pair, card;
    } cases[] = {
        {FAST("tx-delay: 1us", "qps: 1"), 40, false, false},
        {FAST("tx-delay: 1us", "qps: 1"), 99, false, false}, /* too few to tell */
        {FAST("tx-delay: 1us", "qps: 25"), 1000, false, false},
        {FAST("tx-delay: 1us", "qps: 25"), 1001, true, false},
        {FAST("post-cost: 1ns", "qps: 25"), 1001, false, false},
        {FAST("qp-message-cost: 1ns", "qps: 25"), 1001, false, false},
        {FAST("message-cost: 1ns", "qps: 25"), 1001, false, false},
        {FAST("tx-delay: 1us", "qps: 500"), 1230, false, false},
        {FAST("tx-delay: 1us", "qps: 500"), 1231, false, true},
        {FAST("message-cost: 1ns", "qps: 500"), 1231, false, false},
        {FAST("software: true", "qps: 25"), 1001, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct scenario_input input = {
            .name = "t.yaml", .text = cases[i].text, .length = strlen(cases[i].text)};
        struct diag diag = {0};
        struct scenario *scenario = scenario_load(&input, &diag);
        if (scenario == NULL)
            fail_msg("%s: %s", cases[i].text, diag.messages[0].text);
        const struct workload_member member = {.connected = true,
                                               .issued = cases[i].completed,
                                               .completed = cases[i].completed,
                                               .first_issue = 5 * US,
                                               .last_completion = 15 * US};
        const struct workload_member *const members[] = {&member};
        const uint32_t first[] = {0, 1};
        const uint64_t retries[4] = {0};
        const struct check_run run = {.scenario = scenario,
                                      .stop = 1000 * US,
                                      .end = 900 * US,
                                      .members = members,
                                      .first_member = first,
                                      .retries = retries};
        struct check_report report;
        check_of_run(scenario, &run, &report);
        bool pair = false, card = false;
        for (size_t f = 0; f < report.count; f++) {
            pair |= strstr(report.findings[f].text, "on one queue pair of host1") != NULL;
            card |= strstr(report.findings[f].text, "more than 123 million operations") != NULL;
        }
        if (pair != cases[i].pair || card != cases[i].card)
            fail_msg("case %zu: of a queue pair %d, of a card %d", i, pair, card);
        check_free(&report);
        scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_messages_than_cards_make_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
