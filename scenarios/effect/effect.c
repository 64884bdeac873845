/* SPDX-License-Identifier: Apache-2.0
 * effect - one function for each need of a parameter. */
#include "scenarios/effect/effect.h"

#include "base/numbers.h"
#include "net/switch/switch.h"
#include "nvme/tcp/tcp.h"
#include "rnic/host/rnic.h"
#include "rnic/qp/recovery.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/workload.h"

#include <string.h>

/* ------------------------------------------------------------------ place of a parameter */

struct place {
    const struct scenario *scenario;
    uint32_t node;
};

static const struct scenario_host *host_of(const struct place *place)
{
    return place->scenario->nodes[place->node].host;
}

static const struct rnic_params *rnic_of(const struct place *place)
{
    return host_of(place)->rnic;
}

/* NULL: not an NVMe workload. */
static const struct wl_nvme_params *nvme_of(const struct scenario_workload *workload)
{
    return workload->ops->needs_nvme_target ? workload->params : NULL;
}

/* ------------------------------------------------------------------ the RNIC */

static bool needs_pcie(const struct place *place)
{
    return pipeline_has_pcie(&rnic_of(place)->pipeline);
}

static bool needs_qp_cache(const struct place *place)
{
    return rnic_of(place)->pipeline.qp_cache != 0;
}

static bool needs_qp_cache_miss(const struct place *place)
{
    return rnic_of(place)->pipeline.qp_cache_miss != 0 || needs_pcie(place);
}

static bool needs_wr_cache(const struct place *place)
{
    return rnic_of(place)->pipeline.wr_cache != 0;
}

static bool needs_wr_cache_miss(const struct place *place)
{
    return rnic_of(place)->pipeline.wr_cache_miss != 0;
}

static bool needs_read_contexts(const struct place *place)
{
    return rnic_of(place)->pipeline.read_contexts != 0;
}

static bool needs_read_context_miss(const struct place *place)
{
    return rnic_of(place)->pipeline.read_context_miss != 0;
}

static bool needs_interrupts(const struct place *place)
{
    return rnic_of(place)->pipeline.completions != RNIC_COMPLETIONS_POLLING;
}

static bool needs_software(const struct place *place)
{
    return rnic_of(place)->soft.software != 0;
}

/* True if this host uses selective repeat; the peer's setting is not checked. */
static bool needs_selective_repeat(const struct place *place)
{
    return rnic_of(place)->loss_recovery == RECOVERY_selective_repeat;
}

static bool needs_ethernet(const struct place *place)
{
    return place->scenario->nodes[place->node].link == SCENARIO_ETHERNET;
}

static bool needs_infiniband(const struct place *place)
{
    return place->scenario->nodes[place->node].link == SCENARIO_INFINIBAND;
}

static bool needs_fibre_channel(const struct place *place)
{
    return place->scenario->nodes[place->node].link == SCENARIO_FIBRE_CHANNEL;
}

static bool needs_roce_v1(const struct place *place)
{
    return rnic_of(place)->roce_version == 1;
}

static bool needs_adaptive(const struct place *place)
{
    return rnic_of(place)->adaptive != 0;
}

/* ------------------------------------------------------------------ workloads */

static bool is_rdma_read(const struct scenario_workload *workload)
{
    return strcmp(workload->ops->name, "rdma-read") == 0;
}

/* True if some commands may have data that the target fetches with RDMA READ. The commands of a job
 * file or a trace are not examined. */
static bool may_be_fetched(const struct scenario_workload *workload)
{
    const struct wl_nvme_params *params = nvme_of(workload);
    return params != NULL && (workload->job != NULL || strcmp(workload->ops->name, "nvme") != 0 ||
                              params->read < PPM || params->compare > 0 ||
                              params->write_zeroes > 0 || params->deallocate > 0);
}

