/* SPDX-License-Identifier: Apache-2.0
 * test_bridge_run - scenarios in real time over fake_rdma, the loop, and content as bytes. */
#include "base/check.h"
#include "bridge/bytes/content.h"
#include "nvme/wire/spec.h"
#include "replay/compare/compare.h"
#include "replay/run/run.h"
#include "tests/unit/bridge/bridge_case.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

static const char nvme_text[] =
    "stormglass: 1\n"
    "name: bridge\n"
    "about: Two hosts, in capsules and outside.\n"
    "seed: 1\n"
    "duration: 20s\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 3}\n"
    "hosts:\n"
    "  targets: {where: host0, namespaces: [{media: \"null\", count: 1}]}\n"
    "workloads:\n"
    "  - {name: one, kind: nvme, from: host1, to: host0, read: 50%, block-size: 4KiB,\n"
    "     queue-depth: 1, queues: 1, count: 100}\n"
    "  - {name: deep, kind: nvme, from: host2, to: host0, read: 70%, block-size: 64KiB,\n"
    "     queue-depth: 8, queues: 2, count: 100}\n"
    "expect: [all-commands-complete]\n";

static const char raw_text[] =
    "stormglass: 1\n"
    "name: raw\n"
    "about: Each kind.\n"
    "seed: 1\n"
    "duration: 20s\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 2}\n"
    "workloads:\n"
    "  - {name: w, kind: rdma-write, from: host1, to: host0, message-size: 16KiB, count: 50}\n"
    "  - {name: r, kind: rdma-read, from: host1, to: host0, message-size: 16KiB, count: 50}\n"
    "  - {name: s, kind: rdma-send, from: host1, to: host0, message-size: 16KiB, count: 50}\n"
    "expect: [all-commands-complete]\n";

/* What was completed of each workload; all hold their expectations. */
static void run_to_end(const char *text, uint32_t peer, bool busy, const int64_t *completed)
{
    struct diag *diag = calloc(1, sizeof *diag);
    CHECK(diag != NULL);
    struct scenario *scenario = bridge_case_load(text);
    struct live_options options = bridge_case_options();
    options.peer = (struct nic_addresses){{peer}, 1};
    options.busy = busy;
    char why[LIVE_WHY_BYTES];
    bridge_case_begin();
    struct live_run *play = live_create(scenario, &options, diag, why);
    assert_non_null(play);
    assert_true(live_run(play));
    const struct result *result = live_result(play);
    for (uint32_t i = 0; i < result->workload_count; i++) {
        assert_int_equal(result->workloads[i].completed, completed[i]);
        assert_int_equal(result->workloads[i].failed, 0);
        assert_int_equal(result->workloads[i].corrupt, 0);
        assert_int_equal(result->workloads[i].latency->count, completed[i]);
    }
    assert_true(result_held(result));
    assert_int_equal(live_unsound(play), 0);
    char device[64];
    store_ask_text(live_store(play), "SELECT value FROM measured WHERE name='device'", device,
                   sizeof device);
    assert_string_equal(device, "fake0");
    /* No simulation stands behind it, but where its frames may have gone is known. */
    assert_int_equal(
        store_ask_int(live_store(play), "SELECT count(*) FROM node WHERE digest IS NULL", 0),
        scenario->node_count);
    assert_true(store_ask_int(live_store(play), "SELECT count(*) FROM workload_way", 0) >= 6);
    assert_true(live_free(play));
    bridge_case_end();
    scenario_free(scenario);
    free(diag);
}

static void test_nvme(void **state)
{
    (void)state;
    run_to_end(nvme_text, CASE_TARGET_IP, false, (const int64_t[]){100, 100});
}

static void test_one_device(void **state)
{
    (void)state;
    run_to_end(nvme_text, CASE_HOST_IP, false, (const int64_t[]){100, 100});
}

static void test_raw(void **state)
{
    (void)state;
    run_to_end(raw_text, CASE_TARGET_IP, false, (const int64_t[]){50, 50, 50});
    run_to_end(raw_text, CASE_TARGET_IP, true, (const int64_t[]){50, 50, 50});
}

/* Refused by name, or left to somebody else and recorded. */
static void test_faults(void **state)
{
    (void)state;
    static const char fault[] = "faults:\n"
                                "  - {at: 1ms, for: 2ms, kind: link-down, where: host1-switch0}\n";
    char text[sizeof nvme_text + sizeof fault], said[128];
    struct live_options options = bridge_case_options();
    struct diag *diag = calloc(1, sizeof *diag);
    char why[LIVE_WHY_BYTES];
    CHECK(diag != NULL);
    snprintf(text, sizeof text, "%s%s", nvme_text, fault);
    struct scenario *scenario = bridge_case_load(text);
    bridge_case_begin();
    assert_null(live_create(scenario, &options, diag, why));
    assert_string_equal(why, "");
    assert_non_null(strstr(diag->messages[0].text, "cannot inject the fault link-down"));
    *diag = (struct diag){0};
    options.faults_outside = true;
    struct live_run *play = live_create(scenario, &options, diag, why);
    assert_non_null(play);
    assert_true(live_run(play));
    store_ask_text(live_store(play), "SELECT value FROM measured WHERE name='faults_outside'", said,
                   sizeof said);
    assert_string_equal(said, "link-down at 1.000 ms for 2.00 ms on host1 and others");
    assert_true(live_free(play));
    bridge_case_end();
    scenario_free(scenario);
    free(diag);
}

