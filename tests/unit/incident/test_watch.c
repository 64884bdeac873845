/* SPDX-License-Identifier: Apache-2.0
 * watch: looks that follow each other, each with the state that the one before wrote. */
#include "base/printable.h"
#include "reports/incident/watch_text.h"
#include "scenarios/format/json_tree.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LLDP                                                                                       \
    "admin@leaf0:~$ show lldp table\n"                                                             \
    "LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr\n"              \
    "-----------  --------------  -----------------  ------------  -----------------\n"            \
    "Ethernet0    db7             02:00:5e:00:53:01  R             eth2\n"                         \
    "Ethernet4    db8             02:00:5e:00:53:02  R             eth2\n"

static struct diag diag;
static struct watch_state state; /* that the next look is compared with */
static size_t began, ended, lasting;
static char said[16384];

static void begin(void)
{
    watch_state_free(&state);
    state.past.is_empty = true;
    state.of_count = 0;
}

/* One look at these files; the state is written and read again. */
static void look_at(const struct incident_text *texts, size_t count, const char *time)
{
    struct incident incident;
    struct triage triage;
    struct watch_look look;
    struct watch_state next = {0};
    char *written;
    size_t length;
    const struct incident_ask ask = {.texts = texts, .text_count = count, .past = &state.past};
    diag = (struct diag){0};
    assert_true(incident_read(&incident, &ask, &diag));
    triage_make(&triage, &incident);
    watch_compare(&look, &state, &incident, &triage, time);
    began = look.began_count;
    ended = look.ended_count;
    lasting = look.pattern_count;
    memset(said, 0, sizeof said);
    FILE *out = fmemopen(said, sizeof said, "w");
    watch_text(&look, &state, &incident, out);
    assert_int_equal(fclose(out), 0);
    out = open_memstream(&written, &length);
    watch_state_write(&look, &state, &incident, out);
    assert_int_equal(fclose(out), 0);
    fuzz_input("watch", written, length);
    const char *kept = arena_text(&next.arena, written, length);
    const struct tree_file *file = tree_hold(&next.arena, "state.json", kept, length);
    if (!watch_state_read(&next, file, &diag)) {
        diag_print(&diag, stderr);
        fail_msg("the state cannot be read: %s", kept);
    }
    assert_int_equal(next.pattern_count, look.pattern_count);
    assert_int_equal(next.past.number_count, incident.next->number_count);
    assert_string_equal(next.last, time);
    const size_t values = watch_state_values(&look, &state, &incident);
    assert_int_equal(json_tree(&next.arena, file, NULL, &diag)->weight, values);
    watch_look_free(&look);
    triage_free(&triage);
    incident_free(&incident);
    watch_state_free(&state);
    state = next;
    free(written);
}

static void look(const char *text, const char *time)
{
    look_at(&(const struct incident_text){"paste.txt", text, strlen(text)}, 1, time);
}

static void look_at_pauses(int pauses, const char *time)
{
    char text[256];
    snprintf(text, sizeof text,
             "db7$ ethtool -S eth2\nNIC statistics:\n     tx_prio3_pause: %d\n"
             "     rx_prio3_pause: 0\n",
             pauses);
    look(text, time);
}

/* ---- patterns ---- */

static void the_first_look_only_records(void **unused)
{
    (void)unused;
    begin();
    look_at_pauses(900000, "t0");
    assert_int_equal(began, 0);
    assert_int_equal(lasting, 0);
    assert_string_equal(said, "t0 baseline: 2 counters of 1 device; later polls are compared "
                              "with these counters\n");
}

static void a_pattern_begins_once_and_ends(void **unused)
{
    (void)unused;
    begin();
    look_at_pauses(100, "t0");
    look_at_pauses(109, "t1"); /* nine frames are noise */
    assert_int_equal(began, 0);
    assert_string_equal(said, "");
    look_at_pauses(5109, "t2");
    assert_int_equal(began, 1);
    assert_non_null(strstr(said, "t2 began: db7: the host sends pauses to its switch"));
    assert_non_null(strstr(said, "db7 sent 5,000 pauses"));
    look_at_pauses(9109, "t3");
    assert_int_equal(began, 0);
    assert_int_equal(lasting, 1);
    assert_string_equal(said, "");
    look_at_pauses(9109, "t4");
    assert_int_equal(ended, 1);
    assert_int_equal(lasting, 0);
    assert_string_equal(said, "t4 no longer seen: db7: the host sends pauses to its switch but "
                              "receives none [host-pauses], first seen at t2\n");
}

/* Without new counters of the device the pattern lasts. */
static void what_is_not_looked_at_lasts(void **unused)
{
    (void)unused;
    begin();
    look_at_pauses(100, "t0");
    look_at_pauses(5100, "t1");
    assert_int_equal(began, 1);
    look("db8$ ethtool -S eth2\nNIC statistics:\n     tx_prio3_pause: 7\n", "t2");
    assert_int_equal(ended, 0);
    look("db8$ ethtool -S eth2\nNIC statistics:\n     tx_prio3_pause: 7\n", "t3");
    assert_int_equal(ended, 0);
    assert_int_equal(lasting, 1);
}

