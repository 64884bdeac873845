/* SPDX-License-Identifier: Apache-2.0
 * Loading: what a scenario becomes, what is refused and where, and that nothing but the text is
 * needed again. */
#include "net/switch/buffer_kinds.h"
#include "rnic/cc/cc_kinds.h"
#include "scenarios/load/load.h"

#include "net/switch/switch.h"
#include "nvme/target/target.h"
#include "rnic/cc/cc_dcqcn.h"
#include "rnic/host/rnic.h"
#include "scenarios/embedded.h"
#include "scenarios/fio/fio.h"
#include "scenarios/load/expect.h"
#include "scenarios/workload/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD     "stormglass: 1\nname: test\n"
#define FABRIC   "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}}\n"
#define HOSTS    "hosts: {targets: {where: host0, namespaces: [{media: fixed, count: 3}]}}\n"
#define WORKLOAD "workloads: [{name: w, kind: nvme, from: host4, to: host0}]\n"

static struct diag diag;

static struct scenario *load_set(const char *text, const char *set)
{
    const char *const sets[] = {set};
    static const char jobs[] = "[one]\nrw=randread\nbs=4k\n[two]\nrw=write\nnumjobs=3\n";
    const struct scenario_source files[] = {{"jobs.fio", jobs, sizeof jobs - 1}};
    const struct scenario_input input = {
        .name = "t.yaml",
        .text = text,
        .length = strlen(text),
        .files = files,
        .file_count = 1,
        .sets = sets,
        .set_count = set == NULL ? 0 : 1,
    };
    diag = (struct diag){0};
    return scenario_load(&input, &diag);
}

static struct scenario *load(const char *text)
{
    return load_set(text, NULL);
}

static struct scenario *load_fine(const char *text)
{
    struct scenario *scenario = load(text);
    if (scenario == NULL)
        fail_msg("%s: %d:%d: %s", text, diag.messages[0].place.line, diag.messages[0].place.column,
                 diag.messages[0].text);
    return scenario;
}

static const struct scenario_node *node(const struct scenario *scenario, const char *name)
{
    const uint32_t index = scenario_find_node(scenario, name);
    assert_true(index < scenario->node_count);
    return &scenario->nodes[index];
}

static void defaults_and_profiles_take_effect(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(HEAD FABRIC HOSTS WORKLOAD);
    assert_int_equal(scenario->seed, 1);
    assert_int_equal(scenario->drain, 10 * PS_PER_MS);
    assert_int_equal(scenario->host_count, 8);
    assert_int_equal(scenario->switch_count, 4);
    const struct scenario_node *leaf = node(scenario, "leaf1");
    assert_int_equal(leaf->index, 1);
    assert_int_equal(leaf->port_count, 6);
    assert_int_equal(leaf->switch_params->buffer, 32000000);
    assert_int_equal(leaf->switch_params->headroom, SWITCH_HEADROOM_AUTO);
    assert_int_equal(leaf->switch_params->pfc_priorities, 8);
    assert_int_equal(leaf->priority_of_dscp[26], 3);
    const struct scenario_node *host = node(scenario, "host4");
    assert_string_equal(host->host->cc->name, "dcqcn");
    assert_int_equal(host->host->rnic->path_mtu, 4096);
    assert_int_equal(host->host->namespace_count, 0);
    assert_int_equal(host->ports[0].peer_node, scenario_find_node(scenario, "leaf1"));
    assert_int_equal(host->ports[0].params->rate, 100000000000);
    const struct scenario_host *target = node(scenario, "host0")->host;
    assert_int_equal(target->namespace_count, 1);
    assert_int_equal(target->namespaces[0].count, 3);
    assert_string_equal(target->namespaces[0].media->name, "fixed");
    assert_int_equal(scenario->workloads[0].stop, scenario->duration);
    scenario_free(scenario);
}

