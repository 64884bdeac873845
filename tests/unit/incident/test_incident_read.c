/* SPDX-License-Identifier: Apache-2.0
 * Files of an incident: whose they are, when, and what they say. */
#include "scenarios/data/scenario.h"
#include "scenarios/incident/incident.h"
#include "scenarios/incident/incident_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct incident incident;
static struct diag diag;

static void read_texts(const struct incident_text *texts, size_t count)
{
    const struct incident_ask ask = {.texts = texts, .text_count = count};
    diag = (struct diag){0};
    if (!incident_read(&incident, &ask, &diag)) {
        diag_print(&diag, stderr);
        fail_msg("the files are refused");
    }
}

static void read_text(const char *name, const char *text)
{
    read_texts(&(const struct incident_text){name, text, strlen(text)}, 1);
}

static int64_t difference(const char *host, const char *port, const char *name, int priority)
{
    const struct incident_count *count = incident_find(&incident, host, port, name, priority);
    if (count == NULL)
        fail_msg("%s:%s has no %s", host, port, name);
    return count->difference;
}

/* ---- names of files ---- */

static void names_say_host_device_and_sample(void **state)
{
    static const struct {
        const char *path, *host, *device;
        int rank;
    } rows[] = {
        {"leaf0.txt", "leaf0", NULL, 0},
        {"leaf0-before.txt", "leaf0", NULL, 0},
        {"leaf0.after", "leaf0", NULL, 1000},
        {"after/leaf0-pfc-counters.txt", "leaf0", NULL, 1000},
        {"t3/host7-ethtool-eth2.txt", "host7", "eth2", 3},
        {"002/host7_mlx5_0.txt", "host7", "mlx5_0", 2},
        {"db7/before/ethtool.txt", "db7", NULL, 0},
        {"gpu-rack-12.dc1.example.com-dmesg.log", "gpu-rack-12", NULL, 0},
        {"dmesg.txt", "unknown", NULL, 0},
    };
    struct arena arena = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct incident_name name = incident_name(&arena, rows[i].path);
        assert_string_equal(name.host, rows[i].host);
        if (rows[i].device == NULL)
            assert_null(name.device);
        else
            assert_string_equal(name.device, rows[i].device);
        assert_int_equal(name.when.rank, rows[i].rank);
    }
    arena_free(&arena);
}

/* ---- a session in one file ---- */

static const char session[] =
    "[root@db7 ~]# date\n"
    "Sat Nov 28 00:46:12 UTC 2026\n"
    "[root@db7 ~]# ethtool -S eth2 | grep pause\n"
    "     rx_prio3_pause: 10\n"
    "     tx_prio3_pause: 100\n"
    "[root@db7 ~]# grep . /sys/class/infiniband/mlx5_0/ports/1/hw_counters/*\n"
    "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:7\n"
    "[root@db7 ~]# date\n"
    "Sat Nov 28 00:46:42 UTC 2026\n"
    "[root@db7 ~]# ethtool -S eth2 | grep pause\n"
    "     rx_prio3_pause: 10\n"
    "     tx_prio3_pause: 5100\n"
    "admin@leaf0:~$ show pfc counters\n"
    "  Port Rx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7\n"
    "---------  ------  ------  ------  ------  ------  ------  ------  ------\n"
    "Ethernet0       0       0       0   5,000       0       0       0       0\n"
    "admin@leaf0:~$ show version\n"
    "what is this 17?\n";

static void a_session_is_read_whole(void **state)
{
    (void)state;
    read_text("paste.txt", session);
    assert_int_equal(difference("db7", "eth2", "tx_prio3_pause", 3), 5000);
    assert_int_equal(difference("db7", "eth2", "rx_prio3_pause", 3), 0);
    assert_int_equal(difference("db7", "mlx5_0/1", "out_of_sequence", -1), 7);
    assert_int_equal(difference("leaf0", "Ethernet0", "rx_prio3_pause", 3), 5000);
    const struct incident_count *pauses =
        incident_find(&incident, "db7", "eth2", "tx_prio3_pause", 3);
    assert_int_equal(pauses->sample_count, 2);
    assert_int_equal(pauses->samples[1].when.seconds - pauses->samples[0].when.seconds, 30);
    assert_int_equal(pauses->samples[1].place.line, 12);
    /* No line is lost in silence. */
    assert_int_equal(incident.files[0].lines_left, 1);
    assert_int_equal(incident.files[0].first_left.line, 18);
    assert_int_equal(incident.host_count, 2);
    incident_free(&incident);
}

/* What was not printed is not known, not zero. */
static void what_is_missing_is_unknown(void **state)
{
    (void)state;
    read_text("paste.txt", session);
    assert_null(incident_find(&incident, "db7", "eth2", "rx_prio4_pause", 4));
    assert_null(incident_find(&incident, "db8", "eth2", "rx_prio3_pause", 3));
    incident_free(&incident);
}

