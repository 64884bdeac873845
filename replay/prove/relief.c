/* SPDX-License-Identifier: Apache-2.0
 * relief - values of a scenario's parameters, changed in place. */
#include "replay/prove/relief.h"

#include "base/memory.h"
#include "net/port/port.h"
#include "net/switch/switch.h"
#include "nvme/media/media.h"
#include "rnic/cc/cc.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/fault/fault.h"
#include "scenarios/workload/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whose parameters; and what the paths of their settings have in them. */
#define SECTIONS(X)                                                                                \
    X(PORT, "fabric.")                                                                             \
    X(SWITCH, "fabric.switch.")                                                                    \
    X(RNIC, ".rnic.")                                                                              \
    X(HOST, ".nvme.")                                                                              \
    X(TARGET, ".target.")                                                                          \
    X(MEDIA, ".media.")                                                                            \
    X(NAMESPACE, ".namespaces[")                                                                   \
    X(SUBSYSTEM, ".subsystems[")                                                                   \
    X(WORKLOAD, "workloads.")                                                                      \
    X(FAULT, "faults[")

#define X(NAME, path) NAME##_SECTION,
enum section { SECTIONS(X) };
#undef X
#define X(NAME, path) [NAME##_SECTION] = (path),
static const char *const section_paths[] = {SECTIONS(X)};
#undef X

enum how { MORE, LESS, NONE };

static const struct relief {
    enum bottleneck_resource resource;
    enum section section;
    const char *rows; /* separated by blanks; prefix*: all that begin with it */
    enum how how;
} reliefs[] = {
#define RESOURCE(ID, word)
#define RELIEF(ID, section, rows, how) {BOTTLENECK_##ID, section##_SECTION, (rows), (how)},
#include "replay/explain/resource.def"
#undef RELIEF
#undef RESOURCE
};

enum { RELIEFS = sizeof reliefs / sizeof reliefs[0], MANY = 8 };

struct scenario *relief_reload_with(const struct scenario *scenario, const char *set,
                                    struct diag *diag)
{
    const char **sets = memory_zeroed(scenario->set_count + 1, sizeof *sets);
    for (uint32_t i = 0; i < scenario->set_count; i++)
        sets[i] = scenario->sets[i];
    sets[scenario->set_count] = set;
    const struct scenario_input input = {
        .name = scenario->sources[0].name,
        .text = scenario->sources[0].text,
        .length = scenario->sources[0].length,
        .files = scenario->sources,
        .file_count = scenario->source_count,
        .sets = sets,
        .set_count = scenario->set_count + (set != NULL),
    };
    struct scenario *again = scenario_load(&input, diag);
    free(sets);
    return again;
}

struct scenario *relief_reload(const struct scenario *scenario, uint64_t seed, struct diag *diag)
{
    char text[40];
    snprintf(text, sizeof text, "seed=%" PRIu64, seed);
    return relief_reload_with(scenario, seed > 0 ? text : NULL, diag);
}

/* One that ends with a star is of all rows that begin so. */
static bool names(const char *rows, const char *name)
{
    for (const char *at = rows; *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        const bool all = at[length - 1] == '*';
        const size_t same = length - all;
        if (strncmp(at, name, same) == 0 && (all || name[same] == '\0'))
            return true;
        at += length;
    }
    return false;
}

/* What stands for something else than a number, as 0 for all or -1 for auto, stays. */
static int64_t relieved(const struct opt *row, enum how how, int64_t value, int64_t permille)
{
    int64_t bound;
    char why[OPT_WHY_BYTES];
    if (value <= 0)
        return value;
    if (how == NONE) /* a setting that is true */
        return 0;
    if (how == LESS) {
        const int64_t less = (int64_t)((__int128)value * 1000 / permille);
        return row->min != NULL && opt_parse(row, row->min, &bound, why) && less < bound ? bound
                                                                                         : less;
    }
    const int64_t by = permille < MANY * 1000 ? permille : MANY * 1000;
    int64_t more = (int64_t)((__int128)value * by / 1000);
    if (row->type == OPT_INT && more == value && permille > RELIEF_NOTHING)
        more = value + 1;
    return row->max != NULL && opt_parse(row, row->max, &bound, why) && more > bound ? bound : more;
}

/* ------------------------------------------------------------------ the parameters */

/* Parameters that were met; things share them. */
struct changing {
    const struct relief *relief;
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
        if (!names(changing->relief->rows, row->name))
            continue;
        int64_t *value = opt_field(row, (void *)(uintptr_t)params);
        const int64_t after = relieved(row, changing->relief->how, *value, changing->permille);
        changing->changed += after != *value;
        *value = after;
    }
}

