/* SPDX-License-Identifier: Apache-2.0
 * harm_fixture - a world that was built and not played, with counters put into it by hand.
 * A star: host0 is at port 0 of switch0, and so on; w writes from host0 and host1 to host2. */
#ifndef STORMGLASS_TESTS_UNIT_HARM_FIXTURE_H
#define STORMGLASS_TESTS_UNIT_HARM_FIXTURE_H

#include "replay/cause/causes.h"

#include "base/memory.h"
#include "replay/run/fabric.h"
#include "rnic/host/rnic.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STAR   "fabric:\n  topology: {kind: single-switch, hosts: 4}\n"
#define WRITES "workloads: [{name: w, kind: rdma-write, from: host0..host1, to: host2}]\n"
#define FAULT  "faults: [{at: 0us, kind: "

enum { SWITCH = 4, LIMITS = 4 };

struct fixture {
    struct diag *diag;
    struct scenario *scenario;
    struct explain_fabric fabric;
    struct explain explain;
    struct world *world;
    struct route_table *routes;
    struct harm_use uses[8];          /* host0..host3, then the ports of the switch */
    struct harm_limit limits[LIMITS]; /* by workload */
    struct harm_scene scene;
    struct harm harm;
};

static inline void build(struct fixture *fixture, const char *text)
{
    char whole[2000];
    const char *const ideal = "hosts: {defaults: {rnic: {profile: ideal}}}\n";
    snprintf(whole, sizeof whole, "stormglass: 1\nname: x\nduration: 1ms\n%s%s",
             strstr(text, "\nhosts:") == NULL ? ideal : "", text);
    const struct scenario_input input = {.name = "x.yaml", .text = whole, .length = strlen(whole)};
    *fixture = (struct fixture){.diag = memory_zeroed(1, sizeof *fixture->diag)};
    fixture->scenario = scenario_load(&input, fixture->diag);
    assert_non_null(fixture->scenario);
    fabric_init(&fixture->fabric, fixture->scenario);
    explain_init(&fixture->explain, &fixture->fabric);
    static const struct probe nobody;
    fixture->world = world_build(fixture->scenario, &nobody, fixture->diag);
    assert_non_null(fixture->world);
    fixture->routes = world_routes(fixture->world);
    fixture->scene = (struct harm_scene){.scenario = fixture->scenario,
                                         .world = fixture->world,
                                         .explain = &fixture->explain,
                                         .fabric = &fixture->fabric,
                                         .routes = fixture->routes,
                                         .uses = fixture->uses,
                                         .limits = fixture->limits,
                                         .now = PS_PER_MS,
                                         .window_end = PS_PER_MS};
    assert_true(fixture->scenario->workload_count <= LIMITS);
    for (int i = 0; i < LIMITS; i++)
        fixture->limits[i] = (struct harm_limit){.resource = BOTTLENECK_DEPTH, .text = "waits"};
}

static inline void raze(struct fixture *fixture)
{
    harm_free(&fixture->harm);
    free(fixture->routes);
    world_free(fixture->world);
    explain_fini(&fixture->explain);
    fabric_fini(&fixture->fabric);
    scenario_free(fixture->scenario);
    free(fixture->diag);
}

static inline void judge(struct fixture *fixture)
{
    harm_judge(&fixture->scene, cause_kinds, &fixture->harm);
}

static inline void expect_first(const struct fixture *fixture, const char *kind,
                                enum harm_suspect suspect, const char *name)
{
    const struct harm *harm = &fixture->harm;
    if (harm->cause_count == 0)
        fail_msg("%s: nobody is named", kind);
    const struct harm_cause *first = &harm->causes[0];
    if (strcmp(first->kind, kind) != 0 || first->suspect != suspect ||
        strcmp(first->name, name) != 0)
        fail_msg("%s: %s %s %s: %s", kind, first->kind, harm_suspect_word(first->suspect),
                 first->name, first->sentence);
}

#endif
