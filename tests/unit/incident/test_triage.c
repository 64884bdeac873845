/* SPDX-License-Identifier: Apache-2.0
 * Suspects of small incidents at one switch: db7 at Ethernet0, db8 at Ethernet4, db9 at
 * Ethernet8. */
#include "replay/incident/triage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 16384, TEXTS = 12 };

static struct incident incident;
static struct triage triage;
static struct diag diag;
static struct incident_text texts[TEXTS];
static size_t text_count;

static void begin(void)
{
    static const char cables[] =
        "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n"
        "-----------  --------------  --------------  ------------  -----------------\n"
        "Ethernet0    db7             eth2            R             eth2\n"
        "Ethernet4    db8             eth2            R             eth2\n"
        "Ethernet8    db9             eth2            R             eth2\n";
    texts[0] = (struct incident_text){"leaf0.lldp", cables, sizeof cables - 1};
    text_count = 1;
}

static void add(const char *name, const char *text)
{
    texts[text_count++] = (struct incident_text){name, text, strlen(text)};
}

static const struct triage_suspect *judge(void)
{
    const struct incident_ask ask = {.texts = texts, .text_count = text_count};
    diag = (struct diag){0};
    if (!incident_read(&incident, &ask, &diag)) {
        diag_print(&diag, stderr);
        fail_msg("the files are refused");
    }
    triage_make(&triage, &incident);
    return triage.suspect_count > 0 ? &triage.suspects[0] : NULL;
}

static void end(void)
{
    triage_free(&triage);
    incident_free(&incident);
}

/* Priority 3 of the three ports, received and sent. */
static const char *pauses(const int received[3], const int sent[3])
{
    static char text[TEXT_BYTES];
    int used = 0;
    for (int side = 0; side < 2; side++) {
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  Port %s  PFC0  PFC3\n---------  ----  ----\n", side == 0 ? "Rx" : "Tx");
        for (int i = 0; i < 3; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, "Ethernet%d  0  %d\n", 4 * i,
                             side == 0 ? received[i] : sent[i]);
    }
    return text;
}

static void a_host_that_pauses_is_first(void **state)
{
    (void)state;
    begin();
    add("leaf0.txt", pauses((int[3]){184213, 0, 0}, (int[3]){0, 90000, 90000}));
    const struct triage_suspect *first = judge();
    assert_int_equal(triage.verdict, TRIAGE_FAULT);
    assert_int_equal(first->kind, SUSPECT_HOST_PAUSES);
    assert_string_equal(first->device, "db7");
    assert_string_equal(first->signs[0].place.file, "leaf0.txt");
    assert_int_equal(first->signs[0].place.line, 3);
    /* It has no counters of its own here: that is said. */
    assert_int_equal(first->against_count, 1);
    assert_int_equal(triage.unknown_count, 3);
    assert_true(triage.single);
    end();
}

static void a_switch_that_nothing_pauses_is_overloaded(void **state)
{
    (void)state;
    begin();
    add("leaf0.txt", pauses((int[3]){0, 0, 0}, (int[3]){0, 90000, 90000}));
    const struct triage_suspect *first = judge();
    assert_int_equal(triage.verdict, TRIAGE_OVERLOAD);
    assert_int_equal(first->kind, SUSPECT_OVERLOAD);
    assert_string_equal(first->device, "leaf0");
    end();
}

static void quiet_counters_show_no_harm(void **state)
{
    (void)state;
    begin();
    add("leaf0.txt", pauses((int[3]){0, 3, 0}, (int[3]){0, 0, 0}));
    assert_null(judge());
    assert_int_equal(triage.verdict, TRIAGE_NONE);
    end();
}

static void damaged_frames_lead_to_the_cable(void **state)
{
    (void)state;
    begin();
    add("db8-eth2.txt", "NIC statistics:\n     rx_crc_errors_phy: 5211\n");
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_BIT_ERRORS);
    assert_string_equal(first->device, "db8");
    assert_string_equal(first->peer, "leaf0");
    assert_string_equal(first->peer_port, "Ethernet4");
    end();
}

