/* SPDX-License-Identifier: Apache-2.0
 * test_compare - a model's run against one that is made to look measured, and changed. */
#include "replay/compare/compare.h"
#include "replay/database/stored.h"
#include "replay/run/run.h"
#include "scenarios/load/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] =
    "stormglass: 1\n"
    "name: both\n"
    "about: One at a time, and four.\n"
    "duration: 10ms\n"
    "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
    "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: "
    "\"null\"}]}}\n"
    "workloads:\n"
    "  - {name: one, kind: nvme, from: host1, to: host0, read: 50%, queue-depth: 1, count: 20}\n"
    "  - {name: four, kind: nvme, from: host2, to: host0, queue-depth: 4, count: 20}\n"
    "  - {name: long, kind: nvme, from: host2, to: host1, queue-depth: 4, stop: 100us}\n";

static const char measured_sql[] =
    "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1'),('firmware','')";

static const struct compare_options usual = {.tolerance = 0.15, .judged = COMPARE_JUDGED_PRESET};

struct fixture {
    char folder[64], model[96], measured[96];
    struct compare compare;
};

/* Plays into `path`, then changes the database. */
static void play(const char *path, const char *set, const char *sql, const char *more)
{
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    const char *sets[] = {"hosts.targets.where=[host0, host1]", set};
    const struct scenario_input input = {.name = "both.yaml",
                                         .text = text,
                                         .length = strlen(text),
                                         .sets = sets,
                                         .set_count = set == NULL ? 1 : 2};
    struct scenario *scenario = scenario_load(&input, diag);
    diag_print(diag, stderr);
    assert_non_null(scenario);
    const struct run_options options = {.path = path, .level = RECORD_IOS, .until = TIME_NEVER};
    struct run run;
    assert_int_equal(run_scenario(&run, scenario, &options, diag), RUN_DONE);
    struct store *store = record_store(run.record);
    store_exec(store, sql);
    store_exec(store, more);
    if (store_error(store) != NULL)
        fail_msg("%s: %s", more, store_error(store));
    assert_true(run_close(&run));
    scenario_free(scenario);
    free(diag);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    strcpy(fixture->folder, "/tmp/stormglass-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->model, sizeof fixture->model, "%s/model.db", fixture->folder);
    snprintf(fixture->measured, sizeof fixture->measured, "%s/measured.db", fixture->folder);
    play(fixture->model, NULL, "", "");
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    unlink(fixture->model);
    unlink(fixture->measured);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

/* The model against the same run, marked measured, with one more change. */
static struct compare *compare_with(struct fixture *fixture, const char *set, const char *sql)
{
    play(fixture->measured, set, measured_sql, sql);
    if (compare_runs(&fixture->compare, fixture->model, fixture->measured, &usual) != COMPARE_DONE)
        fail_msg("%s: %s", sql, fixture->compare.why);
    return &fixture->compare;
}

static void the_same_run_is_equal(void **state)
{
    struct compare *compare = compare_with(*state, NULL, "");
    assert_true(compare_equal(compare));
    assert_int_equal(compare->rows_different, 0);
    assert_int_equal(compare->setting_count, 0);
    assert_int_equal(compare->workload_count, 3);
    assert_int_equal(compare->judged, 6);
    assert_int_equal(compare->within, 6);
    assert_string_equal(compare->sides[1].device, "rxe0");
    assert_false(compare->sides[0].measured);
    assert_string_equal(compare->workloads[0].model->point,
                        "queue-depth 1, block-size 4096B, read 50%");
    assert_true(compare->workloads[0].figures[FIGURE_P50].model > 0);
    compare_free(compare);
}

struct change {
    const char *sql, *what, *model, *measured; /* the first row that differs; NULL: any text */
    bool counts;
};

/* One workload is ended by the clock: a machine may have come less far. */
#define STATE_LESS                                                                                 \
    "DELETE FROM state_change WHERE machine='host' AND owner='host1' AND to_state='LIVE'"

static const struct change changes[] = {
    {"UPDATE meta SET status='interrupted'", "status", "complete", "interrupted", true},
    {"UPDATE workload SET issued=21 WHERE workload=0", "one: issued", "20", "21", true},
    {"UPDATE workload SET completed=19 WHERE workload=1", "four: completed", "20", "19", true},
    {"UPDATE workload SET failed=1 WHERE workload=2", "long: failed", "0", "1", true},
    {"UPDATE workload SET unfinished=2 WHERE workload=0", "one: unfinished", "0", "2", true},
    {"UPDATE workload SET corrupt=3 WHERE workload=0", "one: corrupt", "0", "3", true},
    {"UPDATE workload SET bytes=1 WHERE workload=1", "four: bytes", "81920", "1", true},
    {"UPDATE workload SET bytes_written=1 WHERE workload=1", "four: bytes_written", "0", "1", true},
    {"UPDATE io SET lba=7 WHERE workload=0 AND serial=3",
     "one: I/Os in the order of issue, number 3", NULL, NULL, true},
    {"UPDATE io SET status=642 WHERE workload=1 AND serial=20",
     "four: I/Os in the order of issue, number 20", NULL, NULL, true},
    {"UPDATE io SET operation='flush' WHERE workload=2 AND serial=2",
     "long: I/Os in the order of issue, number 2", NULL, NULL, true},
    {"DELETE FROM io WHERE workload=1 AND serial=20", "four: I/Os in the order of issue, number 20",
     NULL, "(none)", true},
    {"UPDATE io SET io=-1 WHERE workload=0 AND serial=5",
     "one: I/Os in the order of completion, number 1", NULL, NULL, true},
    {"UPDATE io SET io=-1 WHERE workload=1 AND serial=5",
     "four: I/Os in the order of completion, number 1", NULL, NULL, false},
    {"UPDATE state_change SET event='LOSS', to_state='LOST' WHERE machine='host'"
     " AND owner='host1' AND to_state='LIVE'",
     "NVMe hosts: states, host1, number 1", "SCAN -> LIVE (SCANNED)", "SCAN -> LOST (LOSS)", true},
    {"UPDATE state_change SET event='CLOSE', to_state='DOWN' WHERE machine='host_queue'"
     " AND owner='host1' AND qid=1 AND from_state='FABRICS'",
     "queues of NVMe hosts: states, host1 queue 1, number 1", "FABRICS -> LIVE (ACCEPTED)",
     "FABRICS -> DOWN (CLOSE)", true},
    {"UPDATE state_change SET event='ERROR' WHERE machine='target_queue' AND qid=0"
     " AND owner='host1' AND to_state='READY'",
     "queues of NVMe targets: states, host1 queue 0, number 1", "LIVE -> READY (INSTALLED)",
     "LIVE -> READY (ERROR)", true},
    {STATE_LESS, "NVMe hosts: states, host1, number 1", "SCAN -> LIVE (SCANNED)", "(none)", false},
    {STATE_LESS ";UPDATE state_change SET event='LOSS' WHERE owner='host2' AND to_state='SCAN'",
     "NVMe hosts: states, host2, number 1", "QUEUES -> SCAN (QUEUES_UP)", "QUEUES -> SCAN (LOSS)",
     true},
};

static const struct compare_row *first_apart(const struct compare *compare)
{
    for (size_t i = 0; i < compare->row_count; i++)
        if (!compare->rows[i].equal)
            return &compare->rows[i];
    return NULL;
}

static void each_difference_of_the_protocol_is_found(void **state)
{
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const struct change *change = &changes[i];
        struct compare *compare = compare_with(*state, NULL, change->sql);
        const struct compare_row *row = first_apart(compare);
        if (row == NULL || strcmp(row->what, change->what) != 0)
            fail_msg("%s: %s", change->sql, row == NULL ? "equal" : row->what);
        if (change->model != NULL)
            assert_string_equal(row->model, change->model);
        if (change->measured != NULL)
            assert_string_equal(row->measured, change->measured);
        assert_int_equal(row->counts, change->counts);
        assert_int_equal(compare->rows_different > 0, change->counts);
        assert_int_equal(compare_equal(compare), !change->counts);
        compare_free(compare);
    }
}

static const struct compare_row *row_of(const struct compare *compare, const char *what)
{
    for (size_t i = 0; i < compare->row_count; i++)
        if (strcmp(compare->rows[i].what, what) == 0)
            return &compare->rows[i];
    return NULL;
}

static void states_are_paired_by_what_they_were(void **state)
{
    static const char hosts[] = "NVMe hosts: states";
    static const struct {
        const char *sql;
        bool compared;
    } same[] = {
        {"", true},
        /* The two hosts of host2 in the other order of age. */
        {"UPDATE state_change SET number=1000-number", true},
        /* A measurement ends with the target's queues taken down. */
        {"INSERT INTO state_change SELECT NULL, 1, machine, number, owner, peer_ip, qid, 'READY',"
         " 'CLOSE', 'CLOSING' FROM state_change WHERE machine='target_queue' GROUP BY number",
         true},
        {"DELETE FROM state_change WHERE machine<>'target_queue'", false}, /* a bridge's target */
        {"DROP VIEW v_state; DROP TABLE state_change", false},
        {"UPDATE meta SET record='summary'", false},
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        struct compare *compare = compare_with(*state, NULL, same[i].sql);
        assert_int_equal(compare->rows_different, 0);
        assert_null(first_apart(compare));
        const struct compare_row *row = row_of(compare, hosts);
        assert_int_equal(row != NULL, same[i].compared);
        if (row != NULL)
            assert_string_equal(row->model, "15 equal"); /* five changes of three hosts */
        compare_free(compare);
    }
}

/* Of work that counts end, each machine comes as far as the other. */
static void states_of_counted_work_are_whole(void **state)
{
    struct fixture *fixture = *state;
    static const char counted[] = "workloads.long.count=20";
    unlink(fixture->model);
    play(fixture->model, counted, "", "");
    struct compare *compare = compare_with(fixture, counted, STATE_LESS);
    assert_int_equal(compare->rows_different, 1);
    const struct compare_row *row = first_apart(compare);
    assert_string_equal(row->what, "NVMe hosts: states, host1, number 1");
    assert_string_equal(row->measured, "(none)");
    assert_true(row->counts);
    compare_free(compare);
    unlink(fixture->model);
    play(fixture->model, NULL, "", "");
}

/* Who has come further when the clock ends the work says nothing of the protocol. */
static void work_that_the_clock_ends_may_be_more(void **state)
{
    static const char *const fine[] = {
        "UPDATE workload SET issued=1, completed=1, bytes=1, bytes_read=1 WHERE workload=2",
        "DELETE FROM io WHERE workload=2 AND serial > 7",
    };
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        struct compare *compare = compare_with(*state, NULL, fine[i]);
        assert_int_equal(compare->rows_different, 0);
        compare_free(compare);
    }
}