static void change_host(struct changing *changing, const struct scenario_host *host)
{
    switch (changing->relief->section) {
    case RNIC_SECTION:
        change(changing, rnic_opts, host->rnic);
        break;
    case HOST_SECTION:
        change(changing, nvme_host_opts, &host->nvme_host->core);
        for (int i = 0; i < NVME_CARRIERS; i++)
            change(changing, nvme_carriers[i]->host_opts, host->nvme_host->own[i]);
        break;
    case TARGET_SECTION:
        change(changing, nvme_target_opts, &host->nvme_target->core);
        for (int i = 0; i < NVME_CARRIERS; i++)
            change(changing, nvme_carriers[i]->target_opts, host->nvme_target->own[i]);
        break;
    case NAMESPACE_SECTION:
        for (uint32_t i = 0; i < host->namespace_count; i++)
            change(changing, nvme_namespace_opts, host->namespaces[i].params);
        break;
    case SUBSYSTEM_SECTION:
        for (uint32_t i = 0; i < host->subsystem_count; i++)
            change(changing, nvme_subsystem_opts, &host->subsystems[i].limits);
        break;
    case MEDIA_SECTION:
        for (uint32_t i = 0; i < host->namespace_count; i++)
            change(changing, host->namespaces[i].media->opts, host->namespaces[i].media_params);
        break;
    default:
        break;
    }
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
    for (uint16_t i = 0; changing->relief->section == PORT_SECTION && i < node->port_count; i++)
        change(changing, port_opts, node->ports[i].params);
    if (changing->relief->section == SWITCH_SECTION && node->kind == SCENARIO_SWITCH)
        change(changing, switch_opts, node->switch_params);
    if (node->kind != SCENARIO_HOST)
        return;
    if (changing->relief->how == NONE && names(changing->relief->rows, "congestion-control"))
        end_control(changing, node->host);
    else
        change_host(changing, node->host);
}

/* Whole kinds of faults. */
static void leave_out(struct changing *changing, struct scenario *scenario)
{
    struct scenario_fault *faults = (struct scenario_fault *)(uintptr_t)scenario->faults;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        if (!names(changing->relief->rows, faults[i].ops->name))
            faults[kept++] = faults[i];
    changing->changed += scenario->fault_count - kept;
    scenario->fault_count = kept;
}

static uint32_t apply(struct scenario *scenario, const struct relief *relief, int64_t permille)
{
    struct changing changing = {.relief = relief, .permille = permille};
    for (uint32_t i = 0; i < scenario->node_count; i++)
        change_node(&changing, &scenario->nodes[i]);
    for (uint32_t i = 0; relief->section == WORKLOAD_SECTION && i < scenario->workload_count; i++)
        change(&changing, scenario->workloads[i].ops->opts, scenario->workloads[i].params);
    if (relief->section == FAULT_SECTION && relief->how == NONE)
        leave_out(&changing, scenario);
    for (uint32_t i = 0; relief->section == FAULT_SECTION && i < scenario->fault_count; i++)
        change(&changing, scenario->faults[i].ops->opts, scenario->faults[i].params);
    free(changing.met);
    return changing.changed;
}

uint32_t relief_apply(struct scenario *scenario, enum bottleneck_resource resource,
                      int64_t permille)
{
    uint32_t changed = 0;
    for (int i = 0; i < RELIEFS; i++)
        if (reliefs[i].resource == resource)
            changed += apply(scenario, &reliefs[i], permille);
    return changed;
}

/* ------------------------------------------------------------------ in words */

static bool is_of(const struct scenario_setting *setting, const struct relief *relief)
{
    const char *last = strrchr(setting->path, '.');
    const char *section = section_paths[relief->section];
    const bool there = section[0] == '.' ? strstr(setting->path, section) != NULL
                                         : strncmp(setting->path, section, strlen(section)) == 0;
    return there && last != NULL && names(relief->rows, last + 1);
}

static void say_setting(const struct scenario_setting *setting, const struct relief *relief,
                        int64_t permille, FILE *out)
{
    char before[64], after[64] = "none";
    const bool gone = relief->how == NONE && setting->row->type != OPT_BOOL;
    const int64_t value =
        gone ? setting->value : relieved(setting->row, relief->how, setting->value, permille);
    if (!gone && value == setting->value)
        return;
    opt_format(setting->row, setting->value, before, sizeof before);
    if (!gone)
        opt_format(setting->row, value, after, sizeof after);
    fprintf(out, "%s%s %s -> %s", ftell(out) > 0 ? ", " : "", setting->path, before, after);
}

void relief_words(const struct scenario *scenario, enum bottleneck_resource resource,
                  int64_t permille, char *text, size_t size)
{
    char *all = NULL;
    size_t length;
    FILE *out = memory_stream(&all, &length);
    for (int k = 0; k < RELIEFS; k++)
        for (uint32_t i = 0; i < scenario->setting_count; i++)
            if (reliefs[k].resource == resource && is_of(&scenario->settings[i], &reliefs[k]))
                say_setting(&scenario->settings[i], &reliefs[k], permille, out);
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        for (int k = 0; k < RELIEFS; k++)
            if (reliefs[k].resource == resource && reliefs[k].how == NONE &&
                reliefs[k].section == FAULT_SECTION &&
                names(reliefs[k].rows, scenario->faults[i].ops->name))
                fprintf(out, "%s%s, removed", ftell(out) > 0 ? ", " : "",
                        fault_name(scenario, i).text);
    memory_stream_end(out);
    snprintf(text, size, "%s", all);
    free(all);
}
