/* SPDX-License-Identifier: Apache-2.0
 * Settings of two switches, each with two hosts, that differ. */
#include "replay/incident/triage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 4096, SWITCHES = 3, FILES = 3 * SWITCHES };

/* Of one switch: the MTU of its second port, its lossless priorities, the class of DSCP 26, and
 * frames that it sent. */
struct made {
    const char *mtu, *pfc, *class;
    int frames, giants;
};

static char made_texts[FILES][TEXT_BYTES];
static struct incident incident;
static struct triage triage;

static void make_files(int index, const struct made *made, struct incident_text texts[3])
{
    static char names[FILES][32];
    char *text = made_texts[3 * index];
    snprintf(
        text, TEXT_BYTES,
        "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"sw%d\"}},\n"
        " \"PORT\": {\"Ethernet0\": {\"speed\": \"100000\", \"admin_status\": \"up\", \"mtu\": "
        "\"9100\"},\n"
        "  \"Ethernet4\": {\"speed\": \"100000\", \"admin_status\": \"up\", \"mtu\": \"%s\"}},\n"
        " \"DSCP_TO_TC_MAP\": {\"AZURE\": {\n  \"26\": \"%s\"}},\n"
        " \"TC_TO_QUEUE_MAP\": {\"AZURE\": {\"0\": \"0\", \"1\": \"1\", \"3\": \"3\"}},\n"
        " \"PORT_QOS_MAP\": {\n"
        "  \"Ethernet0\": {\"dscp_to_tc_map\": \"AZURE\", \"tc_to_queue_map\": \"AZURE\", "
        "\"pfc_enable\": \"%s\"},\n"
        "  \"Ethernet4\": {\"dscp_to_tc_map\": \"AZURE\", \"tc_to_queue_map\": \"AZURE\", "
        "\"pfc_enable\": \"%s\"}}}\n",
        index, made->mtu, made->class, made->pfc, made->pfc);
    snprintf(made_texts[3 * index + 1], TEXT_BYTES,
             "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n"
             "-----------  --------------  --------------  ------------  -----------------\n"
             "Ethernet0    db%d             eth2            R             eth2\n"
             "Ethernet4    db%d             eth2            R             eth2\n",
             2 * index, 2 * index + 1);
    snprintf(
        made_texts[3 * index + 2], TEXT_BYTES,
        "     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes\n"
        "---------  -----  --------------  ---------------  -----------  ------------\n"
        "Ethernet0    UC3  %d  %d000  0  0\nEthernet4    UC3  %d  %d000  0  0\n"
        "    IFACE    STATE    RX_OK    RX_ERR    RX_DRP    RX_OVR    TX_OK    TX_ERR    TX_DRP"
        "    TX_OVR\n"
        "---------  -------  -------  --------  --------  --------  -------  --------  --------"
        "  --------\n"
        "Ethernet4  U  7  0  %d  0  7  0  0  0\n",
        made->frames, made->frames, made->frames, made->frames, made->giants);
    static const char *const suffixes[] = {"-config_db.json", ".lldp", "-counters.txt"};
    for (int i = 0; i < 3; i++) {
        char *name = names[3 * index + i];
        snprintf(name, sizeof names[0], "sw%d%s", index, suffixes[i]);
        texts[i] = (struct incident_text){name, made_texts[3 * index + i],
                                          strlen(made_texts[3 * index + i])};
    }
}

static const struct triage_suspect *judge(const struct made *made, int count)
{
    struct incident_text texts[FILES];
    struct diag diag = {0};
    for (int i = 0; i < count; i++)
        make_files(i, &made[i], &texts[3 * i]);
    const struct incident_ask ask = {.texts = texts, .text_count = (size_t)(3 * count)};
    if (!incident_read(&incident, &ask, &diag)) {
        diag_print(&diag, stderr);
        fail_msg("the files are refused");
    }
    if (incident.scenario == NULL)
        fail_msg("no fabric: %s", incident.notes);
    triage_make(&triage, &incident);
    for (size_t i = 0; i < triage.suspect_count; i++)
        if (triage.suspects[i].kind == SUSPECT_CONFIGURATION)
            return &triage.suspects[i];
    return NULL;
}

