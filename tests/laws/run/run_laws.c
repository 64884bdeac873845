/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/laws/run/run_laws_private.h"

#include "base/memory.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/data/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_laws_break(struct run_laws *laws, const char *format, ...)
{
    if (laws->broken[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(laws->broken, sizeof laws->broken, format, arguments);
    va_end(arguments);
}

/* ------------------------------------------------------------------ terms */

static void terms_of_fault(struct run_laws_terms *terms, const struct scenario_fault *fault)
{
    const unsigned breaks = fault->ops->breaks(fault->params);
    terms->faults = true;
    terms->slow_hosts |= (breaks & FAULT_SLOWS_HOST) != 0;
    terms->pauses_sound &= (breaks & FAULT_LOSES_PAUSES) == 0;
    terms->links_fail |= (breaks & FAULT_LOSES_CARRIER) != 0;
    terms->crashes |= (breaks & FAULT_KILLS_TARGET) != 0;
    terms->data_lost |= (breaks & FAULT_LOSES_DATA) != 0;
}

/* The value of a workload's row; 0: its kind has none of that name. */
int64_t run_laws_value(const struct scenario_workload *workload, const char *name)
{
    const struct opt *row = opt_find(workload->ops->opts, name);
    int64_t value = 0;
    if (row != NULL)
        memcpy(&value, (const char *)workload->params + row->offset, sizeof value);
    return value;
}

static void terms_of_workload(struct run_laws_terms *terms, const struct scenario *scenario,
                              const struct scenario_workload *workload)
{
    const int64_t block = run_laws_value(workload, "block-size");
    terms->refuses |= run_laws_value(workload, "remote-access") != 0;
    terms->splits |= workload->ops->read_file != NULL || workload->job != NULL;
    for (uint32_t i = 0; i < workload->pair_count && workload->ops->needs_nvme_target; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const struct nvme_carrier_host *host = scenario->nodes[pair->from].host->nvme_host;
        const struct nvme_carrier_target *target = scenario->nodes[pair->to].host->nvme_target;
        terms->splits |= block > host->core.max_transfer || block > target->core.max_transfer ||
                         host->core.partition_scan != 0;
        terms->discovers |= workload->paths != 0 && host->paths.discovery != 0;
    }
}

static struct run_laws_terms terms_of(const struct scenario *scenario)
{
    struct run_laws_terms terms = {.pauses_sound = true, .loops = scenario->route_count > 0};
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        terms_of_fault(&terms, &scenario->faults[i]);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        if (node->kind == SCENARIO_SWITCH) {
            terms.watchdogs |= node->switch_params->watchdog != 0;
            continue;
        }
        const struct rnic_params *rnic = node->host->rnic;
        terms.software |= rnic->soft.software != 0 || rnic->soft.timer_tick != 0;
        terms.slow_hosts |= rnic->drain != 0 || pipeline_slows_receiving(&rnic->pipeline);
        terms.watchdogs |= rnic->pfc_watchdog != 0;
        terms.go_back_0 |= recovery_list[rnic->loss_recovery]->restarts;
        terms.selective |= recovery_list[rnic->loss_recovery]->selective;
        terms.reacts |= rnic->adaptive != 0 || rnic->nak_delay + rnic->retransmit_delay > 0;
    }
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        terms_of_workload(&terms, scenario, &scenario->workloads[i]);
    terms.pauses_sound &= !terms.links_fail;
    return terms;
}

void run_laws_ended(struct run_laws *laws)
{
    laws->over = true;
    for (uint32_t i = 0; i < laws->scenario->fault_count; i++)
        if (laws->scenario->faults[i].end > laws->world->engine.now)
            laws->over = false;
}

/* ------------------------------------------------------------------ probes */

/* What a port drops never came into its node, or went on a wire. */
static bool is_on_cable(const struct probe_drop *drop)
{
    switch ((enum probe_drop_cause)drop->cause) {
    case PROBE_DROP_CORRUPT:
    case PROBE_DROP_INJECTED:
        return true;
    case PROBE_DROP_MTU:
    case PROBE_DROP_LINK_DOWN:
        return drop->egress == UINT16_MAX;
    default:
        return false;
    }
}

/* Lossless frames are refused only when their group's own headroom cannot take them. */
static void check_refused(struct run_laws *laws, const struct probe_drop *drop)
{
    const struct scenario_node *node = &laws->scenario->nodes[drop->node];
    if (node->kind != SCENARIO_SWITCH || drop->cause != PROBE_DROP_BUFFER || !drop->lossless ||
        node->switch_params->headroom_pool != SWITCH_HEADROOM_POOL_NONE)
        return;
    const int64_t cell = world_switch(laws->world, drop->node)->buffer.cell;
    const int64_t room = (drop->frame_bytes + cell - 1) / cell * cell;
    if (drop->headroom + room <= drop->headroom_limit)
        run_laws_break(laws, "%s port %u priority %u: refused with %lld of %lld B of headroom used",
                       node->name, drop->port, drop->priority, (long long)drop->headroom,
                       (long long)drop->headroom_limit);
}

static void on_drop(void *self, const struct probe_drop *drop)
{
    struct run_laws *laws = self;
    struct run_laws_loss *loss = is_on_cable(drop)
                                     ? &laws->on_cable[run_laws_slot(drop->node, drop->port)]
                                     : &laws->in_switch[drop->node];
    loss->frames++;
    loss->bytes += (uint64_t)drop->frame_bytes;
    laws->causes[drop->cause]++;
    laws->lossless += drop->lossless;
    check_refused(laws, drop);
    if (laws->waits != NULL)
        breakdown_drop(laws->waits, drop);
    if (laws->transport != NULL)
        run_laws_transport_lost(laws, drop);
    if (laws->marks != NULL)
        run_laws_marks_lost(laws, drop);
}

static void on_pause(void *self, const struct probe_pause *edge)
{
    struct run_laws *laws = self;
    laws->edges++;
    run_laws_pauses_edge(laws, edge);
}

static void on_blocked(void *self, const struct probe_blocked *blocked)
{
    const struct run_laws *laws = self;
    run_laws_pauses_blocked(self, blocked);
    if (laws->waits != NULL)
        breakdown_blocked(laws->waits, blocked);
}

static void on_frame(void *self, const struct probe_frame *sent)
{
    run_laws_pauses_frame(self, sent);
    run_laws_path_frame(self, sent);
}

/* No read returns what no order of the writes allows, unless a fault empties namespaces. */
static void judge_data(struct run_laws *laws, const struct probe_host_io *io)
{
    const uint64_t before = laws->data.stale;
    data_judge_io(&laws->data, io);
    if (laws->data.stale > before && !laws->terms.data_lost)
        run_laws_break(laws, "a read of block %llu returned stale data",
                       (unsigned long long)io->lba);
}

/* Whether it is lost or torn is known at the end: commands that empty blocks end later than they
 * act. */
static void judge_loss(struct run_laws *laws)
{
    const bool lost = laws->data.lost > 0;
    if ((lost || laws->data.torn > 0) && !laws->terms.data_lost)
        run_laws_break(laws, "a read of block %llu returned %s",
                       (unsigned long long)laws->data.first.lba,
                       lost ? "nothing: what was written is lost" : "torn data");
}

static void on_host_io(void *self, const struct probe_host_io *io)
{
    struct run_laws *laws = self;
    judge_data(laws, io);
    run_laws_end_io(self, io);
    run_laws_goodput_io(self, io);
    run_laws_nvme_at_host(self, io);
    run_laws_limits_io(self, io);
    struct probe_target_io target;
    if (laws->waits != NULL)
        breakdown_host_io(laws->waits, io, &target);
}

static void on_target_io(void *self, const struct probe_target_io *io)
{
    const struct run_laws *laws = self;
    run_laws_nvme_at_target(self, io);
    if (laws->waits != NULL)
        breakdown_target_io(laws->waits, io);
}

static void on_note(void *self, time_ps at, const char *owner, const char *text)
{
    struct run_laws *laws = self;
    unsigned qpn;
    if (strstr(text, "failed: transport retry counter exceeded") == NULL ||
        sscanf(text, "QP 0x%x", &qpn) != 1)
        return;
    laws->gave_up++;
    if (laws->transport == NULL || run_laws_path_overflows(laws))
        return;
    for (uint32_t i = 0; i < laws->world->host_count; i++) {
        const struct node *node = &laws->world->hosts[i]->node;
        if (strcmp(node->name, owner) != 0)
            continue;
        run_laws_path_take(laws, node->id, at);
        for (uint32_t p = 0; p < laws->scenario->nodes[i].port_count; p++)
            run_laws_transport_gave_up(laws, laws->world->endpoint_of[i] + p, qpn, at);
    }
}

/* ------------------------------------------------------------------ life */

static bool is_small(const struct scenario *scenario)
{
    if (scenario->node_count > RUN_LAWS_NODES || scenario->endpoint_count > RUN_LAWS_NODES)
        return false;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (scenario->nodes[i].port_count > RUN_LAWS_PORTS)
            return false;
    return true;
}

bool run_laws_init(struct run_laws *laws, const struct scenario *scenario, bool frames)
{
    *laws = (struct run_laws){.probe = probe_none, .scenario = scenario};
    if (!is_small(scenario))
        return false;
    laws->probe.self = laws;
    laws->probe.drop = on_drop;
    laws->probe.pause = on_pause;
    laws->probe.blocked = on_blocked;
    laws->probe.host_io = on_host_io;
    laws->probe.target_io = on_target_io;
    laws->probe.note = on_note;
    laws->probe.frame = frames ? on_frame : NULL;
    if (frames)
        run_laws_breakdown_begin(laws);
    laws->terms = terms_of(scenario);
    return true;
}

void run_laws_watch(struct run_laws *laws, const struct world *world)
{
    laws->world = world;
    laws->pauses = run_laws_pauses_new(laws);
    laws->nvme = run_laws_nvme_new();
    laws->limits = run_laws_limits_new();
    if (laws->probe.frame != NULL) {
        laws->way = run_laws_path_new();
        laws->transport = run_laws_transport_new();
        laws->marks = run_laws_marks_new();
        laws->cm = run_laws_cm_new(laws);
    }
    run_laws_end_light(laws);
}

void run_laws_look(struct run_laws *laws)
{
    world_audit(laws->world);
    run_laws_nvme_look(laws);
    run_laws_pauses_look(laws);
}

void run_laws_judge(struct run_laws *laws)
{
    if (laws->transport != NULL) {
        run_laws_transport_judge(laws);
        run_laws_marks_judge(laws);
        run_laws_cm_judge(laws);
    }
    judge_loss(laws);
    run_laws_pauses_judge(laws);
    run_laws_qp_judge(laws);
    run_laws_nvme_judge(laws);
    run_laws_goodput_judge(laws);
    run_laws_end_judge(laws);
}

void run_laws_fini(struct run_laws *laws)
{
    data_judge_fini(&laws->data);
    if (laws->pauses != NULL)
        run_laws_pauses_free(laws->pauses);
    if (laws->way != NULL)
        run_laws_path_free(laws->way);
    free(laws->limits);
    if (laws->nvme != NULL)
        run_laws_nvme_free(laws->nvme);
    if (laws->transport != NULL)
        run_laws_transport_free(laws->transport);
    if (laws->marks != NULL)
        run_laws_marks_free(laws->marks);
    if (laws->cm != NULL)
        run_laws_cm_free(laws->cm);
    run_laws_breakdown_fini(laws);
    free(laws->light);
}
