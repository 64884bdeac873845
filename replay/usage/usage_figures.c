/* SPDX-License-Identifier: Apache-2.0
 * usage_figures - values of the steady part: the difference of two samples. */
#include "replay/usage/usage_private.h"

/* The later base, if at least as much time follows it as precedes it. */
static const struct usage_moment *base_moment(const struct usage *usage)
{
    const struct usage_moment *young = &usage->bases[1];
    const time_ps before = young->at - usage->from, all = usage->now.at - usage->from;
    return before * 2 <= all ? young : &usage->bases[0];
}

time_ps usage_span(const struct usage *usage)
{
    return time_later(usage->now.at - base_moment(usage)->at, 1);
}

uint32_t usage_looks(const struct usage *usage)
{
    return usage->now.looks - base_moment(usage)->looks;
}

static int64_t since(const struct usage *usage, uint32_t at)
{
    const int64_t grown = usage->now.values[at] - base_moment(usage)->values[at];
    return grown > 0 ? grown : 0; /* a recreated queue counts from 0 again */
}

int64_t usage_of_port(const struct usage *usage, uint32_t port, enum usage_port what)
{
    return since(usage, port * USAGE_PORT_VALUES + what);
}

int64_t usage_of_rnic(const struct usage *usage, uint32_t node, uint16_t port, unsigned what)
{
    const uint32_t at = usage_first_of_rnic(usage, node, port) + what;
    const bool is_number = what >= USAGE_TCP_CORES && what < USAGE_TCP_BUSY;
    return is_number ? usage->now.values[at] : since(usage, at);
}

time_ps usage_drained(const struct usage *usage, uint32_t node, uint16_t port)
{
    const time_ps rx = usage_of_rnic(usage, node, port, USAGE_RNIC_RX);
    const time_ps up = usage_of_rnic(usage, node, port, USAGE_RNIC_PCIE_UP);
    const time_ps held = usage_of_rnic(usage, node, port, USAGE_RNIC_DRAIN);
    return time_later(held - time_later(rx, up), 0);
}

int64_t usage_of_target(const struct usage *usage, uint32_t node, unsigned what)
{
    return since(usage, usage->first_target + usage->target_of[node] * USAGE_TARGET_VALUES + what);
}

int64_t usage_of_workload(const struct usage *usage, uint32_t workload, enum usage_workload what)
{
    const uint32_t at = usage->first_workload + workload * USAGE_WORK_VALUES + what;
    return what == USAGE_WORK_QUEUES ? usage->now.values[at] : since(usage, at);
}

const struct usage_station *usage_stations(const struct usage *usage, uint32_t node)
{
    return usage_is_target(usage->world, node)
               ? &usage->stations[usage->target_of[node] * USAGE_STATIONS]
               : NULL;
}
