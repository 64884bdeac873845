/* SPDX-License-Identifier: Apache-2.0
 * Suspects on the ways of the traffic: two leaves with two hosts each, and two spines. */
#include "replay/incident/triage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LEAVES = 2, PORTS = 4, SAMPLES = 6, BEGUN = 3, TEXT_BYTES = 2048 };
enum { HOSTS = 4, CABLES = 4, FILES = CABLES + (LEAVES + HOSTS) * SAMPLES };

/* Of each leaf: db0 and db1 (or db2 and db3), then both spines. */
static const char *const ports[PORTS] = {"Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12"};

static struct incident incident;
static struct triage triage;

/* What the ports of the leaves send between two samples, before the incident and in it. */
struct sent {
    int before[LEAVES][PORTS], during[LEAVES][PORTS];
};

static void write_cables(char texts[CABLES][TEXT_BYTES])
{
    static const char head[] =
        "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n"
        "-----------  --------------  --------------  ------------  -----------------\n";
    for (int leaf = 0; leaf < LEAVES; leaf++) {
        snprintf(texts[leaf], TEXT_BYTES,
                 "%sEthernet0    db%d             eth2            R             eth2\n"
                 "Ethernet4    db%d             eth2            R             eth2\n"
                 "Ethernet8    spine0          Ethernet%d       BR            Ethernet%d\n"
                 "Ethernet12   spine1          Ethernet%d       BR            Ethernet%d\n",
                 head, 2 * leaf, 2 * leaf + 1, 4 * leaf, 4 * leaf, 4 * leaf, 4 * leaf);
        snprintf(texts[LEAVES + leaf], TEXT_BYTES,
                 "%sEthernet0    leaf0           Ethernet%d       BR            Ethernet%d\n"
                 "Ethernet4    leaf1           Ethernet%d       BR            Ethernet%d\n",
                 head, 8 + 4 * leaf, 8 + 4 * leaf, 8 + 4 * leaf, 8 + 4 * leaf);
    }
}

static void write_counters(char text[TEXT_BYTES], const struct sent *sent, int leaf, int sample)
{
    const int before = sample < BEGUN ? sample : BEGUN, during = sample - before;
    int used = snprintf(
        text, TEXT_BYTES,
        "admin@leaf%d:~$ date\nSat Nov 28 12:0%d:00 UTC 2026\nadmin@leaf%d:~$ show queue counters\n"
        "     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes\n"
        "---------  -----  --------------  ---------------  -----------  ------------\n",
        leaf, sample, leaf);
    for (int port = 0; port < PORTS; port++)
        used += snprintf(text + used, (size_t)(TEXT_BYTES - used), "%s  UC3  %d  %d0000000  0  0\n",
                         ports[port], 1 + sample,
                         1 + before * sent->before[leaf][port] + during * sent->during[leaf][port]);
}

/* Each host of a leaf sends half of what goes up. */
static void write_host(char text[TEXT_BYTES], const struct sent *sent, int host, int sample)
{
    const int before = sample < BEGUN ? sample : BEGUN, during = sample - before;
    const int leaf = host / 2, down = host % 2;
    const int up_before = (sent->before[leaf][2] + sent->before[leaf][3]) / 2,
              up_during = (sent->during[leaf][2] + sent->during[leaf][3]) / 2;
    snprintf(text, TEXT_BYTES,
             "[root@db%d ~]# date\nSat Nov 28 12:0%d:00 UTC 2026\n[root@db%d ~]# ethtool -S eth2\n"
             "NIC statistics:\n     rx_bytes_phy: %d0000000\n     tx_bytes_phy: %d0000000\n",
             host, sample, host,
             1 + before * sent->before[leaf][down] + during * sent->during[leaf][down],
             1 + before * up_before + during * up_during);
}