static void drops_without_pauses_lead_to_the_port(void **state)
{
    static const char drops[] = "Ingress PG dropped packets:\n"
                                "     Port  PG0  PG3\n---------  ---  ---\n"
                                "Ethernet0    0  700\nEthernet4    0    0\nEthernet8    0    0\n";
    char text[TEXT_BYTES];
    (void)state;
    begin();
    snprintf(text, sizeof text, "%s%s", pauses((int[3]){0, 0, 0}, (int[3]){0, 9000, 0}), drops);
    add("leaf0.txt", text);
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_NO_PFC);
    assert_string_equal(first->device, "leaf0");
    assert_string_equal(first->port, "Ethernet0");
    end();
}

static void a_lost_carrier_is_counted_or_logged(void **state)
{
    (void)state;
    begin();
    add("leaf0.log", "Nov 28 00:46:12.1 leaf0 NOTICE swss#orchagent: :- updatePortOperStatus: Port "
                     "Ethernet8 oper state set from up to down\n");
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_LINK_DOWN);
    assert_string_equal(first->port, "Ethernet8");
    assert_string_equal(first->peer, "db9");
    assert_string_equal(first->since, "Nov 28 00:46:12.1");
    end();
}

/* One end counts pauses that the other does not. */
static void ends_that_disagree_are_named(void **state)
{
    (void)state;
    begin();
    add("leaf0.txt", pauses((int[3]){0, 0, 0}, (int[3]){9000, 0, 0}));
    add("db7-eth2.txt", "NIC statistics:\n     rx_prio3_pause: 0\n");
    judge();
    assert_int_equal(triage.contradiction_count, 1);
    end();
}

/* A host that moves less than before, while hosts miss packets: either may be the reason. */
static void a_weak_sign_is_no_fault(void **state)
{
    static const char *const names[] = {"t0/db7-eth2.txt", "t1/db7-eth2.txt", "t2/db7-eth2.txt"};
    static const char *const counts[] = {
        "NIC statistics:\n     tx_bytes_phy: 0\n     out_of_sequence: 0\n",
        "NIC statistics:\n     tx_bytes_phy: 900000000\n     out_of_sequence: 0\n",
        "NIC statistics:\n     tx_bytes_phy: 1200000000\n     out_of_sequence: 9\n"};
    (void)state;
    begin();
    for (int i = 0; i < 3; i++)
        add(names[i], counts[i]);
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_SLOW_TARGET);
    assert_int_equal(triage.verdict, TRIAGE_FAULT);
    end();
    texts[text_count - 1].text =
        "NIC statistics:\n     tx_bytes_phy: 1200000000\n     out_of_sequence: 900\n";
    texts[text_count - 1].length = strlen(texts[text_count - 1].text);
    judge();
    for (size_t i = 0; i < triage.suspect_count; i++)
        if (triage.suspects[i].kind == SUSPECT_SLOW_TARGET)
            assert_true(triage.suspects[i].score < 2);
    end();
}

static const char *marks(char text[512], int count)
{
    snprintf(
        text, 512,
        "admin@leaf0:~$ show queue wredcounters\n"
        "     Port    TxQ    WredDrp/pkts    WredDrp/bytes    EcnMarked/pkts    EcnMarked/bytes\n"
        "---------  -----  --------------  ---------------  ----------------  -----------------\n"
        "Ethernet4    UC3               0              N/A  %16d                N/A\n",
        count);
    return text;
}

/* Marks that were there before the incident do not explain that a host moves less since. */
static void a_steady_overload_is_no_cause(void **state)
{
    static const char *const hosts[] = {"t0/db7-eth2.txt", "t1/db7-eth2.txt", "t2/db7-eth2.txt"},
                             *const switches[] = {"t0/leaf0.txt", "t1/leaf0.txt", "t2/leaf0.txt"};
    static const char *const counts[] = {"NIC statistics:\n     tx_bytes_phy: 0\n",
                                         "NIC statistics:\n     tx_bytes_phy: 900000000\n",
                                         "NIC statistics:\n     tx_bytes_phy: 990000000\n"};
    static char texts_of_marks[3][512];
    (void)state;
    for (int steady = 0; steady < 2; steady++) {
        begin();
        text_count = 0;
        for (int i = 0; i < 3; i++) {
            add(hosts[i], counts[i]);
            add(switches[i], marks(texts_of_marks[i], steady == 1 || i == 2 ? 50000 * i : 0));
        }
        const struct triage_suspect *first = judge();
        assert_int_equal(first->kind, steady == 1 ? SUSPECT_SLOW_TARGET : SUSPECT_OVERLOAD);
        assert_int_equal(triage.verdict, steady == 1 ? TRIAGE_FAULT : TRIAGE_OVERLOAD);
        end();
    }
}

