/* SPDX-License-Identifier: Apache-2.0
 * test_account - what is told of a run whose tables are written by hand.
 * host0:p0 - leaf0:p0, leaf0:p1 - leaf1:p1, leaf1:p0 - host1:p0; the run lasted 1000 ps and 200
 * more. */
#include "replay/explain/account.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Of the tables what is read. */
static const char tables[] =
    "CREATE TABLE meta(format, scenario, about, record, status, digest, simulated_ps, drain_ps,"
    "  duration_ps, reached_ps, until_ps);"
    "INSERT INTO meta VALUES(4, 's', 'A test.', 'counters', 'complete', 'd1', 1000, 200, 1000, 0,"
    "  NULL);"
    "CREATE TABLE source(position, name, text);"
    "CREATE TABLE set_option(position, text);"
    "CREATE TABLE measured(name, value);"
    "CREATE TABLE result(path, value, type);"
    "CREATE TABLE setting(path, value);"
    "CREATE TABLE node(node, name, kind, link_layer DEFAULT 'ethernet');"
    "INSERT INTO node(node, name, kind) VALUES(0, 'host0', 'host'), (1, 'host1', 'host'), (2, "
    "'leaf0', 'switch'),"
    "  (3, 'leaf1', 'switch');"
    "CREATE TABLE port(node, port, name, peer_node, peer_port);"
    "INSERT INTO port VALUES(0, 0, 'host0:p0', 2, 0), (1, 0, 'host1:p0', 3, 0),"
    "  (2, 0, 'leaf0:p0', 0, 0), (2, 1, 'leaf0:p1', 3, 1), (3, 0, 'leaf1:p0', 1, 0),"
    "  (3, 1, 'leaf1:p1', 2, 1);"
    "CREATE TABLE link(link, name, a_node, a_port, b_node, b_port);"
    "CREATE TABLE counter(node, port, priority, name, value);"
    "CREATE TABLE workload(workload, name, kind, issued, unfinished, start_ps, last_completion_ps);"
    "CREATE TABLE recovery(workload);"
    "CREATE TABLE bottleneck(workload, kind, text, gain_ppm, account);"
    "CREATE TABLE wait_member(workload, member);"
    "CREATE TABLE member(workload, member, ready_ps);"
    "CREATE TABLE resource_use(workload, resource, span_ps, place, used_ppm, waiting_ppm,"
    "  covers_ppm);"
    "CREATE TABLE workload_pair(workload, from_node, to_node);"
    "CREATE TABLE workload_way(workload, node, port, priority);"
    "CREATE TABLE stage(workload, operation, position);"
    "CREATE TABLE fault(fault, kind, name, at_ps, until_ps);"
    "CREATE TABLE fault_place(fault, node, port);"
    "CREATE TABLE pause_edge(at_ps, node, port, priority, edge, egress, occupancy_bytes,"
    "  threshold_bytes);"
    "CREATE TABLE pause_root(position, node, port, priority, kind, held_ps, direct_ps, text);"
    "CREATE TABLE pause_path(root, hops, node, port, held_ps);"
    "CREATE TABLE victim(cause, workload, node, root, class, lost_ppm, failed, held_ps);"
    "CREATE TABLE deadlock(deadlock, text);";