static void errors_are_parts_of_what_was_measured(void **state)
{
    struct compare *compare = compare_with(
        *state, NULL,
        "UPDATE workload SET latency_p50_ps=2*latency_p50_ps, iops=iops/1.1 WHERE workload=0;"
        "UPDATE workload SET latency_p99_ps=NULL, latency_p50_ps=NULL WHERE workload=1");
    const struct compare_figure *figures = compare->workloads[0].figures;
    assert_true(fabs(figures[FIGURE_P50].error + 0.5) < 1e-12);
    assert_false(figures[FIGURE_P50].within);
    assert_true(fabs(figures[FIGURE_IOPS].error - 0.1) < 1e-12);
    assert_true(figures[FIGURE_IOPS].within);
    assert_false(figures[FIGURE_MEAN].judged);
    assert_false(compare->workloads[1].figures[FIGURE_P50].known);
    assert_int_equal(compare->judged, 6);
    assert_int_equal(compare->within, 4); /* a median that only one has is not within */
    assert_int_equal(compare->rows_different, 0);
    assert_false(compare_equal(compare));
    compare_free(compare);
    assert_true(isinf(compare_error(1, 0)));
    assert_true(compare_error(0, 0) == 0);
}

static void devices_may_differ_and_are_listed(void **state)
{
    struct compare *compare = compare_with(*state, "hosts.defaults.rnic.tx-delay=1us", "");
    assert_int_equal(compare->setting_count, 1);
    assert_string_equal(compare->settings[0].what, "hosts.defaults.rnic.tx-delay");
    assert_string_equal(compare->settings[0].measured, "1us");
    compare_free(compare);
}

