/* SPDX-License-Identifier: Apache-2.0
 * test_subsystem_names - NQNs that hosts connect to: one target has the usual one, others have
 * their name in it, and a scenario's own names stay as they are. */
#include "nvme/wire/spec.h"
#include "scenarios/data/subsystems.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

static struct scenario *load(const char *targets)
{
    char text[1024];
    diag = (struct diag){0};
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\n"
             "fabric: {topology: {kind: single-switch, hosts: 5}}\n"
             "hosts: {%s}\n"
             "workloads: [{name: w, kind: nvme, from: host0, to: \"host2..host4\"}]\n",
             targets);
    const struct scenario_input input = {.name = "t", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    assert_non_null(scenario);
    return scenario;
}

/* What host0 connects to at host2, host3 and host4. */
static void assert_names(const char *targets, const char *const wanted[3])
{
    struct scenario *scenario = load(targets);
    const struct scenario_workload *workload = &scenario->workloads[0];
    assert_int_equal(workload->pair_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const char *found =
            scenario_subsystem_names(scenario, workload, &workload->pairs[i]).subsystem;
        if (strcmp(found == NULL ? NVME_SUBSYSTEM_NQN : found, wanted[i]) != 0)
            fail_msg("%s: %s instead of %s", targets, found, wanted[i]);
    }
    scenario_free(scenario);
}

static void the_first_target_has_the_usual_name(void **state)
{
    (void)state;
    assert_names("targets: {where: \"host2..host4\", namespaces: [{media: fixed}]}",
                 (const char *const[]){NVME_SUBSYSTEM_NQN, NVME_SUBSYSTEM_NQN ":host3",
                                       NVME_SUBSYSTEM_NQN ":host4"});
    /* The first of those that the scenario gives no subsystem. */
    assert_names("own: {where: host2, namespaces: [{media: fixed}],"
                 " subsystems: [{nqn: \"nqn.2014-08.org.example:a\"}]},"
                 " rest: {where: \"host3..host4\", namespaces: [{media: fixed}]}",
                 (const char *const[]){"nqn.2014-08.org.example:a", NVME_SUBSYSTEM_NQN,
                                       NVME_SUBSYSTEM_NQN ":host4"});
    /* Also where a host without a workload is the first. */
    assert_names("targets: {where: \"host1..host4\", namespaces: [{media: fixed}]}",
                 (const char *const[]){NVME_SUBSYSTEM_NQN ":host2", NVME_SUBSYSTEM_NQN ":host3",
                                       NVME_SUBSYSTEM_NQN ":host4"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_target_has_the_usual_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
