/* SPDX-License-Identifier: Apache-2.0
 * test_diff_text - two runs, or an incident and a run: lists at their limits, rounded values. */
#include "reports/text/diff_text.h"
#include "reports/text/incident_text.h"

#include "base/memory.h"
#include "tests/unit/reports/contains.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40, TEXT = 16384 };

static struct diff diff;
static struct diff_row rows[MOST];

/* Two equal runs. */
static void begin(void)
{
    const struct compare_side side = {
        .path = "a.db", .scenario = "name", .version = "1.2", .status = "complete"};
    diff = (struct diff){.sides = {side, side}, .digests = {"d1", "d1"}};
    diff.sides[1].path = "b.db";
    for (size_t i = 0; i < MOST; i++)
        rows[i] = (struct diff_row){
            .what = "a row", .texts = {"1", "2"}, .where = {"", ""}, .unit = "", .values = {1, 2}};
}

static char *printed(bool all)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    assert_true(diff_text(&diff, all, out));
    memory_stream_end(out);
    return text;
}

static void assert_printed(bool all, const char *part)
{
    assert_contains(printed(all), part);
}

static void equal_runs_are_short(void **state)
{
    (void)state;
    begin();
    diff.sections[DIFF_COUNTERS].equal = 1;
    char *text = printed(false);
    assert_string_equal(text,
                        "A  a.db: name, stormglass 1.2, complete, digest d1\n"
                        "B  b.db: name, stormglass 1.2, complete, digest d1\n"
                        "\nEvents          equal (the digests are equal)\n"
                        "\nResult          the runs are equal: 0 values differ, 1 is equal\n");
    free(text);
    diff.sections[DIFF_SETTINGS].equal = 1;
    diff.digests[0] = diff.digests[1] = "";
    assert_printed(false, "complete, digest none\n\nEvents ");
    assert_printed(false, "\nResult          the runs are equal: 0 values differ, 2 are equal\n");
}

/* One row more than the limit is printed in place of the line that would count it. */
static void sections_are_cut_behind_twelve(void **state)
{
    (void)state;
    for (size_t count = 1; count < MOST; count++)
        for (int all = 0; all < 2; all++) {
            char wanted[TEXT];
            begin();
            diff.sections[DIFF_DROPS] = (struct diff_section){rows, count, 3};
            const size_t shown = all || count <= 13 ? count : 12;
            char counts[40];
            snprintf(counts, sizeof counts, "%zu differ%s, 3 equal", count, count == 1 ? "s" : "");
            int used =
                snprintf(wanted, TEXT, "\nDrops           %-30s %20s %20s\n", counts, "A", "B");
            for (size_t i = 0; i < shown; i++)
                used += snprintf(wanted + used, TEXT - (size_t)used, "  %-44s %20s %20s\n", "a row",
                                 "1", "2");
            if (shown < count)
                used += snprintf(wanted + used, TEXT - (size_t)used,
                                 "  ... and %zu more (--all lists them)\n", count - shown);
            snprintf(wanted + used, TEXT - (size_t)used,
                     "\nResult          the runs are different: %zu value%s, 3 are equal\n", count,
                     count == 1 ? " differs" : "s differ");
            assert_printed(all, wanted);
        }
}