static void ranges_say_what_is_extrapolated(void **state)
{
    struct fixture *fixture = *state;
    unlink(fixture->model);
    play(fixture->model, NULL,
         "INSERT INTO calibrated VALUES('p','queue-depth',1,2,'1..2'),"
         "('p','read',0,1000000,'0%..100%'),('p','message-size',1,2,'1B..2B')",
         "");
    struct compare *compare = compare_with(fixture, NULL, "");
    assert_int_equal(compare->workloads[0].model->range, FIGURE_CALIBRATED);
    assert_int_equal(compare->workloads[1].model->range, FIGURE_EXTRAPOLATED);
    assert_string_equal(compare->workloads[1].model->outside, "queue-depth 4 (calibrated 1..2)");
    compare_free(compare);
    unlink(fixture->model);
    play(fixture->model, NULL, "", "");
    compare = compare_with(fixture, NULL, "");
    assert_int_equal(compare->workloads[0].model->range, FIGURE_UNCALIBRATED);
    compare_free(compare);
}

/* One frame that found the ring full is enough to make figures uncertain. */
static void a_full_ring_is_a_range_of_its_own(void **state)
{
    struct fixture *fixture = *state;
    for (int frames = 0; frames <= 2; frames++) {
        char sql[160], outside[80];
        snprintf(sql, sizeof sql,
                 "INSERT INTO counter(node,name,value,unit) SELECT min(node),'rx_out_of_buffer',"
                 "%d,'count' FROM node",
                 frames);
        snprintf(outside, sizeof outside, "%d frames found no buffer in a receive ring", frames);
        unlink(fixture->model);
        play(fixture->model, NULL, sql, "");
        struct compare *compare = compare_with(fixture, NULL, "");
        const struct figures_workload *model = compare->workloads[0].model;
        assert_int_equal(model->range, frames > 0 ? FIGURE_RING_FULL : FIGURE_UNCALIBRATED);
        assert_string_equal(model->outside, frames > 0 ? outside : "");
        compare_free(compare);
    }
    unlink(fixture->model);
    play(fixture->model, NULL, "", "");
}

