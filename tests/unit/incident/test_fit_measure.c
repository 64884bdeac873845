/* SPDX-License-Identifier: Apache-2.0
 * How strong a fault was and for how long, from counters alone: expected values by arithmetic. */
#include "replay/incident/fit_private.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { HOSTS = 2, SAMPLES = 9, APART = 10, LASTS = (SAMPLES - 1) * APART, TEXT_BYTES = 2048 };

static const char cables[] =
    "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n"
    "-----------  --------------  --------------  ------------  -----------------\n"
    "Ethernet0    host0           p0              R             p0\n"
    "Ethernet4    host1           p0              R             p0\n";

static struct incident incident;
static struct arena arena;
static struct triage scratch;
static struct triage_work work;

/* host0 sends 10,000 frames of 4,000 bytes a second to host1.  The counter moves by `rate` a second
 * from `from` to `to`, and by `usual` a second else. */
struct made {
    const char *counter;
    int host, rate, usual, from, to;
};

static double counted(const struct made *made, double at)
{
    const double during = fmax(0, fmin(at, made->to) - made->from);
    return during * made->rate + (at - during) * made->usual;
}

static void read_made(const struct made *made)
{
    static char texts[HOSTS * SAMPLES][TEXT_BYTES], names[HOSTS * SAMPLES][32];
    struct incident_text files[HOSTS * SAMPLES + 1] = {{"leaf0.lldp", cables, sizeof cables - 1}};
    struct diag diag = {0};
    for (int i = 0; i < HOSTS * SAMPLES; i++) {
        const int host = i % HOSTS, at = i / HOSTS * APART;
        const char *way = host == 0 ? "tx" : "rx";
        snprintf(names[i], sizeof names[i], "t%d/host%d.txt", i / HOSTS, host);
        snprintf(texts[i], TEXT_BYTES,
                 "[root@host%d ~]# date\nSat Nov 28 12:%02d:%02d UTC 2026\n"
                 "[root@host%d ~]# ethtool -S p0\nNIC statistics:\n"
                 "     %s_packets_phy: %d\n     %s_bytes_phy: %lld\n     %s: %lld\n",
                 host, at / 60, at % 60, host, way, 10000 * at, way, 40000000LL * at,
                 made->counter, host == made->host ? (long long)counted(made, at) : 0LL);
        files[i + 1] = (struct incident_text){names[i], texts[i], strlen(texts[i])};
    }
    const struct incident_ask ask = {.texts = files, .text_count = HOSTS * SAMPLES + 1};
    if (!incident_read(&incident, &ask, &diag)) {
        diag_print(&diag, stderr);
        fail_msg("the files are refused");
    }
    scratch = (struct triage){.seconds = LASTS};
    work = (struct triage_work){.triage = &scratch, .incident = &incident, .arena = &arena};
    triage_map(&work);
}

static int port_of(const char *host)
{
    return work.nodes[triage_find_node(&work, host)].ports[0];
}

/* The hypothesis as counters measure it; `kept`: whether they allow it. */
static struct fit_hypothesis measured(const struct made *made, enum fit_kind kind, int host,
                                      bool sends, bool *kept)
{
    const struct fit fit = {.incident_s = LASTS};
    read_made(made);
    const int port = port_of(host == 0 ? "host0" : "host1");
    struct fit_hypothesis hypothesis = {.kind = kind,
                                        .place = sends ? port : work.ports[port].peer,
                                        .rate = 1000000000,
                                        .share = 1};
    *kept = fit_measure(&fit, &work, &hypothesis);
    arena_free(&scratch.arena);
    arena_free(&arena);
    incident_free(&incident);
    return hypothesis;
}

static void assert_part(double value, double wanted)
{
    if (!(value > wanted * 0.99 && value < wanted * 1.01))
        fail_msg("%g instead of %g", value, wanted);
}

/* 200 of 10,000 frames of 32,000 bits: the probability of an intact frame is 0.98. */
static void test_bit_errors(void **state)
{
    bool kept;
    (void)state;
    struct made made = {"rx_crc_errors_phy", 1, 200, 0, 25, 65};
    struct fit_hypothesis of = measured(&made, FIT_BIT_ERRORS, 1, false, &kept);
    assert_true(kept && of.measured);
    assert_part(of.value, -log(0.98) / 32000);
    assert_part(of.share, 40.0 / LASTS);
    /* It lasts until the end; errors from before do not count. */
    made = (struct made){"rx_crc_errors_phy", 1, 220, 20, 33, LASTS};
    of = measured(&made, FIT_BIT_ERRORS, 1, false, &kept);
    assert_part(of.value, -log(0.98) / 32000);
    assert_part(of.share, 47.0 / LASTS);
    /* Too few to say anything. */
    made = (struct made){"rx_crc_errors_phy", 1, 1, 0, 25, 35};
    of = measured(&made, FIT_BIT_ERRORS, 1, false, &kept);
    assert_true(kept && !of.measured);
}

/* The sender notices 100 of 10,000 frames.  Nobody notices a loss in the other direction. */
static void test_loss(void **state)
{
    bool kept;
    (void)state;
    const struct made made = {"packet_seq_err", 0, 100, 0, 15, 55};
    const struct fit_hypothesis of = measured(&made, FIT_LOSS, 0, true, &kept);
    assert_true(kept && of.measured);
    assert_part(of.value, 0.01);
    assert_part(of.share, 40.0 / LASTS);
    measured(&made, FIT_LOSS, 0, false, &kept);
    assert_false(kept);
}

/* While it pauses, the host takes 320 Mb/s of 1 Gb/s. */
static void test_slow_host(void **state)
{
    bool kept;
    (void)state;
    const struct made made = {"tx_prio3_pause", 1, 5000, 0, 20, 60};
    const struct fit_hypothesis of = measured(&made, FIT_SLOW_HOST, 1, true, &kept);
    assert_true(kept && of.measured);
    assert_part(of.value, 0.32);
    assert_part(of.share, 40.0 / LASTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bit_errors),
                                       cmocka_unit_test(test_loss),
                                       cmocka_unit_test(test_slow_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