static const struct triage_suspect *judge(const struct sent *sent)
{
    static char texts[FILES][TEXT_BYTES];
    static char names[FILES][48];
    static const char *const switches[CABLES] = {"leaf0", "leaf1", "spine0", "spine1"};
    struct incident_text files[FILES];
    struct diag diag = {0};
    write_cables(texts);
    for (int i = 0; i < CABLES; i++)
        snprintf(names[i], sizeof names[i], "%s.lldp", switches[i]);
    for (int sample = 0; sample < SAMPLES; sample++)
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            const int file = CABLES + LEAVES * sample + leaf;
            snprintf(names[file], sizeof names[file], "t%d/leaf%d.txt", sample, leaf);
            write_counters(texts[file], sent, leaf, sample);
        }
    for (int sample = 0; sample < SAMPLES; sample++)
        for (int host = 0; host < HOSTS; host++) {
            const int file = CABLES + LEAVES * SAMPLES + HOSTS * sample + host;
            snprintf(names[file], sizeof names[file], "t%d/db%d.txt", sample, host);
            write_host(texts[file], sent, host, sample);
        }
    for (int i = 0; i < FILES; i++)
        files[i] = (struct incident_text){names[i], texts[i], strlen(texts[i])};
    const struct incident_ask ask = {.texts = files, .text_count = FILES};
    if (!incident_read(&incident, &ask, &diag)) {
        diag_print(&diag, stderr);
        fail_msg("the files are refused");
    }
    if (incident.scenario == NULL)
        fail_msg("no fabric: %s", incident.notes);
    triage_make(&triage, &incident);
    return triage.suspect_count > 0 ? &triage.suspects[0] : NULL;
}

static void end(void)
{
    triage_free(&triage);
    incident_free(&incident);
}

static void a_switch_that_chooses_other_links(void **state)
{
    (void)state;
    const struct sent sent = {{{2, 2, 40, 40}, {40, 40, 2, 2}}, {{2, 2, 80, 0}, {40, 40, 2, 2}}};
    const struct triage_suspect *first = judge(&sent);
    assert_non_null(first);
    assert_int_equal(first->kind, SUSPECT_OTHER_LINKS);
    assert_string_equal(first->device, "leaf0");
    assert_non_null(strstr(first->signs[0].text, "Ethernet12 is nearly idle"));
    assert_non_null(strstr(first->signs[1].text, "most to spine0"));
    end();
}

/* The link is as idle, but what it carried went to a host that receives less. */
static void traffic_that_stops_takes_no_other_link(void **state)
{
    (void)state;
    const struct sent sent = {{{2, 2, 40, 40}, {40, 40, 2, 2}}, {{2, 2, 40, 0}, {40, 1, 2, 2}}};
    judge(&sent);
    for (size_t i = 0; i < triage.suspect_count; i++)
        assert_int_not_equal(triage.suspects[i].kind, SUSPECT_OTHER_LINKS);
    end();
}

/* db0 writes to db2 and db1 to db3: each host has a part of what falls only. */
static void a_switch_through_which_all_moves_less(void **state)
{
    (void)state;
    const struct sent sent = {{{4, 4, 40, 40}, {40, 40, 4, 4}}, {{1, 1, 10, 10}, {10, 10, 1, 4}}};
    const struct triage_suspect *first = judge(&sent);
    assert_non_null(first);
    assert_int_equal(first->kind, SUSPECT_SLOW_SWITCH);
    assert_string_equal(first->device, "leaf0");
    end();
}

/* The same where one of the cables has all of the traffic, and each leaf little of its own. */
static void a_cable_explains_what_no_host_does(void **state)
{
    (void)state;
    const struct sent sent = {{{1, 1, 40, 0}, {20, 20, 2, 0}}, {{1, 1, 10, 0}, {5, 5, 2, 0}}};
    const struct triage_suspect *first = judge(&sent);
    assert_non_null(first);
    assert_int_equal(first->kind, SUSPECT_SLOW_PATH);
    assert_string_equal(first->device, "leaf0");
    assert_string_equal(first->peer, "spine0");
    assert_int_equal(triage.verdict, TRIAGE_FAULT);
    end();
}

/* db0 is the only peer of db2: which of them is slow, or the cable between their switches, no
 * counter of a port shows. */
static void places_of_one_flow_are_undecided(void **state)
{
    (void)state;
    const struct sent sent = {{{1, 1, 40, 0}, {40, 0, 1, 0}}, {{1, 1, 10, 0}, {10, 0, 1, 0}}};
    judge(&sent);
    assert_int_equal(triage.verdict, TRIAGE_UNCLEAR);
    assert_non_null(triage.rival);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_switch_that_chooses_other_links),
        cmocka_unit_test(traffic_that_stops_takes_no_other_link),
        cmocka_unit_test(a_switch_through_which_all_moves_less),
        cmocka_unit_test(a_cable_explains_what_no_host_does),
        cmocka_unit_test(places_of_one_flow_are_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
