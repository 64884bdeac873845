/* SPDX-License-Identifier: Apache-2.0
 * test_result - quantities by path. */
#include "replay/record/result.h"
#include "scenarios/load/expect.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct hist latency;
    struct result_workload workload;
    struct result_expectation expectation;
    struct result result;
};

/* Three operations of 1, 2 and 4 us in a window of 3 us, 4096 bytes each. */
static void fill(struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    hist_reset(&fixture->latency);
    for (int us = 1; us <= 4; us *= 2)
        hist_add(&fixture->latency, us * PS_PER_US);
    fixture->workload = (struct result_workload){.name = "oltp",
                                                 .issued = 4,
                                                 .completed = 3,
                                                 .unfinished = 1,
                                                 .bytes = 3 * 4096,
                                                 .bytes_window = 3 * 4096,
                                                 .read_window = 2 * 4096,
                                                 .written_window = 4096,
                                                 .played = 2,
                                                 .member_least = 4096,
                                                 .member_most = 2 * 4096,
                                                 .completed_window = 3,
                                                 .window_ps = 3 * PS_PER_US,
                                                 .latency = &fixture->latency};
    fixture->expectation =
        (struct result_expectation){.text = "no-pause", .held = true, .actual = "0"};
    fixture->result = (struct result){.scenario = "small",
                                      .version = "1.2.3",
                                      .seed = 7,
                                      .threads = 1,
                                      .status = "complete",
                                      .workloads = &fixture->workload,
                                      .workload_count = 1,
                                      .expectations = &fixture->expectation,
                                      .expectation_count = 1,
                                      .limit = {.resource = BOTTLENECK_DEPTH, .text = "nothing"}};
    fixture->result.totals.pfc_paused_ps = 5000;
}

static void every_expectable_quantity_has_its_value(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    for (enum expect_quantity quantity = 0; quantity < EXPECT_COMMANDS_LOST; quantity++) {
        const char *path = expect_path(quantity);
        struct result_ratio value;
        if (path[0] == '.')
            assert_true(result_of_workload(&fixture.workload, path + 1, &value));
        else
            assert_true(result_total(&fixture.result, path, &value));
    }
}

static void unknown_paths_have_none(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    struct result_ratio value;
    assert_false(result_total(&fixture.result, "pfc.paused", &value));
    assert_false(result_total(&fixture.result, "", &value));
    assert_false(result_of_workload(&fixture.workload, "latency_ns", &value));
}

static void comparison_does_not_round(void **state)
{
    (void)state;
    /* 3 operations in 3 us are exactly 1,000,000 a second; the mean of 1, 2 and 4 us is 7/3 us. */
    struct fixture fixture;
    fill(&fixture);
    struct result_ratio value;
    assert_true(result_of_workload(&fixture.workload, "iops", &value));
    assert_int_equal(result_compare(value, 1000000), 0);
    assert_true(result_of_workload(&fixture.workload, "goodput_bps", &value));
    assert_int_equal(result_compare(value, INT64_C(32768000000)), 0);
    assert_true(result_of_workload(&fixture.workload, "latency_ns.mean", &value));
    assert_true(result_compare(value, 2333333) > 0);
    assert_true(result_compare(value, 2333334) < 0);
    assert_true(result_of_workload(&fixture.workload, "latency_ns.max", &value));
    assert_int_equal(result_compare(value, 4 * PS_PER_US), 0);
}

static void window_of_no_length_has_no_rate(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    fixture.workload.window_ps = 0;
    struct result_ratio value;
    assert_true(result_of_workload(&fixture.workload, "iops", &value));
    assert_int_equal(value.denominator, 0);
}

struct seen {
    const char *path;
    struct result_item item;
    char text[64];
    int count;
};

static void look(void *self, const struct result_item *item)
{
    struct seen *seen = self;
    if (strcmp(item->path, seen->path) != 0)
        return;
    seen->item = *item;
    seen->count++;
    if (item->text != NULL)
        strncpy(seen->text, item->text, sizeof seen->text - 1);
}

static struct seen emitted(const struct result *result, const char *path)
{
    struct seen seen = {.path = path};
    result_emit(result, look, &seen);
    return seen;
}