static void refused(struct fixture *fixture, const char *model, const char *measured,
                    const char *words)
{
    if (compare_runs(&fixture->compare, model, measured, &usual) == COMPARE_DONE)
        fail_msg("not refused: %s", words);
    if (strstr(fixture->compare.why, words) == NULL)
        fail_msg("%s: %s", words, fixture->compare.why);
    compare_free(&fixture->compare);
}

static void what_cannot_be_compared_is_refused(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *set, *sql, *words;
    } others[] = {
        {"seed=2", "", "seed is 1 and 2"},
        {"workloads.one.count=21", "", "workloads.one.count is 20 and 21"},
        {"hosts.targets.namespaces=[{media: flash-tlc}]", "", "hosts.targets.namespaces"},
        {"name=other", "", "the scenarios are different: both and other"},
        {"workloads.one.from=host2", "", "the workloads differ"},
        {NULL, "UPDATE meta SET status='running'", "did not end"},
        {NULL, "DROP TABLE setting", "no such table"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        play(fixture->measured, others[i].set, measured_sql, others[i].sql);
        refused(fixture, fixture->model, fixture->measured, others[i].words);
    }
    play(fixture->measured, NULL, measured_sql, "");
    refused(fixture, fixture->measured, fixture->model, "give the model first");
    refused(fixture, fixture->model, fixture->model, "both runs of the model; --any");
    refused(fixture, fixture->measured, fixture->measured, "both measurements");
    refused(fixture, fixture->model, "/nowhere/x.db", "/nowhere/x.db");
    refused(fixture, "/etc/passwd", fixture->measured, "/etc/passwd");
    /* What only the figures are read from is missed on either side. */
    play(fixture->measured, NULL, measured_sql, "DROP TABLE calibrated");
    refused(fixture, fixture->model, fixture->measured, fixture->measured);
    play(fixture->measured, NULL, measured_sql, "");
    unlink(fixture->model);
    play(fixture->model, NULL, "", "DROP TABLE calibrated");
    refused(fixture, fixture->model, fixture->measured, fixture->model);
}