static void rows_have_values_and_changes(void **state)
{
    (void)state;
    begin();
    rows[0] = (struct diff_row){"number", {"1000", "1500"}, {"", ""}, true, {1000, 1500}, "ps", 0};
    rows[1] = (struct diff_row){
        "alike", {"1000001", "1000002"}, {"", ""}, true, {1000001, 1000002}, "ps", 0};
    rows[2] = (struct diff_row){"from none", {"0", "7"}, {"", ""}, true, {0, 7}, "count", 0};
    rows[3] = (struct diff_row){"missing", {NULL, "7"}, {"", ""}, .unit = ""};
    rows[4] = (struct diff_row){"set", {"a", "b"}, {"f.yaml:3", ""}, .unit = ""};
    rows[5] = (struct diff_row){"set", {"a", "b"}, {"", "default"}, .unit = ""};
    rows[6] = (struct diff_row){"fits", {"12345678901234567890", "b"}, {"x", "y"}, .unit = ""};
    rows[7] = (struct diff_row){"wide", {"a", "123456789012345678901"}, {"x", "y"}, .unit = ""};
    rows[8] =
        (struct diff_row){"only in A: pause_ps", {"2000", NULL},      {"", ""},
                          .unit = "ps",          .values = {2000, 0}, .measured = {true, false}};
    diff.sections[DIFF_SETTINGS] = (struct diff_section){rows, 9, 0};
    char wanted[TEXT];
    snprintf(wanted, TEXT,
             "\nSettings        9 differ, 0 equal              %20s %20s\n"
             "  %-44s %20s %20s     +50.0%%\n"
             "  %-44s %20s %20s      +0.0%%\n"
             "  %-44s %20s %20s\n"
             "  %-44s %20s %20s\n"
             "  %-44s %20s %20s  (set in A by f.yaml:3)\n"
             "  %-44s %20s %20s  (set in B by default)\n"
             "  %-44s %20s %20s  (set in A by x, in B by y)\n"
             "  wide\n      A  a\n      B  123456789012345678901\n"
             "  %-44s %20s %20s\n\nEvents ",
             "A", "B", "number", "1.000 ns", "1.500 ns", "alike", "1.000001 us", "1.000002 us",
             "from none", "0", "7", "missing", "-", "7", "set", "a", "b", "set", "a", "b", "fits",
             "12345678901234567890", "b", "only in A: pause", "2.00 ns", "-");
    assert_printed(false, wanted);
}

static void values_have_the_units_of_their_rows(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        double value;
        const char *words;
    } given[] = {
        {"ps", 2e6, "2.00 us"},
        {"us", 2, "2.00 us"},
        {"mm", 1500, "1.5 m"},
        {"bps", 2e9, "2.00 Gb/s"},
        {"bytes", 2048, "2.00 KiB"},
        {"count", 1234567, "1,234,567"},
        {"", 5, "5"},
        {"count", 999999999999999, "999,999,999,999,999"},
        {"count", -1e15, "-1000000 G"},
        {"count", 1e15, "1000000 G"},
    };
    const struct diff_row mtu = {.what = "a:p0 - b:p1 mtu", .unit = "bytes", .values = {-1, 9216}};
    assert_string_equal(diff_value_words(&mtu, 1).text, "9216 B");
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        const struct diff_row row = {.what = "",
                                     .unit = given[i].unit,
                                     .values = {-1, given[i].value}};
        assert_string_equal(diff_value_words(&row, 1).text, given[i].words);
    }
    static const struct {
        double a, b;
        const char *words;
    } changes[] = {{0, 5, ""},        {5, 5, ""},       {5, 0, "-100.0%"}, {1, 10, "+900.0%"},
                   {1, 10.6, "x 11"}, {2, 3, "+50.0%"}, {0, 0, ""},        {4, 100, "x 25"}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        assert_string_equal(diff_change_words(changes[i].a, changes[i].b).text, changes[i].words);
}

