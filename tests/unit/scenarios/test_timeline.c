/* SPDX-License-Identifier: Apache-2.0
 * What faults do to the fabric, moment by moment: carriers, power, what switches know, and routes,
 * one line a moment. */
#include "scenarios/fabric/timeline.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Hosts 0 to 3 have links 0 to 3; leaf0 is node 4 and spine0 node 6, leaf0-spine0 link 4. */
#define HEAD                                                                                       \
    "stormglass: 1\nname: t\nduration: 1ms\nfabric:\n"                                             \
    "  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"                    \
    "  routing: {detection: 10us, convergence: 100us}\n"                                           \
    "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: "    \
    "fixed}]}}\n"                                                                                  \
    "workloads: [{name: w, kind: nvme, from: host2, to: host0}]\nfaults:\n"

struct words {
    char text[1500];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct words *words, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    words->used += (size_t)vsnprintf(words->text + words->used, sizeof words->text - words->used,
                                     format, args);
    va_end(args);
    assert_true(words->used < sizeof words->text);
}

static void on_fault(void *self, uint32_t fault, bool on)
{
    say(self, " fault %u %s", fault, on ? "on" : "off");
}

static void on_link(void *self, uint32_t link, bool up)
{
    say(self, " link %u %s", link, up ? "up" : "down");
}

static void on_lost(void *self, uint32_t node)
{
    say(self, " lost %u", node);
}

static void on_routes(void *self, const struct routing_view *view)
{
    (void)view;
    say(self, " routes");
}

static void say_links(struct words *words, const char *what, const uint8_t *links, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (links != NULL && links[i])
            say(words, " %s %u", what, i);
}

/* A line for each moment: what happens, then what switches know and what routes leave out. */
static void tell(const struct scenario *scenario, struct words *words)
{
    const struct timeline_calls calls = {words, on_fault, on_link, on_lost, on_routes, NULL};
    struct timeline *timeline = timeline_new(scenario);
    for (int steps = 0; steps < 12 && timeline_due(timeline) != TIME_NEVER; steps++) {
        say(words, "%lldns:", (long long)(timeline_due(timeline) / PS_PER_NS));
        timeline_step(timeline, &calls);
        const struct routing_view view = timeline_view(timeline);
        say_links(words, "known", view.detected, scenario->link_count);
        say_links(words, "out", view.converged, scenario->link_count);
        say_links(words, "misrouted", view.misrouted, scenario->fault_count);
        say(words, "\n");
    }
    timeline_free(timeline);
}