static void sections_and_overrides_are_laid_over(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(
        HEAD
        "fabric:\n"
        "  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}\n"
        "  host-links: {rate: 25Gbps, length: 2m}\n"
        "  fabric-links: {mtu: 9216B}\n"
        "  switch: {profile: shared-buffer-12mb, ecn: {kmin: 7KB, mark: dequeue},\n"
        "           pfc: {priorities: [3, 4], headroom: 50KB}, scheduler: {weights: {3: 60}},\n"
        "           buffer: {policy: static}, dscp: {26: 4}}\n"
        "  overrides:\n"
        "    - {where: leaf0-spine1, mtu: 1500B}\n"
        "    - {where: leaf1, latency: 1us, pfc-response: 2us, pfc: {priorities: none}, dscp: {8: "
        "7}}\n"
        "    - {where: host7, rnic: {path-mtu: 1024B}}\n"
        "hosts:\n"
        "  defaults: {rnic: {profile: rnic-25g, congestion-control: {kind: dcqcn-mlx5, g: 1/16}},\n"
        "             nvme: {queue-size: 64}, target: {cores: 2}}\n"
        "  targets: [{where: host0, namespaces: [{media: {profile: flash-tlc, channels: 4}}]},\n"
        "            {where: host1, namespaces: [{media: \"null\"}, {size: 1GiB}]}]\n"
        "  old: {where: host2..host3, rnic: {congestion-control: none, timeout: 8}}\n" WORKLOAD);
    assert_int_equal(node(scenario, "leaf0")->ports[5].params->mtu, 1500);
    assert_int_equal(node(scenario, "spine1")->ports[0].params->mtu, 1500);
    assert_int_equal(node(scenario, "leaf0")->ports[4].params->mtu, 9216);
    assert_int_equal(node(scenario, "leaf0")->ports[0].params->rate, 25000000000);
    const struct switch_params *leaf0 = node(scenario, "leaf0")->switch_params;
    const struct switch_params *leaf1 = node(scenario, "leaf1")->switch_params;
    assert_int_equal(leaf0->ecn_kmin, 7000);
    assert_int_equal(leaf0->ecn_kmax, 200000);
    assert_int_equal(leaf0->ecn_mark, 1);
    assert_int_equal(leaf0->pfc_priorities, 24);
    assert_int_equal(leaf0->headroom, 50000);
    assert_int_equal(leaf0->weight[3], 60);
    assert_int_equal(leaf0->policy, BUFFER_POLICY_static);
    assert_int_equal(leaf1->pfc_priorities, 0);
    assert_int_equal(leaf1->latency, PS_PER_US);
    assert_int_equal(leaf1->headroom, 50000);
    assert_int_equal(node(scenario, "leaf1")->ports[3].params->pfc_response, 2 * PS_PER_US);
    assert_int_equal(node(scenario, "leaf0")->ports[3].params->pfc_response, 500 * PS_PER_NS);
    assert_int_equal(node(scenario, "leaf0")->priority_of_dscp[26], 4);
    assert_int_equal(node(scenario, "leaf1")->priority_of_dscp[26], 4);
    assert_int_equal(node(scenario, "leaf0")->priority_of_dscp[8], 1);
    assert_int_equal(node(scenario, "leaf1")->priority_of_dscp[8], 7);
    const struct cc_dcqcn_params *mlx5 = node(scenario, "host0")->host->cc_params;
    assert_int_equal(mlx5->g, 1000000000000000 / 16);
    assert_string_equal(node(scenario, "host2")->host->cc->name, "none");
    assert_int_equal(node(scenario, "host2")->host->rnic->timeout, 8);
    assert_int_equal(node(scenario, "host2")->host->rnic->tx_delay, 450 * PS_PER_NS);
    assert_int_equal(node(scenario, "host4")->host->rnic->timeout, 14);
    assert_int_equal(node(scenario, "host7")->host->rnic->path_mtu, 1024);
    assert_int_equal(node(scenario, "host6")->host->rnic->path_mtu, 4096);
    assert_int_equal(node(scenario, "host1")->host->namespace_count, 2);
    assert_string_equal(node(scenario, "host1")->host->namespaces[1].media->name, "flash-tlc");
    assert_int_equal(node(scenario, "host1")->host->namespaces[1].params->size, 1 << 30);
    /* Hosts to which nothing else was said share their parameters. */
    assert_ptr_equal(node(scenario, "host4")->host->rnic, node(scenario, "host5")->host->rnic);
    scenario_free(scenario);
}

static void a_fio_file_becomes_workloads(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(
        HEAD FABRIC HOSTS
        "workloads: [{name: first, kind: nvme, from: host4, to: host0},\n"
        "            {name: f, kind: fio, file: jobs.fio, from: host5, to: host0, start: 1ms}]\n"
        "expect: [\"f/two.iops > 0\"]\n");
    assert_int_equal(scenario->workload_count, 3);
    assert_string_equal(scenario->workloads[1].name, "f/one");
    assert_string_equal(scenario->workloads[2].name, "f/two");
    assert_string_equal(scenario->workloads[2].ops->name, "nvme");
    assert_int_equal(scenario->workloads[2].copies, 3);
    assert_int_equal(scenario->workloads[2].first_job, 1);
    assert_int_equal(scenario->workloads[2].start, PS_PER_MS);
    assert_non_null(scenario->workloads[2].job);
    assert_null(scenario->workloads[0].job);
    assert_int_equal(scenario->expectations[0].workload, 2);
    assert_int_equal(scenario->source_count, 2);
    assert_string_equal(scenario->sources[1].name, "jobs.fio");
    scenario_free(scenario);
}