/* What the model cannot play could not be compared with it. */
static void test_memory_too_small(void **state)
{
    (void)state;
    struct live_options options = bridge_case_options();
    struct diag *diag = calloc(1, sizeof *diag);
    char why[LIVE_WHY_BYTES];
    CHECK(diag != NULL);
    struct scenario *scenario =
        bridge_case_load("stormglass: 1\nname: small\nabout: A switch.\nduration: 1ms\n"
                         "fabric: {topology: {kind: single-switch, hosts: 2},\n"
                         "  switch: {buffer: 64KiB}}\n"
                         "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n");
    bridge_case_begin();
    assert_null(live_create(scenario, &options, diag, why));
    assert_non_null(strstr(diag->messages[1].text, "the packet memory has 65536 B"));
    bridge_case_end();
    scenario_free(scenario);
    free(diag);
}

/* Nobody listens: the host plays with what may be a foreign target, and fails by its workloads. */
static void test_nobody_there(void **state)
{
    (void)state;
    struct diag *diag = calloc(1, sizeof *diag);
    struct scenario *scenario = bridge_case_load(nvme_text);
    struct live_options options = bridge_case_options();
    char why[LIVE_WHY_BYTES];
    char said[128];
    CHECK(diag != NULL);
    options.role = LIVE_HOST;
    bridge_case_begin();
    struct live_run *play = live_create(scenario, &options, diag, why);
    assert_non_null(play);
    assert_true(live_run(play));
    assert_false(live_refused(play));
    assert_false(result_held(live_result(play)));
    store_ask_text(live_store(play), "SELECT value FROM measured WHERE name='agreement'", said,
                   sizeof said);
    assert_string_equal(said, "0 of 1 target agreed; the others are foreign");
    assert_true(live_free(play));
    bridge_case_end();
    scenario_free(scenario);
    free(diag);
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
    raise(SIGINT);
}

static void live_into(const char *path, struct scenario *scenario, struct diag *diag)
{
    struct live_options options = bridge_case_options();
    options.path = path;
    options.level = RECORD_IOS;
    char why[LIVE_WHY_BYTES];
    bridge_case_begin();
    struct live_run *play = live_create(scenario, &options, diag, why);
    assert_non_null(play);
    assert_true(live_run(play));
    assert_true(live_free(play));
    bridge_case_end();
}

static void model_into(const char *path, struct scenario *scenario, struct diag *diag)
{
    const struct run_options options = {.path = path, .level = RECORD_IOS, .until = TIME_NEVER};
    struct run run;
    assert_int_equal(run_scenario(&run, scenario, &options, diag), RUN_DONE);
    assert_true(run_close(&run));
}

/* The same code went through the same: each row of the protocol, the states with it. */
static void test_model_and_bridge_agree(void **state)
{
    (void)state;
    char folder[] = "/tmp/stormglass-test-XXXXXX", model[64], measured[64];
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/model.db", folder);
    snprintf(measured, sizeof measured, "%s/measured.db", folder);
    struct diag *diag = calloc(1, sizeof *diag);
    CHECK(diag != NULL);
    struct scenario *scenario = bridge_case_load(nvme_text);
    model_into(model, scenario, diag);
    live_into(measured, scenario, diag);
    const struct compare_options options = {.tolerance = 1, .judged = COMPARE_JUDGED_PRESET};
    struct compare compare;
    if (compare_runs(&compare, model, measured, &options) != COMPARE_DONE)
        fail_msg("%s", compare.why);
    size_t states = 0;
    for (size_t i = 0; i < compare.row_count; i++) {
        const struct compare_row *row = &compare.rows[i];
        if (row->counts && !row->equal)
            fail_msg("%s: %s and %s", row->what, row->model, row->measured);
        states += row->equal && strstr(row->what, ": states") != NULL;
    }
    assert_int_equal(states, 3);
    compare_free(&compare);
    scenario_free(scenario);
    free(diag);
    unlink(model);
    unlink(measured);
    assert_int_equal(rmdir(folder), 0);
}

/* Ctrl-C ends it at once, with all that was measured. */
static void test_interrupted(void **state)
{
    (void)state;
    char said[32];
    struct diag *diag = calloc(1, sizeof *diag);
    struct scenario *scenario = bridge_case_load(nvme_text);
    struct live_options options = bridge_case_options();
    const struct itimerval soon = {.it_value = {.tv_usec = 150000}};
    char why[LIVE_WHY_BYTES];
    CHECK(diag != NULL);
    options.lead = 1000 * PS_PER_S;
    bridge_case_begin();
    struct live_run *play = live_create(scenario, &options, diag, why);
    assert_non_null(play);
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &soon, NULL);
    assert_true(live_run(play));
    assert_string_equal(live_result(play)->status, "interrupted");
    store_ask_text(live_store(play), "SELECT status FROM meta", said, sizeof said);
    assert_string_equal(said, "interrupted");
    assert_true(live_free(play));
    bridge_case_end();
    scenario_free(scenario);
    free(diag);
}

