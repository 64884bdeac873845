/* SPDX-License-Identifier: Apache-2.0
 * test_bridge_paths - hosts and targets with several NICs, over fake_rdma: paths of NVMe, queue
 * pairs that take turns, and what is said of fewer addresses than the scenario has NICs. */
#include "base/check.h"
#include "tests/unit/bridge/bridge_case.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FURTHER_IP = 0x0A000004 };

static const char paths_text[] =
    "stormglass: 1\n"
    "name: paths\n"
    "about: Two NICs each, in separate fabrics.\n"
    "seed: 1\n"
    "duration: 20s\n"
    "fabric:\n"
    "  topology: {kind: leaf-spine, leaves: 1, spines: 1, hosts-per-leaf: 2, nics: 2, homing: "
    "fabrics}\n"
    "hosts:\n"
    "  targets: {where: host0, namespaces: [{media: \"null\", count: 1}]}\n"
    "workloads:\n"
    "  - {name: one, kind: nvme, from: host1, to: host0, read: 50%, block-size: 4KiB,\n"
    "     queue-depth: 4, queues: 1, count: 200, paths: all}\n"
    "expect: [all-commands-complete]\n";

static const char raw_text[] = "stormglass: 1\n"
                               "name: raw\n"
                               "about: Queue pairs take turns.\n"
                               "seed: 1\n"
                               "duration: 20s\n"
                               "fabric:\n"
                               "  topology: {kind: leaf-spine, leaves: 1, spines: 1, "
                               "hosts-per-leaf: 2, nics: 2, homing: fabrics}\n"
                               "workloads:\n"
                               "  - {name: w, kind: rdma-write, from: host1, to: host0, "
                               "message-size: 16KiB, count: 50, qps: 2}\n"
                               "expect: [all-commands-complete]\n";

struct played {
    struct scenario *scenario;
    struct diag *diag;
    struct live_run *play;
};

static void create(struct played *played, const char *text, bool several)
{
    struct live_options options = bridge_case_options();
    char why[LIVE_WHY_BYTES];
    if (several) {
        options.address = (struct nic_addresses){{CASE_HOST_IP, FURTHER_IP}, 2};
        options.peer = (struct nic_addresses){{CASE_TARGET_IP, CASE_SECOND_IP}, 2};
    }
    bridge_case_begin();
    fake_rdma_node(FURTHER_IP);
    played->scenario = bridge_case_load(text);
    played->diag = calloc(1, sizeof *played->diag);
    CHECK(played->diag != NULL);
    played->play = live_create(played->scenario, &options, played->diag, why);
    assert_non_null(played->play);
}

static void end(struct played *played)
{
    assert_true(live_free(played->play));
    bridge_case_end();
    scenario_free(played->scenario);
    free(played->diag);
}

static int64_t measured(const struct played *played, const char *name)
{
    char ask[120];
    snprintf(ask, sizeof ask, "SELECT CAST(value AS INTEGER) FROM measured WHERE name='%s'", name);
    return store_ask_int(live_store(played->play), ask, -1);
}

static bool noted(const struct played *played, const char *text)
{
    for (int i = 0; i < played->diag->count; i++)
        if (strstr(played->diag->messages[i].text, text) != NULL)
            return true;
    return false;
}

/* A controller on each path, of an admin and an I/O queue. */
static void test_both_paths(void **state)
{
    (void)state;
    struct played played;
    char text[120];
    create(&played, paths_text, true);
    assert_false(noted(&played, "paths"));
    assert_true(live_run(played.play));
    assert_int_equal(live_result(played.play)->workloads[0].completed, 200);
    assert_true(result_held(live_result(played.play)));
    assert_int_equal(measured(&played, "accepts"), 4);
    store_ask_text(live_store(played.play), "SELECT value FROM measured WHERE name='peer'", text,
                   sizeof text);
    assert_string_equal(text, "10.0.0.2+10.0.0.3");
    end(&played);
}

/* One NIC of the target is silent from the beginning. */
static void test_one_path_is_silent(void **state)
{
    (void)state;
    for (uint32_t ip = CASE_TARGET_IP; ip <= CASE_SECOND_IP; ip++) {
        struct played played;
        create(&played, paths_text, true);
        fake_rdma_vanish(ip);
        assert_true(live_run(played.play));
        assert_int_equal(live_result(played.play)->workloads[0].completed, 200);
        assert_int_equal(live_result(played.play)->workloads[0].failed, 0);
        assert_int_equal(measured(&played, "accepts"), 2);
        end(&played);
    }
}

