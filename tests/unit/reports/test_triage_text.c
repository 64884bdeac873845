/* SPDX-License-Identifier: Apache-2.0
 * test_triage_text - suspects of an incident as text and tables, with lists around their limits. */
#include "reports/incident/triage_text.h"
#include "reports/incident/watch_text.h"

#include "base/memory.h"
#include "tests/unit/reports/contains.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 16, TEXT = 16384 };

/* As much of each list as a test chooses. */
static struct {
    struct triage triage;
    struct incident incident;
    struct triage_suspect suspects[MOST];
    struct triage_sign signs[MOST];
    struct triage_pause pauses[MOST];
    const char *unknown[MOST];
    struct incident_file files[MOST];
} given;

static void begin(void)
{
    memset(&given, 0, sizeof given);
    for (size_t i = 0; i < MOST; i++) {
        given.signs[i] =
            (struct triage_sign){.place = {.file = "a.txt", .line = 7}, .text = "sign"};
        given.suspects[i] = (struct triage_suspect){.kind = SUSPECT_MTU,
                                                    .device = "leaf0",
                                                    .signs = given.signs,
                                                    .against = given.signs,
                                                    .score = 4.25};
        given.pauses[i] = (struct triage_pause){
            .from = "host1", .to = "leaf0", .to_port = "p3", .frames = 2, .is_sent_known = true};
        given.unknown[i] = "host9";
        given.files[i] = (struct incident_file){.name = "f", .numbers = 2};
    }
    given.triage.suspects = given.suspects;
    given.triage.pauses = given.pauses;
    given.triage.contradictions = given.signs;
    given.triage.unknown = given.unknown;
    given.incident.files = given.files;
}

static char *printed(bool all)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    triage_text(&given.triage, &given.incident, all, out);
    memory_stream_end(out);
    return text;
}

static void assert_printed(bool all, const char *part)
{
    assert_contains(printed(all), part);
}

static void assert_not_printed(bool all, const char *part)
{
    assert_lacks(printed(all), part);
}

static void the_verdict_is_the_first_line(void **state)
{
    (void)state;
    begin();
    assert_printed(
        false,
        "No harm seen: no pauses, drops, losses or errors in these counters.\n"
        "\nNo cables are known, so pauses and losses cannot be followed from device to device. "
        "Add `show lldp table` or config_db.json of the switches, or --fabric.\n\nRead 0 files:\n");
    given.triage.verdict = TRIAGE_UNCLEAR;
    assert_printed(
        false, "No clear suspect: the counters show pauses or losses, but not their origin.\n\n");
    given.triage.suspect_count = 1;
    assert_printed(false, "No clear suspect; the strongest sign is weak: leaf0: frames are larger "
                          "than the MTU\n\nSuspects,");
    given.triage.verdict = TRIAGE_OVERLOAD;
    assert_printed(false, "Overload, no fault seen: leaf0: frames");
    given.triage.verdict = TRIAGE_FAULT;
    given.suspects[0].since = "2026-01-02";
    given.suspects[0].port = "";
    given.suspects[0].peer = "host3";
    assert_printed(false, "Suspected: leaf0 (cable to host3): frames are larger than the MTU, "
                          "first seen at 2026-01-02\n\n");
    given.suspects[0].port = "p1";
    given.suspects[0].peer_port = "eth0";
    given.triage.single = true;
    assert_printed(false, "Suspected: leaf0 p1 (cable to host3 eth0): frames are larger than the "
                          "MTU, first seen at 2026-01-02\n"
                          "Each counter has only one sample: the counts cover the time since the "
                          "last reset, not only the incident.\n\n");
    given.triage.single = false;
    given.triage.seconds = 1;
    given.triage.from = "A";
    given.triage.to = "B";
    assert_printed(false, "2026-01-02\nSamples from A to B (1 s).\n\n");
    static const char *const names[] = {"none", "overload", "unclear", "fault"};
    for (int i = 0; i < 4; i++)
        assert_string_equal(triage_verdict_name((enum triage_verdict)i), names[i]);
}

/* `count` times a line, up to `limit`, and the line behind them. */
static void lines(char *wanted, const char *head, const char *line, size_t count, size_t limit,
                  const char *rest)
{
    int used = snprintf(wanted, TEXT, "%s", head);
    for (size_t i = 0; i < count && i < limit; i++)
        used += snprintf(wanted + used, TEXT - (size_t)used, "%s", line);
    if (count > limit)
        used += snprintf(wanted + used, TEXT - (size_t)used, rest, count - limit,
                         count - limit == 1 ? "" : "s");
    snprintf(wanted + used, TEXT - (size_t)used, "\n");
}

