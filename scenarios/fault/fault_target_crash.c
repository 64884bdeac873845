/* SPDX-License-Identifier: Apache-2.0
 * fault_target_crash - a target crashes and comes back at the end of the fault.
 * When only its process crashes, the kernel closes its connections. When the machine loses power,
 * its links go down and its peers are not notified. */
#include "nvme/target/target.h"
#include "scenarios/data/fault.h"
#include "scenarios/fabric/timeline.h"

#define DEATHS(X) X(PROCESS, "process") X(POWER, "power")
#define DATA(X)   X(KEPT, "kept") X(LOST, "lost")

enum {
#define X(name, word) OF_##name,
    DEATHS(X)
#undef X
};

enum {
#define X(name, word) DATA_##name,
    DATA(X)
#undef X
};

struct target_crash_params {
    int64_t how, data, port; /* port -1: all */
};

static const struct opt target_crash_rows[] = {
    {"how", OPT_CHOICE, offsetof(struct target_crash_params, how), "process", NULL, NULL,
     OPT_WORDS(DEATHS),
     "The part that fails. process: the process of the target, and the kernel closes its "
     "connections; power: the whole machine, whose links go down without any message to its "
     "peers.",
     "own", OPT_ACTS(FAULTS, ANY, TRACE)},
    {"data", OPT_CHOICE, offsetof(struct target_crash_params, data), "kept", NULL, NULL,
     OPT_WORDS(DATA), "kept: written data survive the crash; lost: they do not.", "own",
     OPT_ACTS(FAULTS, ANY, TRACE)},
    {"port", OPT_INT, offsetof(struct target_crash_params, port), "all", "0", "7", "all",
     "Port of the target that crashes alone, for example one of two controllers of an array. The "
     "other ports continue, and stored data survive. all: all ports crash. A port needs how: "
     "process.",
     "own", OPT_ACTS(FAULTS, ANY, TRACE)},
    {0}};

static unsigned target_crash_breaks(const void *params)
{
    const struct target_crash_params *p = params;
    return FAULT_KILLS_TARGET | FAULT_DISTURBS_FLOWS |
           (p->data == DATA_LOST ? FAULT_LOSES_DATA : 0u) |
           (p->how == OF_POWER ? FAULT_LOSES_CARRIER : 0u);
}

static bool spares_rdma(const void *params)
{
    return ((const struct target_crash_params *)params)->how == OF_PROCESS;
}

/* Power is lost after the carrier, in power_lost. */
static bool edge(struct timeline *timeline, const struct fault_edge *edge)
{
    const struct target_crash_params *params = edge->fault->params;
    if (params->how == OF_POWER)
        timeline_power(timeline, edge->index, edge->begins);
    return params->how != OF_POWER || !edge->begins;
}

static bool has_port(const struct target_crash_params *params, const struct nvme_target *target)
{
    return params->port >= 0 && params->port < (int64_t)nvme_target_ports(target);
}

static void die(struct nvme_target *target, const void *params)
{
    const struct target_crash_params *p = params;
    if (p->port >= 0 && p->how == OF_PROCESS) {
        if (has_port(p, target))
            nvme_target_kill_port(target, (uint32_t)p->port);
        return;
    }
    nvme_target_kill(target, p->data == DATA_LOST);
}

static void at_target(struct nvme_target *target, const struct scenario_host *about,
                      const void *params, bool on)
{
    const struct target_crash_params *p = params;
    (void)about;
    if (on) {
        die(target, params);
        return;
    }
    const bool one = p->port >= 0 && p->how == OF_PROCESS;
    const bool listens = !one                  ? nvme_target_revive(target)
                         : has_port(p, target) ? nvme_target_revive_port(target, (uint32_t)p->port)
                                               : true;
    CHECK(listens); /* no other fault controls this port */
}

const struct fault_ops fault_target_crash = {
    .name = "target-crash",
    .about = "A target's process crashes, or its machine loses power.",
    .acts_on = OPT_PART_BIT(RECOVERY),
    .opts = target_crash_rows,
    .params_bytes = sizeof(struct target_crash_params),
    .place = FAULT_AT_TARGETS,
    .breaks = target_crash_breaks,
    .spares_rdma = spares_rdma,
    .edge = edge,
    .at_target = at_target,
    .power_lost = die,
};
