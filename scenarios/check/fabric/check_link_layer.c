/* SPDX-License-Identifier: Apache-2.0
 * check_link_layer - every parameter that a scenario sets acts on its kind of fabric.
 * The rows name the kinds and the transports that they need. Values of profiles are not reported:
 * a profile is for several kinds. */
#include "scenarios/check/check_rule.h"

#include "base/opt_effect.h"

enum {
    OF_TCP = OPT_NEED_TCP | OPT_NEED_ISCSI | OPT_NEED_IWARP | OPT_NEED_TLS,
    OF_PAUSES = OPT_NEED_ETHERNET | OPT_NEED_WATCHDOG,
};

/* Needs that a fabric of that kind never meets. NVMe/FC has no queue pairs, and no marks. */
static const uint32_t unmet[] = {
    [SCENARIO_ETHERNET] = OPT_NEED_INFINIBAND | OPT_NEED_FIBRE_CHANNEL,
    [SCENARIO_INFINIBAND] = OPT_NEED_FIBRE_CHANNEL | OF_PAUSES | OF_TCP,
    [SCENARIO_FIBRE_CHANNEL] =
        OPT_NEED_INFINIBAND | OF_PAUSES | OF_TCP | OPT_NEED_RDMA | OPT_NEED_ECN,
};

/* `section`: what the file has before the names of the values. */
static void check_values(const char *section, const struct check_thing *where,
                         struct check_report *report)
{
    const enum scenario_kind kind = where->node->link;
    const struct block *values = where->values;
    for (size_t i = 0; values != NULL && i < values->row_count; i++) {
        const struct opt *row = &values->rows[i];
        const struct block_origin *origin = &values->origins[i];
        if (row->name == NULL || (row->effect.needs & unmet[kind]) == 0 ||
            origin->where.file == NULL || origin->profile != NULL)
            continue;
        struct check_thing thing = *where;
        thing.row = row->name;
        check_alike(report, DIAG_WARNING, &thing, "%s%s has no effect: fabric.kind is %s", section,
                    row->name, scenario_kind_word(kind));
        check_remedy(report, "remove %s%s", section, row->name);
    }
}

static void check_host(const struct scenario_node *host, struct check_report *report)
{
    const struct {
        const char *section;
        struct check_thing thing;
    } parts[] = {{"rnic.", check_of_rnic(host, NULL)},
                 {"rnic.congestion-control.", check_of_control(host, NULL)},
                 {"tcp.", check_of_tcp(host, NULL)},
                 {"nvme.", check_of_initiator(host, NULL)},
                 {"target.", check_of_target(host, NULL)}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        check_values(parts[i].section, &parts[i].thing, report);
}

static void run_link_layer_check(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        for (uint16_t p = 0; p < node->port_count; p++) {
            const struct check_thing port = check_of_port(node, p, NULL);
            check_values("", &port, report);
        }
        if (node->kind == SCENARIO_HOST) {
            check_host(node, report);
        } else {
            const struct check_thing swtch = check_of_switch(node, NULL);
            check_values("switch.", &swtch, report);
        }
    }
}

const struct check_rule check_link_layer = {
    .name = "link-layer",
    .about = "Every explicit setting has an effect on this kind of fabric.",
    .run = run_link_layer_check,
};