/* db9 pauses all the time and more often; db7 begins in the incident. */
static void pauses_from_before_are_no_cause(void **state)
{
    static const char *const names[] = {"t0/leaf0.txt", "t1/leaf0.txt", "t2/leaf0.txt",
                                        "t3/leaf0.txt", "t4/leaf0.txt"};
    static char counts[5][TEXT_BYTES];
    (void)state;
    begin();
    for (int i = 0; i < 5; i++) {
        const int begun = i < 2 ? 0 : 20000 * (i - 2);
        snprintf(counts[i], sizeof counts[i], "%s",
                 pauses((int[3]){begun, 0, 50000 * i}, (int[3]){0, 0, 0}));
        add(names[i], counts[i]);
    }
    const struct triage_suspect *first = judge();
    assert_string_equal(first->device, "db7");
    assert_false(triage_is_steady(first));
    for (size_t i = 1; i < triage.suspect_count; i++)
        assert_true(strcmp(triage.suspects[i].device, "db9") != 0 ||
                    triage_is_steady(&triage.suspects[i]));
    end();
}

/* db7 moves less with both of its peers, and each of them less with db7 alone. */
static void the_peer_of_all_that_is_lost_is_first(void **state)
{
    static const char *const names[3][3] = {
        {"t0/db7-eth2.txt", "t1/db7-eth2.txt", "t2/db7-eth2.txt"},
        {"t0/db8-eth2.txt", "t1/db8-eth2.txt", "t2/db8-eth2.txt"},
        {"t0/db9-eth2.txt", "t1/db9-eth2.txt", "t2/db9-eth2.txt"}};
    static const int megabytes[3][3] = {{0, 2000, 2200}, {0, 1000, 1100}, {0, 1000, 1100}};
    static char counts[9][256];
    (void)state;
    begin();
    for (int host = 0; host < 3; host++)
        for (int i = 0; i < 3; i++) {
            char *text = counts[3 * host + i];
            snprintf(text, sizeof counts[0], "NIC statistics:\n     %s_bytes_phy: %d000000\n",
                     host == 0 ? "tx" : "rx", megabytes[host][i]);
            add(names[host][i], text);
        }
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_SLOW_TARGET);
    assert_string_equal(first->device, "db7");
    end();
}

/* db7 sends to db8 alone, and both move as much less: either may be slow.  Where db7 sends to db9,
 * too, db8 has a part of the fall only. */
static void two_hosts_that_fell_alike_are_unclear(void **state)
{
    static const char *const names[3][3] = {
        {"t0/db7-eth2.txt", "t1/db7-eth2.txt", "t2/db7-eth2.txt"},
        {"t0/db8-eth2.txt", "t1/db8-eth2.txt", "t2/db8-eth2.txt"},
        {"t0/db9-eth2.txt", "t1/db9-eth2.txt", "t2/db9-eth2.txt"}};
    static char counts[9][256];
    (void)state;
    for (int parts = 1; parts <= 2; parts++) {
        begin();
        for (int host = 0; host <= parts; host++)
            for (int i = 0; i < 3; i++) {
                const int moved = i == 0 ? 0 : i == 1 ? 1000 : 1100;
                char *text = counts[3 * host + i];
                snprintf(text, sizeof counts[0], "NIC statistics:\n     %s_bytes_phy: %d000000\n",
                         host == 0 ? "tx" : "rx", host == 0 ? moved * parts : moved);
                add(names[host][i], text);
            }
        const struct triage_suspect *first = judge();
        assert_int_equal(first->kind, SUSPECT_SLOW_TARGET);
        assert_string_equal(first->device, "db7");
        assert_int_equal(triage.verdict, parts == 1 ? TRIAGE_UNCLEAR : TRIAGE_FAULT);
        assert_int_equal(first->against_count, parts == 1 ? 1 : 0);
        if (parts == 1)
            assert_non_null(strstr(first->against[0].text, "the traffic of db8 fell as well"));
        end();
    }
}