static void lists_are_cut_at_their_limits(void **state)
{
    (void)state;
    static char wanted[TEXT];
    for (size_t count = 1; count < MOST; count++)
        for (int all = 0; all < 2; all++) {
            begin();
            given.triage.pause_count = count;
            lines(wanted, "\nPauses:\n", "     host1 pauses leaf0 p3: 2 pause frames\n", count,
                  all ? MOST : 8, "     and %zu more pause%s (--all lists them)\n");
            assert_printed(all, wanted);

            given.triage.unknown_count = count;
            int used =
                snprintf(wanted, TEXT, "Devices without counters, so their state is unknown:");
            for (size_t i = 0; i < count && (all || i < 8); i++)
                used += snprintf(wanted + used, TEXT - (size_t)used, "%s host9", i == 0 ? "" : ",");
            if (count > 8 && !all)
                used += snprintf(wanted + used, TEXT - (size_t)used, " and %zu more device%s",
                                 count - 8, count == 9 ? "" : "s");
            snprintf(wanted + used, TEXT - (size_t)used, "\n\nRead 0 files:\n");
            assert_printed(all, wanted);

            given.triage.contradiction_count = count;
            lines(wanted, "The counters of the two ends of a cable disagree:\n",
                  "             a.txt:7                       sign\n", count, all ? MOST : 4,
                  "             and %zu more sign%s (--all lists them)\n");
            assert_printed(all, wanted);

            given.incident.file_count = count;
            char head[64];
            snprintf(head, sizeof head, "\nRead %zu file%s:\n", count, count == 1 ? "" : "s");
            lines(wanted, head, "     f: 2 counters\n", count, all ? MOST : 12,
                  "     and %zu more file%s, all used (--all lists them)\n");
            wanted[strlen(wanted) - 1] = '\0';
            assert_printed(all, wanted);
        }
}

static void suspects_have_signs(void **state)
{
    (void)state;
    static char wanted[TEXT];
    const char *about = "leaf0: frames are larger than the MTU [mtu, score 4.2]\n";
    for (size_t count = 0; count < 8; count++)
        for (int all = 0; all < 2; all++) {
            begin();
            given.triage.verdict = TRIAGE_FAULT;
            given.triage.suspect_count = count;
            int used =
                snprintf(wanted, TEXT,
                         "\nSuspects, from the counters alone, not confirmed by simulation:\n");
            for (size_t i = 0; i < count && (all || i < 3); i++)
                used += snprintf(wanted + used, TEXT - (size_t)used, "%3zu. %s", i + 1, about);
            if (count > 3 && !all)
                used += snprintf(wanted + used, TEXT - (size_t)used,
                                 "     and %zu weaker suspect%s (--all lists them)\n", count - 3,
                                 count == 4 ? "" : "s");
            snprintf(wanted + used, TEXT - (size_t)used, "\nNo cables");
            if (count == 0)
                assert_not_printed(all, "Suspects");
            else
                assert_printed(all, wanted);

            given.triage.suspect_count = 1;
            given.suspects[0].sign_count = count;
            given.suspects[0].against_count = count;
            given.signs[1].place.file = NULL;
            used = snprintf(wanted, TEXT, "  1. %s", about);
            for (int side = 0; side < 2; side++) {
                for (size_t i = 0; i < count && (all || i < 4); i++)
                    used += snprintf(wanted + used, TEXT - (size_t)used, "     %-8s%-28s  sign\n",
                                     i > 0       ? ""
                                     : side == 0 ? "for"
                                                 : "against",
                                     i == 1 ? "" : "a.txt:7");
                if (count > 4 && !all)
                    used += snprintf(wanted + used, TEXT - (size_t)used,
                                     "     %-8sand %zu more sign%s (--all lists them)\n", "",
                                     count - 4, count == 5 ? "" : "s");
            }
            snprintf(wanted + used, TEXT - (size_t)used, "\nNo cables");
            assert_printed(all, wanted);
        }
}

/* A place has room for the longest name of a file that is printed, 255 characters. */
static void long_places_are_cut(void **state)
{
    (void)state;
    char name[300], wanted[512];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    begin();
    given.triage.contradiction_count = 1;
    given.signs[0].place.file = name;
    snprintf(wanted, sizeof wanted, "\n             %.255s  sign\n", name);
    assert_printed(false, wanted);
}

