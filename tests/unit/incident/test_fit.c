/* SPDX-License-Identifier: Apache-2.0
 * Flows estimated from counters, and a host whose drain rate is fitted to them. */
#include "replay/incident/fit_private.h"
#include "reports/incident/fit_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { HOSTS = 4, TEXT_BYTES = 4096, SECONDS = 100 };

static struct incident incident;
static struct triage triage;
static struct diag diag;
static char texts_of_hosts[2 * HOSTS][TEXT_BYTES];
static struct incident_text texts[2 * HOSTS + 1];
static size_t text_count;

/* Rates of links are not known: the hosts move 6 Gb/s at most, so that 10 Gb/s are assumed. */
static const char cables[] =
    "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n"
    "-----------  --------------  --------------  ------------  -----------------\n"
    "Ethernet0    host0           p0              R             p0\n"
    "Ethernet4    host1           p0              R             p0\n"
    "Ethernet8    host2           p0              R             p0\n"
    "Ethernet12   host3           p0              R             p0\n";

struct moved {
    int64_t sent, received, pauses; /* bytes and frames */
};

static void add(int host, bool after, const struct moved *moved)
{
    char *text = texts_of_hosts[text_count];
    static const char *const names[HOSTS][2] = {{"before/host0.txt", "after/host0.txt"},
                                                {"before/host1.txt", "after/host1.txt"},
                                                {"before/host2.txt", "after/host2.txt"},
                                                {"before/host3.txt", "after/host3.txt"}};
    const int64_t of = after ? 1 : 0;
    snprintf(text, TEXT_BYTES,
             "[root@host%d ~]# date\nSat Nov 28 12:%02d:%02d UTC 2026\n"
             "[root@host%d ~]# ethtool -S p0\nNIC statistics:\n"
             "     rx_bytes_phy: %lld\n     tx_bytes_phy: %lld\n"
             "     rx_prio3_bytes: %lld\n     tx_prio3_bytes: %lld\n"
             "     rx_prio3_packets: %lld\n     tx_prio3_packets: %lld\n"
             "     tx_prio3_pause: %lld\n     rx_prio3_pause: 0\n",
             host, after ? SECONDS / 60 : 0, after ? SECONDS % 60 : 0, host,
             (long long)(moved->received * of), (long long)(moved->sent * of),
             (long long)(moved->received * of), (long long)(moved->sent * of),
             (long long)(moved->received * of / 4000), (long long)(moved->sent * of / 4000),
             (long long)(moved->pauses * of));
    texts[text_count] = (struct incident_text){names[host][after], text, strlen(text)};
    text_count++;
}

static void begin(const struct moved hosts[HOSTS])
{
    text_count = 0;
    for (int i = 0; i < HOSTS; i++)
        for (int after = 0; after < 2; after++)
            add(i, after != 0, &hosts[i]);
    texts[text_count++] = (struct incident_text){"leaf0.lldp", cables, sizeof cables - 1};
    const struct incident_ask ask = {.texts = texts, .text_count = text_count};
    diag = (struct diag){0};
    if (!incident_read(&incident, &ask, &diag)) {
        diag_print(&diag, stderr);
        fail_msg("the files are refused");
    }
    triage_make(&triage, &incident);
}

static void end(void)
{
    triage_free(&triage);
    incident_free(&incident);
}

static const int64_t gigabit = 1000LL * 1000 * 1000 / 8 * SECONDS; /* bytes of 1 Gb/s */

/* Two senders, two receivers: each pair gets the product of its shares. */
static void test_flows(void **state)
{
    (void)state;
    const struct moved hosts[HOSTS] = {{.sent = 6 * gigabit},
                                       {.sent = 2 * gigabit},
                                       {.received = 4 * gigabit},
                                       {.received = 4 * gigabit}};
    struct arena arena = {0};
    struct triage scratch = {.seconds = SECONDS};
    struct triage_work work = {.triage = &scratch, .incident = &incident, .arena = &arena};
    struct fit_traffic traffic;
    begin(hosts);
    triage_map(&work);
    fit_traffic(&traffic, &work);
    assert_int_equal(traffic.priority, 3);
    assert_int_equal(traffic.count, 4);
    for (size_t i = 0; i < traffic.count; i++) {
        const struct fit_flow *flow = &traffic.flows[i];
        const double gbps = flow->rate * 8 / 1e9;
        const double wanted = strcmp(work.nodes[flow->from].name, "host0") == 0 ? 3 : 1;
        assert_true(gbps > wanted * 0.99 && gbps < wanted * 1.01);
        assert_true(flow->is_open);
        assert_false(flow->is_read);
    }
    arena_free(&scratch.arena);
    arena_free(&arena);
    end();
}

/* host3 pauses and takes 5 of 10 Gb/s: it drains no more than that while it is slow.  How much
 * exactly is tested with a real run (tests/golden/incident-fit.sh). */
