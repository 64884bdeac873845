/* SPDX-License-Identifier: Apache-2.0
 * test_prove_text - explain --prove as text: each sentence is printed in its own case, and in no
 * other; counts and percentages are worked out by hand. */
#include "base/memory.h"
#include "reports/explain/account.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct prove prove; /* too large for a stack with sanitizers */

static void begin(void)
{
    memset(&prove, 0, sizeof prove);
    prove.runs = 3;
    prove.repaired = true;
    prove.by = PROVE_BY_TIME;
    prove.late = true;
}

static struct prove_row *add_row(const char *text, int64_t lost, int64_t left)
{
    struct prove_row *row = &prove.rows[prove.row_count++];
    row->repair.kind = TRIAL_RESTORE_SETTING;
    snprintf(row->text, sizeof row->text, "%s", text);
    snprintf(row->name, sizeof row->name, "%s", text);
    row->before.lost_ps = lost;
    row->after.lost_ps = left;
    return row;
}

/* All of it on one line, with single spaces.  Valid until the next call. */
static const char *printed(void)
{
    static char line[4000];
    const struct paint paint = {"", "", "", "", ""};
    char *text = NULL;
    size_t length = 0, kept = 0;
    FILE *out = memory_stream(&text, &length);
    prove_text(&prove, out, &paint);
    memory_stream_end(out);
    for (size_t i = 0; text[i] != '\0' && kept + 1 < sizeof line; i++) {
        const char next = text[i] == '\n' ? ' ' : text[i];
        if (next != ' ' || kept == 0 || line[kept - 1] != ' ')
            line[kept++] = next;
    }
    line[kept] = '\0';
    free(text);
    return line;
}

static void assert_has(const char *words, bool wanted)
{
    const char *text = printed();
    if ((strstr(text, words) != NULL) != wanted)
        fail_msg("\"%s\" is %s in: %s", words, wanted ? "not" : "wrongly", text);
}

/* Of a list of sentences this one is printed, and none of the others. */
static void assert_only(const char *const *sentences, const char *wanted)
{
    bool known = false;
    for (size_t i = 0; sentences[i] != NULL; i++) {
        known |= strcmp(sentences[i], wanted) == 0;
        assert_has(sentences[i], strcmp(sentences[i], wanted) == 0);
    }
    assert_true(known);
}

static void the_introduction_names_what_runs_are_compared_with(void **state)
{
    static const char *const ways[] = {"compared with the run without any suspect",
                                       "compared with the original run", NULL};
    (void)state;
    begin();
    assert_only(ways, ways[0]);
    assert_has("3 runs, each without one suspect", true);
    prove.repaired = false;
    prove.runs = 1;
    assert_only(ways, ways[1]);
    assert_has("1 run, each without one suspect", true);
}

static void each_row_has_the_sentence_of_its_case(void **state)
{
    static const char *const cases[] = {
        "by less than 5% of its I/O time", "the other causes explain the harm",
        "not tested: the run without this suspect failed", "75% less", NULL};
    (void)state;
    begin();
    struct prove_row *row = add_row("hosts.odd", 4000000, 1000000);
    assert_only(cases, cases[3]);
    row->unplayed = true;
    assert_only(cases, cases[2]);
    row->tier = PROVE_PLANNED;
    assert_only(cases, cases[1]);
    row->tier = PROVE_NAMED;
    assert_only(cases, cases[0]);
    assert_has("the repair adds more delay than it removes", false);
    row->worse = true;
    assert_has("the repair adds more delay than it removes", true);
    assert_has("(a root cause)", false);
    row->cause = true;
    assert_has("(a root cause)", true);
}

