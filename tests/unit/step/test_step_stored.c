/* SPDX-License-Identifier: Apache-2.0
 * A stored run that is stepped through: its checkpoints are read as they were written, and another
 * run is told apart. */
#include "tests/unit/step/stand.h"

#include "replay/run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct stored_run {
    struct run run;
    struct store *store;
    struct step_checks checks;
};

static void record(struct stand *stand, struct stored_run *stored, time_ps until)
{
    const struct run_options options = {.until = until};
    stored->run = (struct run){0};
    assert_int_equal(run_scenario(&stored->run, stand->scenario, &options, &stand->diag), RUN_DONE);
    stored->store = record_store(stored->run.record);
}

static enum step_result against(struct stand *stand, struct stored_run *stored, const char *sql,
                                const char *script, time_ps until)
{
    store_exec(stored->store, sql);
    assert_null(store_error(stored->store));
    step_checks_read(&stored->checks, stored->store, stand->scenario->node_count);
    const enum step_result result = stand_play(stand, script, false, &stored->checks, until);
    step_checks_free(&stored->checks);
    return result;
}

static bool ends_with(const char *said, const char *end)
{
    return strlen(said) >= strlen(end) && strcmp(said + strlen(said) - strlen(end), end) == 0;
}

static void checkpoints_are_read_as_they_were_written(void **state)
{
    struct stand *stand = *state;
    struct stored_run stored;
    const uint32_t nodes = stand->scenario->node_count;
    record(stand, &stored, TIME_NEVER);
    const int64_t rows = store_ask_int(stored.store, "SELECT count(*) FROM checkpoint", 0);
    step_checks_read(&stored.checks, stored.store, nodes);
    assert_true(rows > 2);
    assert_int_equal(stored.checks.count, rows);
    for (uint32_t i = 0; i < stored.checks.count; i++) {
        const struct step_check *one = &stored.checks.list[i];
        assert_true(one->at > (i == 0 ? 0 : stored.checks.list[i - 1].at));
        stand_at_time(stand, one->at);
        assert_int_equal(step_check_differs(one, stepper_world(stand->own)), UINT32_MAX);
        for (uint32_t node = 0; node < nodes; node++) { /* any byte of any node */
            unsigned char *byte = &one->digests[node * 8 + (node + i) % 8];
            *byte ^= 1;
            assert_int_equal(step_check_differs(one, stepper_world(stand->own)), node);
            *byte ^= 1;
        }
    }
    step_checks_free(&stored.checks);
    assert_int_equal(stored.checks.count, 0);
    step_checks_read(&stored.checks, stored.store, nodes + 1);
    assert_int_equal(stored.checks.count, 0);
    step_checks_free(&stored.checks);
    store_exec(stored.store, "UPDATE checkpoint SET at_ps=0 WHERE at_ps=(SELECT min(at_ps) FROM"
                             " checkpoint)");
    step_checks_read(&stored.checks, stored.store, nodes);
    assert_int_equal(stored.checks.count, rows - 1);
    step_checks_free(&stored.checks);
    store_exec(stored.store, "DROP VIEW v_checkpoint; DROP TABLE checkpoint");
    step_checks_read(&stored.checks, stored.store, nodes);
    assert_int_equal(stored.checks.count, 0);
    assert_true(stored.checks.digest[0] != '\0');
    step_checks_free(&stored.checks);
    assert_true(run_close(&stored.run));
}

static void a_stored_run_is_known_again(void **state)
{
    struct stand *stand = *state;
    struct stored_run stored;
    static const char equal[] = "the digest equals that of the stored run\n";
    record(stand, &stored, TIME_NEVER);
    assert_int_equal(against(stand, &stored, "", "until 50us\nnext 3\nrun\n", TIME_NEVER),
                     STEP_DONE);
    assert_true(ends_with(stand->out, equal));
    assert_ptr_equal(strstr(stand->out, equal), stand->out + strlen(stand->out) - strlen(equal));
    assert_int_equal(
        against(stand, &stored, "UPDATE meta SET digest='x'", "until 50us\n", TIME_NEVER),
        STEP_DONE);
    assert_int_equal(against(stand, &stored, "", "run\n", TIME_NEVER), STEP_DIFFERENT);
    assert_true(ends_with(stand->out, "the stored run had the digest x\n"));
    assert_int_equal(against(stand, &stored, "UPDATE meta SET digest=''", "run\n", TIME_NEVER),
                     STEP_DONE);
    assert_null(strstr(stand->out, "stored run"));
    assert_true(run_close(&stored.run));
}

static void a_stored_run_that_ended_early_ends_there(void **state)
{
    struct stand *stand = *state;
    struct stored_run stored;
    const time_ps until = 60 * PS_PER_US + 7;
    record(stand, &stored, until);
    stand_at_time(stand, until);
    fputs("the digest equals that of the stored run\n", stand->expect);
    stand_at_time(stand, 10 * PS_PER_US);
    stand_at_time(stand, until);
    fputs("the digest equals that of the stored run\n", stand->expect);
    fflush(stand->expect);
    assert_int_equal(against(stand, &stored, "", "run until 1ms\ngoto 10us\ngoto 1ms\n", until),
                     STEP_DONE);
    assert_string_equal(stand->out, stand->expected);
    assert_true(run_close(&stored.run));
}

/* It is said once, with the node and the time of the first checkpoint that is another. */
static void another_run_is_told_where_it_parts(void **state)
{
    struct stand *stand = *state;
    struct stored_run stored;
    char expected[120];
    record(stand, &stored, TIME_NEVER);
    const int64_t at = store_ask_int(stored.store,
                                     "SELECT at_ps FROM checkpoint ORDER BY at_ps"
                                     " LIMIT 1 OFFSET 2",
                                     0);
    snprintf(expected, sizeof expected,
             "the run differs from the stored run: at %.6f us, the digest of %s is different\n",
             (double)at / PS_PER_US, stand->scenario->nodes[1].name);
    char sql[200];
    snprintf(sql, sizeof sql,
             "UPDATE checkpoint SET digests=substr(digests, 1, 8) || zeroblob(length(digests)-8)"
             " WHERE at_ps>=%lld",
             (long long)at);
    assert_int_equal(against(stand, &stored, sql, "next 5\nrun\ngoto 1us\nrun\n", TIME_NEVER),
                     STEP_DIFFERENT);
    const char *said = strstr(stand->out, expected);
    assert_non_null(said);
    assert_null(strstr(said + 1, "this is not the stored run"));
    assert_true(run_close(&stored.run));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stand_set_up, stand_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(checkpoints_are_read_as_they_were_written),
        TEST(a_stored_run_is_known_again),
        TEST(a_stored_run_that_ended_early_ends_there),
        TEST(another_run_is_told_where_it_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