/* host0 is the cause beside congestion at leaf1:p1; the third root is none. */
static const char paused[] =
    "INSERT INTO result(path, value) VALUES('pfc.severity', 2), ('pfc.paused_ps', 1400),"
    "  ('root_cause_sure', 1), ('root_causes', 2), ('root_cause', 'host0: drains slowly');"
    "INSERT INTO workload VALUES(0, 'a', 'rdma-write', 9, 0, 100, 900),"
    "  (1, 'b', 'rdma-write', 9, 1, 200, 900), (2, 'c', 'rdma-write', 9, 0, 300, NULL);"
    "INSERT INTO pause_root VALUES(0, 0, NULL, 3, 'slow-receiver', 900, 500, 'drains slowly'),"
    "  (1, 3, 1, 4, 'congestion', 80, 80, 'is full'), (2, 2, 0, 3, 'congestion', 7, 7, 'was full');"
    "INSERT INTO pause_path VALUES(0, 1, 2, 0, 500), (0, 2, 3, 1, 300), (0, 3, 3, 1, 50),"
    "  (0, 2, 1, 0, 400), (1, 1, 2, 1, 80), (2, 1, 0, 0, 7);"
    "INSERT INTO pause_edge VALUES(100, 0, 0, 3, 'xoff', NULL, 40, 30),"
    "  (50, 2, 1, 3, 'xoff', 1, 1, 1), (120, 2, 1, 3, 'xoff', 0, 1000, 900),"
    "  (130, 2, 1, 3, 'refresh', 0, 2000, 900), (180, 2, 1, 3, 'xoff', 1, 3000, 900),"
    "  (110, 2, 1, 4, 'xoff', 1, 4000, 900), (10, 3, 1, 4, 'xoff', 0, 70, 60);"
    "INSERT INTO victim VALUES(0, 1, 1, 0, 'indirect', 20000, 2, 90),"
    "  (0, 0, 1, 0, 'direct', 50000, 0, 70), (0, 2, 0, 0, 'indirect', 50000, 0, 95),"
    "  (1, 2, 1, NULL, 'direct', 10000, 1, 0);"
    "INSERT INTO deadlock VALUES(1, 'later'), (0, 'earlier');";

static struct store *store_with(const char *rows, const char *more)
{
    char error[STORE_ERROR_BYTES];
    const struct store_beginning beginning = {.kind = STORE_RUN, .schema = tables};
    struct store *store = store_create(NULL, &beginning, error);
    assert_non_null(store);
    store_exec(store, rows);
    store_exec(store, more);
    assert_null(store_error(store));
    return store;
}

static struct account read_rows(const char *rows, const char *more)
{
    struct store *store = store_with(rows, more);
    struct account account;
    char why[STORE_ERROR_BYTES] = "";
    if (!account_read(&account, store, why))
        fail_msg("%s", why);
    assert_true(store_close(store));
    return account;
}

static void the_run_is_told(void **state)
{
    (void)state;
    struct account account = read_rows(paused, "");
    assert_string_equal(account.scenario, "s");
    assert_string_equal(account.about, "A test.");
    assert_string_equal(account.record, "counters");
    assert_string_equal(account.status, "complete");
    assert_string_equal(account.digest, "d1");
    assert_string_equal(account.root_cause, "host0: drains slowly");
    assert_true(account.sure);
    assert_false(account.measured);
    assert_int_equal(account.severity, 2);
    assert_int_equal(account.paused_ps, 1400);
    assert_int_equal(account.span_ps, 1100); /* from the first start on */
    assert_int_equal(account.deadlock_count, 2);
    assert_string_equal(account.deadlocks[0].text, "earlier");
    assert_string_equal(account.deadlocks[1].text, "later");
    account_free(&account);
    assert_null(account.roots);
    account = read_rows("", "");
    assert_int_equal(account.span_ps, 200);
    assert_int_equal(account.severity + account.paused_ps + account.cause_count, 0);
    assert_false(account.sure);
    assert_int_equal(account.root_count + account.hop_count + account.victim_count, 0);
    account_free(&account);
}

static void roots_reach_as_far_as_their_paths(void **state)
{
    (void)state;
    static const struct account_root expected[] = {
        {"host0", "slow-receiver", "drains slowly", "", 3, 900, 500, 2, 3},
        {"leaf1", "congestion", "is full", "leaf1:p1", 4, 80, 80, 1, 1},
        {"leaf0", "congestion", "was full", "leaf0:p0", 3, 7, 7, 1, 1},
    };
    struct account account = read_rows(paused, "");
    assert_int_equal(account.cause_count, 2);
    assert_int_equal(account.root_count, 3);
    for (int i = 0; i < 3; i++) {
        const struct account_root *root = &account.roots[i];
        assert_string_equal(root->node, expected[i].node);
        assert_string_equal(root->kind, expected[i].kind);
        assert_string_equal(root->text, expected[i].text);
        assert_string_equal(root->port, expected[i].port);
        assert_int_equal(root->priority, expected[i].priority);
        assert_int_equal(root->held_ps, expected[i].held_ps);
        assert_int_equal(root->direct_ps, expected[i].direct_ps);
        assert_int_equal(root->depth, expected[i].depth);
        assert_int_equal(root->stopped, expected[i].stopped);
    }
    account_free(&account);
}