/* What a run database keeps is enough. */
static void a_scenario_loads_again_from_its_sources(void **state)
{
    (void)state;
    struct scenario *first =
        load_set(HEAD FABRIC HOSTS
                 "workloads: [{name: f, kind: fio, file: jobs.fio, from: host5, to: host0}]\n",
                 "seed=7");
    assert_non_null(first);
    const struct scenario_input again = {
        .name = first->sources[0].name,
        .text = first->sources[0].text,
        .length = first->sources[0].length,
        .files = first->sources,
        .file_count = first->source_count,
        .sets = first->sets,
        .set_count = first->set_count,
    };
    struct scenario *second = scenario_load(&again, &diag);
    assert_non_null(second);
    assert_int_equal(second->seed, 7);
    assert_int_equal(second->setting_count, first->setting_count);
    for (uint32_t i = 0; i < first->setting_count; i++) {
        assert_string_equal(first->settings[i].path, second->settings[i].path);
        assert_int_equal(first->settings[i].value, second->settings[i].value);
    }
    scenario_free(first);
    scenario_free(second);
}

static const struct {
    const char *text;
    int line, column;
    const char *says;
} wrong[] = {
    {"- a\n", 1, 1, "expected a mapping"},
    {"name: x\n" FABRIC HOSTS WORKLOAD, 1, 1, "expected stormglass: 1"},
    {"stormglass: 2\nname: x\n" FABRIC HOSTS WORKLOAD, 1, 13, "version 1"},
    {"stormglass: 1\n" FABRIC HOSTS WORKLOAD, 1, 1, "expected name"},
    {HEAD "duraton: 1ms\n" FABRIC HOSTS WORKLOAD, 3, 1, "did you mean 'duration'?"},
    {HEAD "duration: 1\n" FABRIC HOSTS WORKLOAD, 3, 11, "no unit"},
    {HEAD "duration: [1ms]\n" FABRIC HOSTS WORKLOAD, 3, 11, "this is a list"},
    {HEAD "seed: -1\n" FABRIC HOSTS WORKLOAD, 3, 7, "less than"},
    {HEAD HOSTS WORKLOAD, 1, 1, "expected fabric"},
    {HEAD "fabric: x\n" HOSTS WORKLOAD, 3, 9, "expected a mapping"},
    {HEAD FABRIC HOSTS, 1, 1, "expected workloads"},
    {HEAD FABRIC HOSTS "workloads: []\n", 5, 12, "expected workloads"},
    {HEAD FABRIC HOSTS "workloads: [x]\n", 5, 13, "expected name"},
    {HEAD FABRIC HOSTS "workloads: [{name: a.b, kind: nvme, from: host1, to: host0}]\n", 5, 20,
     "expected name"},
    {HEAD FABRIC HOSTS "workloads: [{name: w, from: host1, to: host0}]\n", 5, 13, "expected kind"},
    {HEAD FABRIC HOSTS "workloads: [{name: w, kind: nvmf, from: host1, to: host0}]\n", 5, 29,
     "did you mean 'nvme'?"},
    {HEAD FABRIC HOSTS "workloads: [{name: w, kind: trace, from: host1, to: host0}]\n", 5, 13,
     "expected file"},
    {HEAD FABRIC HOSTS "workloads: [{name: w, kind: nvme, to: host0}]\n", 5, 13, "expected from"},
    {HEAD FABRIC HOSTS "workloads: [{name: w, kind: nvme, from: host9, to: host0}]\n", 5, 41,
     "did you mean 'host0'?"},
    {HEAD FABRIC HOSTS "workloads: [{name: w, kind: nvme, from: host2, to: host1}]\n", 5, 52,
     "host1 has no namespaces"},
    {HEAD FABRIC HOSTS "workloads: [{name: w, kind: nvme, from: host0, to: host0}]\n", 5, 52,
     "paired with itself"},
    {HEAD FABRIC HOSTS "workloads: [{name: w, kind: nvme, from: host1, to: host0, start: 1s}]\n", 5,
     66, "start after its stop"},
    {HEAD FABRIC HOSTS
     "workloads: [{name: w, kind: nvme, from: host1, to: host0, queue-dept: 3}]\n",
     5, 59, "did you mean 'queue-depth'?"},
    {HEAD FABRIC HOSTS "workloads: [{name: w, kind: fio, file: no.fio, from: host1, to: host0}]\n",
     5, 40, "no file 'no.fio'"},
    {HEAD FABRIC HOSTS "workloads: [{name: w, kind: fio, from: host1, to: host0}]\n", 5, 13,
     "expected file"},
    {HEAD FABRIC HOSTS "workloads:\n"
                       "  - {name: w, kind: nvme, from: host1, to: host0}\n"
                       "  - {name: w, kind: nvme, from: host1, to: host0}\n",
     7, 5, "'w' is used twice; first in line 6"},
    {HEAD FABRIC "hosts: {targets: {namespaces: [{}]}}\n" WORKLOAD, 4, 18, "expected where"},
    {HEAD FABRIC "hosts: {targets: {where: host0, namespaces: []}}\n" WORKLOAD, 4, 45,
     "at least one namespace"},
    {HEAD FABRIC "hosts: {targets: {where: host0, namespaces: [{media: flsh-tlc}]}}\n" WORKLOAD, 4,
     54, "did you mean 'flash-tlc'?"},
    {HEAD FABRIC "hosts: {targets: {where: host0, namespaces: [{count: 0}]}}\n" WORKLOAD, 4, 54,
     "less than"},
    {HEAD FABRIC "hosts: {defaults: {rnic: {profile: rnic-200g}}}\n" WORKLOAD, 4, 36,
     "did you mean 'rnic-100g'?"},
    {HEAD FABRIC "hosts: {defaults: {rnic: {profile: flash-tlc}}}\n" WORKLOAD, 11, 0,
     "expected a profile of kind rnic"},
    {HEAD FABRIC "hosts: {defaults: {rnic: {path-mtu: 1500B}}}\n" WORKLOAD, 4, 37, "expected 256B"},
    {HEAD FABRIC "hosts: {defaults: {rnic: {congestion-control: cubic}}}\n" WORKLOAD, 4, 47,
     "there are none, dcqcn"},
    {HEAD FABRIC "hosts: {defaults: {rnic: {congestion-control: {g: 1}}}}\n" WORKLOAD, 4, 47,
     "expected a congestion control"},
    {HEAD FABRIC "hosts: {defaults: {rnic: {congestion-control: {kind: none, g: 1}}}}\n" WORKLOAD,
     4, 60, "unknown key 'g'"},
    {HEAD FABRIC "hosts: {defaults: {rnic: {loss-recovery: go-back-m}}}\n" WORKLOAD, 4, 42,
     "go-back-n"},
    {HEAD "fabric: {topology: {kind: single-switch}, host-links: {length: 0m}}\n" WORKLOAD, 3, 20,
     "has no delay"},
    {HEAD "fabric: {topology: {kind: single-switch}, switch: {pfc: {headrom: auto}}}\n" WORKLOAD, 3,
     58, "did you mean 'headroom'?"},
    {HEAD "fabric: {topology: {kind: single-switch}, switch: {pfc: [3]}}\n" WORKLOAD, 3, 57,
     "expected a mapping"},
    {HEAD "fabric: {topology: {kind: single-switch}, switch: {dscp: {64: 3}}}\n" WORKLOAD, 3, 63,
     "expected a DSCP from 0 to 63, but found 64"},
    {HEAD "fabric: {topology: {kind: single-switch}, overrides: [{mtu: 3B}]}\n" WORKLOAD, 3, 55,
     "expected an override"},
    {HEAD FABRIC "hosts: {box: {where: host0, machine: \"\"}}\n" WORKLOAD, 4, 38,
     "machine: expected one word"},
    {HEAD "fabric: {topology: {kind: single-switch}, "
          "overrides: [{where: \"switch0:p0\", rate: 1Gbps}]}\n" WORKLOAD,
     3, 20, "override the link"},
    {HEAD "fabric: {topology: {kind: single-switch}, "
          "overrides: [{where: switch0, rnic: {}}]}\n" WORKLOAD,
     3, 72, "unknown key 'rnic'"},
    {HEAD "fabric: {topology: {kind: explicit, hosts: [a, b], switches: [s], "
          "links: [{ends: [a, s]}]}}\n" WORKLOAD,
     3, 48, "host 'b' has no link"},
    {HEAD FABRIC HOSTS WORKLOAD "expect: [no-pauses]\n", 6, 10, "did you mean 'no-pause'?"},
    {HEAD FABRIC HOSTS WORKLOAD "expect: no-pause\n", 6, 9, "expected a list"},
    {HEAD FABRIC HOSTS WORKLOAD "faults: [{where: host0}]\n", 6, 10, "expected kind"},
    {HEAD FABRIC HOSTS WORKLOAD "faults: [{kind: target-stall, where: host7}]\n", 6, 38,
     "expected a target, but host7 has no namespaces"},
    {HEAD FABRIC HOSTS WORKLOAD "faults: [{kind: slow-receiver, where: leaf0}]\n", 6, 39,
     "no host is called"},
    {HEAD FABRIC HOSTS WORKLOAD "faults: [{kind: link-down, where: host0, n: 3}]\n", 6, 42,
     "unknown key 'n'"},
};