static void samples_are_ordered_by_names(void **state)
{
    static const char before[] = "NIC statistics:\n     tx_prio3_pause: 40\n",
                      after[] = "NIC statistics:\n     tx_prio3_pause: 100\n";
    const struct incident_text texts[] = {{"after/db7-eth2.txt", after, sizeof after - 1},
                                          {"before/db7-eth2.txt", before, sizeof before - 1}};
    (void)state;
    read_texts(texts, 2);
    assert_int_equal(difference("db7", "eth2", "tx_prio3_pause", 3), 60);
    incident_free(&incident);
}

static void a_reset_counts_from_zero(void **state)
{
    static const char text[] = "$ date\n2026-11-28 00:46:12\n$ ethtool -S eth2\nNIC statistics:\n"
                               "     tx_prio3_pause: 40\n$ date\n2026-11-28 00:46:22\n"
                               "$ ethtool -S eth2\nNIC statistics:\n     tx_prio3_pause: 15\n";
    (void)state;
    read_text("db7.txt", text);
    assert_int_equal(difference("db7", "eth2", "tx_prio3_pause", 3), 15);
    assert_non_null(strstr(incident.notes, "was reset in between"));
    incident_free(&incident);
}

/* Intel's cards count XON and XOFF apart. */
static void parts_add_up(void **state)
{
    static const char text[] = "NIC statistics:\n     port.rx_priority_3_xon_rx: 4\n"
                               "     port.rx_priority_3_xoff_rx: 6\n";
    (void)state;
    read_text("db7-eth2.txt", text);
    assert_int_equal(difference("db7", "eth2", "rx_prio3_pause", 3), 10);
    incident_free(&incident);
}

/* ---- logs ---- */