/* Nearest first, then the longest; a port at two distances stands at the nearer with both times,
 * and what was asked for before the cause began is no reason. */
static void hops_have_the_first_reason_since_the_cause(void **state)
{
    (void)state;
    static const struct account_hop expected[] = {
        {0, 1, "leaf0:p0", "host0:p0", 500, 1, 100, 40, 30, ""},
        {0, 2, "host1:p0", "leaf1:p0", 400, 0, 0, 0, 0, ""},
        {0, 2, "leaf1:p1", "leaf0:p1", 350, 2, 120, 1000, 900, "leaf0:p0"},
        {1, 1, "leaf0:p1", "leaf1:p1", 80, 1, 10, 70, 60, "leaf1:p0"},
    };
    struct account account = read_rows(paused, "");
    assert_int_equal(account.hop_count, 4);
    for (int i = 0; i < 4; i++) {
        const struct account_hop *hop = &account.hops[i];
        assert_int_equal(hop->root, expected[i].root);
        assert_int_equal(hop->hops, expected[i].hops);
        assert_string_equal(hop->stopped, expected[i].stopped);
        assert_string_equal(hop->by, expected[i].by);
        assert_int_equal(hop->held_ps, expected[i].held_ps);
        assert_int_equal(hop->xoffs, expected[i].xoffs);
        assert_int_equal(hop->at_ps, expected[i].at_ps);
        assert_int_equal(hop->occupancy_bytes, expected[i].occupancy_bytes);
        assert_int_equal(hop->threshold_bytes, expected[i].threshold_bytes);
        assert_string_equal(hop->because_of, expected[i].because_of);
    }
    account_free(&account);
}

static void victims_are_of_the_causes(void **state)
{
    (void)state;
    static const struct account_victim expected[] = {
        {"a", "host1", "direct", 0, 0, 50000, 0, 70, 800},    /* done at 900 */
        {"c", "host0", "indirect", 0, 0, 50000, 0, 95, 900},  /* nothing was ever completed, ... */
        {"b", "host1", "indirect", 0, 0, 20000, 2, 90, 1000}, /* ... or not all: up to the end */
        {"c", "host1", "direct", 1, -1, 10000, 1, 0, 900},
    };
    struct account account = read_rows(paused, "");
    assert_int_equal(account.victim_count, 4);
    for (int i = 0; i < 4; i++) {
        const struct account_victim *victim = &account.victims[i];
        assert_string_equal(victim->workload, expected[i].workload);
        assert_string_equal(victim->host, expected[i].host);
        assert_string_equal(victim->class, expected[i].class);
        assert_int_equal(victim->cause, expected[i].cause);
        assert_int_equal(victim->root, expected[i].root);
        assert_int_equal(victim->lost_ppm, expected[i].lost_ppm);
        assert_int_equal(victim->failed, expected[i].failed);
        assert_int_equal(victim->held_ps, expected[i].held_ps);
        assert_int_equal(victim->span_ps, expected[i].span_ps);
    }
    account_free(&account);
}