static void printed_latencies_are_nanoseconds(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    struct seen seen = emitted(&fixture.result, "workloads[0].latency_ns.max");
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.item.type, RESULT_INTEGER);
    assert_int_equal(seen.item.integer, 4000);
    seen = emitted(&fixture.result, "workloads[0].latency_ns.mean");
    assert_int_equal(seen.item.type, RESULT_REAL);
    assert_true(seen.item.real > 2332.5 && seen.item.real < 2333.5);
}

static void lists_without_members_and_null_are_emitted(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    assert_int_equal(emitted(&fixture.result, "failures").item.type, RESULT_EMPTY);
    assert_int_equal(emitted(&fixture.result, "expectations").count, 0);
    struct seen seen = emitted(&fixture.result, "root_cause");
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.item.type, RESULT_NULL);
    strcpy(fixture.result.root_cause, "host0");
    assert_string_equal(emitted(&fixture.result, "root_cause").text, "host0");
    fixture.result.workload_count = 0;
    assert_int_equal(emitted(&fixture.result, "workloads").item.type, RESULT_EMPTY);
}

static void failures_and_broken_expectations_fail_the_run(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    assert_true(result_held(&fixture.result));
    fixture.expectation.held = false;
    assert_false(result_held(&fixture.result));
    fixture.expectation.held = true;
    for (int i = 0; i < RESULT_FAILURES_MAX + 3; i++)
        result_fail(&fixture.result, "failure %d", i);
    assert_false(result_held(&fixture.result));
    assert_int_equal(fixture.result.failure_count, RESULT_FAILURES_MAX);
    assert_string_equal(emitted(&fixture.result, "failures[7]").text, "failure 7");
}

/* ---- everything that is printed ---- */

struct sheet {
    char text[8192];
    size_t used;
};

static void write_down(void *self, const struct result_item *item)
{
    struct sheet *sheet = self;
    char value[128];
    switch (item->type) {
    case RESULT_NULL:
    case RESULT_EMPTY:
        strcpy(value, item->type == RESULT_NULL ? "null" : "[]");
        break;
    case RESULT_BOOLEAN:
        strcpy(value, item->integer != 0 ? "true" : "false");
        break;
    case RESULT_INTEGER:
        snprintf(value, sizeof value, "%" PRId64, item->integer);
        break;
    case RESULT_REAL:
        snprintf(value, sizeof value, "%.3f", item->real);
        break;
    case RESULT_TEXT:
        snprintf(value, sizeof value, "'%s'", item->text);
        break;
    }
    sheet->used += (size_t)snprintf(sheet->text + sheet->used, sizeof sheet->text - sheet->used,
                                    "%s %s\n", item->path, value);
    assert_true(sheet->used < sizeof sheet->text);
}

static void fill_harm(struct result *result)
{
    static struct harm_cause accused = {.kind = "mtu",
                                        .suspect = HARM_SETTING,
                                        .name = "fabric.overrides[0].mtu",
                                        .node = "leaf1",
                                        .port = "leaf1:p3",
                                        .priority = 3,
                                        .share = PPM / 2,
                                        .sure = true,
                                        .sentence = "too small",
                                        .victims = {{0, 0, "host0", HARM_INDIRECT, PPM / 4, 5, 77}},
                                        .victim_count = 1,
                                        .victims_in_all = 3};
    result->harm = (struct harm){.lost_ps = 250,
                                 .failed_operations = 251,
                                 .lossless_drops = 252,
                                 .drops = 253,
                                 .victims = 254,
                                 .severity = HARM_SEVERE,
                                 .sentence = "severe",
                                 .headroom = {PPM / 8, "leaf0"},
                                 .memory = {PPM / 4, "leaf1"},
                                 .causes = &accused,
                                 .cause_count = 1};
}

