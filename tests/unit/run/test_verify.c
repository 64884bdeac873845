/* SPDX-License-Identifier: Apache-2.0
 * test_verify - a stored run again: the same, or from which checkpoint on and where it is not. */
#include "replay/run/verify.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] =
    "stormglass: 1\n"
    "name: pair\n"
    "about: Two hosts write to a third.\n"
    "duration: 640us\n"
    "fabric: {topology: {kind: single-switch, hosts: 4}}\n"
    "workloads:\n"
    "  - {name: a, kind: rdma-write, from: host1, to: host0, count: 9}\n"
    "  - {name: b, kind: rdma-write, from: host2, to: host0, count: 9, start: 501us}\n";

struct fixture {
    char folder[64], path[96];
    struct diag diag;
    struct verify verify;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    strcpy(fixture->folder, "/tmp/stormglass-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    memcpy(fixture->path, fixture->folder, sizeof fixture->folder);
    strcat(fixture->path, "/run.db");
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    verify_free(&fixture->verify);
    unlink(fixture->path);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

/* Plays, changes the database and plays it again from there. */
static const struct verify *verify_up_to(struct fixture *fixture, time_ps until, const char *sql,
                                         time_ps again_until, enum verify_end expected)
{
    const struct scenario_input input = {.name = "pair.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &fixture->diag);
    diag_print(&fixture->diag, stderr);
    assert_non_null(scenario);
    const struct run_options options = {.path = fixture->path, .until = until};
    struct run run;
    assert_int_equal(run_scenario(&run, scenario, &options, &fixture->diag), RUN_DONE);
    store_exec(record_store(run.record), sql);
    assert_null(record_error(run.record));
    assert_true(run_close(&run));
    scenario_free(scenario);
    assert_int_equal(
        verify_run(fixture->path, again_until, false, &fixture->verify, &fixture->diag), expected);
    return &fixture->verify;
}

static const struct verify *verify_with(struct fixture *fixture, time_ps until, const char *sql,
                                        enum verify_end expected)
{
    return verify_up_to(fixture, until, sql, TIME_NEVER, expected);
}

static void checkpoints_are_few_and_at_equal_distances(void **state)
{
    struct fixture *fixture = *state;
    verify_with(fixture, TIME_NEVER, "", VERIFY_EQUAL);
    char error[STORE_ERROR_BYTES];
    struct store *store = store_open(fixture->path, error);
    assert_non_null(store);
    const int64_t count = store_ask_int(store, "SELECT count(*) FROM checkpoint", 0);
    assert_true(count > CHECKPOINTS_MAX / 2 && count <= 2 * CHECKPOINTS_MAX);
    assert_int_equal(store_ask_int(store, "SELECT max(at_ps) FROM checkpoint", 0),
                     count * 10 * PS_PER_US);
    assert_int_equal(store_ask_int(store,
                                   "SELECT count(*) FROM checkpoint WHERE at_ps%10000000<>0 OR"
                                   " length(digests)<>8*(SELECT count(*) FROM node)",
                                   9),
                     0);
    /* A node that has nothing more to do keeps its digest to the end. */
    assert_int_equal(
        store_ask_int(store,
                      "SELECT count(*) FROM v_checkpoint c JOIN node n ON c.node=n.name"
                      " WHERE n.name='host3' AND c.digest=n.digest",
                      0),
        count);
    assert_true(store_close(store));
}

static void a_run_up_to_a_moment_is_equal(void **state)
{
    const struct verify *verify = verify_with(*state, 503 * PS_PER_US + 7, "", VERIFY_EQUAL);
    assert_string_equal(verify->digest_now, verify->digest_then);
}

static void a_changed_scenario_parts_where_it_was_changed(void **state)
{
    const struct verify *verify =
        verify_with(*state, TIME_NEVER, "UPDATE source SET text=replace(text, '501us', '502us')",
                    VERIFY_DIFFERENT);
    assert_true(verify->parting.known && verify->parting.parted);
    assert_int_equal(verify->parting.after, 500 * PS_PER_US);
    assert_int_equal(verify->parting.before, 510 * PS_PER_US);
    assert_non_null(strstr(verify->nodes, "host2"));
    assert_null(strstr(verify->nodes, "host1"));
    assert_true(verify->event_count > 0 && verify->reported > 0);
    assert_true(verify->events[0].at > verify->parting.after);
    assert_true(verify->events[verify->reported - 1].at <= verify->parting.before);
}

static void a_changed_node_is_named(void **state)
{
    const struct verify *verify =
        verify_with(*state, TIME_NEVER,
                    "UPDATE meta SET digest='00'; UPDATE checkpoint SET digests="
                    "cast(substr(digests, 1, 16)||x'0001020304050607'||substr(digests, 25) AS BLOB)"
                    " WHERE at_ps>=50000000",
                    VERIFY_DIFFERENT);
    assert_int_equal(verify->parting.count, 1);
    assert_int_equal(verify->parting.after, 40 * PS_PER_US);
    assert_int_equal(verify->parting.before, 50 * PS_PER_US);
    assert_string_equal(verify->nodes, "host2");
    assert_string_equal(verify->difference, "no recorded value differs, only the digest");
}

static void a_changed_digest_alone_parts_nowhere(void **state)
{
    const struct verify *verify =
        verify_with(*state, TIME_NEVER, "UPDATE meta SET digest='00'", VERIFY_DIFFERENT);
    assert_true(verify->parting.known);
    assert_false(verify->parting.parted);
    assert_true(verify->parting.before >= 510 * PS_PER_US);
}

static void former_databases_have_no_checkpoints(void **state)
{
    const struct verify *verify = verify_with(
        *state, TIME_NEVER,
        "UPDATE meta SET digest='00', format=2; DROP VIEW v_checkpoint; DROP TABLE checkpoint",
        VERIFY_DIFFERENT);
    assert_false(verify->parting.known);
    assert_string_equal(verify->difference, "no recorded value differs, only the digest");
}

/* What kill -9 leaves: no digest, and the checkpoints of the beginning. */
#define CUT                                                                                        \
    "UPDATE meta SET status='running', digest=NULL, simulated_ps=NULL, reached_ps=305000000;"      \
    "DELETE FROM checkpoint WHERE at_ps>305000000;"

static void a_run_that_was_cut_off_is_finished(void **state)
{
    struct fixture *fixture = *state;
    char digest[64];
    memcpy(digest, verify_with(fixture, TIME_NEVER, "", VERIFY_EQUAL)->digest_now, sizeof digest);
    const struct verify *verify = verify_with(fixture, TIME_NEVER, CUT, VERIFY_EQUAL_SO_FAR);
    assert_string_equal(verify->digest_now, digest);
    assert_int_equal(verify->reached, 305 * PS_PER_US);
    assert_int_equal(verify->parting.equal, 30);
    assert_int_equal(verify->parting.before, 300 * PS_PER_US);
}

static void a_run_that_was_cut_off_and_changed_is_different(void **state)
{
    const struct verify *verify =
        verify_with(*state, TIME_NEVER,
                    CUT "UPDATE source SET text=replace(text, 'host1', 'host3')", VERIFY_DIFFERENT);
    assert_int_equal(verify->parting.after, 0);
    assert_int_equal(verify->parting.before, 10 * PS_PER_US);
}

static void a_replay_up_to_a_moment_compares_the_checkpoints_up_to_it(void **state)
{
    static const char change[] = "UPDATE source SET text=replace(text, '501us', '502us')";
    const struct verify *verify =
        verify_up_to(*state, TIME_NEVER, change, 504 * PS_PER_US, VERIFY_EQUAL_SO_FAR);
    assert_int_equal(verify->parting.equal, 50);
    assert_int_equal(verify->reached, -1);
    verify_free(&((struct fixture *)*state)->verify);
    verify_up_to(*state, TIME_NEVER, change, 511 * PS_PER_US, VERIFY_DIFFERENT);
    verify_free(&((struct fixture *)*state)->verify);
    verify_up_to(*state, TIME_NEVER, "", PS_PER_S, VERIFY_EQUAL);
}

static void a_run_without_a_digest_must_have_been_cut_off(void **state)
{
    verify_with(*state, TIME_NEVER, "UPDATE meta SET digest=NULL", VERIFY_UNUSABLE);
}

static void later_formats_are_refused(void **state)
{
    const struct verify *verify =
        verify_with(*state, TIME_NEVER, "UPDATE meta SET format=99", VERIFY_UNUSABLE);
    assert_non_null(strstr(verify->difference, "format 99"));
}

static void checkpoints_of_another_fabric_are_not_compared(void **state)
{
    const struct verify *verify = verify_with(
        *state, TIME_NEVER, "UPDATE meta SET digest='00'; UPDATE checkpoint SET digests=x'00'",
        VERIFY_DIFFERENT);
    assert_false(verify->parting.known);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(checkpoints_are_few_and_at_equal_distances),
        TEST(a_run_up_to_a_moment_is_equal),
        TEST(a_changed_scenario_parts_where_it_was_changed),
        TEST(a_changed_node_is_named),
        TEST(a_changed_digest_alone_parts_nowhere),
        TEST(former_databases_have_no_checkpoints),
        TEST(a_run_that_was_cut_off_is_finished),
        TEST(a_run_that_was_cut_off_and_changed_is_different),
        TEST(a_replay_up_to_a_moment_compares_the_checkpoints_up_to_it),
        TEST(a_run_without_a_digest_must_have_been_cut_off),
        TEST(later_formats_are_refused),
        TEST(checkpoints_of_another_fabric_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