static const struct {
    const char *faults, *moments;
} cases[] = {
    {"  - {kind: link-down, where: leaf0-spine0, at: 5us, for: 500us}\n",
     "5000ns: link 4 down\n15000ns: routes known 4\n115000ns: routes known 4 out 4\n505000ns: link "
     "4 up known 4 out 4\n515000ns: routes out 4\n615000ns: routes\n"},
    /* Too short to be noticed, just long enough, and known but never out of the routes. */
    {"  - {kind: link-down, where: leaf0-spine0, at: 5us, for: 9us}\n",
     "5000ns: link 4 down\n14000ns: link 4 up\n15000ns:\n24000ns:\n"},
    {"  - {kind: link-down, where: leaf0-spine0, at: 5us, for: 10us}\n",
     "5000ns: link 4 down\n15000ns: link 4 up\n25000ns:\n"},
    {"  - {kind: link-down, where: leaf0-spine0, at: 5us, for: 11us}\n",
     "5000ns: link 4 down\n15000ns: routes known 4\n16000ns: link 4 up known 4\n26000ns: "
     "routes\n115000ns: routes out 4\n126000ns: routes\n"},
    {"  - {kind: link-down, where: leaf0-spine0, at: 5us, for: 100us}\n",
     "5000ns: link 4 down\n15000ns: routes known 4\n105000ns: link 4 up known 4\n115000ns: routes "
     "out 4\n215000ns: routes\n"},
    {"  - {kind: link-down, where: leaf0-spine0, at: 5us, for: 111us}\n",
     "5000ns: link 4 down\n15000ns: routes known 4\n115000ns: routes known 4 out 4\n116000ns: link "
     "4 up known 4 out 4\n126000ns: routes out 4\n226000ns: routes\n"},
    /* A host's link is no part of computed routes. */
    {"  - {kind: link-down, where: host1, at: 5us, for: 500us}\n",
     "5000ns: link 1 down\n15000ns: routes known 1\n505000ns: link 1 up known 1\n515000ns: "
     "routes\n"},
    {"  - {kind: link-down, where: leaf0-spine0, at: 5us}\n",
     "5000ns: link 4 down\n15000ns: routes known 4\n115000ns: routes known 4 out 4\n"},
    /* Two reasons: the carrier is back when both are gone. */
    {"  - {kind: link-down, where: leaf0-spine0, at: 5us, for: 30us}\n"
     "  - {kind: switch-down, where: spine0, at: 20us, for: 200us}\n",
     "5000ns: link 4 down\n15000ns: routes known 4\n20000ns: link 6 down lost 6 known 4\n30000ns: "
     "routes known 4 known 6\n35000ns: known 4 known 6\n115000ns: routes known 4 known 6 out "
     "4\n130000ns: routes known 4 known 6 out 4 out 6\n220000ns: link 4 up link 6 up known 4 known "
     "6 out 4 out 6\n230000ns: routes out 4 out 6\n330000ns: routes\n"},
    {"  - {kind: switch-down, where: spine1, at: 0s, for: 200us}\n",
     "0ns: link 5 down link 7 down lost 7\n10000ns: routes known 5 known 7\n110000ns: routes known "
     "5 known 7 out 5 out 7\n200000ns: link 5 up link 7 up known 5 known 7 out 5 out 7\n210000ns: "
     "routes out 5 out 7\n310000ns: routes\n"},
    {"  - {kind: target-crash, where: host0, at: 5us, for: 50us}\n",
     "5000ns: fault 0 on\n55000ns: fault 0 off\n"},
    {"  - {kind: target-crash, where: host0, at: 5us, for: 50us, how: power}\n",
     "5000ns: link 0 down lost 0\n15000ns: routes known 0\n55000ns: fault 0 off link 0 up known "
     "0\n65000ns: routes\n"},
    {"  - {kind: misroute, where: leaf0, to: host2, via: spine1, at: 5us, for: 7us}\n",
     "5000ns: routes misrouted 0\n12000ns: routes\n"},
    {"  - {kind: link-flap, where: leaf0-spine0, at: 0s, for: 100us, period: 40us, duty: 25%}\n",
     "0ns: link 4 down\n10000ns: link 4 up\n20000ns:\n40000ns: link 4 down\n50000ns: link 4 "
     "up\n60000ns:\n80000ns: link 4 down\n90000ns: link 4 up\n100000ns:\n"},
    {"  - {kind: link-flap, where: leaf0-spine0, at: 0s, for: 90us, period: 40us, duty: 25%}\n",
     "0ns: link 4 down\n10000ns: link 4 up\n20000ns:\n40000ns: link 4 down\n50000ns: link 4 "
     "up\n60000ns:\n80000ns: link 4 down\n90000ns: link 4 up\n100000ns:\n"},
    {"  - {kind: link-flap, where: leaf0-spine0, at: 0s, for: 85us, period: 40us, duty: 25%}\n",
     "0ns: link 4 down\n10000ns: link 4 up\n20000ns:\n40000ns: link 4 down\n50000ns: link 4 "
     "up\n60000ns:\n80000ns: link 4 down\n85000ns: link 4 up\n90000ns:\n95000ns:\n"},
    {"  - {kind: link-flap, where: leaf0-spine0, at: 0s, for: 80us, period: 40us, duty: 25%}\n",
     "0ns: link 4 down\n10000ns: link 4 up\n20000ns:\n40000ns: link 4 down\n50000ns: link 4 "
     "up\n60000ns:\n"},
    {"  - {kind: link-flap, where: leaf0-spine0, at: 0s, period: 400us, duty: 50%}\n",
     "0ns: link 4 down\n10000ns: routes known 4\n110000ns: routes known 4 out 4\n200000ns: link 4 "
     "up known 4 out 4\n210000ns: routes out 4\n310000ns: routes\n400000ns: link 4 down\n410000ns: "
     "routes known 4\n510000ns: routes known 4 out 4\n600000ns: link 4 up known 4 out 4\n610000ns: "
     "routes out 4\n710000ns: routes\n"},
    {"  - {kind: slow-receiver, where: host1, at: 5us, for: 7us}\n"
     "  - {kind: drop-every, where: host1, at: 5us, for: 3us}\n",
     "5000ns: fault 0 on fault 1 on\n8000ns: fault 1 off\n12000ns: fault 0 off\n"},
};

static void faults_moment_by_moment(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct diag diag;
        struct words words = {0};
        char text[2000];
        snprintf(text, sizeof text, HEAD "%s", cases[i].faults);
        const struct scenario_input input = {
            .name = "t.yaml", .text = text, .length = strlen(text)};
        diag = (struct diag){0};
        struct scenario *scenario = scenario_load(&input, &diag);
        if (scenario == NULL)
            fail_msg("%s: %s", text, diag.messages[0].text);
        tell(scenario, &words);
        assert_string_equal(words.text, cases[i].moments);
        scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_moment_by_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