static void fill_steady(struct result_workload *workload)
{
    workload->steady = (struct steady){.known = true,
                                       .from = 530 * PS_PER_NS,
                                       .until = 761 * PS_PER_NS,
                                       .why = "drifts",
                                       .needs = 232 * PS_PER_NS,
                                       .least = 231 * PS_PER_NS,
                                       .goodput_bps = {233, 234},
                                       .iops = {235, 236},
                                       .mean = {237 * PS_PER_NS, 238 * PS_PER_NS},
                                       .p50 = {239 * PS_PER_NS, 240 * PS_PER_NS},
                                       .p99 = {241 * PS_PER_NS, STEADY_UNKNOWN},
                                       .p99_9 = {STEADY_UNKNOWN, STEADY_UNKNOWN},
                                       .slowest = 242 * PS_PER_NS,
                                       .worst = {243 * PS_PER_NS, WL_HISTORY_UNKNOWN}};
    workload->worst = (struct wl_history_worst){244 * PS_PER_NS, 245 * PS_PER_NS};
}

/* Values that are all different, so that no two can be taken for each other. */
static void fill_apart(struct fixture *fixture)
{
    fill(fixture);
    struct result *result = &fixture->result;
    struct result_workload *workload = &fixture->workload;
    int64_t next = 100;
#define TOTAL(member, path) result->totals.member = next++;
#include "scenarios/load/quantity.def"
    result->media_age = result->arrays = true;
    result->media_units_down = 400;
    result->media_units_programmed = 900;
    result->cut = true;
    result->threads = 3;
    workload->issued = 201;
    workload->failed = 203;
    workload->unfinished = 204;
    workload->corrupt = 205;
    workload->missed = 206;
    workload->members = 215;
    workload->idle = 216;
    workload->of_members =
        (struct member_figures){.jain_ppm = 250000,
                                .least_bps = 217,
                                .most_bps = 218,
                                .flows = 219,
                                .fct = {220000, 221000, 222000, 223000},
                                .slowdowns = 1,
                                .slowdown_ppm = {1000000, 1250000, 1500000, 2000000}};
    result->marked_at = "dequeue";
    workload->start = 300 * PS_PER_NS;
    fill_steady(workload);
    workload->bytes_read = 207;
    workload->bytes_written = 208;
    workload->losses = 209;
    workload->attempts = 210;
    workload->reconnects = 211;
    workload->given_up = 2115;
    workload->requeued = 212;
    workload->without_service_ps = 213 * PS_PER_NS;
    workload->retried = 214;
    workload->cpu_known = true; /* of 3 completed operations */
    workload->cpu_host_ps = 6000 * PS_PER_NS;
    workload->cpu_target_ps = 4502 * PS_PER_NS;
    workload->cpu_ps = 10502 * PS_PER_NS;
    workload->admin = 215;
    workload->admin_failed = 216;
    workload->gap_ps = 217 * PS_PER_NS;
    workload->failovers = 218;
    workload->path_recovery_ps = 219 * PS_PER_NS;
    workload->degraded_ps = 220 * PS_PER_NS;
    workload->victim = "direct";
    workload->latency_note = "until TCP";
    workload->held_ps = 214;
    strcpy(result->root_cause, "host0 drains slowly");
    result->cause = (struct result_cause){.kind = "slow-receiver",
                                          .node = "host0",
                                          .port = "host0:p0",
                                          .sure = true,
                                          .causes = 2,
                                          .share_ppm = 750000};
    fill_harm(result);
    static struct check_finding warning = {.rule = "depths", .text = "played as 31"};
    result->warnings.findings = &warning;
    result->warnings.count = 1;
    result_fail(result, "a lossless frame was lost");
}