/* Many more drops than pauses: the neighbor sends on. */
static void a_neighbor_that_sends_on_is_first(void **state)
{
    static const char drops[] = "Ingress PG dropped packets:\n"
                                "     Port  PG0  PG3\n---------  ---  ---\n"
                                "Ethernet0    0  70000\nEthernet4    0    0\nEthernet8    0    0\n";
    char text[TEXT_BYTES];
    (void)state;
    begin();
    snprintf(text, sizeof text, "%s%s", pauses((int[3]){0, 0, 0}, (int[3]){900, 0, 0}), drops);
    add("leaf0.txt", text);
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_PAUSE_IGNORED);
    assert_string_equal(first->device, "db7");
    end();
}

/* Without cables the same suspect, with less to say. */
static void cables_may_be_unknown(void **state)
{
    (void)state;
    text_count = 0;
    add("db7-eth2.txt", "NIC statistics:\n     tx_prio3_pause: 184213\n     rx_prio3_pause: 0\n");
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_HOST_PAUSES);
    assert_string_equal(first->device, "db7");
    end();
}

/* Storms that a watchdog detected, below each other in one session, without cables: from
 * https://github.com/sonic-net/sonic-buildimage/issues/8483 */
static void a_public_session_names_the_port(void **state)
{
    static const char session[] =
        "root@sonic-10431:~# show pfcwd stats\n"
        "      QUEUE    STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP    "
        "TX LAST OK/DROP    RX LAST OK/DROP\n"
        "-----------  --------  -------------------------  ------------  ------------  "
        "-----------------  -----------------\n"
        "Ethernet4:3   stormed                        1/0    0/41507426           0/0         "
        "0/41507426                0/0\n"
        "root@sonic-10431:~# show pfcwd stats\n"
        "      QUEUE    STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP    "
        "TX LAST OK/DROP    RX LAST OK/DROP\n"
        "-----------  --------  -------------------------  ------------  ------------  "
        "-----------------  -----------------\n"
        "Ethernet4:3   stormed                        2/1    0/46497254           0/0           "
        "0/666293                0/0\n";
    (void)state;
    text_count = 0;
    add("paste.txt", session);
    const struct triage_suspect *first = judge();
    assert_int_equal(triage.verdict, TRIAGE_FAULT);
    assert_int_equal(first->kind, SUSPECT_NEIGHBOR_PAUSES);
    assert_string_equal(first->device, "sonic-10431");
    assert_string_equal(first->port, "Ethernet4");
    assert_int_equal(first->signs[0].place.line, 8);
    end();
}

/* The port is paused by a device of which nothing is known. */
static void pauses_of_an_unknown_neighbor_name_the_port(void **state)
{
    (void)state;
    text_count = 0;
    add("leaf0.txt", pauses((int[3]){184213, 0, 0}, (int[3]){0, 90000, 90000}));
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_NEIGHBOR_PAUSES);
    assert_string_equal(first->port, "Ethernet0");
    end();
    text_count = 0;
    add("db7-eth2.txt", "NIC statistics:\n     rx_prio3_pause: 5000\n");
    judge();
    assert_int_equal(triage.verdict, TRIAGE_UNCLEAR);
    end();
}

/* db7's cable has the same frames at both ends; who counted the gaps is not here. */
static void a_receiver_without_counters_is_suspected(void **state)
{
    (void)state;
    begin();
    add("db7-eth2.txt", "NIC statistics:\n     tx_packets_phy: 100000\n     rx_packets_phy: 90000\n"
                        "$ rdma statistic\nlink mlx5_0/1 packet_seq_err 5000 out_of_sequence 0\n");
    add("db8-eth2.txt", "$ rdma statistic\nlink mlx5_0/1 packet_seq_err 0 out_of_sequence 0\n");
    add("leaf0.txt", "    IFACE    RX_OK    TX_OK\n---------  -------  -------\n"
                     "Ethernet0   100000    90000\n");
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_SILENT_LOSS);
    assert_string_equal(first->device, "db9");
    end();
}