static void end(void)
{
    triage_free(&triage);
    incident_free(&incident);
}

static void a_port_with_another_mtu(void **state)
{
    (void)state;
    const struct made made[] = {{"9100", "3", "3", 5000, 0}, {"1500", "3", "3", 5000, 900}};
    const struct triage_suspect *suspect = judge(made, 2);
    assert_non_null(suspect);
    assert_string_equal(suspect->device, "sw1");
    assert_string_equal(suspect->port, "Ethernet4");
    assert_string_equal(suspect->peer, "db3");
    assert_string_equal(suspect->signs[0].text,
                        "sw1 Ethernet4: mtu is 1500B, at its peers 9100B (PORT, mtu)");
    assert_string_equal(suspect->signs[0].place.file, "sw1-config_db.json");
    assert_int_equal(suspect->signs[0].place.line, 3);
    assert_true(suspect->score > 5);
    end();
}

/* Without frames that are too large the same setting is a weaker sign, and without traffic none. */
static void a_setting_without_effect_is_weaker(void **state)
{
    (void)state;
    struct made made[] = {{"9100", "3", "3", 5000, 0}, {"1500", "3", "3", 5000, 0}};
    const struct triage_suspect *suspect = judge(made, 2);
    assert_non_null(suspect);
    assert_true(suspect->score < 4.5);
    end();
    made[1].frames = 0;
    assert_null(judge(made, 2));
    end();
}

static void a_larger_mtu_harms_nothing(void **state)
{
    (void)state;
    const struct made made[] = {{"9100", "3", "3", 5000, 0}, {"9216", "3", "3", 5000, 900}};
    assert_null(judge(made, 2));
    end();
}

/* All ports of sw2: one suspect, which is the switch. */
static void a_switch_without_pfc(void **state)
{
    (void)state;
    const struct made made[] = {
        {"9100", "3", "3", 5000, 0}, {"9100", "3", "3", 5000, 0}, {"9100", "4", "3", 5000, 50}};
    const struct triage_suspect *suspect = judge(made, 3);
    assert_non_null(suspect);
    assert_string_equal(suspect->device, "sw2");
    assert_null(suspect->port);
    assert_int_equal(suspect->sign_count, 1);
    assert_non_null(strstr(suspect->signs[0].text, "pfc-priorities is 4, at its peers 3"));
    for (size_t i = 0; i < triage.suspect_count; i++)
        assert_true(&triage.suspects[i] == suspect ||
                    triage.suspects[i].kind != SUSPECT_CONFIGURATION);
    end();
}

static void a_switch_with_another_map(void **state)
{
    (void)state;
    const struct made made[] = {
        {"9100", "3", "3", 5000, 0}, {"9100", "3", "1", 5000, 0}, {"9100", "3", "3", 5000, 0}};
    const struct triage_suspect *suspect = judge(made, 3);
    assert_non_null(suspect);
    assert_string_equal(suspect->device, "sw1");
    assert_string_equal(suspect->signs[0].text,
                        "sw1 maps DSCP 26 to class 1, its peers map it to class 3");
    assert_int_equal(suspect->signs[0].place.line, 5);
    end();
}

/* No value has a majority: the smaller MTU can harm. */
static void half_of_the_ports(void **state)
{
    (void)state;
    const struct made made[] = {{"1500", "3", "3", 5000, 900}, {"1500", "3", "3", 5000, 900}};
    const struct triage_suspect *suspect = judge(made, 2);
    assert_non_null(suspect);
    assert_string_equal(suspect->port, "Ethernet4");
    assert_true(suspect->score < 4.5);
    end();
}

/* ---- hosts ---- */