static void causes_are_some_of_the_roots(void **state)
{
    (void)state;
    static const struct {
        int roots;
        const char *reported;
        int causes;
    } rows[] = {
        {0, "", 0},
        {0, "INSERT INTO result(path, value) VALUES('root_causes', 0)", 0},
        {0, "INSERT INTO result(path, value) VALUES('root_causes', 4)", 0},
        {3, "", 1},
        {3, "INSERT INTO result(path, value) VALUES('root_causes', -1)", 1},
        {3, "INSERT INTO result(path, value) VALUES('root_causes', 0)", 1},
        {3, "INSERT INTO result(path, value) VALUES('root_causes', 1)", 1},
        {3, "INSERT INTO result(path, value) VALUES('root_causes', 2)", 2},
        {3, "INSERT INTO result(path, value) VALUES('root_causes', 3)", 3},
        {3, "INSERT INTO result(path, value) VALUES('root_causes', 4)", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char roots[128];
        snprintf(roots, sizeof roots,
                 "WITH n(i) AS (VALUES(0),(1),(2)) INSERT INTO pause_root(position, node)"
                 " SELECT i, 0 FROM n WHERE i < %d",
                 rows[i].roots);
        struct store *store = store_with(roots, rows[i].reported);
        assert_int_equal(account_causes(store), rows[i].causes);
        assert_true(store_close(store));
    }
    /* A root of a node that is none is not told, and has no path. */
    struct account account = read_rows(paused, "UPDATE pause_root SET node=9 WHERE position > 0");
    assert_int_equal(account.root_count, 1);
    assert_int_equal(account.cause_count, 1);
    assert_int_equal(account.hop_count, 3);
    account_free(&account);
}

static void harm_is_told_as_the_run_has_it(void **state)
{
    (void)state;
    struct account account = read_rows(
        paused, "INSERT INTO result VALUES('harm.drops', 7, 'integer'), ('harmless', 1, 'integer'),"
                " ('causes[0].name', 'faults.0', 'text'), ('causes[0].share', 0.25, 'real');");
    assert_int_equal(account.harm_count, 3);
    assert_string_equal(account.harm[0].path, "harm.drops");
    assert_string_equal(account.harm[0].type, "integer");
    assert_int_equal(account.harm[0].integer, 7);
    assert_true(account.harm[2].real == 0.25);
    assert_string_equal(account_of_harm(&account, "causes[0].name"), "faults.0");
    assert_string_equal(account_of_harm(&account, "causes[1].name"), "");
    account_free(&account);
}

static void what_is_no_whole_run_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *words;
    } rows[] = {
        {"DROP TABLE workload_way", "written by an older stormglass"},
        {"DROP TABLE fault", "written by an older stormglass"},
        {"DROP TABLE fault_place", "written by an older stormglass"},
        {"DROP TABLE pause_path", "no such table: pause_path"},
        {"DROP TABLE stage", "no such table: stage"},
        {"DROP TABLE bottleneck", "written by an older stormglass"},
        {"DROP TABLE resource_use", "written by an older stormglass"},
        {"DROP TABLE wait_member", "written by an older stormglass"},
        {"DROP TABLE member", "no such table: member"},
        {"UPDATE meta SET status='running', reached_ps=1500000000, duration_ps=4000000000",
         "it stops at 1.500 ms of 4.00 ms"},
        {"UPDATE meta SET digest=NULL", "no digest"},
        {"DELETE FROM meta", "no digest"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct store *store = store_with(paused, rows[i].sql);
        struct account account;
        char why[STORE_ERROR_BYTES] = "";
        assert_false(account_read(&account, store, why));
        if (strstr(why, rows[i].words) == NULL)
            fail_msg("%s: %s", rows[i].sql, why);
        account_free(&account);
        store_close(store);
    }
}

