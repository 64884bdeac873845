/* SPDX-License-Identifier: Apache-2.0
 * test_bridge_addresses - who is where, and which part of a scenario is played. */
#include "base/check.h"
#include "bridge/agree/agree.h"
#include "tests/unit/bridge/bridge_case.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char two_targets[] =
    "stormglass: 1\n"
    "name: two\n"
    "about: Two targets.\n"
    "seed: 1\n"
    "duration: 20s\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 4}\n"
    "hosts:\n"
    "  targets: {where: \"host0..host1\", namespaces: [{media: \"null\", count: 1}]}\n"
    "workloads:\n"
    "  - {name: a, kind: nvme, from: host2, to: host0, read: 50%, block-size: 4KiB, count: 20}\n"
    "  - {name: b, kind: nvme, from: host3, to: host1, read: 50%, block-size: 4KiB, count: 30}\n"
    "  - {name: c, kind: rdma-write, from: host2, to: host1, message-size: 4KiB, count: 10}\n"
    "expect: [all-commands-complete, \"a.completed == 20\", \"b.completed == 30\"]\n";

static const char three_namespaces[] =
    "stormglass: 1\n"
    "name: three\n"
    "duration: 20s\n"
    "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
    "hosts: {targets: {where: host0, namespaces: [{media: \"null\", count: 3}]}}\n"
    "workloads: [{name: a, kind: nvme, from: host1, to: host0, block-size: 4KiB, count: 20}]\n";

static const char with_jobs[] =
    "stormglass: 1\n"
    "name: jobs\n"
    "about: A fio file of several jobs.\n"
    "seed: 1\n"
    "duration: 20s\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 2}\n"
    "hosts:\n"
    "  targets: {where: host0, namespaces: [{media: \"null\", count: 1}]}\n"
    "workloads:\n"
    "  - {name: f, kind: fio, file: jobs.fio, from: host1, to: host0}\n"
    "expect: [all-commands-complete]\n";

static const char jobs[] = "[global]\n"
                           "ioengine=libaio\n"
                           "direct=1\n"
                           "bs=4k\n"
                           "size=1m\n"
                           "number_ios=40\n"
                           "[first]\n"
                           "rw=write\n"
                           "[second]\n"
                           "stonewall\n"
                           "rw=read\n"
                           "numjobs=2\n";

static const char with_trace[] =
    "stormglass: 1\n"
    "name: trace\n"
    "about: A trace of 2 ms, its two files by two instances.\n"
    "seed: 1\n"
    "duration: 20s\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 3}\n"
    "hosts:\n"
    "  targets: {where: host0, namespaces: [{media: \"null\", count: 1}]}\n"
    "workloads:\n"
    "  - {name: t, kind: trace, file: jobs.fio, from: \"host1..host2\", to: host0, split: file}\n"
    "expect: [all-commands-complete]\n";

static const char trace[] = "fio version 3 iolog\n"
                            "0 a write 0 4096\n"
                            "100 b read 8192 4096\n"
                            "500 a sync 0 0\n"
                            "1000 b read 65536 16384\n"
                            "2000 a read 0 4096\n";

struct reading {
    struct scenario *scenario;
    struct host_addresses addresses;
    struct diag *diag;
};

static bool read_places(struct reading *reading, const char *text, const char *peer, const char *as)
{
    const struct host_addresses_texts texts = {
        .peers = {peer}, .peer_count = peer != NULL, .as = {as}, .as_count = as != NULL};
    reading->scenario = bridge_case_load(text);
    reading->diag = calloc(1, sizeof *reading->diag);
    CHECK(reading->diag != NULL);
    return host_addresses_read(&texts, reading->scenario, &reading->addresses, reading->diag);
}

static void forget(struct reading *reading)
{
    host_addresses_free(&reading->addresses);
    scenario_free(reading->scenario);
    free(reading->diag);
}

static void test_texts(void **state)
{
    (void)state;
    struct reading reading;
    assert_true(read_places(&reading, two_targets, "10.0.0.2,host1=10.0.0.3", "host2..host3"));
    assert_int_equal(reading.addresses.peer.ip[0], CASE_TARGET_IP);
    assert_int_equal(reading.addresses.nics[0].count, 0);
    assert_int_equal(reading.addresses.nics[1].ip[0], CASE_SECOND_IP);
    assert_false(reading.addresses.here[1]);
    assert_true(reading.addresses.here[2] && reading.addresses.here[3]);
    forget(&reading);
}