static void a_change_of_time_has_its_sign_and_its_part(void **state)
{
    static const struct {
        int64_t before, after;
        const char *words;
    } rows[] = {
        {8000000, 2000000, "delay 8.00 us -> 2.00 us, 75% less "},
        {4000000, 5000000, "delay 4.00 us -> 5.00 us, 25% more "},
        {4000000, 4000000, ", 0% less "},
        {4000000, 0, ", 100% less "},
        {0, 0, ", no change "},
        {0, 2000000, ", new delay "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        add_row("x", rows[i].before, rows[i].after);
        assert_has(rows[i].words, true);
    }
    begin(); /* without an ideal: of the time of all others */
    prove.repaired = false;
    struct prove_row *row = add_row("x", 4000000, 1000000);
    row->before.whole_ps = 8000000;
    assert_has("the I/O of the other workloads takes 38% less time (3.00 us)", true);
    row->after.lost_ps = 6000000;
    assert_has("the I/O of the other workloads takes 25% more time (2.00 us)", true);
}

static void counts_are_printed_where_one_of_both_is_not_zero(void **state)
{
    static const char *const names[] = {"failed operations", "idle host-target pairs",
                                        "dropped lossless frames", "dropped frames", "pause time"};
    (void)state;
    for (int which = 0; which < 5; which++)
        for (int side = 0; side < 4; side++) {
            begin();
            struct prove_row *row = add_row("x", 0, 0);
            int64_t *const before[] = {&row->before.failed, &row->before.inactive,
                                       &row->before.lossless_drops, &row->before.drops,
                                       &row->before.stopped_ps};
            int64_t *const after[] = {&row->after.failed, &row->after.inactive,
                                      &row->after.lossless_drops, &row->after.drops,
                                      &row->after.stopped_ps};
            *before[which] = (side & 1) != 0 ? 7 : 0;
            *after[which] = (side & 2) != 0 ? 9 : 0;
            for (int i = 0; i < 5; i++) {
                char words[64];
                snprintf(words, sizeof words, "; %s %s -> %s", names[i],
                         (side & 1) == 0 ? (i == 4 ? "0 ps" : "0") : (i == 4 ? "7.00 ps" : "7"),
                         (side & 2) == 0 ? (i == 4 ? "0 ps" : "0") : (i == 4 ? "9.00 ps" : "9"));
                assert_has(words, i == which && side != 0);
            }
        }
    begin();
    struct prove_row *row = add_row("x", 0, 0);
    row->before.p99_ps = 5000000;
    row->after.p99_ps = 6000000;
    row->after.done = 9;
    assert_has("p99", false);
    row->before.done = 8;
    assert_has("; completed operations 8 -> 9; p99 5.00 us -> 6.00 us", true);
}

static void victims_and_hosts_are_parts_of_their_own_time(void **state)
{
    (void)state;
    begin();
    prove.victim_count = PROVE_VICTIMS_MAX + 2;
    prove.victims[0] = (struct prove_victim){"w", 2000000, 16000000, .failed = 3, .inactive = 1};
    prove.victims[1] = (struct prove_victim){"v", 2000000, 8000000, .inactive = 2};
    prove.hosts.count = 17;
    prove.hosts.list[0] =
        (struct prove_host){"w", "host7", .loss = {.lost_ps = 1, .whole_ps = 5, .inactive = 1}};
    prove.hosts.list[1] =
        (struct prove_host){"v", "host8", .loss = {.lost_ps = 2, .whole_ps = 5, .failed = 4}};
    assert_has("victim I/O of workload 'w' was delayed by 2.00 us in total, 12% of its I/O time; 3 "
               "operations failed; 1 host-target pair did no I/O",
               true);
    assert_has("victim I/O of workload 'v' was delayed by 2.00 us in total, 25% of its I/O time; 2 "
               "host-target pairs did no I/O",
               true);
    assert_has("... and 2 more workloads", true);
    assert_has("by host workload 'w' at host7 lost 20% of its I/O time to delay; 1 host-target "
               "pair did no I/O",
               true);
    assert_has(" workload 'v' at host8 lost 40% of its I/O time to delay; 4 operations failed",
               true);
    assert_has("by host workload 'v'", false);
    assert_has("to delay ... and 1 more", true);
    prove.victim_count = PROVE_VICTIMS_MAX;
    prove.hosts.count = 16;
    assert_has("... and", false);
}

static void a_proof_names_each_culprit_with_its_part(void **state)
{
    static const struct {
        enum prove_loss by;
        const char *words;
    } losses[] = {{PROVE_BY_TIME, "75% of the delay "},
                  {PROVE_BY_FAILED, "75% of the failed operations "},
                  {PROVE_BY_INACTIVE, "75% of the idle host-target pairs "},
                  {PROVE_BY_DROPS, "75% of the dropped lossless frames "}};
    (void)state;
    begin();
    add_row("bystander", 4000000, 4000000);
    struct prove_row *one = add_row("one", 4000000, 2000000);
    one->culprit = true;
    prove.culprits = 1;
    prove.before.lost_ps = prove.before.failed = prove.before.inactive =
        prove.before.lossless_drops = 4000000;
    prove.after.lost_ps = prove.after.failed = prove.after.inactive = prove.after.lossless_drops =
        1000000;
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        prove.by = losses[i].by;
        assert_has("proved: one: this change removes", true);
        assert_has(losses[i].words, true);
    }
    prove.by = PROVE_BY_TIME;
    struct prove_row *two = add_row("two", 4000000, 3000000);
    two->culprit = true;
    two->harm.permille = 330;
    prove.culprits = 2;
    assert_has("proved: one (this change alone removes 50% of the harm); and two (this change "
               "alone removes 25% of the harm); together, these changes remove 75% of the delay",
               true);
    two->harmful = true;
    assert_has("two (this change alone removes 25% of the harm; this cause alone costs a workload "
               "33% of its I/O time);",
               true);
}