static void ends_of_pauses_may_be_unknown(void **state)
{
    (void)state;
    begin();
    given.triage.pause_count = 3;
    given.pauses[0] = (struct triage_pause){.to = "leaf0", .frames = 1};
    given.pauses[1] = (struct triage_pause){
        .from = "leaf0", .from_port = "p1", .frames = 0, .is_sent_known = true};
    given.pauses[2] = (struct triage_pause){.from = "a", .to = "b", .frames = 5};
    assert_printed(
        false, "\nPauses:\n"
               "     an unknown neighbor pauses leaf0: 1 pause frame (by the receiver's counter)\n"
               "     leaf0 p1 pauses an unknown neighbor: 0 pause frames\n"
               "     a pauses b: 5 pause frames (by the receiver's counter)\n\n");
    given.triage.unpaired = 1;
    assert_printed(false, "Not used: 1 counter, which has only one sample.\n");
    given.triage.unpaired = 2;
    assert_printed(false, "Not used: 2 counters, which have only one sample.\n");
    given.triage.unpaired = 0;
    assert_not_printed(false, "Not used");
    assert_not_printed(false, "disagree");
    assert_not_printed(false, "Unknown,");
    given.incident.scenario = (void *)&given;
    given.triage.cables = 1;
    assert_printed(false, "\n0 of 1 cable have counters from both ends.\n");
    given.triage.cables = 3;
    given.triage.cables_known = 2;
    assert_printed(false, "\n2 of 3 cables have counters from both ends.\n");
}

static void files_say_what_was_in_them(void **state)
{
    (void)state;
    begin();
    given.incident.file_count = 6;
    given.files[0] =
        (struct incident_file){.name = "a", .numbers = 1, .cables = 1, .log_lines = 1, .events = 1};
    given.files[1] =
        (struct incident_file){.name = "b", .numbers = 2, .cables = 2, .log_lines = 2, .events = 2};
    given.files[2] =
        (struct incident_file){.name = "c", .is_configuration = true, .is_scenario = true};
    given.files[3] = (struct incident_file){.name = "d", .left_out = "empty", .numbers = 3};
    given.files[4] = (struct incident_file){.name = "e",
                                            .numbers = 3,
                                            .lines_left = 1,
                                            .first_left = {.line = 4},
                                            .malformed = 1,
                                            .first_malformed = {.line = 5}};
    given.files[5] = (struct incident_file){.name = "g",
                                            .numbers = 3,
                                            .lines_left = 2,
                                            .first_left = {.line = 6},
                                            .malformed = 2,
                                            .first_malformed = {.line = 8}};
    assert_printed(false, "\nRead 6 files:\n"
                          "     a: 1 counter, 1 cable, 1 log line, 1 known message\n"
                          "     b: 2 counters, 2 cables, 2 log lines, 2 known messages\n"
                          "     c: 1 switch configuration, 1 scenario\n"
                          "     d: not used: empty\n"
                          "     e: 3 counters; 1 line of unknown kind, the first is line 4; 1 "
                          "malformed line skipped, the first is line 5\n"
                          "     g: 3 counters; 2 lines of unknown kind, the first is line 6; 2 "
                          "malformed lines skipped, the first is line 8\n");
    /* Behind the limit only those that have something to be said of. */
    begin();
    given.incident.file_count = MOST;
    given.files[13].left_out = "empty";
    given.files[14].malformed = 1;
    given.files[14].first_malformed.line = 3;
    assert_printed(false, "     f: 2 counters\n     f: not used: empty\n     f: 2 counters; 1 "
                          "malformed line skipped, the first is line 3\n"
                          "     and 2 more files, all used (--all lists them)\n");
}

/* A look of watch is short, however many signs there are. */
static void watch_lists_the_first_signs(void **state)
{
    (void)state;
    begin();
    const struct triage_suspect *began[] = {&given.suspects[0], &given.suspects[1]};
    const struct watch_pattern pattern = {.kind = SUSPECT_MTU, .device = "leaf1", .since = "09:00"};
    const struct watch_pattern *ended[] = {&pattern, &pattern};
    const struct watch_look look = {
        .time = "10:00", .began = began, .began_count = 2, .ended = ended, .ended_count = 2};
    const struct watch_state before = {.past = {.is_empty = false}};
    given.suspects[0].sign_count = 6;
    char *text = NULL, wanted[TEXT];
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    watch_text(&look, &before, &given.incident, out);
    memory_stream_end(out);
    int used = snprintf(wanted, TEXT, "10:00 began: leaf0: %s [mtu, score 4.2]\n",
                        suspects_about[SUSPECT_MTU].about);
    for (int i = 0; i < 4; i++)
        used += snprintf(wanted + used, TEXT - (size_t)used, "     %-8s%-28s  sign\n",
                         i == 0 ? "for" : "", "a.txt:7");
    const char *about = suspects_about[SUSPECT_MTU].about;
    snprintf(
        wanted + used, TEXT - (size_t)used,
        "     %-8sand 2 more signs (--all lists them)\n10:00 began: leaf0: %s [mtu, score 4.2]\n"
        "10:00 no longer seen: leaf1: %s [mtu], first seen at 09:00\n"
        "10:00 no longer seen: leaf1: %s [mtu], first seen at 09:00\n",
        "", about, about, about);
    assert_string_equal(text, wanted);
    free(text);
}

