/* SPDX-License-Identifier: Apache-2.0
 * test_trial_restore - a setting that is restored has the common value at all its places, and
 * nothing else has changed. */
#include "replay/experiment/trial.h"

#include "nvme/media/media.h"
#include "nvme/target/target.h"
#include "rnic/cc/cc.h"
#include "scenarios/load/scenario_load.h"
#include "scenarios/workload/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Something of every kind that may differ. */
static const char text[] =
    "stormglass: 1\n"
    "name: odd\n"
    "fabric:\n"
    "  topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 2}\n"
    "  overrides:\n"
    "    - {where: leaf1, mtu: 1500B, headroom: 1KB}\n"
    "    - {where: leaf2, dscp: {26: 0}}\n"
    "    - {where: host1, rnic: {priority: 5}}\n"
    "  routes: [{at: leaf0, to: host7, via: spine1}, {at: leaf1, to: host7, via: spine0}]\n"
    "hosts:\n"
    "  targets: {where: [host0, host1, host2, host4, host6], namespaces: [{media: {kind: "
    "fixed}}]}\n"
    "  one: {where: host3, nvme: {queue-size: 2, sgl-invalidate: false}, rnic: {dscp-to-priority: "
    "{10: 4}}}\n"
    "  two: {where: host0, target: {command-cost: 9us, rdma-size: 64KiB}}\n"
    "  three: {where: host5, rnic: {congestion-control: {kind: dcqcn-mlx5, g: 1/16}}}\n"
    "  four: {where: host7, rnic: {congestion-control: none}, tcp: {rto-min: 5ms}}\n"
    "  five: {where: host2, namespaces: [{media: {kind: fixed, read-latency: 3ms}}]}\n"
    "  six: {where: host4, namespaces: [{media: \"null\", iops-limit: 5000}], "
    "subsystems: [{nqn: nqn.a, rate-limit: 1Gbps}, {nqn: nqn.b}]}\n"
    "workloads:\n"
    "  - {name: a, kind: rdma-send, from: host1, to: host0}\n"
    "  - {name: b, kind: rdma-send, from: host1, to: host0, dscp: 0}\n"
    "  - {name: c, kind: rdma-send, from: host1, to: host0, receives: 2}\n";

struct stand {
    struct scenario *scenario;
    struct trial_base base;
};

static int load(void **state)
{
    struct stand *stand = calloc(1, sizeof *stand);
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(stand);
    assert_non_null(diag);
    const struct scenario_input input = {.name = "o.yaml", .text = text, .length = strlen(text)};
    stand->scenario = scenario_load(&input, diag);
    diag_print(diag, stdout);
    free(diag);
    *state = stand;
    if (stand->scenario != NULL)
        trial_base_find(&stand->base, stand->scenario);
    return stand->scenario == NULL ? -1 : 0;
}

static int unload(void **state)
{
    struct stand *stand = *state;
    trial_base_free(&stand->base);
    scenario_free(stand->scenario);
    free(stand);
    return 0;
}

static void apply(struct tried *tried, const struct trial_change *change, const struct stand *stand)
{
    struct diag *diag = calloc(1, sizeof *diag);
    const struct trial trial = {.changes = {*change}, .count = 1};
    assert_true(trial_apply(tried, &trial, &stand->base, diag));
    free(diag);
}

/* Where the value is that the change is of. */
static const void *params_of(const struct scenario *scenario, const struct deviation_change *change)
{
    const struct scenario_node *node =
        &scenario->nodes[change->spot.node == SCENARIO_NOWHERE ? 0 : change->spot.node];
    switch (change->of) {
    case DEVIATION_PORT:
        return node->ports[change->spot.port].params;
    case DEVIATION_SWITCH:
        return node->switch_params;
    case DEVIATION_RNIC:
        return node->host->rnic;
    case DEVIATION_NVME:
        return node->host->nvme_host;
    case DEVIATION_TARGET:
        return node->host->nvme_target;
    case DEVIATION_TCP:
        return node->host->tcp;
    case DEVIATION_CONTROL_VALUE:
        return node->host->cc_params;
    case DEVIATION_NAMESPACE_VALUE:
        return node->host->namespaces[change->index].params;
    case DEVIATION_SUBSYSTEM_VALUE:
        return &node->host->subsystems[change->index].limits;
    case DEVIATION_MEDIA_VALUE:
        return node->host->namespaces[change->index].media_params;
    default:
        return scenario->workloads[change->index].params;
    }
}

/* It is as its like have it. */
static bool is_like(const struct scenario *scenario, const struct deviation_change *change)
{
    const struct scenario_node *node =
        &scenario->nodes[change->spot.node == SCENARIO_NOWHERE ? 0 : change->spot.node];
    const struct loader_host *host = change->like;
    const struct scenario_namespace *space = change->like;
    uint8_t map[SCENARIO_DSCPS];
    switch (change->of) {
    case DEVIATION_DSCP:
        return memcmp(node->priority_of_dscp, change->like, SCENARIO_DSCPS) == 0;
    case DEVIATION_HOST_DSCP:
        rnic_map_dscp(node->host->rnic, change->like, map);
        return memcmp(node->priority_of_dscp, map, sizeof map) == 0;
    case DEVIATION_CONTROL:
        return node->host->cc == host->cc && cc_is_same(node->host->cc_preset, host->preset);
    case DEVIATION_MEDIA:
        return node->host->namespaces[change->index].media == space->media;
    case DEVIATION_CLASS:
        return !scenario->workloads[change->index].class.tos_set;
    case DEVIATION_ROUTE:
        return scenario->route_count == 0;
    default:
        return *opt_field(change->row, (void *)(uintptr_t)params_of(scenario, change)) ==
               change->common;
    }
}