/* Half a bucket of the histogram is in p50. */
static const char printed[] =
    "scenario 'small'\nversion '1.2.3'\n"
    "seed 7\ndigest '00000000000000000000000000000000'\n"
    "status 'complete'\ncut true\n"
    "threads 3\necn_marked_at 'dequeue'\n"
    "media.write_amplification 2.250\nworkloads[0].name 'oltp'\n"
    "workloads[0].issued 201\nworkloads[0].completed 3\n"
    "workloads[0].failed 203\nworkloads[0].unfinished 204\n"
    "workloads[0].corrupt 205\nworkloads[0].missed 206\n"
    "workloads[0].members 215\nworkloads[0].members_idle 216\n"
    "workloads[0].queues.asked null\nworkloads[0].queues.granted null\nworkloads[0].bytes 12288\n"
    "workloads[0].bytes_read 207\n"
    "workloads[0].bytes_written 208\n"
    "workloads[0].iops 1000000.000\n"
    "workloads[0].goodput_bps 32768000000.000\n"
    "workloads[0].goodput_read_bps 21845333333.333\n"
    "workloads[0].goodput_write_bps 10922666666.667\n"
    "workloads[0].member_goodput_bps.min 10922666666.667\n"
    "workloads[0].member_goodput_bps.mean 16384000000.000\n"
    "workloads[0].member_goodput_bps.max 21845333333.333\n"
    "workloads[0].latency_ns.mean 2333.000\n"
    "workloads[0].latency_ns.min 1000\n"
    "workloads[0].latency_ns.p50 2003\n"
    "workloads[0].latency_ns.p90 4000\n"
    "workloads[0].latency_ns.p95 4000\n"
    "workloads[0].latency_ns.p99 4000\n"
    "workloads[0].latency_ns.p99_9 4000\n"
    "workloads[0].latency_ns.p99_99 4000\n"
    "workloads[0].latency_ns.max 4000\n"
    "workloads[0].latency_ns.slowest_1pct 4000\n"
    "workloads[0].worst_member.latency_ns.mean 244\n"
    "workloads[0].worst_member.latency_ns.p99 245\n"
    "workloads[0].cpu_per_io_ns.host 2000\nworkloads[0].cpu_per_io_ns.target 1501\n"
    "workloads[0].cpu_per_io_ns.sum 3501\n"
    "workloads[0].controllers.lost 209\n"
    "workloads[0].controllers.attempts 210\n"
    "workloads[0].controllers.reconnected 211\n"
    "workloads[0].controllers.given_up 2115\n"
    "workloads[0].controllers.requeued 212\n"
    "workloads[0].controllers.retried 214\n"
    "workloads[0].controllers.without_service_ns 213\n"
    "workloads[0].admin.completed 215\nworkloads[0].admin.failed 216\n"
    "workloads[0].gap_ns 217\n"
    "workloads[0].paths.failovers 218\nworkloads[0].paths.recovery_ns 219\n"
    "workloads[0].paths.degraded_ns 220\n"
    "workloads[0].steady.settled false\n"
    "workloads[0].steady.reason 'drifts'\nworkloads[0].steady.remedy null\n"
    "workloads[0].steady.warm_up_ns 230\n"
    "workloads[0].steady.span_ns 231\n"
    "workloads[0].steady.needs_ns 232\n"
    "workloads[0].steady.needs_at_least_ns 231\n"
    "workloads[0].steady.goodput_bps 233\n"
    "workloads[0].steady.goodput_ci_bps 234\n"
    "workloads[0].steady.iops 235\nworkloads[0].steady.iops_ci 236\n"
    "workloads[0].steady.latency_ns.mean 237\n"
    "workloads[0].steady.latency_ns.mean_ci 238\n"
    "workloads[0].steady.latency_ns.p50 239\n"
    "workloads[0].steady.latency_ns.p50_ci 240\n"
    "workloads[0].steady.latency_ns.p99 241\n"
    "workloads[0].steady.latency_ns.p99_ci null\n"
    "workloads[0].steady.latency_ns.p99_9 null\n"
    "workloads[0].steady.latency_ns.p99_9_ci null\n"
    "workloads[0].steady.latency_ns.slowest_1pct 242\n"
    "workloads[0].steady.worst_member.latency_ns.mean 243\n"
    "workloads[0].steady.worst_member.latency_ns.p99 null\n"
    "workloads[0].fairness.jain 0.250\n"
    "workloads[0].fairness.least_bps 217\n"
    "workloads[0].fairness.most_bps 218\n"
    "workloads[0].flows 219\n"
    "workloads[0].fct_ns.mean 220\nworkloads[0].fct_ns.p50 221\n"
    "workloads[0].fct_ns.p99 222\nworkloads[0].fct_ns.max 223\n"
    "workloads[0].slowdown.mean 1.000\n"
    "workloads[0].slowdown.p50 1.250\n"
    "workloads[0].slowdown.p99 1.500\n"
    "workloads[0].slowdown.max 2.000\n"
    "workloads[0].no_rates null\nworkloads[0].latency_note 'until TCP'\n"
    "workloads[0].victim 'direct'\n"
    "workloads[0].victim_held_ps 214\n"
    "expectations[0].text 'no-pause'\n"
    "expectations[0].held true\nexpectations[0].result 'pass'\n"
    "expectations[0].judged true\n"
    "expectations[0].actual '0'\n"
    "failures[0] 'a lossless frame was lost'\n"
    "warnings[0].rule 'depths'\n"
    "warnings[0].text 'played as 31'\n"
    "warnings[0].remedy null\n"
    "warnings[0].set []\n"
    "bottleneck 'nothing'\n"
    "bottleneck_kind 'queue depth'\n"
    "root_cause 'host0 drains slowly'\n"
    "root_cause_sure true\n"
    "root_cause_kind 'slow-receiver'\n"
    "root_cause_node 'host0'\n"
    "root_cause_port 'host0:p0'\n"
    "root_causes 2\n"
    "root_cause_share 0.750\n"
    "harm.lost_ps 250\n"
    "harm.failed_operations 251\n"
    "harm.lossless_drops 252\n"
    "harm.drops 253\n"
    "harm.victims 254\n"
    "harm.severity 'severe'\n"
    "harm.sentence 'severe'\n"
    "harm.runs 0\n"
    "harm.margins.headroom 0.125\n"
    "harm.margins.shared_memory 0.250\n"
    "harm.margins.receive_buffer null\n"
    "causes[0].kind 'mtu'\n"
    "causes[0].suspect 'setting'\n"
    "causes[0].name 'fabric.overrides[0].mtu'\n"
    "causes[0].node 'leaf1'\n"
    "causes[0].port 'leaf1:p3'\n"
    "causes[0].priority 3\n"
    "causes[0].share 0.500\n"
    "causes[0].sure true\n"
    "causes[0].confirmed false\n"
    "causes[0].sentence 'too small'\n"
    "causes[0].victims_in_all 3\n"
    "causes[0].victims[0].workload 'oltp'\n"
    "causes[0].victims[0].host 'host0'\n"
    "causes[0].victims[0].lost_share 0.250\n"
    "causes[0].victims[0].failed 5\n"
    "causes[0].victims[0].class 'indirect'\n"
    "causes[0].victims[0].paused_ps 77\n";