/* A target READs the data of hosts' writes. */
static bool needs_reads_served(const struct place *place)
{
    for (uint32_t i = 0; i < place->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &place->scenario->workloads[i];
        for (uint32_t k = 0; k < workload->pair_count; k++)
            if ((workload->pairs[k].from == place->node && may_be_fetched(workload)) ||
                (workload->pairs[k].to == place->node && is_rdma_read(workload)))
                return true;
    }
    return false;
}

static bool needs_reads_sent(const struct place *place)
{
    for (uint32_t i = 0; i < place->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &place->scenario->workloads[i];
        for (uint32_t k = 0; k < workload->pair_count; k++)
            if ((workload->pairs[k].to == place->node && nvme_of(workload) != NULL) ||
                (workload->pairs[k].from == place->node && is_rdma_read(workload)))
                return true;
    }
    return false;
}

static bool needs_loopback(const struct place *place)
{
    for (uint32_t i = 0; i < place->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &place->scenario->workloads[i];
        for (uint32_t k = 0; k < workload->pair_count; k++)
            if (workload->pairs[k].from == place->node && workload->pairs[k].to == place->node)
                return true;
    }
    return false;
}

static bool needs_messages_posted(const struct place *place)
{
    for (uint32_t i = 0; i < place->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &place->scenario->workloads[i];
        for (uint32_t k = 0; nvme_of(workload) == NULL && k < workload->pair_count; k++)
            if (workload->pairs[k].from == place->node)
                return true;
    }
    return false;
}

static bool is_rdma(const struct scenario_workload *workload)
{
    return !workload->by_tcp;
}

static bool is_tcp(const struct scenario_workload *workload)
{
    return workload->by_tcp;
}

bool effect_has_traffic(const struct scenario *scenario, uint32_t node,
                        bool (*is_kind)(const struct scenario_workload *workload))
{
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        if (is_kind != NULL && !is_kind(workload))
            continue;
        for (uint32_t k = 0; k < workload->pair_count; k++)
            if (workload->pairs[k].from == node || workload->pairs[k].to == node)
                return true;
    }
    return false;
}

/* True if the host has traffic of that kind, or none at all. */
static bool may_have_traffic(const struct place *place,
                             bool (*is_kind)(const struct scenario_workload *workload))
{
    return effect_has_traffic(place->scenario, place->node, is_kind) ||
           !effect_has_traffic(place->scenario, place->node, NULL);
}

static bool needs_rdma(const struct place *place)
{
    return may_have_traffic(place, is_rdma);
}

static bool needs_tcp(const struct place *place)
{
    return may_have_traffic(place, is_tcp);
}

bool effect_uses_iscsi(const struct scenario_workload *workload)
{
    return workload->ops->needs_nvme_target && workload->transport == NVME_CARRIER_iscsi;
}

static bool needs_iscsi(const struct place *place)
{
    return may_have_traffic(place, effect_uses_iscsi);
}

bool effect_uses_iwarp(const struct scenario_workload *workload)
{
    return (workload->ops->needs_nvme_target || workload->own_verbs) &&
           workload->transport == NVME_CARRIER_iwarp;
}

static bool needs_iwarp(const struct place *place)
{
    return may_have_traffic(place, effect_uses_iwarp);
}

bool effect_uses_tls(const struct scenario *scenario, const struct scenario_workload *workload,
                     const struct scenario_pair *pair)
{
    if (workload->transport != NVME_CARRIER_tcp || nvme_of(workload) == NULL)
        return false;
    const struct nvme_carrier_host *host = scenario->nodes[pair->from].host->nvme_host;
    const void *own = host->own[NVME_CARRIER_tcp];
    return ((const struct nvme_tcp_host_params *)own)->tls != 0;
}