static void all_kinds_are_there(void **state)
{
    const struct stand *stand = *state;
    bool seen[DEVIATION_WORK + 1] = {false};
    for (size_t i = 0; i < stand->base.deviations.count; i++)
        for (size_t k = 0; k < stand->base.deviations.list[i].change_count; k++)
            seen[stand->base.deviations.list[i].changes[k].of] = true;
    for (int of = 0; of <= DEVIATION_WORK; of++)
        if (!seen[of])
            fail_msg("no deviation of kind %d", of);
}

/* Of its entry all are repaired, or of it alone that one; the others stay odd. */
static void each_is_repaired_alone(void **state)
{
    const struct stand *stand = *state;
    const struct deviations *all = &stand->base.deviations;
    for (uint32_t i = 0; i < all->count; i++)
        for (int single = 0; single <= 1; single++) {
            const struct trial_change repair = {
                .kind = TRIAL_RESTORE_SETTING, .setting = i, .single = single == 1};
            struct tried tried;
            apply(&tried, &repair, stand);
            for (uint32_t k = 0; k < all->count; k++) {
                const bool covered =
                    k == i || (single == 0 && deviation_together(&all->list[k], &all->list[i]));
                const bool route = all->list[k].changes[0].of == DEVIATION_ROUTE;
                for (size_t c = 0; c < all->list[k].change_count && !route; c++) {
                    const struct deviation_change *change = &all->list[k].changes[c];
                    assert_int_equal(is_like(&tried.scenario, change), covered);
                    assert_false(is_like(stand->scenario, change));
                }
            }
            tried_free(&tried);
        }
}

static void routes_are_computed_again_one_or_all(void **state)
{
    const struct stand *stand = *state;
    uint32_t first = 0;
    while (stand->base.deviations.list[first].changes[0].of != DEVIATION_ROUTE)
        first++;
    struct trial_change repair = {.kind = TRIAL_RESTORE_SETTING, .setting = first};
    struct tried tried;
    char name[TRIAL_NAME_BYTES];
    apply(&tried, &repair, stand);
    assert_int_equal(tried.scenario.route_count, 0);
    tried_free(&tried);
    trial_name(&repair, &stand->base, name, sizeof name);
    assert_string_equal(name, "fabric.routes");
    repair.single = true;
    apply(&tried, &repair, stand);
    assert_int_equal(tried.scenario.route_count, 1);
    assert_ptr_equal(tried.scenario.routes[0].at, stand->scenario->routes[1].at);
    tried_free(&tried);
    trial_name(&repair, &stand->base, name, sizeof name);
    assert_string_equal(name, "fabric.routes[0]");
}

static void an_entry_is_told_with_all_its_values(void **state)
{
    const struct stand *stand = *state;
    const struct trial_change whole = {.kind = TRIAL_RESTORE_SETTING, .setting = 0};
    char said[240];
    trial_words(&whole, &stand->base, said, sizeof said);
    assert_string_equal(said, "fabric.overrides[0]: mtu 1500B -> 4200B, headroom 1000B -> auto at "
                              "leaf1:p0 and 3 more");
    trial_name(&whole, &stand->base, said, sizeof said);
    assert_string_equal(said, "fabric.overrides[0]");
    assert_string_equal(trial_suspect(whole.kind), "setting");
}

/* A host and its switch put a service level on the same lane, whatever a trial changes: otherwise
 * credits return to another lane than they came from. */
static void lanes_are_shared_in_each_trial(void **state)
{
    static const char infiniband[] = "stormglass: 1\n"
                                     "name: lanes\n"
                                     "fabric:\n"
                                     "  kind: infiniband\n"
                                     "  sl-to-vl: {0: 2, 1: 5}\n"
                                     "  topology: {kind: single-switch, hosts: 2}\n"
                                     "hosts:\n"
                                     "  defaults: {rnic: {congestion-control: none, grh: true}}\n"
                                     "workloads:\n"
                                     "  - {name: a, kind: rdma-send, from: host1, to: host0}\n";
    const struct scenario_input input = {
        .name = "lanes.yaml", .text = infiniband, .length = strlen(infiniband)};
    struct stand stand;
    struct diag *diag = calloc(1, sizeof *diag);
    uint32_t count = 0;
    (void)state;
    assert_non_null(diag);
    stand.scenario = scenario_load(&input, diag);
    assert_non_null(stand.scenario);
    trial_base_find(&stand.base, stand.scenario);
    for (uint32_t i = 0; i < stand.base.written.count; i++) {
        const struct trial_change change = {
            .kind = TRIAL_RESTORE_SETTING, .setting = i, .written = true};
        struct tried tried;
        apply(&tried, &change, &stand);
        count += stand.base.written.list[i].changes[0].of == DEVIATION_RNIC;
        for (uint32_t node = 0; node < tried.scenario.node_count; node++)
            assert_memory_equal(tried.scenario.nodes[node].priority_of_dscp,
                                stand.scenario->nodes[node].priority_of_dscp, SCENARIO_DSCPS);
        tried_free(&tried);
    }
    assert_true(count > 0);
    trial_base_free(&stand.base);
    scenario_free(stand.scenario);
    free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_are_there),
        cmocka_unit_test(each_is_repaired_alone),
        cmocka_unit_test(routes_are_computed_again_one_or_all),
        cmocka_unit_test(an_entry_is_told_with_all_its_values),
        cmocka_unit_test(lanes_are_shared_in_each_trial),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
