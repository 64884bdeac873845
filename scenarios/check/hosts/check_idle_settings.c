/* SPDX-License-Identifier: Apache-2.0
 * check_idle_settings - every parameter that a scenario sets for a host has an effect.
 * Connections have the DSCP and priority of the initiating host, at both ends (IBTA Vol 1
 * 12.7.11). */
#include "scenarios/check/check_rule.h"

#include "rnic/host/rnic.h"
#include "scenarios/effect/effect.h"

struct roles {
    uint8_t *asks; /* by host; 1: the host initiates connections, 2: with its own DSCP */
    uint32_t *by;  /* by host: index + 1 of a host that connects to it; 0: none */
    uint8_t *dscp; /* by host: DSCP of these connections */
    uint32_t *has; /* by host: mask of OPT_NEED_RDMA, _TCP and _TLS; 0: no traffic */
};

static void find_roles(const struct scenario *scenario, struct arena *arena, struct roles *roles)
{
    roles->asks = arena_take(arena, scenario->host_count);
    roles->by = arena_array(arena, scenario->host_count, sizeof *roles->by);
    roles->dscp = arena_take(arena, scenario->host_count);
    roles->has = arena_array(arena, scenario->host_count, sizeof *roles->has);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            roles->asks[pair->from] |= workload->class.tos_set ? 1 : 3;
            roles->by[pair->to] = pair->from + 1;
            const uint32_t kind = workload->by_tcp ? OPT_NEED_TCP : OPT_NEED_RDMA;
            const uint32_t tls = effect_uses_tls(scenario, workload, pair) ? OPT_NEED_TLS : 0;
            const uint32_t iscsi = effect_uses_iscsi(workload) ? OPT_NEED_ISCSI : 0;
            const uint32_t iwarp = effect_uses_iwarp(workload) ? OPT_NEED_IWARP : 0;
            roles->has[pair->from] |= kind | tls | iscsi | iwarp;
            roles->has[pair->to] |= kind | tls | iscsi | iwarp;
            roles->dscp[pair->to] = scenario_dscp(scenario, workload, pair);
        }
    }
}

static void check_host(const struct scenario *scenario, uint32_t index, const struct roles *roles,
                       struct check_report *report)
{
    const struct scenario_node *host = &scenario->nodes[index];
    const int64_t own = host->host->rnic->dscp;
    const struct check_thing thing = check_of_rnic(host, "dscp");
    if (roles->asks[index] == 1) {
        check_alike(report, DIAG_WARNING, &thing,
                    "rnic.dscp %lld has no effect: the workloads set their own dscp",
                    (long long)own);
        check_remedy(report, "remove one of the two");
    } else if (roles->asks[index] == 0 && roles->by[index] != 0 && roles->dscp[index] != own &&
               host->host->rnic->accept_dscp == RNIC_AUTO) {
        check_alike(report, DIAG_WARNING, &thing,
                    "rnic.dscp %lld has no effect: a connection uses the DSCP of the host that "
                    "requests it, %u of %s",
                    (long long)own, roles->dscp[index], scenario->nodes[roles->by[index] - 1].name);
        check_remedy(
            report,
            "set the dscp at the hosts in `from` or in the workload, or set rnic.accept-dscp here");
    }
}

/* accept-dscp applies to accepted connections, so it has no effect if no host connects to this
 * one. */
static void check_accepted(const struct scenario *scenario, uint32_t index,
                           const struct roles *roles, struct check_report *report)
{
    const struct scenario_node *host = &scenario->nodes[index];
    const struct check_thing thing = check_of_rnic(host, "accept-dscp");
    if (host->host->rnic->accept_dscp == RNIC_AUTO || roles->by[index] != 0 ||
        roles->asks[index] == 0)
        return;
    check_alike(report, DIAG_WARNING, &thing,
                "rnic.accept-dscp %lld has no effect: no host connects to it",
                (long long)host->host->rnic->accept_dscp);
    check_remedy(report, "set rnic.accept-dscp at the hosts in `to`, or rnic.dscp at this host");
}

/* ------------------------------------------------------------------ of the other transport */

/* A value that a file sets for some hosts. */
struct written {
    struct diag_place place;
    struct check_thing thing; /* of the first host */
    bool acts;                /* at one of its hosts at least */
};

struct writtens {
    struct arena *arena;
    struct written *list;
    uint32_t count, room;
};

static struct written *find_written(struct writtens *all, const struct diag_place *place)
{
    uint32_t at = 0;
    while (at < all->count &&
           (all->list[at].place.line != place->line ||
            all->list[at].place.column != place->column || all->list[at].place.file != place->file))
        at++;
    if (at == all->count)
        return NULL;
    return &all->list[at];
}