static void wrong_scenarios_are_refused_with_a_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct scenario *scenario = load(wrong[i].text);
        if (scenario != NULL)
            fail_msg("taken: %s", wrong[i].text);
        bool said = false;
        for (int m = 0; m < diag.count; m++)
            said |= strstr(diag.messages[m].text, wrong[i].says) != NULL &&
                    (wrong[i].column == 0 || (diag.messages[m].place.line == wrong[i].line &&
                                              diag.messages[m].place.column == wrong[i].column));
        if (!said)
            fail_msg("%s gives %d:%d: %s", wrong[i].text, diag.messages[0].place.line,
                     diag.messages[0].place.column, diag.messages[0].text);
    }
}

static void several_mistakes_are_told_at_once(void **state)
{
    (void)state;
    assert_null(load(HEAD "durtion: 1ms\ndrain: 7\n" FABRIC HOSTS
                          "workloads: [{name: w, kind: nvmx, from: host1, to: host0}]\n"
                          "faults: [{kind: meteor, where: host0}]\n"
                          "expect: [\"w.iops > 3\"]\n"));
    assert_int_equal(diag.errors, 4); /* none of what is expected of the workload that is wrong */
    assert_null(load(HEAD FABRIC HOSTS
                     "workloads: [{name: w, kind: nvmx, from: host1, to: host0}]\n"
                     "expect: [\"v.iops > 3\", no-pauses]\n"));
    assert_int_equal(diag.errors, 3);
}