static void test_texts_that_are_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *peer, *as, *says;
    } rows[] = {
        {"0.0.0.0", NULL, "expected ADDRESS or HOST=ADDRESS"},
        {"host1=", NULL, "expected ADDRESS or HOST=ADDRESS"},
        {"10.0.0.2,", NULL, "expected ADDRESS or HOST=ADDRESS"},
        {"host9=10.0.0.2", NULL, "host9"},
        {"switch0=10.0.0.2", NULL, "switch0"},
        {NULL, "hots1", "hots1"},
        {NULL, "", "expected a name"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reading reading;
        assert_false(read_places(&reading, two_targets, rows[i].peer, rows[i].as));
        assert_int_equal(reading.diag->errors, 1);
        assert_non_null(strstr(reading.diag->messages[0].text, rows[i].says));
        forget(&reading);
    }
}

/* What was completed of each workload; -1: it is played elsewhere. */
static void run_part(const char *as, const int64_t *completed)
{
    struct reading reading;
    struct live_options options = bridge_case_options();
    char why[LIVE_WHY_BYTES];
    assert_true(read_places(&reading, two_targets, "10.0.0.2,host1=10.0.0.3", as));
    options.peer = reading.addresses.peer;
    options.addresses = &reading.addresses;
    bridge_case_begin();
    struct live_run *play = live_create(reading.scenario, &options, reading.diag, why);
    assert_non_null(play);
    assert_true(live_run(play));
    const struct result *result = live_result(play);
    for (uint32_t i = 0; i < result->workload_count; i++)
        assert_int_equal(result->workloads[i].completed, completed[i] < 0 ? 0 : completed[i]);
    assert_true(result_held(result));
    assert_true(live_free(play));
    bridge_case_end();
    forget(&reading);
}

static void test_several_targets(void **state)
{
    (void)state;
    run_part(NULL, (const int64_t[]){20, 30, 10});
}

static void test_a_part(void **state)
{
    (void)state;
    run_part("host3", (const int64_t[]){-1, 30, -1});
}

static void refused(enum live_role role, const char *peer, const char *as, const char *says)
{
    struct reading reading;
    struct live_options options = bridge_case_options();
    char why[LIVE_WHY_BYTES];
    assert_true(read_places(&reading, two_targets, peer, as));
    options.role = role;
    options.peer = reading.addresses.peer;
    options.addresses = &reading.addresses;
    bridge_case_begin();
    assert_null(live_create(reading.scenario, &options, reading.diag, why));
    assert_string_equal(why, "");
    assert_true(reading.diag->errors > 0);
    assert_non_null(strstr(reading.diag->messages[0].text, says));
    bridge_case_end();
    forget(&reading);
}

static void test_parts_that_cannot_be_played(void **state)
{
    (void)state;
    refused(LIVE_HOST, NULL, NULL, "no address for the target host0");
    refused(LIVE_HOST, "10.0.0.2", NULL, "one address for two targets");
    refused(LIVE_TARGET, "10.0.0.2", "host3", "nothing to run");
    refused(LIVE_HOST, "10.0.0.2", "host0", "nothing to run");
    refused(LIVE_TARGET, NULL, NULL,
            "one address for two targets, one of them host1: "
            "expected --as HOST");
}

static void test_jobs_in_their_order(void **state)
{
    (void)state;
    struct scenario *scenario = bridge_case_load_with(with_jobs, jobs);
    const struct live_options options = bridge_case_options();
    struct diag *diag = calloc(1, sizeof *diag);
    char why[LIVE_WHY_BYTES];
    CHECK(diag != NULL);
    bridge_case_begin();
    struct live_run *play = live_create(scenario, &options, diag, why);
    assert_non_null(play);
    assert_true(live_run(play));
    const struct result *result = live_result(play);
    assert_int_equal(result->workload_count, 2);
    assert_int_equal(result->workloads[0].completed, 40);
    assert_int_equal(result->workloads[1].completed, 80);
    assert_true(result_held(result));
    /* The second began when the first had ended. */
    const int64_t order =
        store_ask_int(live_store(play),
                      "SELECT (SELECT first_issue_ps FROM workload WHERE workload=1)"
                      " >= (SELECT last_completion_ps FROM workload WHERE workload=0)",
                      -1);
    assert_int_equal(order, 1);
    assert_true(live_free(play));
    bridge_case_end();
    scenario_free(scenario);
    free(diag);
}

