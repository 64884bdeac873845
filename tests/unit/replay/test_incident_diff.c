/* SPDX-License-Identifier: Apache-2.0
 * Counters of an incident beside a run's: which ports are meant, and when the orders part. */
#include "replay/compare/incident_diff.h"
#include "replay/compare/incident_score.h"
#include "tests/unit/base/fuzz_input.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static struct port_counter values[1];
static struct port_counters_port ports[] = {
    {.name = "host0:p0", .node = "host0", .of_switch = false, .first = 0, .count = 1},
    {.name = "leaf0:p0", .node = "leaf0", .of_switch = true, .first = 1, .count = 0},
    {.name = "leaf0:p1", .node = "leaf0", .of_switch = true, .first = 1, .count = 0}};
static struct port_counters_key keys[] = {
    {"host0", 0}, {"host0:p0", 0}, {"leaf0:p0", 1}, {"leaf0:p1", 2}};
static const struct port_counters counters = {.ports = ports,
                                              .port_count = 3,
                                              .values = values,
                                              .value_count = 1,
                                              .keys = keys,
                                              .key_count = 4};
static struct diag diag;

static struct incident_diff ask(const char *text, time_ps lasted, const struct incident_map *map)
{
    struct incident_diff diff;
    const struct incident_diff_ask ask = {.file = "t.json",
                                          .text = text,
                                          .length = strlen(text),
                                          .maps = map,
                                          .map_count = map != NULL,
                                          .lasted = lasted,
                                          .run_lasted = PS_PER_MS};
    diag = (struct diag){0};
    fuzz_input("incident_diff", text, strlen(text));
    assert_true(incident_diff(&diff, &counters, &ask, &diag));
    return diff;
}

static void counts_agree_within_an_order_of_magnitude(void **state)
{
    static const struct {
        int64_t incident, replay;
        time_ps lasted;
        int orders;
        bool one_sided;
    } rows[] = {
        {100, 100, 0, 0, false},
        {100, 999, 0, 0, false},
        {100, 1000, 0, 1, false},
        {100, 100000, 0, 3, false},
        {1000, 101, 0, 0, false},
        {1000, 100, 0, -1, false},
        {1, 9, 0, 0, false},
        {0, 9, 0, 0, false},
        {0, 10, 0, 0, true},
        {10, 0, 0, 0, true},
        {9, 0, 0, 0, false},
        {1000000, 1000, PS_PER_S, 0, false},
        {1000000, 9, PS_PER_S, -2, false},
        {1000, 100, PS_PER_S, 2, false},
        {900, 100, PS_PER_S, 0, true},
        {INT64_MAX - 1, 1000, 0, -15, false},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[256];
        values[0] = (struct port_counter){COUNTER_TX_PRIO_PAUSE, 3, rows[i].replay};
        snprintf(text, sizeof text,
                 "{\"stormglass-counters\": 1, \"counters\": [{\"port\": \"host0\", \"name\": "
                 "\"tx_prio3_pause\", \"difference\": %lld}]}",
                 (long long)rows[i].incident);
        struct incident_diff diff = ask(text, rows[i].lasted, NULL);
        assert_int_equal(diff.row_count, 1);
        const bool agrees = rows[i].orders == 0 && !rows[i].one_sided;
        if (diff.rows[0].orders != rows[i].orders || diff.rows[0].one_sided != rows[i].one_sided ||
            diff.agree != agrees)
            fail_msg("%lld beside %lld: %d orders, %s", (long long)rows[i].incident,
                     (long long)rows[i].replay, diff.rows[0].orders,
                     diff.rows[0].one_sided ? "one-sided" : "on both sides");
        incident_diff_free(&diff);
    }
}

static void assert_near(double value, double expected, double tolerance)
{
    if (fabs(value - expected) > tolerance)
        fail_msg("%g, expected %g", value, expected);
}

static void equal_counters_score_zero_and_others_less(void **state)
{
    static const double far = -9;
    (void)state;
    assert_near(incident_score_counter(5000, 5000, 1), 0, 1e-12);
    assert_near(incident_score_counter(5000000, 5000, 1e-3), 0, 1e-12);
    /* A farther count scores less, in both directions; none less than an outlier. */
    for (int64_t more = 5000; more < 1000000000; more *= 2) {
        const double near = incident_score_counter(5000, more, 1),
                     next = incident_score_counter(5000, 2 * more, 1);
        assert_true(near <= 0 && next <= near + 1e-12 && next > far);
        assert_true(incident_score_counter(more, 5000, 1) <= 0);
    }
    assert_true(incident_score_counter(5000, 10000, 1) < -2);
    assert_true(incident_score_counter(0, 1000000, 1) < -8);
    assert_true(incident_score_counter(1000000, 0, 1) < -8);
}

