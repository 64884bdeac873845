/* SPDX-License-Identifier: Apache-2.0
 * check_io_times - NVMe timeouts are longer than the waits that the scenario itself causes.
 * Commands wait for the bytes of earlier commands on the target's links (Little's law), and for a
 * target that is stopped by a fault. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include "base/note_text.h"
#include "base/numbers.h"
#include "base/quantity.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/data/fault.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/workload.h"

enum io_timer { IO_TIMEOUT, KEEP_ALIVE, FAST_IO_FAIL_TMO, CTRL_LOSS_TMO, TIMERS };
static const char *const timer_rows[TIMERS] = {"io-timeout", "keep-alive", "fast-io-fail-tmo",
                                               "ctrl-loss-tmo"};

/* All pairs are searched twice: first for the longest wait of each timer, then for findings. One
 * setting may apply to several hosts, and one host may use several targets, so each remedy covers
 * the longest wait of all. */
struct search {
    const struct scenario *scenario;
    struct check_report *report; /* NULL in the first pass */
    time_ps longest[TIMERS];
};

/* Records the wait if the timer is shorter. True in the second pass: report it. */
static bool record_wait(struct search *search, enum io_timer timer, time_ps is, time_ps waits)
{
    if (is >= waits)
        return false;
    search->longest[timer] = max_i64(search->longest[timer], waits);
    return search->report != NULL;
}

static void propose_timer(const struct search *search, const struct check_thing *thing,
                          enum io_timer timer)
{
    const time_ps above = search->longest[timer];
    char value[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_TIME, 2 * above, value, sizeof value);
    check_remedy(search->report, "set nvme.%s above %s", thing->row, note_time(above).text);
    check_set(search->report, thing, "%s", value);
}

/* ------------------------------------------------------------------ load */

/* Time that the bytes of all closed loops take on the links of each target. */
static time_ps *full_times(const struct scenario *scenario, struct arena *arena)
{
    time_ps *times = arena_array(arena, scenario->host_count, sizeof *times);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        const struct wl_nvme_params *params = workload->params;
        if (!workload->ops->needs_nvme_target || workload->job != NULL || params->rate != 0)
            continue;
        const struct offering offering = offered_all(workload);
        const int64_t share = max_i64(offering.share, PPM - offering.share);
        const __int128 bits =
            (__int128)params->queue_depth * workload->copies * offering.mean * 8 * share / PPM;
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_node *host = &scenario->nodes[workload->pairs[i].from];
            const int64_t cores = wl_nvme_cores(params, &host->host->nvme_host->core);
            const struct scenario_node *target = &scenario->nodes[workload->pairs[i].to];
            const int64_t room = offered_room(target);
            const __int128 sum =
                room > 0 ? times[target->index] + bits * cores * PS_PER_S / room : 0;
            times[target->index] = sum < TIME_NEVER / 4 ? (time_ps)sum : TIME_NEVER / 4;
        }
    }
    return times;
}

static void check_load(struct search *search, const struct scenario_node *host,
                       const struct scenario_node *target, time_ps waits)
{
    const struct check_thing thing = check_of_initiator(host, timer_rows[IO_TIMEOUT]);
    if (!record_wait(search, IO_TIMEOUT, host->host->nvme_host->core.io_timeout, waits))
        return;
    check_alike(search->report, DIAG_WARNING, &thing,
                "nvme.io-timeout is %s, but the data of all outstanding commands take %s on the "
                "links of %s: commands time out under full load",
                note_time(host->host->nvme_host->core.io_timeout).text, note_time(waits).text,
                target->name);
    propose_timer(search, &thing, IO_TIMEOUT);
}

/* ------------------------------------------------------------------ faults */