static bool needs_tls(const struct place *place)
{
    for (uint32_t i = 0; i < place->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &place->scenario->workloads[i];
        for (uint32_t k = 0; k < workload->pair_count; k++) {
            const struct scenario_pair *pair = &workload->pairs[k];
            if ((pair->from == place->node || pair->to == place->node) &&
                effect_uses_tls(place->scenario, workload, pair))
                return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ queues */

static bool needs_full_queue(const struct place *place)
{
    const int64_t own = host_of(place)->nvme_host->core.queue_size;
    const int64_t granted = host_of(place)->nvme_target->core.max_queue_size;
    for (uint32_t i = 0; i < place->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &place->scenario->workloads[i];
        const struct wl_nvme_params *params = nvme_of(workload);
        for (uint32_t k = 0; params != NULL && k < workload->pair_count; k++)
            if ((workload->pairs[k].to == place->node && params->queue_depth >= granted) ||
                (workload->pairs[k].from == place->node && params->queue_depth >= own))
                return true;
    }
    return false;
}

/* Demand of hosts on a target: I/O queues of all controllers (each NIC may be another path) and of
 * the largest request, data buffers, and work requests beyond the first of each command, for all
 * commands that may be in flight. */
struct asked {
    int64_t queues, most_queues, buffers, wrs;
};

static int64_t rdma_size(const struct scenario_host *host)
{
    const struct block *values = host->nvme_target_values;
    return values == NULL
               ? 0
               : *opt_field(&values->rows[block_row(values, "rdma-size")], values->params);
}

static void add_asked(const struct place *place, const struct wl_nvme_params *params, uint32_t from,
                      struct asked *asked)
{
    const struct nvme_host_params *initiator = &place->scenario->nodes[from].host->nvme_host->core;
    const struct scenario_host *host = host_of(place);
    const int64_t unit = host->nvme_target->core.io_unit, each = rdma_size(host);
    const int64_t commands = params->queue_depth * wl_nvme_cores(params, initiator);
    const int64_t queues = wl_nvme_queues(params, initiator);
    asked->queues += queues * place->scenario->nodes[place->node].port_count;
    asked->most_queues = max_i64(asked->most_queues, queues);
    asked->buffers += commands * ((params->block_size + unit - 1) / unit);
    asked->wrs += each > 0 ? commands * ((params->block_size - 1) / each) : 0;
}

static struct asked asked_of(const struct place *place)
{
    struct asked asked = {0};
    for (uint32_t i = 0; i < place->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &place->scenario->workloads[i];
        const struct wl_nvme_params *params = nvme_of(workload);
        for (uint32_t k = 0; params != NULL && k < workload->pair_count; k++)
            if (workload->pairs[k].to == place->node)
                add_asked(place, params, workload->pairs[k].from, &asked);
    }
    return asked;
}

static bool needs_many_queues(const struct place *place)
{
    return asked_of(place).most_queues > host_of(place)->nvme_target->core.max_queues;
}

static bool needs_queue_budget(const struct place *place)
{
    return asked_of(place).queues > host_of(place)->nvme_target->core.queue_budget;
}

static bool needs_data_buffers(const struct place *place)
{
    return asked_of(place).buffers > host_of(place)->nvme_target->core.data_buffers;
}

static bool needs_data_wrs(const struct place *place)
{
    return asked_of(place).wrs > host_of(place)->nvme_target->core.data_wr_pool;
}

/* ------------------------------------------------------------------ switches */

static bool needs_watchdog(const struct place *place)
{
    return place->scenario->nodes[place->node].switch_params->watchdog != 0; /* 0 is off */
}

static bool needs_ecn(const struct place *place)
{
    return place->scenario->nodes[place->node].switch_params->ecn_kmax != 0;
}

/* ------------------------------------------------------------------ table of all needs */

static const struct {
    bool of_switch; /* it is a need of parameters of switches; else of hosts */
    bool (*is_met)(const struct place *place);
} needs[OPT_NEED_COUNT] = {
    [OPT_NEED_PCIE_INDEX] = {false, needs_pcie},
    [OPT_NEED_QP_CACHE_INDEX] = {false, needs_qp_cache},
    [OPT_NEED_QP_CACHE_MISS_INDEX] = {false, needs_qp_cache_miss},
    [OPT_NEED_WR_CACHE_INDEX] = {false, needs_wr_cache},
    [OPT_NEED_WR_CACHE_MISS_INDEX] = {false, needs_wr_cache_miss},
    [OPT_NEED_READ_CONTEXTS_INDEX] = {false, needs_read_contexts},
    [OPT_NEED_READ_CONTEXT_MISS_INDEX] = {false, needs_read_context_miss},
    [OPT_NEED_INTERRUPTS_INDEX] = {false, needs_interrupts},
    [OPT_NEED_SOFTWARE_INDEX] = {false, needs_software},
    [OPT_NEED_SELECTIVE_REPEAT_INDEX] = {false, needs_selective_repeat},
    [OPT_NEED_LOOPBACK_INDEX] = {false, needs_loopback},
    [OPT_NEED_ADAPTIVE_INDEX] = {false, needs_adaptive},
    [OPT_NEED_READS_SERVED_INDEX] = {false, needs_reads_served},
    [OPT_NEED_READS_SENT_INDEX] = {false, needs_reads_sent},
    [OPT_NEED_MESSAGES_POSTED_INDEX] = {false, needs_messages_posted},
    [OPT_NEED_FULL_QUEUE_INDEX] = {false, needs_full_queue},
    [OPT_NEED_MANY_QUEUES_INDEX] = {false, needs_many_queues},
    [OPT_NEED_QUEUE_BUDGET_INDEX] = {false, needs_queue_budget},
    [OPT_NEED_DATA_BUFFERS_INDEX] = {false, needs_data_buffers},
    [OPT_NEED_DATA_WRS_INDEX] = {false, needs_data_wrs},
    [OPT_NEED_WATCHDOG_INDEX] = {true, needs_watchdog},
    [OPT_NEED_ECN_INDEX] = {true, needs_ecn},
    [OPT_NEED_ETHERNET_INDEX] = {true, needs_ethernet},
    [OPT_NEED_INFINIBAND_INDEX] = {true, needs_infiniband},
    [OPT_NEED_FIBRE_CHANNEL_INDEX] = {true, needs_fibre_channel},
    [OPT_NEED_ROCE_V1_INDEX] = {false, needs_roce_v1},
    [OPT_NEED_RDMA_INDEX] = {false, needs_rdma},
    [OPT_NEED_TCP_INDEX] = {false, needs_tcp},
    [OPT_NEED_ISCSI_INDEX] = {false, needs_iscsi},
    [OPT_NEED_IWARP_INDEX] = {false, needs_iwarp},
    [OPT_NEED_TLS_INDEX] = {false, needs_tls},
};

bool effect_lacks_transport(const struct scenario *scenario, const struct opt *row)
{
    const bool iscsi = (row->effect.needs & OPT_NEED_ISCSI) != 0;
    bool lacks = iscsi || (row->effect.needs & OPT_NEED_IWARP) != 0;
    for (uint32_t i = 0; i < scenario->workload_count && lacks; i++)
        lacks = iscsi ? !effect_uses_iscsi(&scenario->workloads[i])
                      : !effect_uses_iwarp(&scenario->workloads[i]);
    return lacks;
}

bool effect_is_void(const struct scenario *scenario, uint32_t node, const struct opt *row)
{
    if (row == NULL || row->effect.needs == 0 || node >= scenario->node_count)
        return false;
    const struct place place = {scenario, node};
    const bool is_switch = scenario->nodes[node].kind == SCENARIO_SWITCH;
    for (size_t i = 0; i < OPT_NEED_COUNT; i++)
        if ((row->effect.needs >> i & 1) != 0 &&
            (needs[i].of_switch == is_switch || i == OPT_NEED_ETHERNET_INDEX ||
             i == OPT_NEED_INFINIBAND_INDEX || i == OPT_NEED_FIBRE_CHANNEL_INDEX) &&
            !needs[i].is_met(&place))
            return true;
    return false;
}