/* ln(20 / 15) with a variance of 1/16 + 5/225 + 10/400, worked by hand: -0.38, but for outliers. */
static void a_score_has_counting_errors_of_both(void **state)
{
    (void)state;
    assert_near(incident_score_counter(10, 5, 1), -0.377, 0.002);
    /* Of 1000 counts in an incident 100 times as long, 10 are left, with an error of 0.3. */
    const double variance = 0.0625 + 5.0 / 225 + 10 * 0.01 / 400;
    const double distance = 0.2876820724517809;
    assert_near(incident_score_counter(1000, 5, 0.01), -distance * distance / 2 / variance, 0.002);
}

static void a_missing_duration_is_fitted(void **state)
{
    struct incident_row rows[] = {{.incident = 3000000, .replay = 1000},
                                  {.incident = 60000000, .replay = 20000},
                                  {.incident = 900000, .replay = 300},
                                  {.incident = 70, .replay = 7000, .is_peak = true},
                                  {.incident = 0, .replay = 400000}};
    (void)state;
    const double scale = incident_score_fit(rows, LENGTH(rows));
    assert_near(scale, 1.0 / 3000, 1e-6);
    const double sum = incident_score(rows, LENGTH(rows), scale);
    assert_near(rows[0].score, 0, 1e-3);
    assert_near(sum, rows[4].score, 1e-2);
    assert_true(sum < -8);
    assert_near(incident_score_fit(rows, 0), 1, 1e-12);
}

static void peaks_do_not_grow_with_the_time(void **state)
{
    static const char text[] =
        "{\"stormglass-counters\": 1, \"counters\": [{\"port\": \"host0\", \"name\": "
        "\"tx_prio3_blocked_longest_ps\", \"difference\": 500}]}";
    (void)state;
    values[0] = (struct port_counter){COUNTER_TX_PRIO_BLOCKED_LONGEST, 3, 400};
    struct incident_diff diff = ask(text, PS_PER_S, NULL);
    assert_int_equal(diff.row_count, 1);
    assert_int_equal(diff.agree, 1);
    incident_diff_free(&diff);
}

static void ports_are_mapped_named_or_alone_at_their_node(void **state)
{
    static const char text[] =
        "{\"stormglass-counters\": 1, \"counters\": ["
        "{\"port\": \"host0\", \"name\": \"tx_prio3_pause\", \"difference\": 50},"
        "{\"port\": \"leaf0:p1\", \"name\": \"tx_prio3_pause\", \"difference\": 51},"
        "{\"port\": \"Ethernet0\", \"name\": \"tx_prio3_pause\", \"difference\": 52},"
        "{\"port\": \"leaf0\", \"name\": \"tx_prio3_pause\", \"difference\": 53},"
        "{\"port\": \"leaf0:p1\", \"name\": \"np_cnp_sent\", \"difference\": 54}]}";
    static const struct incident_map map = {"Ethernet0", "leaf0:p0"};
    (void)state;
    values[0] = (struct port_counter){COUNTER_TX_PRIO_PAUSE, 3, 5};
    struct incident_diff diff = ask(text, 0, &map);
    assert_int_equal(diff.row_count, 3);
    assert_int_equal(diff.ports, 3);
    for (size_t i = 0; i < diff.row_count; i++) {
        const struct incident_row *row = &diff.rows[i];
        const char *wanted = row->incident == 50   ? "host0:p0"
                             : row->incident == 51 ? "leaf0:p1"
                                                   : "leaf0:p0";
        assert_string_equal(row->run_port, wanted);
    }
    assert_int_equal(diff.left_count, 2);
    assert_int_equal(diff.left[0].why, INCIDENT_NO_PORT); /* two ports: which one? */
    assert_string_equal(diff.left[0].name, "leaf0");
    assert_int_equal(diff.left[1].why, INCIDENT_NO_COUNTER); /* of an RNIC, not of a switch */
    assert_string_equal(diff.left[1].name, "np_cnp_sent");
    incident_diff_free(&diff);
}