static void files_are_found_beside_the_scenario(void **state)
{
    (void)state;
    diag = (struct diag){0};
    assert_null(scenario_load_file("/nonexistent/x.yaml", NULL, 0, &diag));
    assert_non_null(strstr(diag.messages[0].text, "No such file"));
    assert_string_equal(diag.messages[0].file, "/nonexistent/x.yaml");
}

static void settings_tell_where_they_come_from_row(void *self,
                                                   const struct scenario_setting_text *setting)
{
    static const char *const expected[][4] = {
        {"fabric.switch.buffer", "32MB", "profile shared-buffer-32mb", "documented"},
        {"fabric.switch.ecn-kmin", "9000B", "--set:1", ""},
        {"fabric.switch.cell", "256B", "profile shared-buffer-32mb", "documented"},
        {"fabric.switch.smallest-frame", "66B", "default", ""},
        {"fabric.topology.leaves", "2", "t.yaml:3", ""},
        {"hosts.defaults.rnic.congestion-control", "dcqcn-mlx5", "default", ""},
        {"hosts.targets.namespaces[0].count", "3", "t.yaml:4", ""},
        {"workloads.w.queue-depth", "32", "default", ""},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (strcmp(setting->path, expected[i][0]) != 0)
            continue;
        assert_string_equal(setting->value, expected[i][1]);
        assert_string_equal(setting->where, expected[i][2]);
        assert_string_equal(setting->evidence, expected[i][3]);
        (*(size_t *)self)++;
    }
    assert_true(setting->source[0] != '\0');
}

static void settings_tell_where_they_come_from(void **state)
{
    (void)state;
    struct scenario *scenario = load_set(HEAD FABRIC HOSTS WORKLOAD, "fabric.switch.ecn.kmin=9KB");
    assert_non_null(scenario);
    size_t seen = 0;
    scenario_settings(scenario, settings_tell_where_they_come_from_row, &seen);
    assert_int_equal(seen, 8);
    scenario_free(scenario);
}

