/* SPDX-License-Identifier: Apache-2.0
 * check_ecn - frames that switches are to mark are ECN-capable.
 * Without a congestion control that uses ECN, frames are not ECT and no switch marks them: senders
 * that do slow down lose the link to them (RFC 3168).  A TCP connection has the ECN that its client
 * requests only if its server accepts it. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include "base/note_text.h"
#include "base/quantity.h"
#include "net/switch/switch.h"
#include "rnic/cc/cc.h"
#include "tcp/tcp.h"

#include <string.h>

enum { SENDS = 1 }; /* the host sends data */

#define SLOWEST (100 * PS_PER_MS) /* a hundred times the recovery time of devices */

static uint8_t *senders(const struct scenario *scenario, struct arena *arena)
{
    uint8_t *sends = arena_take(arena, scenario->host_count);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct offering all = offered_all(&scenario->workloads[w]);
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            const struct scenario_pair *pair = &scenario->workloads[w].pairs[i];
            const struct offered offered = offered_by(scenario, &all, pair);
            sends[pair->from] |= offered.out > 0 ? SENDS : 0;
            sends[pair->to] |= offered.back > 0 ? SENDS : 0;
        }
    }
    return sends;
}

static bool somebody_reacts(const struct scenario *scenario, const uint8_t *sends)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (sends[i] != 0 && !scenario_has_credits(&scenario->nodes[i]) &&
            scenario->nodes[i].host->cc->wants_ecn)
            return true;
    return false;
}

static bool some_switch_marks(const struct scenario *scenario)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        if (!scenario_has_credits(&scenario->nodes[i]) &&
            scenario->nodes[i].switch_params->ecn_kmax != 0)
            return true;
    return false;
}

/* The congestion control of a host that already reacts to ECN, or the first preset that suits links
 * of every rate. */
static const char *reacting_control(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (!scenario_has_credits(&scenario->nodes[i]) && scenario->nodes[i].host->cc->wants_ecn)
            return scenario->nodes[i].host->cc_preset->name;
    const struct cc_preset *preset = cc_list;
    while (!preset->ops->wants_ecn || preset->line_bps != 0)
        preset++;
    return preset->name;
}

/* Hosts at either end, because receivers send the CNPs. */
static const uint8_t *members(const struct scenario *scenario, struct arena *arena)
{
    uint8_t *used = arena_take(arena, scenario->host_count);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            used[scenario->workloads[w].pairs[i].from] = 1;
            used[scenario->workloads[w].pairs[i].to] = 1;
        }
    return used;
}

static int64_t value_of(const struct scenario_host *host, const char *name)
{
    return opt_value(host->cc->opts, name, host->cc_params, 0);
}

/* DCQCN returns to the rate before a cut after `f` increases by its timer or by its byte counter
 * (Zhu et al., SIGCOMM 2015, 3.1). CNPs at longer intervals cannot keep the rate down; with slower
 * increases the rate never returns. */
static void check_rhythm(const struct scenario_node *host, struct check_report *report)
{
    const time_ps timer = value_of(host->host, "rate-timer");
    const time_ps interval = value_of(host->host, "cnp-interval");
    const int64_t counter = value_of(host->host, "byte-counter"), steps = value_of(host->host, "f");
    const __int128 back = (__int128)timer * (steps + 1);
    if (timer <= 0 || host->port_count == 0)
        return;
    if (interval > back) {
        const struct check_thing thing = check_of_control(host, "cnp-interval");
        check_alike(report, DIAG_WARNING, &thing,
                    "CNPs are at least %s apart (cnp-interval), but senders recover their rate "
                    "after %s (rate-timer, f): queues grow until pauses act",
                    note_time(interval).text, note_time((time_ps)back).text);
        char value[QUANTITY_TEXT_BYTES];
        quantity_format(QUANTITY_TIME, (time_ps)back, value, sizeof value);
        check_remedy(report, "set cnp-interval: %s or less", note_time((time_ps)back).text);
        check_set_control(report, &thing, value);
    }
    const __int128 bytes = (__int128)counter * (steps + 1);
    const __int128 sent = (__int128)host->ports[0].params->rate / 8 * SLOWEST / PS_PER_S;
    if (back > SLOWEST && bytes > sent) {
        const struct check_thing thing = check_of_control(host, "rate-timer");
        check_alike(report, DIAG_WARNING, &thing,
                    "after a CNP the rate needs %s to recover (rate-timer %s, f %lld)",
                    note_time((time_ps)back).text, note_time(timer).text, (long long)steps);
        check_remedy(report,
                     "use a rate-timer of 55us to 300us, and a byte-counter of several megabytes");
        check_set_control(report, &thing, "300us");
    }
}