/* The switch's table names the host's cable; the host's own counters come later. */
static void cables_are_followed(void **unused)
{
    static const char *const session = LLDP "admin@leaf0:~$ show pfc counters\n"
                                            "  Port Rx    PFC0    PFC3\n"
                                            "---------  ------  ------\n"
                                            "Ethernet0       0  %6d\n"
                                            "Ethernet4       0       0\n"
                                            "  Port Tx    PFC0    PFC3\n"
                                            "---------  ------  ------\n"
                                            "Ethernet0       0       0\n"
                                            "Ethernet4       0  %6d\n";
    char text[2048];
    (void)unused;
    begin();
    snprintf(text, sizeof text, session, 200, 700);
    look(text, "t0");
    snprintf(text, sizeof text, session, 184413, 90700);
    look(text, "t1");
    assert_int_equal(began, 1);
    assert_non_null(strstr(said, "t1 began: db7: the host sends pauses"));
    assert_int_equal(state.patterns[0].kind, SUSPECT_HOST_PAUSES);
    assert_string_equal(state.patterns[0].device, "db7");
    assert_string_equal(state.patterns[0].since, "t1");
}

/* A cable that loses its carrier is one pattern, whichever end reports it. */
static void both_ends_are_one_place(void **unused)
{
    static const char *const near = LLDP "[root@db7 ~]# ethtool -S eth2\nNIC statistics:\n"
                                         "     link_down_events_phy: %d\n";
    char text[2048];
    (void)unused;
    begin();
    snprintf(text, sizeof text, near, 1);
    look(text, "t0");
    snprintf(text, sizeof text, near, 4);
    look(text, "t1");
    assert_int_equal(began, 1);
    assert_int_equal(state.patterns[0].kind, SUSPECT_LINK_DOWN);
    struct watch_pattern *known = &state.patterns[0];
    const struct watch_pattern turned = {known->kind,   known->peer, known->peer_port,
                                         known->device, known->port, known->since};
    assert_non_null(known->peer);
    *known = turned;
    snprintf(text, sizeof text, near, 9);
    look(text, "t2");
    assert_int_equal(began, 0);
    assert_int_equal(ended, 0);
    assert_int_equal(lasting, 1);
}

/* ---- samples ---- */

static void older_samples_are_left_out(void **unused)
{
    (void)unused;
    begin();
    look("db7$ date\nSat Nov 28 12:10:00 UTC 2026\ndb7$ ethtool -S eth2\nNIC statistics:\n"
         "     tx_prio3_pause: 90000\n",
         "t0");
    look("db7$ date\nSat Nov 28 12:00:00 UTC 2026\ndb7$ ethtool -S eth2\nNIC statistics:\n"
         "     tx_prio3_pause: 50000\n",
         "t1");
    assert_int_equal(began, 0);
    assert_int_equal(state.past.number_count, 1);
    assert_int_equal(state.past.numbers[0].value, 90000);
    assert_string_equal(state.past.numbers[0].date, "Sat Nov 28 12:10:00 UTC 2026");
}

/* Another file with the samples of a look has nothing new; nor has one whose clock did not move. */
static void copies_are_left_out(void **unused)
{
    static const char text[] = "db7$ date\nSat Nov 28 12:%02d:00 UTC 2026\ndb7$ ethtool -S eth2\n"
                               "NIC statistics:\n     tx_prio3_pause: %d\n";
    char one[256], two[512];
    (void)unused;
    begin();
    snprintf(one, sizeof one, text, 0, 100);
    look(one, "t0");
    snprintf(one, sizeof one, text, 1, 9100);
    look(one, "t1");
    assert_int_equal(began, 1);
    look(one, "t2");
    assert_int_equal(ended, 0);
    assert_int_equal(lasting, 1);
    snprintf(two, sizeof two, "%s%s", one, one);
    look(two, "t3");
    assert_int_equal(ended, 0);
    snprintf(one, sizeof one, text, 2, 9100);
    look(one, "t4");
    assert_int_equal(ended, 1);
}

/* A counter that decreased was reset: it counts from 0 on. */
static void resets_are_no_storm(void **unused)
{
    (void)unused;
    begin();
    look_at_pauses(900000, "t0");
    look_at_pauses(3, "t1");
    assert_int_equal(began, 0);
    look_at_pauses(4003, "t2");
    assert_int_equal(began, 1);
    assert_non_null(strstr(said, "db7 sent 4,000 pauses"));
}