/* One session of three hosts: counters, sysctl and commands. */
static const struct triage_suspect *judge_hosts(const char *const settings[3])
{
    char text[TEXT_BYTES];
    size_t length = 0;
    struct diag diag = {0};
    for (int i = 0; i < 3; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "[root@db%d ~]# ethtool -S eth2\nNIC statistics:\n"
                                   "     tx_prio0_bytes: 9000000\n     rx_prio0_bytes: 90000\n%s",
                                   i, settings[i]);
    const struct incident_text session = {"session.txt", text, length};
    const struct incident_ask ask = {.texts = &session, .text_count = 1};
    if (!incident_read(&incident, &ask, &diag))
        fail_msg("the session is refused");
    triage_make(&triage, &incident);
    assert_string_equal(incident.notes, "");
    assert_int_equal(incident.files[0].lines_left, 0);
    return triage.suspect_count == 0 ? NULL : &triage.suspects[0];
}

static void assert_odd(const struct triage_suspect *suspect, const char *device, int line,
                       const char *words)
{
    assert_non_null(suspect);
    assert_int_equal(suspect->kind, SUSPECT_CONFIGURATION);
    assert_string_equal(suspect->device, device);
    assert_string_equal(suspect->signs[0].text, words);
    assert_string_equal(suspect->signs[0].place.file, "session.txt");
    assert_int_equal(suspect->signs[0].place.line, line);
    assert_int_equal(triage.suspect_count, 1);
    end();
}

static void a_host_with_another_sysctl(void **state)
{
    static const char usual[] = "net.ipv4.tcp_rmem = 4096 131072 6291456\n",
                      small[] = "[root@db1 ~]# sysctl net.ipv4.tcp_rmem\n"
                                "net.ipv4.tcp_rmem = 4096 32768 32768\n";
    (void)state;
    const char *const texts[] = {usual, small, ""};
    assert_odd(judge_hosts(texts), "db1", 11,
               "db1: receive-buffer is 32KiB, at its peers 128KiB (net.ipv4.tcp_rmem)");
    const char *const same[] = {usual, usual, ""};
    assert_null(judge_hosts(same));
    end();
    const char *const larger[] = {"", "net.ipv4.tcp_rmem = 4096 262144 6291456\n", ""};
    assert_null(judge_hosts(larger));
    end();
}

/* A command belongs to the host that its prompt names. */
static void a_host_with_another_option(void **state)
{
    static const char all[] = "[root@db0 ~]# nvme connect -t tcp -n nqn.a -a 10.0.0.9 -s 4420\n",
                      tls[] = "[root@db2 ~]# nvme connect -t tcp -n nqn.a -a 10.0.0.9 \\\n"
                              "  -s 4420 --tls\n";
    (void)state;
    const char *const texts[] = {all, "", tls};
    assert_odd(judge_hosts(texts), "db2", 15, "db2: tcp-tls is true, at its peers false (--tls)");
}

static void a_host_with_another_class(void **state)
{
    static const char usual[] = "DCBX mode: OS controlled\nPriority trust state: dscp\n"
                                "PFC configuration:\n"
                                "\tpriority    0   1   2   3   4   5   6   7\n"
                                "\tenabled     0   0   0   1   0   0   0   0\n",
                      odd[] = "PFC configuration:\n"
                              "\tpriority    0   1   2   3   4   5   6   7\n"
                              "\tenabled     0   0   0   0   0   0   0   0\n";
    (void)state;
    const char *const texts[] = {usual, usual, odd};
    assert_odd(judge_hosts(texts), "db2", 25,
               "db2: pfc is false, at its peers true (PFC configuration, enabled)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_with_another_mtu),
        cmocka_unit_test(a_setting_without_effect_is_weaker),
        cmocka_unit_test(a_larger_mtu_harms_nothing),
        cmocka_unit_test(a_switch_without_pfc),
        cmocka_unit_test(a_switch_with_another_map),
        cmocka_unit_test(half_of_the_ports),
        cmocka_unit_test(a_host_with_another_sysctl),
        cmocka_unit_test(a_host_with_another_option),
        cmocka_unit_test(a_host_with_another_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
