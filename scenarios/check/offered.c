/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/offered.h"

#include "base/quantity.h"
#include "rnic/host/rnic.h"
#include "scenarios/fio/fio.h"
#include "scenarios/workload/wl_rdma.h"

/* Value of a parameter of the workload's kind; `otherwise` if there is no parameter of that
 * name. */
static int64_t value_of(const struct scenario_workload *workload, const char *name,
                        int64_t otherwise)
{
    return opt_value(workload->ops->opts, name, workload->params, otherwise);
}

/* Size distribution of a kind that draws its sizes; NULL: fixed size. */
static const struct wl_sizes *drawn(const struct scenario_workload *workload)
{
    const bool may = workload->job == NULL && opt_find(workload->ops->opts, "sizes") != NULL;
    return may ? wl_rdma_sizes(workload->params) : NULL;
}

bool offered_varies(const struct scenario_workload *workload)
{
    return workload->job != NULL || opt_find(workload->ops->opts, "speed") != NULL ||
           drawn(workload) != NULL;
}

int64_t offered_mean(const struct scenario_workload *workload)
{
    const struct wl_sizes *sizes = drawn(workload);
    return sizes == NULL ? offered_operation(workload, 0) : wl_sizes_mean(sizes);
}

int64_t offered_operation(const struct scenario_workload *workload, int64_t otherwise)
{
    if (drawn(workload) != NULL)
        return wl_sizes_largest(drawn(workload));
    if (workload->job != NULL && workload->job->nvme.fio.planned)
        return wl_plan_largest(&workload->job->nvme.fio.plan);
    return value_of(workload, "block-size", value_of(workload, "message-size", otherwise));
}

int64_t offered_room(const struct scenario_node *node)
{
    int64_t rate = 0;
    for (uint16_t p = 0; p < node->outer_ports; p++)
        rate += node->ports[p].link == SCENARIO_NO_LINK ? 0 : node->ports[p].params->rate;
    return rate;
}

/* Bits on the wire: payload, plus headers and gap of each packet. */
static int64_t wire_bits(int64_t operation, const struct rnic_params *rnic)
{
    const int64_t packets = (operation + rnic->path_mtu - 1) / rnic->path_mtu;
    return 8 * (operation + packets * rnic_overhead_bytes(rnic));
}

struct offering offered_all(const struct scenario_workload *workload)
{
    const enum workload_data data = workload->ops->data;
    const bool fio = workload->job != NULL;
    const int64_t reads = fio ? -1 : value_of(workload, "read", -1);
    const bool back = data != WORKLOAD_DATA_OUT && reads != 0;
    return (struct offering){
        .rate = fio ? 0 : value_of(workload, "rate", 0),
        .share = reads >= 0 ? reads
                 : back     ? PPM
                            : 0,
        .mean = offered_mean(workload),
        .out = data != WORKLOAD_DATA_BACK && reads != PPM,
        .back = back,
    };
}

struct offered offered_by(const struct scenario *scenario, const struct offering *offering,
                          const struct scenario_pair *pair)
{
    const bool out = offering->out, back = offering->back;
    if (offering->rate == 0)
        return (struct offered){out ? OFFERED_ALL : 0, back ? OFFERED_ALL : 0};
    const struct rnic_params *rnic = scenario->nodes[pair->from].host->rnic;
    const __int128 all =
        (__int128)offering->rate * wire_bits(offering->mean, rnic) / QUANTITY_DECIMAL_ONE;
    const __int128 most = OFFERED_ALL - 1;
    const __int128 read = all * offering->share / PPM;
    const __int128 written = all * (PPM - offering->share) / PPM;
    return (struct offered){
        .out = out ? (int64_t)(written < most ? written : most) : 0,
        .back = back ? (int64_t)(read < most ? read : most) : 0,
    };
}