/* One connection with one command has only one order in which it can complete. */
static void the_order_of_completion_counts_when_one_is_outstanding(void **state)
{
    static const struct {
        const char *set, *what;
        bool counts;
    } rows[] = {
        {"workloads.four.queues=4", "four: I/Os in the order of completion", false},
        {"workloads.four.queues=2", "four: I/Os in the order of completion", false},
        {"workloads.four.queue-depth=1", "four: I/Os in the order of completion", true},
        {"workloads.one.queues=2", "one: I/Os in the order of completion", false},
        {"workloads.four.queues=1", "one: I/Os in the order of completion", true},
        {"workloads.four.queues=4", "four: I/Os in the order of issue", true},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unlink(fixture->model);
        play(fixture->model, rows[i].set, "", "");
        struct compare *compare = compare_with(fixture, rows[i].set, "");
        const struct compare_row *row = row_of(compare, rows[i].what);
        if (row == NULL || row->counts != rows[i].counts)
            fail_msg("%s: %s", rows[i].set, row == NULL ? "no row" : "counts otherwise");
        compare_free(compare);
    }
    unlink(fixture->model);
    play(fixture->model, NULL, "", "");
}

/* What one is asked to do: seed, workloads and media, who with whom; not devices, nor results. */
static void the_work_has_a_digest(void **state)
{
    static const struct {
        const char *set, *sql;
        bool same;
    } rows[] = {
        {NULL, "", true},
        {"hosts.defaults.rnic.tx-delay=1us", "", true},
        {NULL, "UPDATE workload SET issued=1, completed=1", true},
        {"seed=2", "", false},
        {"workloads.one.count=21", "", false},
        {NULL, "UPDATE setting SET path='workloads.one.counts' WHERE path='workloads.one.count'",
         false},
        {NULL, "DELETE FROM setting WHERE path='seed'", false},
        {NULL, "UPDATE workload SET name='uno' WHERE workload=0", false},
        {NULL, "UPDATE workload_pair SET from_node=to_node WHERE workload=0", false},
    };
    struct fixture *fixture = *state;
    char first[DIGEST_TEXT_BYTES] = "", text_of[DIGEST_TEXT_BYTES];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char error[STORE_ERROR_BYTES];
        play(fixture->measured, rows[i].set, measured_sql, rows[i].sql);
        struct store *store = stored_open(fixture->measured, error);
        assert_non_null(store);
        compare_work(store, text_of);
        assert_null(store_error(store));
        store_close(store);
        if (i == 0)
            memcpy(first, text_of, sizeof first);
        if ((strcmp(first, text_of) == 0) != rows[i].same)
            fail_msg("row %zu: %s and %s", i, first, text_of);
    }
}

static void figures_are_named(void **state)
{
    (void)state;
    uint32_t set;
    assert_true(compare_parse_figures("p50,p99_9", &set));
    assert_int_equal(set, 1u << FIGURE_P50 | 1u << FIGURE_P99_9);
    assert_false(compare_parse_figures("", &set));
    assert_false(compare_parse_figures("p50,", &set));
    assert_false(compare_parse_figures("p5", &set));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_run_is_equal),
        cmocka_unit_test(each_difference_of_the_protocol_is_found),
        cmocka_unit_test(states_are_paired_by_what_they_were),
        cmocka_unit_test(states_of_counted_work_are_whole),
        cmocka_unit_test(work_that_the_clock_ends_may_be_more),
        cmocka_unit_test(errors_are_parts_of_what_was_measured),
        cmocka_unit_test(devices_may_differ_and_are_listed),
        cmocka_unit_test(ranges_say_what_is_extrapolated),
        cmocka_unit_test(a_full_ring_is_a_range_of_its_own),
        cmocka_unit_test(what_cannot_be_compared_is_refused),
        cmocka_unit_test(the_order_of_completion_counts_when_one_is_outstanding),
        cmocka_unit_test(the_work_has_a_digest),
        cmocka_unit_test(figures_are_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
