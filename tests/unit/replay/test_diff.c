/* SPDX-License-Identifier: Apache-2.0
 * test_diff - two runs of which one was changed: a setting, the fabric, or the database. */
#include "replay/compare/diff.h"
#include "replay/run/run.h"
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
    "duration: 200us\n"
    "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
    "workloads:\n"
    "  - {name: a, kind: rdma-write, from: host1, to: host0, count: 20}\n"
    "  - {name: b, kind: rdma-write, from: host2, to: host0, count: 20, start: 50us}\n";

struct fixture {
    char folder[64], paths[2][96];
    struct diag diag;
    struct diff diff;
};

/* Plays into the path with up to one change of the scenario, then changes the database. */
static void play(struct fixture *fixture, int which, const char *set, const char *sql)
{
    const struct scenario_input input = {.name = "pair.yaml",
                                         .text = text,
                                         .length = strlen(text),
                                         .sets = &set,
                                         .set_count = set == NULL ? 0 : 1};
    struct scenario *scenario = scenario_load(&input, &fixture->diag);
    diag_print(&fixture->diag, stderr);
    assert_non_null(scenario);
    const struct run_options options = {
        .path = fixture->paths[which], .level = RECORD_SUMMARY, .until = TIME_NEVER};
    struct run run;
    assert_int_equal(run_scenario(&run, scenario, &options, &fixture->diag), RUN_DONE);
    store_exec(record_store(run.record), sql);
    assert_null(record_error(run.record));
    assert_true(run_close(&run));
    scenario_free(scenario);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    strcpy(fixture->folder, "/tmp/stormglass-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    for (int i = 0; i < 2; i++) {
        memcpy(fixture->paths[i], fixture->folder, sizeof fixture->folder);
        strcat(fixture->paths[i], i == 0 ? "/a.db" : "/b.db");
    }
    play(fixture, 0, NULL, "");
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    diff_free(&fixture->diff);
    for (int i = 0; i < 2; i++)
        unlink(fixture->paths[i]);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

static const struct diff *diff_with(struct fixture *fixture, const char *set, const char *sql)
{
    play(fixture, 1, set, sql);
    if (diff_runs(&fixture->diff, fixture->paths[0], fixture->paths[1], false, &fixture->diag) !=
        DIFF_DONE)
        fail_msg("%s", fixture->diff.why);
    return &fixture->diff;
}

/* The row of a section that differs and is about that; a failure when there is none. */
static const struct diff_row *row_of(const struct diff *diff, enum diff_section_kind kind,
                                     const char *what)
{
    for (size_t i = 0; i < diff->sections[kind].count; i++)
        if (strcmp(diff->sections[kind].rows[i].what, what) == 0)
            return &diff->sections[kind].rows[i];
    fail_msg("%s: %s does not differ", diff_section_word(kind), what);
    return NULL;
}

static void the_same_run_is_equal(void **state)
{
    const struct diff *diff = diff_with(*state, NULL, "");
    assert_true(diff_is_equal(diff));
    assert_int_equal(diff->events, DIFF_EVENTS_EQUAL);
    for (int i = 0; i < DIFF_SECTION_COUNT; i++)
        assert_int_equal(diff->sections[i].count, 0);
    assert_true(diff->sections[DIFF_SETTINGS].equal > 20);
    assert_true(diff->sections[DIFF_COUNTERS].equal > 20);
    assert_true(diff->sections[DIFF_WORKLOADS].equal ==
                2 * (1 + 7 + 9)); /* kind, figures, tallies */
}

static void a_later_start_parts_the_runs_at_the_earlier_one(void **state)
{
    const struct diff *diff = diff_with(*state, "workloads.b.start=60us", "");
    const struct diff_row *row = row_of(diff, DIFF_SETTINGS, "workloads.b.start");
    assert_string_equal(row->texts[0], "50us");
    assert_string_equal(row->texts[1], "60us");
    assert_string_equal(row->where[1], "--set:1");
    assert_int_equal(diff->sections[DIFF_SETTINGS].count, 1);
    assert_int_equal(diff->events, DIFF_EVENTS_PARTED);
    assert_string_equal(diff->lockstep.node, "host2");
    assert_true(diff->lockstep.at >= 50 * PS_PER_US && diff->lockstep.at < 60 * PS_PER_US);
    assert_int_equal(diff->lockstep.events[0], diff->lockstep.events[1]);
    assert_true(diff->lockstep.counts[0] > 0);
}

static void a_longer_cable_parts_the_runs_at_its_end(void **state)
{
    /* 5050 ps a meter: the first frame from host2, and no other before it. */
    const struct diff *diff =
        diff_with(*state, "fabric.overrides=[{where: \"link host2-switch0\", length: 5m}]", "");
    const struct diff_row *row = row_of(diff, DIFF_FABRIC, "host2:p0 - switch0:p2 length");
    assert_true(row->values[0] == 3000 && row->values[1] == 5000);
    assert_int_equal(diff->events, DIFF_EVENTS_PARTED);
    const struct lockstep *lockstep = &diff->lockstep;
    assert_string_equal(lockstep->node, "switch0");
    assert_string_equal(lockstep->how, "the event of A happens 10.1 ns later in B");
    assert_int_equal(lockstep->next[0][0].at, lockstep->at);
    assert_string_equal(lockstep->next[0][0].port, "switch0:p2");
    assert_non_null(strstr(lockstep->next[0][0].what, "from host2 to host0"));
}

static void a_seed_parts_what_happens_at_the_same_moment(void **state)
{
    const struct diff *diff = diff_with(*state, "seed=2", "");
    row_of(diff, DIFF_SETTINGS, "seed");
    /* Packet sequence numbers are drawn from the seed: the first frame of a connection has another
     * one. */
    assert_int_equal(diff->events, DIFF_EVENTS_PARTED);
    assert_true(diff->lockstep.at > 0);
    assert_false(diff_is_equal(diff));
}

static void a_changed_database_has_the_same_events(void **state)
{
    const struct diff *diff =
        diff_with(*state, NULL,
                  "UPDATE counter SET value=value+7 WHERE rowid=(SELECT min(rowid) FROM counter);"
                  "DELETE FROM counter WHERE rowid=(SELECT max(rowid) FROM counter);"
                  "UPDATE result SET value=3 WHERE path='drops.lossless';"
                  "INSERT INTO dropped VALUES(1,0,3,'buffer',1,3,12000,5,6,0);"
                  "UPDATE workload SET latency_p99_ps=latency_p99_ps*2 WHERE name='a'");
    assert_int_equal(diff->events, DIFF_EVENTS_EQUAL);
    assert_int_equal(diff->sections[DIFF_COUNTERS].count, 2);
    assert_int_equal(diff->sections[DIFF_DROPS].count, 2);
    assert_string_equal(diff->sections[DIFF_WORKLOADS].rows[0].what, "a p99");
    assert_string_equal(diff->sections[DIFF_WORKLOADS].rows[0].unit, "ps");
    const struct diff_row *drops = row_of(diff, DIFF_DROPS, "drops.lossless");
    assert_true(drops->number && drops->values[0] == 0 && drops->values[1] == 3);
    assert_false(diff_is_equal(diff));
}

static void a_changed_digest_alone_is_a_difference(void **state)
{
    const struct diff *diff = diff_with(*state, NULL, "UPDATE meta SET digest='00'");
    assert_int_equal(diff->events, DIFF_EVENTS_EQUAL); /* played again they are */
    assert_false(diff->recorded.parted);
    assert_false(diff_is_equal(diff));
}

/* As another version would leave it that plays host2 otherwise from 50 us on. */
static void recorded_checkpoints_tell_where_versions_part(void **state)
{
    const struct diff *diff =
        diff_with(*state, NULL,
                  "UPDATE meta SET digest='00', version='0.0'; UPDATE checkpoint SET digests="
                  "cast(substr(digests, 1, 16)||x'0001020304050607'||substr(digests, 25) AS BLOB)"
                  " WHERE at_ps>=50000000");
    assert_int_equal(diff->events, DIFF_EVENTS_EQUAL);
    assert_true(diff->recorded.parted);
    assert_int_equal(diff->recorded.before, 50 * PS_PER_US);
    assert_int_equal(diff->recorded.after, 46875 * PS_PER_US / 1000); /* 200 us in 64 parts */
    assert_string_equal(diff->nodes, "host2");
}

static void losses_stand_before_pauses_before_traffic(void **state)
{
    const struct diff *diff =
        diff_with(*state, NULL,
                  "INSERT INTO counter VALUES(1,0,3,'tx_prio3_pause',NULL,50,'count'),"
                  "(1,0,NULL,'rx_discards_phy',NULL,1,'count');"
                  "UPDATE counter SET value=value*9 WHERE name='tx_packets_phy'");
    const struct diff_section *counters = &diff->sections[DIFF_COUNTERS];
    assert_true(counters->count > 3);
    assert_non_null(strstr(counters->rows[0].what, "rx_discards_phy"));
    assert_string_equal(counters->rows[0].texts[0], "0"); /* no row is as much as none */
    assert_string_equal(counters->rows[0].texts[1], "1");
    assert_non_null(strstr(counters->rows[1].what, "tx_prio3_pause"));
    assert_non_null(strstr(counters->rows[2].what, "tx_packets_phy"));
}

/* Twice as many packets are less by chance than one event instead of none, whatever their names. */
static void counts_that_differ_by_chance_stand_behind(void **state)
{
    const struct diff *diff =
        diff_with(*state, NULL,
                  "INSERT INTO counter VALUES(1,0,NULL,'link_down_events_phy',NULL,1,'count');"
                  "UPDATE counter SET value=value*2 WHERE name='tx_packets_phy'");
    const struct diff_section *counters = &diff->sections[DIFF_COUNTERS];
    assert_true(counters->count > 2);
    for (size_t i = 0; i + 1 < counters->count; i++)
        assert_non_null(strstr(counters->rows[i].what, "tx_packets_phy"));
    assert_non_null(strstr(counters->rows[counters->count - 1].what, "link_down_events_phy"));
}

static void of_workloads_figures_stand_before_counts(void **state)
{
    const struct diff *diff = diff_with(
        *state, NULL,
        "UPDATE workload SET bytes_written=bytes_written*9, latency_p99_ps=latency_p99_ps*2,"
        " latency_p50_ps=latency_p50_ps+latency_p50_ps/10, failed=1 WHERE name='b'");
    static const char *const order[] = {"b failed", "b p99", "b p50", "b bytes_written"};
    const struct diff_section *workloads = &diff->sections[DIFF_WORKLOADS];
    assert_int_equal(workloads->count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(workloads->rows[i].what, order[i]);
}

static void other_nodes_are_matched_by_name(void **state)
{
    const struct diff *diff = diff_with(*state, "fabric.topology.hosts=4", "");
    assert_string_equal(row_of(diff, DIFF_FABRIC, "host3")->texts[1], "host");
    assert_null(row_of(diff, DIFF_FABRIC, "host3")->texts[0]);
    /* The host that only one fabric has does nothing, and the ranks of the others are what they
     * were. */
    assert_int_equal(diff->events, DIFF_EVENTS_EQUAL);
}

static void what_was_measured_is_not_played(void **state)
{
    const struct diff *diff = diff_with(
        *state, NULL, "UPDATE meta SET digest='00'; INSERT INTO measured VALUES('device','rxe0')");
    assert_int_equal(diff->events, DIFF_EVENTS_UNKNOWN);
    assert_non_null(strstr(diff->why, "measured"));
}

static void a_run_that_did_not_end_is_refused(void **state)
{
    struct fixture *fixture = *state;
    play(fixture, 1, NULL, "UPDATE meta SET status='running', digest=NULL");
    assert_int_equal(
        diff_runs(&fixture->diff, fixture->paths[0], fixture->paths[1], false, &fixture->diag),
        DIFF_REFUSED);
    assert_non_null(strstr(fixture->diff.why, "did not end"));
}

static void each_section_has_a_word_and_a_heading(void **state)
{
    (void)state;
    assert_string_equal(diff_section_word(DIFF_SETTINGS), "settings");
    assert_string_equal(diff_section_word(DIFF_COUNTERS), "counters");
    assert_string_equal(diff_section_heading(DIFF_SETTINGS), "Settings");
    assert_string_equal(diff_section_heading(DIFF_COUNTERS), "Counters");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_same_run_is_equal),
        TEST(a_later_start_parts_the_runs_at_the_earlier_one),
        TEST(a_longer_cable_parts_the_runs_at_its_end),
        TEST(a_seed_parts_what_happens_at_the_same_moment),
        TEST(a_changed_database_has_the_same_events),
        TEST(a_changed_digest_alone_is_a_difference),
        TEST(recorded_checkpoints_tell_where_versions_part),
        TEST(losses_stand_before_pauses_before_traffic),
        TEST(counts_that_differ_by_chance_stand_behind),
        TEST(of_workloads_figures_stand_before_counts),
        TEST(other_nodes_are_matched_by_name),
        TEST(what_was_measured_is_not_played),
        TEST(a_run_that_did_not_end_is_refused),
        TEST(each_section_has_a_word_and_a_heading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