/* The watchdog's counters have the priority beside their name. */
static void the_watchdog_counts_by_priority(void **state)
{
    static struct port_counter two[2] = {{COUNTER_PFCWD_STORMS, 3, 40},
                                         {COUNTER_PFCWD_STORMS, 4, 50}};
    static struct port_counters_port leaf = {
        .name = "leaf0:p0", .node = "leaf0", .of_switch = true, .count = 2};
    static struct port_counters_key key = {"leaf0:p0", 0};
    static const struct port_counters of_leaf = {.ports = &leaf,
                                                 .port_count = 1,
                                                 .values = two,
                                                 .value_count = 2,
                                                 .keys = &key,
                                                 .key_count = 1};
    static const char text[] =
        "{\"stormglass-counters\": 1, \"counters\": ["
        "{\"port\": \"leaf0:p0\", \"priority\": 4, \"name\": \"pfcwd_storms\", "
        "\"difference\": 50}]}";
    struct incident_diff diff;
    const struct incident_diff_ask ask = {
        .file = "t.json", .text = text, .length = sizeof text - 1};
    (void)state;
    diag = (struct diag){0};
    assert_true(incident_diff(&diff, &of_leaf, &ask, &diag));
    assert_int_equal(diff.row_count, 1);
    assert_int_equal(diff.rows[0].replay, 50);
    incident_diff_free(&diff);
}

/* What the importer did not know is told where it moved. */
static void unknown_counters_are_left(void **state)
{
    static const char text[] = "{\"stormglass-counters\": 1, \"counters\": [], \"unknown\": ["
                               "{\"port\": \"host0\", \"name\": \"a\", \"difference\": 5},"
                               "{\"port\": \"host0\", \"name\": \"b\", \"difference\": 0},"
                               "{\"port\": \"host0\", \"name\": \"c\", \"difference\": null}]}";
    (void)state;
    struct incident_diff diff = ask(text, 0, NULL);
    assert_true(incident_diff_is_empty(&diff));
    assert_int_equal(diff.left_count, 1);
    assert_int_equal(diff.left[0].why, INCIDENT_NO_COUNTER);
    assert_string_equal(diff.left[0].name, "a");
    incident_diff_free(&diff);
}

/* First those that one side alone has, then by orders of magnitude, then the greatest, then by
 * name. */
static void rows_are_in_the_order_of_their_disagreement(void **state)
{
    static struct port_counter many[6] = {
        {COUNTER_TX_PRIO_PAUSE, 0, 1000},   {COUNTER_TX_PRIO_PAUSE, 1, 70},
        {COUNTER_TX_PRIO_PAUSE, 2, 100000}, {COUNTER_TX_PRIO_PAUSE, 3, 0},
        {COUNTER_TX_PRIO_PAUSE, 4, 70},     {COUNTER_TX_PRIO_PAUSE, 5, 90}};
    static struct port_counters_port port = {
        .name = "host0:p0", .node = "host0", .of_switch = false, .first = 0, .count = 6};
    static struct port_counters_key key = {"host0", 0};
    static const struct port_counters of_host = {.ports = &port,
                                                 .port_count = 1,
                                                 .values = many,
                                                 .value_count = 6,
                                                 .keys = &key,
                                                 .key_count = 1};
    static const int64_t incidents[] = {10, 60, 100, 5000, 60, 60};
    static const int expected[] = {3, 2, 0, 5, 1, 4}; /* priorities */
    char text[1024];
    int used = snprintf(text, sizeof text, "{\"stormglass-counters\": 1, \"counters\": [");
    for (size_t i = 0; i < LENGTH(incidents); i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "%s{\"port\": \"host0\", \"name\": \"tx_prio%zu_pause\", "
                         "\"difference\": %lld}",
                         i == 0 ? "" : ", ", i, (long long)incidents[i]);
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    (void)state;
    const struct incident_diff_ask of = {
        .file = "t.json", .text = text, .length = strlen(text), .run_lasted = PS_PER_MS};
    struct incident_diff diff;
    diag = (struct diag){0};
    fuzz_input("incident_diff", text, strlen(text));
    assert_true(incident_diff(&diff, &of_host, &of, &diag));
    assert_int_equal(diff.row_count, LENGTH(expected));
    for (size_t i = 0; i < LENGTH(expected); i++) {
        char name[32];
        snprintf(name, sizeof name, "tx_prio%d_pause", expected[i]);
        assert_string_equal(diff.rows[i].name, name);
    }
    assert_true(diff.rows[0].one_sided);
    assert_int_equal(diff.rows[1].orders, 3);
    assert_int_equal(diff.rows[2].orders, 2);
    assert_int_equal(diff.agree, 3);
    incident_diff_free(&diff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_agree_within_an_order_of_magnitude),
        cmocka_unit_test(equal_counters_score_zero_and_others_less),
        cmocka_unit_test(a_score_has_counting_errors_of_both),
        cmocka_unit_test(a_missing_duration_is_fitted),
        cmocka_unit_test(peaks_do_not_grow_with_the_time),
        cmocka_unit_test(the_watchdog_counts_by_priority),
        cmocka_unit_test(unknown_counters_are_left),
        cmocka_unit_test(rows_are_in_the_order_of_their_disagreement),
        cmocka_unit_test(ports_are_mapped_named_or_alone_at_their_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