/* pfcwd show stats has no rows of queues that never stormed: what it lacked was 0. */
static void rows_that_were_left_out_are_zeroes(void **unused)
{
    static const char head[] =
        "admin@leaf0:~$ pfcwd show stats\n"
        "QUEUE        STATUS       STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP\n"
        "-----------  ---------  -------------------------  ------------  ------------\n";
    char text[1024];
    struct incident incident;
    (void)unused;
    begin();
    look(head, "t0");
    snprintf(text, sizeof text, "%sEthernet0:3  stormed  5/4  10/20  30/40\n", head);
    const struct incident_text file = {"paste.txt", text, strlen(text)};
    const struct incident_ask ask = {.texts = &file, .text_count = 1, .past = &state.past};
    diag = (struct diag){0};
    assert_true(incident_read(&incident, &ask, &diag));
    assert_true(incident.count_count > 0);
    for (size_t i = 0; i < incident.count_count; i++)
        if (incident.counts[i].known)
            assert_int_equal(incident.counts[i].sample_count, 2);
    incident_free(&incident);
}

/* ---- the state file ---- */

#define AFTER_LAST                                                                                 \
    ", \"patterns\": [], \"files\": [], \"contents\": [], \"tables\": [], \"ports\": []}"

static void a_wrong_state_is_located(void **unused)
{
    static const struct {
        const char *text, *words;
        int line, column;
    } rows[] = {
        {"{\"stormglass-watch\": 3}", "version 1", 1, 22},
        {"{\"stormglass-watch\": 1,\n \"of\": 5, \"last\": \"\"" AFTER_LAST, "of: expected a list",
         2, 8},
        {"{\"stormglass-watch\": 1,\n \"of\": [5], \"last\": \"\"" AFTER_LAST, "a list of strings",
         2, 9},
        {"{\"stormglass-watch\": 1, \"of\": [],\n \"last\": null" AFTER_LAST, "\"last\": a string",
         2, 10},
        {"{\"stormglass-watch\": 1, \"of\": [], \"last\": \"\", \"patterns\": [], \"files\": [\n"
         "{\"name\": \"a\", \"size\": -5, \"stamp\": \"\", \"data\": \"\", \"lines\": 0, "
         "\"digest\": \"\",\n"
         "\"closed\": \"yes\", \"pending\": false}], \"contents\": [], \"tables\": [], \"ports\": "
         "[]}",
         "\"size\": a count", 2, 23},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct watch_state read = {0};
        diag = (struct diag){0};
        assert_false(watch_state_read(
            &read, tree_hold(&read.arena, "state.json", rows[i].text, strlen(rows[i].text)),
            &diag));
        if (diag.errors == 0 || strstr(diag.messages[0].text, rows[i].words) == NULL ||
            diag.messages[0].place.line != rows[i].line ||
            diag.messages[0].place.column != rows[i].column) {
            diag_print(&diag, stderr);
            fail_msg("row %zu", i);
        }
        watch_state_free(&read);
    }
}

/* Names come from files: the state is JSON, and the terminal gets no control characters. */
static void names_are_escaped(void **unused)
{
    const char text[] = "db\033[31m7\"x$ ethtool -S eth2\nNIC statistics:\n"
                        "     tx_prio3_pause: 5\n     tx_\"evil\"\\: 5\n";
    (void)unused;
    begin();
    look(text, "t0");
    assert_null(strchr(said, '\033'));
    struct incident_text file = {"db7\033[31m\"\\.txt", "NIC statistics:\n     tx_prio3_pause: 5\n",
                                 41};
    file.length = strlen(file.text);
    begin();
    look_at(&file, 1, "t0");
    file.text = "NIC statistics:\n     tx_prio3_pause: 90005\n";
    file.length = strlen(file.text);
    look_at(&file, 1, "t1");
    assert_null(strchr(said, '\033'));
}

/* Any bytes come back from the state as they were. */
static void names_are_kept(void **unused)
{
    (void)unused;
    begin();
    char text[1024] = "";
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"db\xe9", "db%25", "db\xc3\xa9", "db\x01"};
        snprintf(text, sizeof text, "NIC statistics:\n     tx_prio3_pause: %d\n", i);
        const struct incident_text file = {names[i], text, strlen(text)};
        begin();
        look_at(&file, 1, "t0");
        assert_int_equal(state.past.number_count, 1);
        char *host = watch_state_name(state.past.numbers[0].host);
        assert_true(printable_is(host));
        free(host);
        snprintf(text, sizeof text, "NIC statistics:\n     tx_prio3_pause: %d\n", i + 90000);
        look_at(&(const struct incident_text){names[i], text, strlen(text)}, 1, "t1");
        assert_int_equal(began, 1);
        assert_int_equal(state.past.number_count, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_look_only_records),
        cmocka_unit_test(a_pattern_begins_once_and_ends),
        cmocka_unit_test(what_is_not_looked_at_lasts),
        cmocka_unit_test(cables_are_followed),
        cmocka_unit_test(both_ends_are_one_place),
        cmocka_unit_test(older_samples_are_left_out),
        cmocka_unit_test(copies_are_left_out),
        cmocka_unit_test(resets_are_no_storm),
        cmocka_unit_test(rows_that_were_left_out_are_zeroes),
        cmocka_unit_test(a_wrong_state_is_located),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(names_are_kept),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    watch_state_free(&state);
    return failed;
}