/* With one address each there is one path, and the user is told. */
static void test_fewer_addresses(void **state)
{
    (void)state;
    struct played played;
    create(&played, paths_text, false);
    assert_true(noted(&played, "'one': 1 of its 2 paths: give the addresses of all NICs"));
    assert_true(live_run(played.play));
    assert_int_equal(live_result(played.play)->workloads[0].completed, 200);
    assert_int_equal(measured(&played, "accepts"), 2);
    end(&played);
}

static void test_raw(void **state)
{
    (void)state;
    for (int several = 0; several < 2; several++) {
        struct played played;
        create(&played, raw_text, several != 0);
        assert_true(live_run(played.play));
        assert_int_equal(live_result(played.play)->workloads[0].completed, 50);
        assert_int_equal(measured(&played, "accepts"), 2);
        end(&played);
    }
}

/* Faults of the target's software are made by who plays it, at the scenario's moments, which are
 * far enough from each other for a machine that has other things to do. */
static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        bool stands, loses; /* I/O for the fault's time; controllers */
    } rows[] = {{"kind: target-stall", true, false},
                {"kind: ana-change, port: 0, state: inaccessible", false, false},
                {"kind: ana-change, state: inaccessible", true, false},
                {"kind: port-closed, port: 1", false, true},
                {"kind: target-crash, how: process, port: 0", false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct played played;
        char text[sizeof paths_text + 300];
        const char *count = strstr(paths_text, "count: 200");
        snprintf(text, sizeof text,
                 "%.*srate: 250, %sfaults: [{at: 200ms, for: 400ms, %s, where: host0}]\n",
                 (int)(count - paths_text), paths_text, count, rows[i].fault);
        create(&played, text, true);
        assert_true(live_run(played.play));
        const struct result_workload *workload = &live_result(played.play)->workloads[0];
        assert_int_equal(workload->completed, 200);
        assert_int_equal(workload->failed, 0);
        assert_int_equal(workload->latency->max >= 200 * PS_PER_MS, rows[i].stands);
        assert_int_equal(workload->losses > 0, rows[i].loses);
        end(&played);
    }
}

/* Data are judged as in the model, whatever the target's drives do to them. */
static void test_judge(void **state)
{
    (void)state;
    static const char *const errors[] = {"lost-write", "misdirected-write", NULL};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct played played;
        char text[sizeof paths_text + 300], fault[160] = "";
        const char *count = strstr(paths_text, "count: 200");
        if (errors[i] != NULL)
            snprintf(fault, sizeof fault,
                     "faults: [{at: 0s, kind: silent-corruption, error: %s, where: host0}]\n",
                     errors[i]);
        snprintf(text, sizeof text, "%.*ssize: 64KiB, %s%s", (int)(count - paths_text), paths_text,
                 count, fault);
        create(&played, text, true);
        assert_true(live_run(played.play));
        const struct result *result = live_result(played.play);
        assert_int_equal(result->workloads[0].completed, 200);
        assert_int_equal(
            result->totals.data_stale + result->totals.data_lost + result->totals.data_torn > 0,
            errors[i] != NULL);
        end(&played);
    }
}

static void test_texts(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "", "10.0.0.1+", "+10.0.0.1", "0.0.0.0", "10.0.0.1+10.0.0.1", "10.0.0.1,10.0.0.2", "host0"};
    struct nic_addresses nics;
    char text[NIC_ADDRESSES_BYTES];
    assert_true(nic_addresses_read("10.0.0.1+10.255.255.2", &nics));
    assert_int_equal(nics.count, 2);
    nic_addresses_write(&nics, text);
    assert_string_equal(text, "10.0.0.1+10.255.255.2");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(nic_addresses_read(refused[i], &nics));
    char many[NICS_MAX * 20 + 40] = "10.0.1.1";
    for (unsigned i = 1; i < NICS_MAX; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "+10.0.1.%u", i + 1);
    assert_true(nic_addresses_read(many, &nics));
    strcat(many, "+10.0.2.1");
    assert_false(nic_addresses_read(many, &nics));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_paths),
                                       cmocka_unit_test(test_one_path_is_silent),
                                       cmocka_unit_test(test_fewer_addresses),
                                       cmocka_unit_test(test_raw),
                                       cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_judge),
                                       cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