/* Only a target that runs apart from its hosts listens for their agreement, and no foreign one. */
static void test_who_listens_for_agreement(void **state)
{
    (void)state;
    static const struct {
        enum live_role role;
        bool foreign, listens;
    } rows[] = {{LIVE_BOTH, false, false},
                {LIVE_TARGET, false, true},
                {LIVE_TARGET, true, false},
                {LIVE_HOST, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scenario *scenario = bridge_case_load_with(with_jobs, jobs);
        struct live_options options = bridge_case_options();
        struct diag *diag = calloc(1, sizeof *diag);
        char why[LIVE_WHY_BYTES];
        CHECK(diag != NULL);
        options.role = rows[i].role;
        options.foreign = rows[i].foreign;
        bridge_case_begin();
        struct live_run *play = live_create(scenario, &options, diag, why);
        assert_non_null(play);
        assert_int_equal(fake_rdma_listener(AGREE_PORT) != UINT32_MAX, rows[i].listens);
        live_free(play);
        bridge_case_end();
        scenario_free(scenario);
        free(diag);
    }
}

/* Neither fewer nor more files than namespaces, but for one. */
static void test_stores_for_some_namespaces(void **state)
{
    (void)state;
    for (uint32_t stores = 2; stores <= 4; stores += 2) {
        struct scenario *scenario = bridge_case_load(three_namespaces);
        struct live_options options = bridge_case_options();
        struct diag *diag = calloc(1, sizeof *diag);
        char why[LIVE_WHY_BYTES];
        CHECK(diag != NULL);
        options.store_count = stores;
        for (uint32_t i = 0; i < stores; i++)
            options.stores[i] = "nowhere/store";
        bridge_case_begin();
        assert_null(live_create(scenario, &options, diag, why));
        assert_non_null(strstr(diag->messages[0].text, "expected once, or once for each of 3 "));
        bridge_case_end();
        scenario_free(scenario);
        free(diag);
    }
}

/* In its order, by the same code as in the model; a flush is one too. */
static void test_a_trace(void **state)
{
    (void)state;
    struct scenario *scenario = bridge_case_load_with(with_trace, trace);
    const struct live_options options = bridge_case_options();
    struct diag *diag = calloc(1, sizeof *diag);
    char why[LIVE_WHY_BYTES];
    CHECK(diag != NULL);
    bridge_case_begin();
    struct live_run *play = live_create(scenario, &options, diag, why);
    assert_non_null(play);
    assert_true(live_run(play));
    const struct result *result = live_result(play);
    assert_int_equal(result->workload_count, 1);
    assert_int_equal(result->workloads[0].completed, 5);
    assert_int_equal(result->workloads[0].bytes, 4096 + 4096 + 16384 + 4096);
    assert_true(result_held(result));
    /* How late each is depends on the machine, and so does which of the two files is ahead: what
     * comes first in a file is asked first.  File a has its I/Os at block 0, b elsewhere. */
    char order[128];
    store_ask_text(live_store(play),
                   "SELECT group_concat(operation || ' ' || lba, ', ')"
                   " FROM (SELECT * FROM io ORDER BY lba > 0, serial)",
                   order, sizeof order);
    assert_string_equal(order, "write 0, flush 0, read 0, read 16, read 128");
    assert_true(live_free(play));
    bridge_case_end();
    scenario_free(scenario);
    free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_texts_that_are_wrong),
        cmocka_unit_test(test_several_targets),
        cmocka_unit_test(test_a_part),
        cmocka_unit_test(test_parts_that_cannot_be_played),
        cmocka_unit_test(test_jobs_in_their_order),
        cmocka_unit_test(test_who_listens_for_agreement),
        cmocka_unit_test(test_stores_for_some_namespaces),
        cmocka_unit_test(test_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