/* ------------------------------------------------------------------ both ends of TCP */

enum { NO_ECN, CLASSIC_ECN, ACCURATE_ECN };

static bool wants_ecn(const struct tcp_params *params)
{
    return tcp_cc_list[params->congestion_control]->wants_ecn;
}

static int requested(const struct tcp_params *params)
{
    if (params->ecn == TCP_ECN_ACCURATE)
        return ACCURATE_ECN;
    return tcp_ecn_requests(params->ecn) || wants_ecn(params) ? CLASSIC_ECN : NO_ECN;
}

static int accepted(const struct tcp_params *params)
{
    if (tcp_ecn_accepts_accurate(params->ecn))
        return ACCURATE_ECN;
    return params->ecn != TCP_ECN_OFF || wants_ecn(params) ? CLASSIC_ECN : NO_ECN;
}

static void report_server(const struct scenario_node *client, const struct scenario_node *server,
                          struct check_report *report)
{
    static const char *const values[] = {"off", "passive", "accurate-passive"};
    static const char *const asks[] = {"no ECN", "ECN", "accurate ECN"};
    const int asked = requested(client->host->tcp), has = accepted(server->host->tcp);
    const struct check_thing thing = check_of_tcp(server, "ecn");
    check_alike(report, has == NO_ECN ? DIAG_WARNING : DIAG_NOTE, &thing,
                "accepts %s over TCP, but %s requests %s: %s",
                has == NO_ECN ? "no ECN" : "only classic ECN", client->name, asks[asked],
                has == NO_ECN ? "switches drop segments of the connection instead of marking them"
                              : "the connection falls back to classic ECN, which returns one mark "
                                "per round trip");
    check_remedy(report, "use tcp.ecn %s", values[asked]);
    check_set_here(report, server, SCENARIO_ALL_PORTS, "tcp: {ecn: %s}", values[asked]);
}

/* One client of each server that accepts less than it is asked for. */
static void check_servers(const struct scenario *scenario, struct arena *arena,
                          struct check_report *report)
{
    uint8_t *reported = arena_take(arena, scenario->host_count);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; workload->by_tcp && i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const struct scenario_node *client = &scenario->nodes[pair->from];
            const struct scenario_node *server = &scenario->nodes[pair->to];
            if (reported[pair->to] != 0 ||
                requested(client->host->tcp) <= accepted(server->host->tcp))
                continue;
            reported[pair->to] = 1;
            report_server(client, server, report);
        }
    }
}

static void run_ecn_check(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    const uint8_t *sends = senders(scenario, &scratch);
    const bool mixed = somebody_reacts(scenario, sends);
    const bool expected = some_switch_marks(scenario);
    const char *control = reacting_control(scenario);
    for (uint32_t i = 0; expected && i < scenario->host_count; i++) {
        const struct scenario_node *host = &scenario->nodes[i];
        if (sends[i] == 0 || strcmp(host->host->cc->name, "none") != 0)
            continue;
        const struct check_thing thing = {.node = host, .port = SCENARIO_ALL_PORTS};
        check_alike(report, mixed ? DIAG_WARNING : DIAG_NOTE, &thing,
                    "congestion-control none: frames are not ECT, so no switch marks them%s",
                    mixed ? ", and senders that react to marks leave the links to these frames"
                          : " and only pauses limit their senders");
        check_shows(report, mixed ? NULL : "ecn.marked == 0");
        check_remedy(report, "use congestion-control %s for all senders that share links", control);
        check_set_here(report, host, SCENARIO_ALL_PORTS, "rnic: {congestion-control: %s}", control);
    }
    const uint8_t *used = members(scenario, &scratch);
    for (uint32_t i = 0; expected && i < scenario->host_count; i++)
        if (used[i] != 0)
            check_rhythm(&scenario->nodes[i], report);
    if (expected)
        check_servers(scenario, &scratch, report);
    arena_free(&scratch);
}

const struct check_rule check_ecn = {
    .name = "ecn",
    .about = "Frames are ECT if switches should mark them, CNPs come more often than senders raise "
             "their rates, and TCP servers accept the ECN that their clients request.",
    .ethernet = true,
    .run = run_ecn_check,
};