static void test_no_device(void **state)
{
    (void)state;
    struct diag *diag = calloc(1, sizeof *diag);
    struct scenario *scenario = bridge_case_load(nvme_text);
    const struct live_options options = {.calls = &fake_rdma_calls,
                                         .role = LIVE_HOST,
                                         .address = {{0x0A0000FF}, 1},
                                         .peer = {{CASE_TARGET_IP}, 1}};
    char why[LIVE_WHY_BYTES];
    CHECK(diag != NULL);
    fake_rdma_init();
    assert_null(live_create(scenario, &options, diag, why));
    assert_non_null(strstr(why, "no usable RDMA device at the address"));
    assert_int_equal(fake_rdma_fini(), 0);
    scenario_free(scenario);
    free(diag);
}

/* ------------------------------------------------------------------ content */

static void test_content(void **state)
{
    (void)state;
    static unsigned char bytes[8192];
    bool sound;
    static const uint32_t lengths[] = {8, 64, 511, 512, 513, 520, 4096, 8192};
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        content_fill(bytes, lengths[i], 7);
        assert_int_equal(content_read(bytes, lengths[i], CONTENT_FULL, &sound), 7);
        assert_true(sound);
    }
    /* A part of what was written, and one written behind another. */
    assert_int_equal(content_read(bytes + 1024, 2048, CONTENT_FULL, &sound), 7);
    assert_true(sound);
    content_fill(bytes + 4096, 4096, 8);
    assert_int_equal(content_read(bytes, 8192, CONTENT_TAGS, &sound), NVME_CONTENT_MIXED);
    assert_true(sound);
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(content_read(bytes, 8192, CONTENT_FULL, &sound), 0);
    assert_true(sound);
}

static void test_content_that_is_not_ours(void **state)
{
    (void)state;
    static unsigned char bytes[4096];
    bool sound;
    content_fill(bytes, sizeof bytes, 7);
    bytes[3000] ^= 1; /* of the pattern */
    assert_int_equal(content_read(bytes, sizeof bytes, CONTENT_TAGS, &sound), 7);
    assert_true(sound);
    assert_int_equal(content_read(bytes, sizeof bytes, CONTENT_FULL, &sound), NVME_CONTENT_MIXED);
    assert_false(sound);
    content_fill(bytes, sizeof bytes, 7);
    memmove(bytes + 512, bytes + 1024, 512); /* a sector in another's place */
    assert_int_equal(content_read(bytes, sizeof bytes, CONTENT_TAGS, &sound), NVME_CONTENT_MIXED);
    assert_false(sound);
    bytes[0] = 'x';
    assert_int_equal(content_read(bytes, sizeof bytes, CONTENT_FIRST, &sound), NVME_CONTENT_MIXED);
    assert_false(sound);
}

/* ------------------------------------------------------------------ the loop */

enum { TIMERS = 50 };

struct fired {
    struct loop *loop;
    struct timer timers[TIMERS];
    int order[TIMERS], count;
};

static void on_timer(void *self, time_ps now)
{
    struct fired *fired = self;
    for (int i = 0; i < TIMERS; i++)
        if (fired->timers[i].due == TIME_NEVER && fired->timers[i].fire != NULL &&
            fired->timers[i].pending == 0) {
            fired->order[fired->count++] = i;
            fired->timers[i].fire = NULL;
            break;
        }
    assert_true(now >= 0);
}

static void test_timers(void **state)
{
    (void)state;
    struct fired fired = {.loop = loop_create()};
    assert_non_null(fired.loop);
    loop_begin(fired.loop);
    for (int i = 0; i < TIMERS; i++) {
        const int moment = i * 37 % TIMERS;
        fired.timers[i] = (struct timer){.fire = on_timer, .self = &fired};
        loop_env_ops.timer_set(fired.loop, &fired.timers[i], 7 * PS_PER_S);
        loop_env_ops.timer_set(fired.loop, &fired.timers[i], moment * 100 * PS_PER_US);
    }
    for (int i = 0; i < TIMERS; i += 10)
        loop_env_ops.timer_set(fired.loop, &fired.timers[i], TIME_NEVER);
    for (int i = 0; i < TIMERS; i += 10)
        fired.timers[i].fire = NULL;
    assert_false(loop_run(fired.loop, 20 * PS_PER_MS));
    assert_true(loop_now(fired.loop) >= 20 * PS_PER_MS);
    assert_int_equal(fired.count, TIMERS - TIMERS / 10);
    for (int i = 1; i < fired.count; i++)
        assert_true(fired.order[i - 1] * 37 % TIMERS < fired.order[i] * 37 % TIMERS);
    loop_free(fired.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nvme),
        cmocka_unit_test(test_one_device),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_no_device),
        cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_model_and_bridge_agree),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_memory_too_small),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_content_that_is_not_ours),
        cmocka_unit_test(test_timers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
