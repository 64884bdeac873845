/* SPDX-License-Identifier: Apache-2.0
 * check_io_times - time-outs of NVMe are longer than what the scenario itself makes commands wait.
 * Commands wait for the bytes of those before them on the target's links (Little's law), and for a
 * target that a fault stops. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include "base/note_text.h"
#include "base/quantity.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/fault/fault.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/workload.h"

static void propose(struct check_report *report, const struct check_thing *thing, time_ps above)
{
    char value[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_TIME, 2 * above, value, sizeof value);
    check_remedy(report, "nvme.%s above %s", thing->row, note_time(above).text);
    check_set(report, thing, "%s", value);
}

/* ------------------------------------------------------------------ load */

/* How long the bytes of all closed loops take on the links of each target. */
static time_ps *full_times(const struct scenario *scenario, struct arena *arena)
{
    time_ps *times = arena_array(arena, scenario->host_count, sizeof *times);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        const struct wl_nvme_params *params = workload->params;
        if (!workload->ops->needs_nvme_target || workload->job != NULL || params->rate != 0)
            continue;
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_node *target = &scenario->nodes[workload->pairs[i].to];
            const int64_t room = offered_room(target);
            const struct offering offering = offered_all(workload);
            const int64_t share = offering.share > PPM / 2 ? offering.share : PPM - offering.share;
            const __int128 bits = (__int128)params->queue_depth * params->queues *
                                  workload->copies * offering.mean * 8 * share / PPM;
            const __int128 sum = room > 0 ? times[target->index] + bits * PS_PER_S / room : 0;
            times[target->index] = sum < TIME_NEVER / 4 ? (time_ps)sum : TIME_NEVER / 4;
        }
    }
    return times;
}

static void check_load(const struct scenario_node *host, const struct scenario_node *target,
                       time_ps waits, struct check_report *report)
{
    const struct check_thing thing = check_of_initiator(host, "io-timeout");
    if (host->host->nvme_host->core.io_timeout >= waits)
        return;
    check_alike(
        report, DIAG_WARNING, &thing,
        "nvme.io-timeout is %s, but the data of all commands under way take %s on the links "
        "of %s: commands time out under full load",
        note_time(host->host->nvme_host->core.io_timeout).text, note_time(waits).text,
        target->name);
    propose(report, &thing, waits);
}

/* ------------------------------------------------------------------ faults */

static void check_outage(const struct scenario *scenario, const struct scenario_fault *fault,
                         uint32_t index, const struct scenario_node *host,
                         struct check_report *report)
{
    const struct nvme_host_params *nvme = &host->host->nvme_host->core;
    const unsigned breaks = fault->ops->breaks(fault->params);
    const time_ps lasts = fault->end - fault->at;
    const struct fault_name name = fault_name(scenario, index);
    struct check_thing thing = check_of_initiator(host, "keep-alive");
    if ((breaks & FAULT_KILLS_TARGET) == 0 && nvme->keep_alive > 0 && nvme->keep_alive < lasts) {
        check_alike(report, DIAG_WARNING, &thing,
                    "nvme.keep-alive is %s, but %s lasts %s: controllers are lost and connect "
                    "again, where commands only had to wait",
                    note_time(nvme->keep_alive).text, name.text, note_time(lasts).text);
        propose(report, &thing, lasts);
    }
    thing.row = "reconnect-delay";
    const unsigned crash = FAULT_KILLS_TARGET | FAULT_DISTURBS_FLOWS;
    if ((breaks & crash) == crash && fault->end < scenario->duration &&
        fault->at + nvme->reconnect_delay > scenario->duration) {
        check_alike(report, DIAG_WARNING, &thing,
                    "nvme.reconnect-delay is %s: after %s no host connects again before the run "
                    "ends at %s",
                    note_time(nvme->reconnect_delay).text, name.text,
                    note_time(scenario->duration).text);
        check_remedy(report,
                     "nvme.reconnect-delay: about the %s that the target needs, or a longer "
                     "run",
                     note_time(lasts).text);
    }
    thing.row = "fast-io-fail-tmo";
    if (nvme->fast_io_fail_tmo >= 0 && nvme->fast_io_fail_tmo < lasts) {
        check_alike(report, DIAG_WARNING, &thing,
                    "nvme.fast-io-fail-tmo is %s, but %s lasts %s: I/O fails before the target is "
                    "back",
                    note_time(nvme->fast_io_fail_tmo).text, name.text, note_time(lasts).text);
        propose(report, &thing, lasts);
    }
    thing.row = "ctrl-loss-tmo";
    if (nvme->ctrl_loss_tmo >= 0 && nvme->ctrl_loss_tmo < lasts) {
        check_alike(report, DIAG_WARNING, &thing,
                    "nvme.ctrl-loss-tmo is %s, but %s lasts %s: the controller is removed before "
                    "the target is back",
                    note_time(nvme->ctrl_loss_tmo).text, name.text, note_time(lasts).text);
        propose(report, &thing, lasts);
    }
}

static void check_faults(const struct scenario *scenario, const struct scenario_workload *workload,
                         const struct scenario_pair *pair, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        const struct scenario_spot spot = {pair->to, SCENARIO_ALL_PORTS};
        if (fault->ops->place != FAULT_AT_TARGETS || fault->ops->at_target == NULL ||
            fault->end == TIME_NEVER || fault->at >= scenario->duration || workload->paths > 1 ||
            !fault_has_spot(fault, &spot))
            continue;
        check_outage(scenario, fault, i, &scenario->nodes[pair->from], report);
    }
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    const time_ps *times = full_times(scenario, &scratch);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; workload->ops->needs_nvme_target && i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            check_load(&scenario->nodes[pair->from], &scenario->nodes[pair->to], times[pair->to],
                       report);
            check_faults(scenario, workload, pair, report);
        }
    }
    arena_free(&scratch);
}

const struct check_rule check_io_times = {
    .name = "io-times",
    .about = "Time-outs of NVMe outlast full load, and the outages of targets.",
    .run = run,
};