/* ---- tables, counters, faults ---- */

static void each_suspect_is_a_row(void **state)
{
    (void)state;
    begin();
    given.triage.suspect_count = 2;
    given.suspects[0].port = "p1";
    given.suspects[0].peer = "host3";
    given.suspects[0].peer_port = "eth0";
    given.suspects[0].since = "then";
    given.suspects[1].kind = SUSPECT_OVERLOAD;
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    triage_csv(&given.triage, out);
    memory_stream_end(out);
    assert_string_equal(
        text, "kind,device,port,peer,peer_port,since,score,fault,about\n"
              "mtu,leaf0,p1,host3,eth0,then,4.25,1,frames are larger than the MTU\n"
              "overload,leaf0,,,,,4.25,0,more traffic arrives for the port than it can send\n");
    free(text);
}

static void counters_that_moved_come_first(void **state)
{
    (void)state;
    begin();
    struct incident_count counts[] = {
        {.host = "a", .port = "p0", .name = "rx", .priority = -1, .known = true, .difference = 5},
        {.host = "b", .port = "", .name = "tx", .priority = 0, .known = true, .difference = -2},
        {.host = "c", .port = "p1", .name = "zero", .priority = 3, .known = true},
        {.host = "d", .port = "p1", .name = "unknown", .priority = 3, .difference = 9},
        {.host = "e", .port = "p2", .name = "still", .priority = -1, .known = true},
    };
    given.incident.counts = counts;
    given.incident.count_count = 5;
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    triage_counters(&given.incident, out);
    memory_stream_end(out);
    assert_string_equal(
        text, "{\"stormglass-counters\": 1, \"counters\": [\n"
              "  {\"port\": \"a:p0\", \"priority\": null, \"name\": \"rx\", \"difference\": 5},\n"
              "  {\"port\": \"b\", \"priority\": 0, \"name\": \"tx\", \"difference\": -2}\n"
              "], \"unmoved\": [\n"
              "  {\"port\": \"c:p1\", \"priority\": 3, \"name\": \"zero\"},\n"
              "  {\"port\": \"e:p2\", \"priority\": null, \"name\": \"still\"}\n"
              "], \"unknown\": []}\n");
    free(text);
}

static void the_first_suspect_is_a_fault(void **state)
{
    (void)state;
    static const struct {
        enum suspect_kind kind;
        const char *fault; /* NULL: no fault that a run has */
    } rows[] = {
        {SUSPECT_HOST_PAUSES, "kind: slow-receiver, drain: 10%"},
        {SUSPECT_LINK_DOWN, "kind: link-down"},
        {SUSPECT_SWITCH_DOWN, "kind: switch-down"},
        {SUSPECT_BIT_ERRORS, "kind: bit-errors, rate: 1e-7"},
        {SUSPECT_SILENT_LOSS, "kind: random-loss, rate: 1/1000"},
        {SUSPECT_NO_PFC, "kind: pfc-off"},
        {SUSPECT_SLOW_TARGET, "kind: target-stall"},
        {SUSPECT_MTU, NULL},
        {SUSPECT_OVERLOAD, NULL},
    };
    for (size_t i = 0; i <= sizeof rows / sizeof rows[0]; i++)
        for (int peer = 0; peer < 2; peer++) {
            const bool none = i == sizeof rows / sizeof rows[0];
            begin();
            given.triage.suspect_count = none ? 0 : 1;
            given.suspects[0].kind = none ? SUSPECT_LINK_DOWN : rows[i].kind;
            given.suspects[0].peer = peer == 1 ? "host3" : NULL;
            char *text = NULL, wanted[256] = "";
            size_t length = 0;
            FILE *out = memory_stream(&text, &length);
            triage_fault(&given.triage, out);
            memory_stream_end(out);
            if (!none && rows[i].fault != NULL)
                snprintf(
                    wanted, sizeof wanted,
                    "# The first suspect of the counters, with values to begin with.\nfaults:\n"
                    "  - {%s, where: \"leaf0%s\", at: 1ms}\n",
                    rows[i].fault, peer == 1 ? "-host3" : "");
            assert_string_equal(text, wanted);
            free(text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verdict_is_the_first_line),
        cmocka_unit_test(lists_are_cut_at_their_limits),
        cmocka_unit_test(suspects_have_signs),
        cmocka_unit_test(long_places_are_cut),
        cmocka_unit_test(ends_of_pauses_may_be_unknown),
        cmocka_unit_test(files_say_what_was_in_them),
        cmocka_unit_test(watch_lists_the_first_signs),
        cmocka_unit_test(each_suspect_is_a_row),
        cmocka_unit_test(counters_that_moved_come_first),
        cmocka_unit_test(the_first_suspect_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