/* Reports a timer of the host that expires before the outage ends. */
static void check_timer(struct search *search, const struct scenario_node *host,
                        enum io_timer timer, time_ps is, const char *outage, time_ps lasts,
                        const char *words)
{
    const struct check_thing thing = check_of_initiator(host, timer_rows[timer]);
    if (!record_wait(search, timer, is, lasts))
        return;
    check_alike(search->report, DIAG_WARNING, &thing, "nvme.%s is %s, but %s lasts %s: %s",
                timer_rows[timer], note_time(is).text, outage, note_time(lasts).text, words);
    propose_timer(search, &thing, timer);
}

static void check_reconnect(const struct search *search, const struct scenario_fault *fault,
                            const char *outage, const struct scenario_node *host)
{
    const struct scenario *scenario = search->scenario;
    const time_ps delay = host->host->nvme_host->core.reconnect_delay;
    const struct check_thing thing = check_of_initiator(host, "reconnect-delay");
    if (search->report == NULL || fault->end >= scenario->duration ||
        fault->at + delay <= scenario->duration)
        return;
    check_alike(search->report, DIAG_WARNING, &thing,
                "nvme.reconnect-delay is %s: after %s, no host reconnects before the run "
                "ends at %s",
                note_time(delay).text, outage, note_time(scenario->duration).text);
    check_remedy(search->report,
                 "set nvme.reconnect-delay to about %s, the length of the outage, or run longer",
                 note_time(fault->end - fault->at).text);
}

static void check_outage(struct search *search, uint32_t index, const struct scenario_node *host)
{
    const struct scenario_fault *fault = &search->scenario->faults[index];
    const struct nvme_host_params *nvme = &host->host->nvme_host->core;
    const unsigned breaks = fault->ops->breaks(fault->params);
    const unsigned crash = FAULT_KILLS_TARGET | FAULT_DISTURBS_FLOWS;
    const time_ps lasts = fault->end - fault->at;
    const struct fault_name name = fault_name(search->scenario, index);
    if ((breaks & FAULT_KILLS_TARGET) == 0 && nvme->keep_alive > 0)
        check_timer(
            search, host, KEEP_ALIVE, nvme->keep_alive, name.text, lasts,
            "hosts drop the controller and reconnect, although its commands are only delayed");
    if ((breaks & crash) == crash)
        check_reconnect(search, fault, name.text, host);
    if (nvme->fast_io_fail_tmo >= 0)
        check_timer(search, host, FAST_IO_FAIL_TMO, nvme->fast_io_fail_tmo, name.text, lasts,
                    "I/O fails before the target is back");
    if (nvme->ctrl_loss_tmo >= 0)
        check_timer(search, host, CTRL_LOSS_TMO, nvme->ctrl_loss_tmo, name.text, lasts,
                    "the controller is removed before the target is back");
}

static void check_fault_times(struct search *search, const struct scenario_workload *workload,
                              const struct scenario_pair *pair)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        const struct scenario_spot spot = {pair->to, SCENARIO_ALL_PORTS};
        if (fault->ops->place != FAULT_AT_TARGETS || fault->ops->at_target == NULL ||
            fault->end == TIME_NEVER || fault->at >= scenario->duration || workload->paths > 1 ||
            !fault_has_spot(fault, &spot))
            continue;
        check_outage(search, i, &scenario->nodes[pair->from]);
    }
}

static void check_pairs(struct search *search, const time_ps *times)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; workload->ops->needs_nvme_target && i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const struct scenario_node *target = &scenario->nodes[pair->to];
            check_load(search, &scenario->nodes[pair->from], target, times[target->index]);
            check_fault_times(search, workload, pair);
        }
    }
}

static void find_io_times(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct search search = {.scenario = scenario};
    const time_ps *times = full_times(scenario, &scratch);
    check_pairs(&search, times);
    search.report = report;
    check_pairs(&search, times);
    arena_free(&scratch);
}

const struct check_rule check_io_times = {
    .name = "io-times",
    .about = "NVMe timeouts are longer than the waiting times under full load and during target "
             "outages.",
    .run = find_io_times,
};