static void events_part_or_are_unknown(void **state)
{
    (void)state;
    begin();
    diff.digests[1] = "d2";
    assert_printed(false,
                   "\nEvents          this version replays both runs with equal events, but "
                   "the recorded digests differ\n"
                   "\nResult          the runs are different: 0 values differ, 0 are equal\n");
    diff.recorded =
        (struct checkpoint_parting){.parted = true, .after = 2000000, .before = 3500000};
    snprintf(diff.nodes, sizeof diff.nodes, "leaf0");
    assert_printed(false, "digests differ\n  the recorded runs diverge between 2.000000 us and "
                          "3.500000 us, in leaf0\n\nResult");
    diff.events = DIFF_EVENTS_UNKNOWN;
    snprintf(diff.why, sizeof diff.why, "no source");
    assert_printed(false, "\nEvents          not compared: no source\n\nResult");
    diff.events = DIFF_EVENTS_PARTED;
    diff.lockstep =
        (struct lockstep){.at = 5000000, .events = {1, 2}, .node = "host1", .how = "another frame"};
    assert_printed(false,
                   "\nEvents          the runs diverge at 5.000000 us in host1: another frame\n"
                   "  the 1 event before it are equal\n"
                   "  A     no more events in host1\n  B     no more events in host1\n\nResult");
    diff.lockstep.events[0] = 3;
    diff.lockstep.same_count = 1;
    diff.lockstep.counts[1] = 1;
    diff.lockstep.same[0].at = 1000000;
    diff.lockstep.next[1][0].at = 5000000;
    char wanted[TEXT], *text = printed(false);
    snprintf(wanted, TEXT,
             "  the 2 events before it are equal\n  both  %16.6f us  %-14s %s\n"
             "  A     no more events in host1\n  B     %16.6f us  %-14s %s\n\nResult",
             1.0, diff.lockstep.same[0].port, diff.lockstep.same[0].what, 5.0,
             diff.lockstep.next[1][0].port, diff.lockstep.next[1][0].what);
    assert_contains(text, wanted);
}

/* ------------------------------------------------------------------ an incident and a run */

static struct incident_row counters[MOST];
static struct incident_left left[2 * MOST];

static struct incident_diff incident_of(size_t count, size_t agree)
{
    for (size_t i = 0; i < MOST; i++)
        counters[i] = (struct incident_row){.port = "leaf0:p10",
                                            .name = "rx",
                                            .expected = 100,
                                            .replay = i < agree ? 100 : 100000,
                                            .orders = i < agree ? 0 : 3};
    return (struct incident_diff){
        .rows = counters, .row_count = count, .ports = 2, .agree = (uint32_t)agree, .scaled = true};
}

static void assert_incident(const struct incident_diff *of, bool all, const char *part)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    incident_text(of, all, out);
    memory_stream_end(out);
    assert_contains(text, part);
}

/* Rows that agree are only listed with --all, and of the others thirty. */
static void counters_are_cut_behind_thirty(void **state)
{
    (void)state;
    for (size_t count = 1; count < MOST; count++)
        for (int all = 0; all < 2; all++) {
            const size_t agree = count / 9, differ = count - agree;
            const struct incident_diff of = incident_of(count, agree);
            char wanted[TEXT];
            int used = snprintf(wanted, TEXT, "%-9s  %-30s %16s %16s %9s\n", "port", "counter",
                                "incident, scaled", "replay", "ratio");
            for (size_t i = 0; i < count; i++)
                if (all || (i >= agree && i - agree < 30))
                    used += snprintf(wanted + used, TEXT - (size_t)used,
                                     "%-9s  %-30s %16d %16d %9s  %s\n", "leaf0:p10", "rx", 100,
                                     i < agree ? 100 : 100000, i < agree ? "1" : "1e+03",
                                     i < agree ? "within a factor of 10"
                                               : "replay 3 orders of magnitude higher");
            if (differ > 30 && !all)
                used += snprintf(wanted + used, TEXT - (size_t)used,
                                 "... and %zu more that differ (--all lists them)\n", differ - 30);
            snprintf(wanted + used, TEXT - (size_t)used,
                     "\n%zu counter%s of 2 ports compared: %zu within a factor of 10, %zu "
                     "not\nscore 0.0 (",
                     count, count == 1 ? "" : "s", agree, differ);
            assert_incident(&of, all, wanted);
        }
}