static void add_written(struct writtens *all, const struct written *written)
{
    if (all->count == all->room) {
        const uint32_t room = all->room == 0 ? 64 : 2 * all->room;
        struct written *list = arena_array(all->arena, room, sizeof *list);
        for (uint32_t i = 0; i < all->count; i++)
            list[i] = all->list[i];
        all->list = list;
        all->room = room;
    }
    all->list[all->count++] = *written;
}

static void collect_values(const struct scenario *scenario, const struct roles *roles,
                           uint32_t index, const struct block *values, struct writtens *all)
{
    const struct diag_place nobody = {0};
    for (size_t i = 0; values != NULL && i < values->row_count; i++) {
        const struct opt *row = &values->rows[i];
        const uint32_t needs = row->effect.needs & (OPT_NEED_RDMA | OPT_NEED_TCP | OPT_NEED_ISCSI |
                                                    OPT_NEED_IWARP | OPT_NEED_TLS);
        if (row->name == NULL || needs == 0)
            continue;
        const struct diag_place place = block_place(values, row->name, nobody);
        if (place.file == NULL)
            continue;
        const bool acts = (needs & ~roles->has[index]) == 0;
        struct written *written = find_written(all, &place);
        if (written != NULL)
            written->acts |= acts;
        else
            add_written(
                all,
                &(struct written){
                    .place = place,
                    .thing = {&scenario->nodes[index], SCENARIO_ALL_PORTS, values, row->name, {0}},
                    .acts = acts});
    }
}

/* A value of defaults may act at some hosts only: reported are values that act nowhere. */
static void check_transports(const struct scenario *scenario, const struct roles *roles,
                             struct arena *arena, struct check_report *report)
{
    struct writtens all = {.arena = arena};
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_host *host = scenario->nodes[i].host;
        if (roles->has[i] == 0)
            continue;
        collect_values(scenario, roles, i, host->rnic_values, &all);
        collect_values(scenario, roles, i, host->cc_values, &all);
        collect_values(scenario, roles, i, host->tcp_values, &all);
        collect_values(scenario, roles, i, host->nvme_host_values, &all);
        collect_values(scenario, roles, i, host->nvme_target_values, &all);
    }
    for (uint32_t i = 0; i < all.count; i++) {
        const struct written *written = &all.list[i];
        if (written->acts)
            continue;
        const struct opt *row =
            &written->thing.values->rows[block_row(written->thing.values, written->thing.row)];
        const bool rdma = (row->effect.needs & OPT_NEED_RDMA) != 0;
        if ((row->effect.needs & OPT_NEED_TLS) != 0) {
            check_alike(report, DIAG_WARNING, &written->thing,
                        "%s has no effect: no NVMe/TCP connection of the host uses TLS", row->name);
            check_remedy(report, "remove it, or set nvme.tcp-tls: true at the hosts in `from`");
            continue;
        }
        if ((row->effect.needs & (OPT_NEED_ISCSI | OPT_NEED_IWARP)) != 0) {
            const char *transport = (row->effect.needs & OPT_NEED_ISCSI) != 0 ? "iscsi" : "iwarp";
            check_alike(report, DIAG_WARNING, &written->thing,
                        "%s has no effect: no workload at the host uses transport %s", row->name,
                        transport);
            check_remedy(report, "remove it, or set the workload's transport to %s", transport);
            continue;
        }
        check_alike(report, DIAG_WARNING, &written->thing,
                    "%s has no effect: the host has %s traffic only", row->name,
                    rdma ? "TCP" : "RDMA");
        check_remedy(report, "remove it, or set the workload's transport to %s",
                     rdma ? "rdma" : "tcp");
    }
}

static void find_idle_settings(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct roles roles;
    const struct diag_place nobody = {0};
    find_roles(scenario, &scratch, &roles);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (block_place(scenario->nodes[i].host->rnic_values, "dscp", nobody).file != NULL)
            check_host(scenario, i, &roles, report);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (block_place(scenario->nodes[i].host->rnic_values, "accept-dscp", nobody).file != NULL)
            check_accepted(scenario, i, &roles, report);
    check_transports(scenario, &roles, &scratch, report);
    arena_free(&scratch);
}

const struct check_rule check_idle_settings = {
    .name = "idle-settings",
    .about = "Every explicit setting of a host has an effect.",
    .ethernet = true,
    .run = find_idle_settings,
};
