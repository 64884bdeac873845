/* SPDX-License-Identifier: Apache-2.0
 * trial_relax - more of one resource: parameters whose rows say that they scale it (`scales` of
 * base/opt_effect.h), changed in place within their bounds, and no faults that act on it. */
#include "replay/experiment/trial_private.h"

#include "base/memory.h"
#include "net/port/port.h"
#include "net/switch/buffer_kinds.h"
#include "net/switch/switch.h"
#include "nvme/media/media.h"
#include "rnic/cc/cc.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/data/fault.h"
#include "scenarios/effect/effect.h"
#include "scenarios/workload/workload.h"
#include "tcp/tcp.h"

#include <stdio.h>
#include <stdlib.h>

enum { MANY = 8 };

/* Zero and negative values mean something else, as 0 for all or -1 for auto: they stay. */
static int64_t relieved(const struct opt *row, int64_t value, int64_t permille)
{
    const enum opt_worse worse = row->effect.worse;
    int64_t bound;
    char why[OPT_WHY_BYTES];
    if (value <= 0)
        return value;
    if (row->type == OPT_BOOL)
        return 0;
    if (worse == OPT_WORSE_MORE || worse == OPT_WORSE_CEILING) {
        const int64_t less = (int64_t)((__int128)value * 1000 / permille);
        return row->min != NULL && opt_parse(row, row->min, &bound, why) && less < bound ? bound
                                                                                         : less;
    }
    const int64_t by = permille < MANY * 1000 ? permille : MANY * 1000;
    int64_t more = (int64_t)((__int128)value * by / 1000);
    if (row->type == OPT_INT && more == value && permille > TRIAL_UNCHANGED)
        more = value + 1;
    return row->max != NULL && opt_parse(row, row->max, &bound, why) && more > bound ? bound : more;
}

static bool relieves(const struct scenario *scenario, const struct opt *row, enum opt_part part)
{
    return row->effect.scales && row->effect.part == part && !effect_lacks_transport(scenario, row);
}

static bool fault_takes(const struct scenario_fault *fault, enum opt_part part)
{
    return (fault->ops->acts_on >> part & 1) != 0;
}

/* ------------------------------------------------------------------ the parameters */

/* Parameters that were changed; hosts and ports share them. */
struct changing {
    const struct scenario *scenario;
    enum opt_part part;
    int64_t permille;
    const void **met;
    uint32_t met_count, met_room, changed;
};

static bool is_met(struct changing *changing, const void *params)
{
    for (uint32_t i = 0; i < changing->met_count; i++)
        if (changing->met[i] == params)
            return true;
    changing->met = memory_grown(changing->met, changing->met_count, &changing->met_room,
                                 sizeof *changing->met);
    changing->met[changing->met_count++] = params;
    return false;
}

/* The scenario is the caller's own, its parameters too. */
static void change(struct changing *changing, const struct opt *rows, const void *params)
{
    if (params == NULL || rows == NULL || is_met(changing, params))
        return;
    for (const struct opt *row = rows; row->name != NULL; row++) {
        if (!relieves(changing->scenario, row, changing->part))
            continue;
        int64_t *value = opt_field(row, (void *)(uintptr_t)params);
        const int64_t after = relieved(row, *value, changing->permille);
        changing->changed += after != *value;
        *value = after;
    }
}

static void change_host(struct changing *changing, const struct scenario_host *host)
{
    change(changing, rnic_opts, host->rnic);
    change(changing, tcp_base_opts, host->tcp);
    change(changing, nvme_host_opts, &host->nvme_host->core);
    change(changing, nvme_target_opts, &host->nvme_target->core);
    for (int i = 0; i < NVME_CARRIERS; i++) {
        change(changing, nvme_carriers[i]->host_opts, host->nvme_host->own[i]);
        change(changing, nvme_carriers[i]->target_opts, host->nvme_target->own[i]);
    }
    for (uint32_t i = 0; i < host->namespace_count; i++) {
        change(changing, nvme_namespace_opts, host->namespaces[i].params);
        change(changing, host->namespaces[i].media->opts, host->namespaces[i].media_params);
    }
    for (uint32_t i = 0; i < host->subsystem_count; i++)
        change(changing, nvme_subsystem_opts, &host->subsystems[i].limits);
}

static void change_switch(struct changing *changing, const struct switch_params *params)
{
    change(changing, switch_opts, params);
    for (size_t i = 0; i < BUFFER_POLICIES; i++)
        change(changing, buffer_policies[i]->opts, params->policy_params[i]);
}

/* The only one of a host that is no number. */
static void end_control(struct changing *changing, const struct scenario_host *host)
{
    const struct cc_preset *none = cc_find("none");
    struct scenario_host *own = (struct scenario_host *)(uintptr_t)host;
    changing->changed += own->cc != none->ops;
    own->cc = none->ops;
    own->cc_preset = none;
}

static void change_node(struct changing *changing, const struct scenario_node *node)
{
    for (uint16_t i = 0; i < node->port_count; i++)
        change(changing, port_opts, node->ports[i].params);
    if (node->kind == SCENARIO_SWITCH)
        change_switch(changing, node->switch_params);
    else
        change_host(changing, node->host);
    if (node->kind == SCENARIO_HOST && changing->part == OPT_PART_CONGESTION)
        end_control(changing, node->host);
}

/* Whole kinds of faults. */
static void leave_out(struct changing *changing, struct scenario *scenario)
{
    struct scenario_fault *faults = (struct scenario_fault *)(uintptr_t)scenario->faults;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        if (!fault_takes(&faults[i], changing->part))
            faults[kept++] = faults[i];
    changing->changed += scenario->fault_count - kept;
    scenario->fault_count = kept;
}

uint32_t trial_relax(struct scenario *scenario, enum bottleneck_resource resource, int64_t permille)
{
    struct changing changing = {
        .scenario = scenario, .part = bottleneck_part(resource), .permille = permille};
    for (uint32_t i = 0; i < scenario->node_count; i++)
        change_node(&changing, &scenario->nodes[i]);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        change(&changing, scenario->workloads[i].ops->opts, scenario->workloads[i].params);
    leave_out(&changing, scenario);
    free(changing.met);
    return changing.changed;
}

/* ------------------------------------------------------------------ in words */

static void say_setting(const struct scenario_setting *setting, int64_t permille, FILE *out)
{
    char before[64], after[64] = "none";
    const bool gone = setting->row->type == OPT_CHOICE;
    const int64_t value = gone ? 0 : relieved(setting->row, setting->value, permille);
    if (!gone && value == setting->value)
        return;
    opt_format(setting->row, setting->value, before, sizeof before);
    if (!gone)
        opt_format(setting->row, value, after, sizeof after);
    fprintf(out, "%s%s %s -> %s", ftell(out) > 0 ? ", " : "", setting->path, before, after);
}

void trial_relax_words(const struct trial_change *change, const struct scenario *scenario,
                       char *text, size_t size)
{
    const enum opt_part part = bottleneck_part(change->resource);
    char *all = NULL;
    size_t length;
    FILE *out = memory_stream(&all, &length);
    for (uint32_t i = 0; i < scenario->setting_count; i++)
        if (relieves(scenario, scenario->settings[i].row, part))
            say_setting(&scenario->settings[i], change->permille, out);
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        if (fault_takes(&scenario->faults[i], part))
            fprintf(out, "%s%s, removed", ftell(out) > 0 ? ", " : "", fault_name(scenario, i).text);
    memory_stream_end(out);
    snprintf(text, size, "%s", all);
    free(all);
}