static void verdicts_of_counters(void **state)
{
    (void)state;
    static const struct {
        double expected;
        int64_t replay;
        int orders;
        bool one_sided;
        const char *ratio, *words;
    } given[] = {
        {0, 5, 0, true, "-", "counted only in the replay"},
        {5, 0, 0, true, "0", "counted only in the incident"},
        {1, 10, 1, false, "10", "replay 1 order of magnitude higher"},
        {1000, 1, -3, false, "0.001", "replay 3 orders of magnitude lower"},
        {10, 1, -1, false, "0.1", "replay 1 order of magnitude lower"},
    };
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        struct incident_diff of = incident_of(1, 0);
        counters[0] = (struct incident_row){.port = "p",
                                            .name = "rx",
                                            .expected = given[i].expected,
                                            .replay = given[i].replay,
                                            .orders = given[i].orders,
                                            .one_sided = given[i].one_sided};
        char wanted[512];
        of.scaled = false;
        of.score = -0.06;
        of.scale = 0.5;
        of.ports = 1;
        snprintf(wanted, sizeof wanted,
                 "port  %-30s %16s %16s %9s\np     %-30s %16.0f %16d %9s  %s\n\n1 counter of 1 "
                 "port compared: 0 within a factor of 10, 1 not\n"
                 "score -0.1 (0: all counters agree; of several runs, the one with the highest "
                 "score explains the incident best)\n"
                 "the score scales the counters of the incident by 0.5; this factor is fitted, "
                 "because --lasted is not given\n",
                 "counter", "incident", "replay", "ratio", "rx", given[i].expected,
                 (int)given[i].replay, given[i].ratio, given[i].words);
        assert_incident(&of, false, wanted);
    }
    struct incident_diff of = incident_of(1, 1);
    of.score = -0.05;
    assert_incident(&of, false, "\nscore 0.0 (");
}

static void what_is_not_compared_is_named(void **state)
{
    (void)state;
    const char *heads[] = {
        "not compared, because the run has no such port (--map NAME=NODE:pN maps it):",
        "not compared, because the run has no such counter:"};
    for (size_t count = 1; count < 12; count++)
        for (int why = 0; why < 2; why++)
            for (int all = 0; all < 2; all++) {
                struct incident_diff of = incident_of(0, 0);
                for (size_t i = 0; i < 2 * count; i++) /* every second is of the other kind */
                    left[i] = (struct incident_left){.why = i % 2 == 0 ? INCIDENT_NO_PORT
                                                                       : INCIDENT_NO_COUNTER,
                                                     .name = "n",
                                                     .count = i < 2 ? 1 : 2};
                of.left = left;
                of.left_count = 2 * count;
                char wanted[TEXT];
                int used = snprintf(wanted, TEXT, "%s", heads[why]);
                for (size_t i = 0; i < count && (all || i < 8); i++)
                    used += snprintf(wanted + used, TEXT - (size_t)used, "%s n (%d %s%s)",
                                     i == 0 ? "" : ",", i == 0 ? 1 : 2,
                                     why == 0 ? "counter" : "port", i == 0 ? "" : "s");
                if (count > 8 && !all)
                    used += snprintf(wanted + used, TEXT - (size_t)used,
                                     " and %zu more (--all lists them)", count - 8);
                snprintf(wanted + used, TEXT - (size_t)used, "\n");
                assert_incident(&of, all, wanted);
                assert_incident(
                    &of, all,
                    "0 counters of 2 ports compared: 0 within a factor of 10, 0 not\n"
                    "nothing was compared: the run has none of the counters that changed in the "
                    "incident; --map PORT=NODE:pN maps a port to a port of the run\n");
            }
    struct incident_diff none = incident_of(0, 0);
    none.ports = 0;
    assert_incident(&none, false,
                    "nothing was compared: no port of the incident has counters in the run; ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_are_short),
        cmocka_unit_test(sections_are_cut_behind_twelve),
        cmocka_unit_test(rows_have_values_and_changes),
        cmocka_unit_test(values_have_the_units_of_their_rows),
        cmocka_unit_test(events_part_or_are_unknown),
        cmocka_unit_test(counters_are_cut_behind_thirty),
        cmocka_unit_test(verdicts_of_counters),
        cmocka_unit_test(what_is_not_compared_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
