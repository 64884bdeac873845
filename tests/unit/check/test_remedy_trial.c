/* SPDX-License-Identifier: Apache-2.0
 * Remedies are tried before they are offered. The rules of these tests are planted: their sets
 * are wrong on purpose. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/remedy_trial.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* check finds nothing in it. Frames of the hosts are as large as the links carry. */
static const char fine[] =
    "stormglass: 1\nname: test\n"
    "fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {mtu: 1500B}}\n"
    "hosts: {defaults: {rnic: {profile: ideal, path-mtu: 1024B}}, targets: {where: host0, "
    "namespaces: "
    "[{media: fixed}]}}\n"
    "workloads: [{name: w, kind: nvme, from: host1, to: host0}]\n";

struct planted {
    struct scenario *scenario;
    struct check_report before, report;
};

static struct planted plant(const char *words, const char *text, const char *const *sets,
                            size_t count)
{
    static struct diag diag;
    diag = (struct diag){0};
    const struct scenario_input input = {.name = "t.yaml", .text = fine, .length = strlen(fine)};
    struct planted planted = {.scenario = scenario_load(&input, &diag)};
    if (planted.scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    check_findings(planted.scenario, &planted.before);
    assert_int_equal(planted.before.errors, 0);
    memset(&planted.report, 0, sizeof planted.report);
    planted.report.rule = "planted";
    check_add(&planted.report, DIAG_WARNING, (struct diag_place){"t.yaml", 3, 1}, "%s", words);
    check_remedy(&planted.report, "%s", text);
    for (size_t i = 0; i < count; i++)
        check_set_path(&planted.report, "%s", sets[i]);
    remedy_trial(planted.scenario, &planted.before, &planted.report);
    return planted;
}

static void uproot(struct planted *planted)
{
    check_free(&planted->report);
    check_free(&planted->before);
    scenario_free(planted->scenario);
}

static const struct remedy *remedy_of(const struct planted *planted)
{
    return &planted->report.findings[0].remedy;
}

static void test_a_remedy_that_works_is_offered_as_it_is(void **state)
{
    (void)state;
    struct planted planted =
        plant("small", "double it", (const char *[]){"fabric.switch.buffer=32MB"}, 1);
    assert_string_equal(remedy_of(&planted)->text, "double it");
    assert_int_equal(remedy_of(&planted)->set_count, 1);
    assert_string_equal(remedy_of(&planted)->sets[0], "fabric.switch.buffer=32MB");
    uproot(&planted);
}

static void test_sets_that_do_not_load_are_not_offered(void **state)
{
    (void)state;
    struct planted planted = plant("small", "call it", (const char *[]){"fabric.no-such-key=1"}, 1);
    assert_int_equal(remedy_of(&planted)->set_count, 0);
    assert_memory_equal(remedy_of(&planted)->text, "call it; that alone leads to: ", 30);
    assert_non_null(strstr(remedy_of(&planted)->text, "no-such-key"));
    uproot(&planted);
}

/* 1,024 B of payload need 1,084 B of MTU: the links would drop all frames. The rule of the MTU
 * has no other set for them than the one that was tried. */
static void test_a_remedy_that_causes_an_error_is_not_offered(void **state)
{
    (void)state;
    struct planted planted =
        plant("slow", "shrink the links", (const char *[]){"fabric.host-links.mtu=1000B"}, 1);
    assert_int_equal(remedy_of(&planted)->set_count, 0);
    assert_memory_equal(remedy_of(&planted)->text, "shrink the links; that alone leads to: ", 38);
    assert_non_null(strstr(remedy_of(&planted)->text, "MTU 1000 drops packets of 'w'"));
    uproot(&planted);
}

static void assert_repaired(const struct planted *planted)
{
    const struct remedy *remedy = remedy_of(planted);
    struct diag *diag = calloc(1, sizeof *diag);
    struct scenario *made =
        scenario_load_again(planted->scenario, remedy->sets, (uint32_t)remedy->set_count, diag);
    if (made == NULL)
        fail_msg("%s", diag->messages[0].text);
    struct check_report after;
    check_findings(made, &after);
    assert_int_equal(after.errors, 0);
    check_free(&after);
    scenario_free(made);
    free(diag);
}

static void test_an_error_that_a_remedy_causes_is_repaired_with_it(void **state)
{
    (void)state;
    struct planted planted = plant("slow", "enlarge the packets",
                                   (const char *[]){"hosts.defaults.rnic.path-mtu=4096B"}, 1);
    assert_int_equal(remedy_of(&planted)->set_count, 2);
    assert_string_equal(remedy_of(&planted)->sets[0], "hosts.defaults.rnic.path-mtu=4096B");
    assert_memory_equal(remedy_of(&planted)->text, "enlarge the packets, and raise the link's mtu",
                        45);
    assert_repaired(&planted);
    uproot(&planted);
}

/* The finding of the unrepaired scenario, with another number. */
static void test_a_remedy_that_leaves_its_finding_is_not_offered(void **state)
{
    (void)state;
    static struct diag diag;
    const char *const sets[] = {"fabric.host-links.mtu=1000B"};
    const struct scenario_input input = {
        .name = "t.yaml", .text = fine, .length = strlen(fine), .sets = sets, .set_count = 1};
    struct scenario *scenario = scenario_load(&input, &diag);
    struct check_report report;
    check_findings(scenario, &report);
    assert_int_equal(report.findings[0].level, DIAG_ERROR);
    assert_string_equal(report.findings[0].remedy.sets[0], "fabric.host-links.mtu=1084B");
    report.findings[0].remedy.sets[0] = "fabric.host-links.mtu=1083B";
    remedy_trial(scenario, &report, &report);
    assert_int_equal(report.findings[0].remedy.set_count, 0);
    assert_non_null(strstr(report.findings[0].remedy.text, "MTU 1083 drops packets"));
    check_free(&report);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_remedy_that_works_is_offered_as_it_is),
        cmocka_unit_test(test_sets_that_do_not_load_are_not_offered),
        cmocka_unit_test(test_a_remedy_that_causes_an_error_is_not_offered),
        cmocka_unit_test(test_an_error_that_a_remedy_causes_is_repaired_with_it),
        cmocka_unit_test(test_a_remedy_that_leaves_its_finding_is_not_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