static void messages_are_known(void **state)
{
    static const struct {
        const char *line;
        enum incident_event_kind kind;
        const char *host, *subject;
    } rows[] = {
        {"[ 1234.567890] nvme nvme3: I/O 12 QID 3 timeout", INCIDENT_IO_TIMEOUT, "db7", "nvme3"},
        {"[ 1234.567890] nvme nvme3: I/O tag 12 (000c) opcode 0x2 (I/O Cmd) QID 3 timeout",
         INCIDENT_IO_TIMEOUT, "db7", "nvme3"},
        {"Nov 28 00:46:12 db9 kernel: [ 1234.567890] nvme nvme0: starting error recovery",
         INCIDENT_RECOVERY, "db9", "nvme0"},
        {"Nov 28 00:46:12 db9 kernel: nvme nvme0: Reconnecting in 10 seconds...",
         INCIDENT_RECONNECT, "db9", "nvme0"},
        {"[Sat Nov 28 00:46:12 2026] nvme nvme0: failed nvme_keep_alive_end_io error=10",
         INCIDENT_KEEP_ALIVE, "db7", "nvme0"},
        {"2026-11-28T00:46:12.1+00:00 st1 kernel: nvmet: ctrl 4 keep-alive timer (5 seconds) "
         "expired!",
         INCIDENT_TARGET_KEEP_ALIVE, "st1", ""},
        {"Nov 28 00:46:12 db9 kernel: mlx5_core 0000:3b:00.0: Port module event: module 0, Cable "
         "unplugged",
         INCIDENT_MODULE, "db9", "mlx5_core 0000:3b:00.0"},
        {"Nov 28 00:46:12 db9 kernel: bnxt_en 0000:3b:00.0 eth2: Pause Storm detected!",
         INCIDENT_PAUSE_STORM, "db9", "bnxt_en 0000:3b:00.0"},
        {"Nov 28 00:46:12.120311 leaf0 NOTICE swss#orchagent: :- updatePortOperStatus: Port "
         "Ethernet24 oper state set from up to down",
         INCIDENT_LINK_DOWN, "leaf0", "Ethernet24"},
        {"2026 Nov 28 00:46:12.120311 leaf0 NOTICE swss#orchagent: :- report: PFC Watchdog "
         "detected PFC storm on port Ethernet24, queue index 3, queue id 0x15 and port id 0x1",
         INCIDENT_PAUSE_STORM, "leaf0", "Ethernet24"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_text("db7-dmesg.txt", rows[i].line);
        if (incident.event_count != 1)
            fail_msg("%s: %zu messages", rows[i].line, incident.event_count);
        assert_int_equal(incident.events[0].kind, rows[i].kind);
        assert_string_equal(incident.events[0].host, rows[i].host);
        assert_string_equal(incident.events[0].subject, rows[i].subject);
        incident_free(&incident);
    }
}

static void other_log_lines_are_counted(void **state)
{
    (void)state;
    read_text("db7.log", "Nov 28 00:46:12 db7 systemd[1]: Started x.\n[ 12.5] audit: 17\n");
    assert_int_equal(incident.event_count, 0);
    assert_int_equal(incident.files[0].log_lines, 2);
    assert_int_equal(incident.files[0].lines_left, 0);
    incident_free(&incident);
}

/* ---- cables ---- */

/* A neighbor with the bridge capability and a MAC address as its port may be a host. */
static void cables_need_no_configuration(void **state)
{
    static const char leaf[] =
        "admin@leaf0:~$ show pfc counters\n"
        "  Port Rx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7\n"
        "---------  ------  ------  ------  ------  ------  ------  ------  ------\n"
        "Ethernet0       0       0       0   5,000       0       0       0       0\n"
        "Ethernet4       0       0       0       0       0       0       0       0\n"
        "admin@leaf0:~$ show lldp table\n"
        "Capability codes: (R) Router, (B) Bridge, (O) Other\n"
        "LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr\n"
        "-----------  --------------  -----------------  ------------  -----------------\n"
        "Ethernet0    db7             02:00:5e:00:53:01  BR            eth2\n"
        "Ethernet4    db8             02:00:5e:00:53:02  BR            eth2\n"
        "--------------------------------------------------\n"
        "Total entries displayed:  2\n";
    (void)state;
    read_text("leaf0.txt", leaf);
    assert_int_equal(incident.files[0].cables, 2);
    assert_int_equal(incident.files[0].lines_left, 0);
    assert_non_null(incident.scenario);
    assert_true(incident.rates_assumed);
    assert_int_equal(incident.scenario->link_count, 2);
    assert_int_equal(incident.scenario->host_count, 2);
    incident_free(&incident);
}

/* ---- what is wrong ---- */

/* The other counters are read, what is wrong has its place, and its counter is unknown. */
static void malformed_lines_are_skipped(void **state)
{
    static const char text[] = "NIC statistics:\n     tx_prio3_pause: 99999999999999999999\n"
                               "     rx_prio3_pause: 7\n     rx_prio4_pau\n";
    (void)state;
    read_text("db7-eth2.txt", text);
    assert_int_equal(incident.files[0].malformed, 2);
    assert_int_equal(incident.files[0].first_malformed.line, 2);
    assert_null(incident.files[0].left_out);
    assert_non_null(strstr(incident.notes, "db7-eth2.txt:2:22: warning: expected a count"));
    assert_non_null(strstr(incident.notes, "db7-eth2.txt:4:6: warning: "));
    assert_int_equal(difference("db7", "eth2", "rx_prio3_pause", 3), 7);
    assert_null(incident_find(&incident, "db7", "eth2", "tx_prio3_pause", 3));
    incident_free(&incident);
}

/* More of them than a diag keeps. */
static void many_malformed_lines_end_no_file(void **state)
{
    enum { LINES = 30 };
    static char text[LINES * 24 + 64];
    size_t length = (size_t)snprintf(text, sizeof text, "NIC statistics:\n");
    (void)state;
    for (int i = 0; i < LINES; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, " rx_prio%d_pause: x\n", i % 8);
    snprintf(text + length, sizeof text - length, " tx_prio3_pause: 5\n");
    read_text("db7-eth2.txt", text);
    assert_int_equal(incident.files[0].malformed, LINES);
    assert_int_equal(difference("db7", "eth2", "tx_prio3_pause", 3), 5);
    incident_free(&incident);
    read_text("db7-eth2.txt", "NIC statistics:\n rx_prio3_pause: x\n");
    assert_string_equal(incident.files[0].left_out, "no line could be read");
    incident_free(&incident);
}

/* queuestat leaves out rows of zeroes, but a row that was cut is not 0. */
static void a_malformed_row_is_not_zero(void **state)
{
    static const char head[] =
        "     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes\n"
        "---------  -----  --------------  ---------------  -----------  ------------\n";
    static const char *const earlier[] = {"Ethernet4    UC3               7", "Ethernet4    UC4"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char before[512], after[512];
        snprintf(before, sizeof before, "%s%s x 0 0 0\n", head, earlier[i]);
        snprintf(after, sizeof after, "%sEthernet4    UC3    50    9000    0    0\n", head);
        const struct incident_text texts[] = {{"before/leaf0.txt", before, strlen(before)},
                                              {"after/leaf0.txt", after, strlen(after)}};
        read_texts(texts, 2);
        const struct incident_count *bytes =
            incident_find(&incident, "leaf0", "Ethernet4", "tx_prio3_bytes", 3);
        assert_non_null(bytes);
        assert_int_equal(bytes->sample_count, 1);
        incident_free(&incident);
    }
}

static void other_files_are_named(void **state)
{
    (void)state;
    read_text("notes.txt", "The storm began after lunch.\n");
    assert_non_null(incident.files[0].left_out);
    incident_free(&incident);
    read_texts(&(const struct incident_text){"core", "\177ELF\0\0", 6}, 1);
    assert_non_null(incident.files[0].left_out);
    incident_free(&incident);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_say_host_device_and_sample),
                                       cmocka_unit_test(a_session_is_read_whole),
                                       cmocka_unit_test(what_is_missing_is_unknown),
                                       cmocka_unit_test(samples_are_ordered_by_names),
                                       cmocka_unit_test(a_reset_counts_from_zero),
                                       cmocka_unit_test(parts_add_up),
                                       cmocka_unit_test(messages_are_known),
                                       cmocka_unit_test(other_log_lines_are_counted),
                                       cmocka_unit_test(cables_need_no_configuration),
                                       cmocka_unit_test(malformed_lines_are_skipped),
                                       cmocka_unit_test(many_malformed_lines_end_no_file),
                                       cmocka_unit_test(a_malformed_row_is_not_zero),
                                       cmocka_unit_test(other_files_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