/* What TCP of db7 sends again is lost on its cable; the rate of nstat is no count. */
static void tcp_that_sends_again_leads_to_its_cable(void **state)
{
    (void)state;
    begin();
    add("db7-eth2.txt", "[root@db7 ~]# nstat -asz\n#kernel\n"
                        "IpInReceives                    81000              0.0\n"
                        "TcpRetransSegs                  4000               7.5\n"
                        "TcpExtTCPOFOQueue               0                  0.0\n"
                        "NIC statistics:\n     tx_packets_phy: 100000\n");
    add("db8-eth2.txt", "[root@db8 ~]# nstat -asz\n#kernel\n"
                        "TcpRetransSegs                  12                 0.0\n"
                        "TcpExtTCPOFOQueue               3990               0.0\n");
    add("leaf0.txt", "    IFACE    RX_OK    TX_OK\n---------  -------  -------\n"
                     "Ethernet0    96000    90000\n");
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_SILENT_LOSS);
    assert_string_equal(first->device, "db7");
    const struct incident_count *count =
        incident_find(&incident, "db7", "eth2", "TcpRetransSegs", -1);
    count = count != NULL ? count : incident_find(&incident, "db7", "", "TcpRetransSegs", -1);
    assert_non_null(count);
    assert_int_equal(count->difference, 4000);
    end();
}

/* Discards of the three ports. */
static void add_discards(const int discards[3])
{
    static char text[TEXT_BYTES];
    int used = snprintf(text, sizeof text,
                        "    IFACE  STATE  RX_OK  RX_ERR  RX_DRP  RX_OVR  TX_OK  TX_ERR  TX_DRP  "
                        "TX_OVR\n---------  -----  -----  ------  ------  ------  -----  ------  "
                        "------  ------\n");
    for (int i = 0; i < 3; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "Ethernet%d  U  5000  0  %d  0  5000  0  0  0\n", 4 * i, discards[i]);
    add("leaf0.txt", text);
}

static void discards_of_one_host_lead_to_it(void **state)
{
    (void)state;
    begin();
    add_discards((int[3]){0, 900, 0});
    const struct triage_suspect *first = judge();
    assert_int_equal(first->kind, SUSPECT_DISCARDED);
    assert_string_equal(first->device, "db8");
    end();
    begin();
    add_discards((int[3]){700, 900, 800});
    first = judge();
    assert_int_equal(first->kind, SUSPECT_DISCARDS);
    assert_string_equal(first->device, "leaf0");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_that_pauses_is_first),
        cmocka_unit_test(a_switch_that_nothing_pauses_is_overloaded),
        cmocka_unit_test(quiet_counters_show_no_harm),
        cmocka_unit_test(damaged_frames_lead_to_the_cable),
        cmocka_unit_test(drops_without_pauses_lead_to_the_port),
        cmocka_unit_test(a_lost_carrier_is_counted_or_logged),
        cmocka_unit_test(ends_that_disagree_are_named),
        cmocka_unit_test(a_weak_sign_is_no_fault),
        cmocka_unit_test(a_steady_overload_is_no_cause),
        cmocka_unit_test(pauses_from_before_are_no_cause),
        cmocka_unit_test(the_peer_of_all_that_is_lost_is_first),
        cmocka_unit_test(two_hosts_that_fell_alike_are_unclear),
        cmocka_unit_test(a_neighbor_that_sends_on_is_first),
        cmocka_unit_test(a_public_session_names_the_port),
        cmocka_unit_test(pauses_of_an_unknown_neighbor_name_the_port),
        cmocka_unit_test(a_receiver_without_counters_is_suspected),
        cmocka_unit_test(tcp_that_sends_again_leads_to_its_cable),
        cmocka_unit_test(discards_of_one_host_lead_to_it),
        cmocka_unit_test(cables_may_be_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