static void without_a_proof_the_reason_is_that_of_its_case(void **state)
{
    static const char *const reasons[] = {
        "not proved: 2 operations failed or never completed; no suspect to test",
        "not proved: 2 operations failed or never completed; removing the 1 tested suspect",
        "not proved: 2 operations failed or never completed; the suspects delay I/O",
        "not proved: the suspects delay I/O",
        "no harm: no workload loses 5% of its I/O time to the 1 tested suspect",
        "nothing to test: the scenario has no fault",
        NULL};
    (void)state;
    begin();
    assert_only(reasons, reasons[5]);
    prove.all.failed = 1;
    prove.unfinished = 1;
    assert_only(reasons, reasons[0]);
    add_row("x", 0, 0);
    assert_only(reasons, reasons[1]);
    prove.chance = true;
    assert_only(reasons, reasons[2]);
    prove.all.failed = prove.unfinished = 0;
    assert_only(reasons, reasons[3]);
    prove.chance = false;
    assert_only(reasons, reasons[4]);
    prove.all.inactive = 1;
    assert_has("not proved: 1 host-target pair did no I/O; removing the 1 tested", true);
    prove.all.lossless_drops = 2;
    assert_has("1 host-target pair did no I/O, 2 lossless frames were dropped; removing the", true);
    assert_has("were not played", false);
    prove.left_out = 1;
    assert_has("1 more suspect with weaker evidence was not tested", true);
    prove.left_out = 2;
    assert_has("2 more suspects with weaker evidence were not tested", true);
}

static void of_the_load_the_largest_share_of_at_least_a_twentieth_is_named(void **state)
{
    (void)state;
    begin();
    prove.by = PROVE_BY_NOTHING;
    prove.repaired = false;
    struct prove_row *first = add_row("first", 0, 0), *second = add_row("second", 0, 0),
                     *third = add_row("third", 0, 0);
    first->repair.kind = second->repair.kind = third->repair.kind = TRIAL_REMOVE_TRAFFIC;
    first->before = (struct prove_impact){.lost_ps = 49, .whole_ps = 1000};
    second->before = third->before = first->before;
    assert_has("without workload", false);
    first->before.lost_ps = 50;
    assert_has("without workload 'first', the I/O of the other workloads takes 5.0% less time",
               true);
    second->before.lost_ps = 300;
    third->before.lost_ps = 200;
    assert_has("without workload 'second', the I/O of the other workloads takes 30% less time",
               true);
    second->unplayed = true;
    assert_has("without workload 'third', the I/O of the other workloads takes 20% less time",
               true);
    third->repair.kind = TRIAL_RESTORE_SETTING; /* no load */
    assert_has("without workload 'first', the I/O of the other workloads takes", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_introduction_names_what_runs_are_compared_with),
        cmocka_unit_test(each_row_has_the_sentence_of_its_case),
        cmocka_unit_test(a_change_of_time_has_its_sign_and_its_part),
        cmocka_unit_test(counts_are_printed_where_one_of_both_is_not_zero),
        cmocka_unit_test(victims_and_hosts_are_parts_of_their_own_time),
        cmocka_unit_test(a_proof_names_each_culprit_with_its_part),
        cmocka_unit_test(without_a_proof_the_reason_is_that_of_its_case),
        cmocka_unit_test(of_the_load_the_largest_share_of_at_least_a_twentieth_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