static void test_slow_host(void **state)
{
    (void)state;
    const struct moved hosts[HOSTS] = {{.sent = 3 * gigabit},
                                       {.sent = 3 * gigabit},
                                       {.sent = 0},
                                       {.received = 5 * gigabit, .pauses = 2000000}};
    struct fit fit;
    begin(hosts);
    assert_true(fit_make(&fit, &incident, &triage, 0));
    assert_string_equal(fit.why, "");
    const struct fit_hypothesis *first = &fit.hypotheses[0];
    assert_string_equal(first->device, "host3");
    assert_int_equal(first->kind, FIT_SLOW_HOST);
    assert_true(first->value > 0 && first->value < 0.5 * 1.25);
    assert_true(fit.confirmed);
    assert_true(fit.remedy_count > 0);
    for (uint32_t i = 0; i < fit.remedy_count; i++)
        assert_true(fit.remedies[i].ran);
    assert_true(fit.set_count > 0);
    fit_free(&fit);
    end();
}

/* The same load without pauses needs no fault. */
static void test_no_fault(void **state)
{
    (void)state;
    const struct moved hosts[HOSTS] = {{.sent = 3 * gigabit},
                                       {.sent = 3 * gigabit},
                                       {.received = 1 * gigabit},
                                       {.received = 5 * gigabit}};
    struct fit fit;
    begin(hosts);
    assert_true(fit_make(&fit, &incident, &triage, 0));
    assert_int_equal(fit.hypotheses[0].kind, FIT_NOTHING);
    assert_false(fit.confirmed);
    fit_free(&fit);
    end();
}

/* ---- when ---- */

enum { SAMPLES = 61, APART = 10, USUAL = 1000, FAULTY = 100 };

/* One counter with a sample every 10 s, that moves by 100 instead of 1000 in some intervals. */
static struct fit_time time_of(uint32_t samples, uint32_t first, uint32_t last, uint32_t *intervals)
{
    static struct incident_sample list[SAMPLES];
    static bool compared = true;
    static int64_t usual, faulty;
    struct incident_count count = {.known = true, .samples = list, .sample_count = samples};
    struct incident seen = {.counts = &count, .count_count = 1};
    struct fit fit = {.lasts = APART * PS_PER_S, .incident_s = (samples - 1) * APART};
    struct fit_search search = {.fit = &fit, .incident = &seen, .compared = &compared};
    for (uint32_t i = 0; i < samples; i++) {
        list[i].when.seconds = 1000 + i * APART;
        list[i].value = i == 0 ? 5 : list[i - 1].value + (i > first && i <= last ? FAULTY : USUAL);
    }
    usual = USUAL;
    faulty = FAULTY;
    search.nothing.replay = &usual;
    count.difference = list[samples - 1].value - list[0].value;
    fit_find_intervals(&search);
    *intervals = search.intervals;
    double all = 0;
    for (uint32_t k = 0; k < search.intervals; k++)
        all += search.lengths[k];
    assert_int_equal((int64_t)(all + 0.5), fit.incident_s);
    const struct fit_with with = {&faulty, 1};
    return fit_time_of(&search, &with);
}

static void test_time(void **state)
{
    uint32_t intervals;
    (void)state;
    struct fit_time time = time_of(11, 4, 8, &intervals);
    assert_int_equal(intervals, 10);
    assert_true(time.share > 0.399 && time.share < 0.401);
    assert_true(time.score > -0.01);
    time = time_of(11, 10, 10, &intervals);
    assert_true(time.share < 0.001);
    /* More samples than intervals: groups of them, and the ends of the fault within two. */
    time = time_of(SAMPLES, 10, 40, &intervals);
    assert_true(intervals <= FIT_INTERVALS_MAX && intervals >= FIT_INTERVALS_MAX / 2);
    assert_true(time.share > 0.5 - 0.03 && time.share < 0.5 + 0.03);
}

/* The zeros of what was not run are no results. */
static void test_not_run(void **state)
{
    (void)state;
    char text[8192] = "";
    static struct fit fit = {.count = 1, .remedy_count = 2};
    fit.hypotheses[0] = (struct fit_hypothesis){
        .words = "mtu at host3", .magnitude = "", .set = "", .suspect = SIZE_MAX};
    fit.remedies[0] = (struct fit_remedy){.words = "no PFC"};
    fit.remedies[1] = (struct fit_remedy){.words = "moved", .ran = true, .received = 5};
    FILE *out = fmemopen(text, sizeof text, "w");
    struct json json;
    json_begin(&json, out);
    fit_json(&fit, &json);
    json_end(&json);
    fit_text(&fit, &triage, false, out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "\"words\": \"no PFC\", \"received_bytes\": null, "
                                 "\"lossless_drops\": null, \"paused_ps\": null"));
    assert_non_null(strstr(text, "\"words\": \"moved\", \"received_bytes\": 5, "
                                 "\"lossless_drops\": 0, \"paused_ps\": 0"));
    assert_non_null(strstr(text, "\"healthy_received_bytes\": null"));
    assert_non_null(strstr(text, "\"score\": null"));
    assert_non_null(strstr(text, "\"value\": null"));
    assert_non_null(strstr(text, "\"share\": null"));
    assert_non_null(strstr(text, "no PFC                                       could not be run"));
    char moved[80];
    snprintf(moved, sizeof moved, "     %-44s %7s  %14d", "moved", "-", 0);
    assert_non_null(strstr(text, moved));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flows),    cmocka_unit_test(test_slow_host),
        cmocka_unit_test(test_no_fault), cmocka_unit_test(test_not_run),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