static void all_that_is_printed(void **state)
{
    static const char *const totals[] = {
#define TOTAL(member, path) path,
#include "scenarios/load/quantity.def"
    };
    (void)state;
    struct fixture fixture;
    static struct sheet sheet;
    fill_apart(&fixture);
    result_emit(&fixture.result, write_down, &sheet);
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        char line[80];
        snprintf(line, sizeof line, "\n%s %d\n", totals[i], (int)(100 + i));
        char *at = strstr(sheet.text, line);
        if (at == NULL)
            fail_msg("there is no%s", line);
        memmove(at, at + strlen(line) - 1, strlen(at + strlen(line) - 1) + 1);
    }
    const char *line = printed; /* line by line: a message has no room for all */
    for (const char *at = sheet.text; *at != '\0'; at = strchr(at, '\n') + 1) {
        const size_t length = strcspn(line, "\n") + 1;
        if (strncmp(at, line, length) != 0)
            fail_msg("%.60s instead of %.60s", at, line);
        line += length;
    }
    assert_int_equal(*line, '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_expectable_quantity_has_its_value),
        cmocka_unit_test(unknown_paths_have_none),
        cmocka_unit_test(comparison_does_not_round),
        cmocka_unit_test(window_of_no_length_has_no_rate),
        cmocka_unit_test(printed_latencies_are_nanoseconds),
        cmocka_unit_test(lists_without_members_and_null_are_emitted),
        cmocka_unit_test(failures_and_broken_expectations_fail_the_run),
        cmocka_unit_test(all_that_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