/* The run's own verdict is no workload's. */
static void limits_are_as_the_run_judged(void **state)
{
    (void)state;
    struct account account = read_rows(
        paused, "INSERT INTO bottleneck VALUES(NULL, 'link', 'link: of all', 5, NULL),"
                "  (1, 'media', 'media: slow', 7, NULL), (0, 'link', 'link: full', 6, '42% of it');"
                "INSERT INTO resource_use VALUES(0, 'media', 800, 'host0', 200, 20, 2),"
                "  (0, 'link', 800, 'leaf0', 300, 30, 3), (1, 'media', 900, 'host1', 400, 40, 4)");
    assert_int_equal(account.limit_count, 2);
    const struct account_limit *a = &account.limits[0], *b = &account.limits[1];
    assert_string_equal(a->workload, "a");
    assert_string_equal(a->kind, "link");
    assert_string_equal(a->text, "link: full");
    assert_string_equal(a->account, "42% of it");
    assert_int_equal(a->gain_ppm, 6);
    assert_int_equal(a->span_ps, 800);
    assert_int_equal(a->use_count, 2);
    assert_string_equal(a->uses[0].resource, "link");
    assert_string_equal(a->uses[0].place, "leaf0");
    assert_int_equal(a->uses[0].used_ppm, 300);
    assert_int_equal(a->uses[0].waiting_ppm, 30);
    assert_int_equal(a->uses[0].covers_ppm, 3);
    assert_string_equal(b->workload, "b");
    assert_string_equal(b->account, "");
    assert_int_equal(b->use_count, 1);
    assert_int_equal(b->span_ps, 900);
    account_free(&account);
}

/* The last one is of every model: without it so many things were not touched. */
static void what_no_frame_touched_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *what, *why; /* NULL: nothing */
    } rows[] = {
        {"", NULL, NULL},
        {"INSERT INTO workload VALUES(0, 'w', 'rdma-write', 0, 0, 0, 9)", "workload w",
         "no operation"},
        {"INSERT INTO fault VALUES(4, 'link-down', 'link-down at a-b', 1200, NULL)",
         "link-down at a-b", "ended"},
        {"INSERT INTO fault VALUES(4, 'slow-receiver', 'slow-receiver at a', 1199, NULL);"
         "INSERT INTO fault_place VALUES(4, 0, NULL);"
         "INSERT INTO counter VALUES(1, 0, 3, 'tx_prio3_pause_xoff', 1)",
         "slow-receiver at a", "sent no pause"},
        {"INSERT INTO fault VALUES(4, 'slow-receiver', 'slow-receiver at a', 1199, NULL);"
         "INSERT INTO fault_place VALUES(4, 0, NULL);"
         "INSERT INTO counter VALUES(0, 0, 3, 'tx_prio3_pause_xoff', 1)",
         NULL, NULL},
        {"INSERT INTO result(path, value) VALUES('pfc.pause_frames', 0)", "PFC",
         "no queue reached a pause threshold"},
        {"INSERT INTO result(path, value) VALUES('pfc.pause_frames', 1), "
         "('buffer.headroom_peak_bytes', 0)",
         "headroom", "no frame arrived"},
        {"INSERT INTO link VALUES(0, 'x-y', 0, 0, 2, 0), (1, 'b-c', 2, 1, 3, 1),"
         " (2, 'a-b', 1, 0, 3, 0); INSERT INTO counter VALUES(2, 0, NULL, 'tx_packets_phy', 1)",
         "2 of 3 links, such as host1 to leaf1", "no frame crossed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct account account = read_rows(rows[i].sql, "");
        assert_int_equal(account.unused_count, rows[i].what == NULL ? 1 : 2);
        if (rows[i].what != NULL) {
            assert_string_equal(account.unused[0].what, rows[i].what);
            assert_non_null(strstr(account.unused[0].why, rows[i].why));
        }
        account_free(&account);
    }
    struct account account = read_rows("INSERT INTO measured VALUES('role', 'host')", "");
    assert_true(account.measured);
    assert_int_equal(account.unused_count, 0);
    account_free(&account);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run_is_told),
        cmocka_unit_test(roots_reach_as_far_as_their_paths),
        cmocka_unit_test(hops_have_the_first_reason_since_the_cause),
        cmocka_unit_test(victims_are_of_the_causes),
        cmocka_unit_test(causes_are_some_of_the_roots),
        cmocka_unit_test(harm_is_told_as_the_run_has_it),
        cmocka_unit_test(what_is_no_whole_run_is_refused),
        cmocka_unit_test(limits_are_as_the_run_judged),
        cmocka_unit_test(what_no_frame_touched_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