/* ---- what travels in the program ---- */

static void every_case_loads(void **state)
{
    (void)state;
    unsigned cases = 0;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        if (strncmp(file->name, "cases/", 6) != 0 || strstr(file->name, ".yaml") == NULL)
            continue;
        struct scenario_source files[64];
        uint32_t count = 0;
        for (const struct embedded_file *beside = embedded_files; beside->name != NULL; beside++)
            if (strncmp(beside->name, "cases/", 6) == 0 && count < 64)
                files[count++] = (struct scenario_source){
                    beside->name + 6, (const char *)beside->bytes, beside->length};
        const struct scenario_input input = {.name = file->name + 6,
                                             .text = (const char *)file->bytes,
                                             .length = file->length,
                                             .files = files,
                                             .file_count = count};
        diag = (struct diag){0};
        struct scenario *scenario = scenario_load(&input, &diag);
        if (scenario == NULL)
            fail_msg("%s:%d: %s", file->name, diag.messages[0].place.line, diag.messages[0].text);
        assert_true(scenario->about[0] != '\0');
        assert_true(strncmp(scenario->name, file->name + 6, strlen(scenario->name)) == 0);
        scenario_free(scenario);
        cases++;
    }
    assert_true(cases >= 7);
}

#define SENDS "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n"
#define STORES "workloads: [{name: w, kind: nvme, transport: %s, from: host1, to: host0}]\n"

/* `kind`: of a profile; `fields`: with its name in place of %s. */
static const struct {
    const char *kind, *transport, *fields;
} profile_places[] = {
    {"kind: switch", NULL, "fabric: {topology: {kind: single-switch}, switch: {profile: %s}}\n"},
    {"kind: rnic", NULL,
     "fabric: {topology: {kind: single-switch}}\nhosts: {defaults: {rnic: {profile: %s}}}\n"},
    {"kind: tcp", "tcp",
     "fabric: {topology: {kind: single-switch}}\nhosts: {defaults: {tcp: {profile: %s}}, "
     "targets: {where: host0, namespaces: [{media: null}]}}\n"},
    {"kind: nvme", "rdma",
     "fabric: {topology: {kind: single-switch}}\nhosts: {defaults: {nvme: {profile: %s}}, "
     "targets: {where: host0, namespaces: [{media: null}]}}\n"},
    {"kind: target", "rdma",
     "fabric: {topology: {kind: single-switch}}\nhosts: {targets: {where: host0, "
     "target: {profile: %s}, namespaces: [{media: null}]}}\n"},
    {"kind: media", "rdma",
     "fabric: {topology: {kind: single-switch}}\n"
     "hosts: {targets: {where: host0, namespaces: [{media: %s}]}}\n"},
};

static void profile_scenario(const char *name, const char *text, char *out, size_t size)
{
    char fields[300], workload[100];
    size_t i = 0;
    while (strstr(text, profile_places[i].kind) == NULL)
        assert_true(++i < sizeof profile_places / sizeof profile_places[0]);
    snprintf(fields, sizeof fields, profile_places[i].fields, name);
    if (profile_places[i].transport != NULL)
        snprintf(workload, sizeof workload, STORES, profile_places[i].transport);
    snprintf(out, size, HEAD "%s%s", fields,
             profile_places[i].transport == NULL ? SENDS : workload);
}

static void every_profile_loads(void **state)
{
    (void)state;
    unsigned profiles = 0;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        if (strncmp(file->name, "profiles/", 9) != 0)
            continue;
        char name[64], text[600];
        snprintf(name, sizeof name, "%.*s", (int)strlen(file->name) - 9 - 5, file->name + 9);
        profile_scenario(name, (const char *)file->bytes, text, sizeof text);
        scenario_free(load_fine(text));
        profiles++;
    }
    assert_true(profiles >= 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_and_profiles_take_effect),
        cmocka_unit_test(sections_and_overrides_are_laid_over),
        cmocka_unit_test(a_fio_file_becomes_workloads),
        cmocka_unit_test(a_scenario_loads_again_from_its_sources),
        cmocka_unit_test(wrong_scenarios_are_refused_with_a_place),
        cmocka_unit_test(several_mistakes_are_told_at_once),
        cmocka_unit_test(files_are_found_beside_the_scenario),
        cmocka_unit_test(settings_tell_where_they_come_from),
        cmocka_unit_test(every_case_loads),
        cmocka_unit_test(every_profile_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
