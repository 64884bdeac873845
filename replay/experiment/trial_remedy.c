/* SPDX-License-Identifier: Apache-2.0
 * trial_remedy - the remedies of check's warnings that a trial can try. */
#include "replay/experiment/trial.h"

#include "base/memory.h"
#include "scenarios/load/load.h"

#include <stdlib.h>
#include <string.h>

static bool sets_row(const char *set, const struct opt *row)
{
    const char *end = set + strcspn(set, "="), *name = end;
    while (name > set && name[-1] != '.')
        name--;
    return row != NULL && strlen(row->name) == (size_t)(end - name) &&
           strncmp(row->name, name, (size_t)(end - name)) == 0;
}

/* The remedy sets the value of a larger device of the same kind: having a smaller one is no
 * mistake. */
static bool is_larger_device(const struct scenario *scenario, const char *set)
{
    const size_t length = strcspn(set, "=");
    for (uint32_t i = 0; i < scenario->setting_count; i++) {
        const struct scenario_setting *setting = &scenario->settings[i];
        char why[OPT_WHY_BYTES];
        int64_t value;
        if (strncmp(setting->path, set, length) == 0 && setting->path[length] == '\0')
            return opt_parse(setting->row, set + length + (set[length] == '='), &value, why) &&
                   opt_is_smaller_device(setting->row, setting->value, value);
    }
    return false;
}

/* "workloads.NAME.nic": the paths of a workload are no load. */
static bool is_of_paths(const char *set)
{
    static const char workloads[] = "workloads.";
    for (const struct opt *row = scenario_workload_opts; row->name != NULL; row++)
        if (row->effect.part == OPT_PART_PATHS && sets_row(set, row))
            return strncmp(set, workloads, sizeof workloads - 1) == 0;
    return false;
}

/* A setting of hosts or of the fabric, or the paths of a workload; never the load, nor the
 * topology. */
static bool is_setting(const struct scenario *scenario, const char *set)
{
    static const char hosts[] = "hosts.", fabric[] = "fabric.", topology[] = "fabric.topology";
    return is_of_paths(set) ||
           ((strncmp(set, hosts, sizeof hosts - 1) == 0 ||
             strncmp(set, fabric, sizeof fabric - 1) == 0) &&
            strncmp(set, topology, sizeof topology - 1) != 0 && !is_larger_device(scenario, set));
}

static bool is_repair(const struct scenario *scenario, const struct check_finding *finding)
{
    bool all = finding->level != DIAG_NOTE && finding->remedy.set_count > 0;
    for (size_t i = 0; all && i < finding->remedy.set_count; i++)
        all = is_setting(scenario, finding->remedy.sets[i]);
    return all;
}

static struct trial_remedy merged_remedy(const struct scenario *scenario,
                                         struct check_report *report, size_t first)
{
    const struct check_finding *finding = &report->findings[first];
    struct remedy all = {.text = NULL};
    for (size_t i = first; i < report->count; i++) {
        const struct check_finding *other = &report->findings[i];
        if (other->rule != finding->rule || !is_repair(scenario, other))
            continue;
        for (size_t k = 0; k < other->remedy.set_count; k++)
            remedy_set(&all, &report->arena, other->remedy.sets[k]);
    }
    return (struct trial_remedy){all.sets, (uint32_t)all.set_count, finding->text};
}

static bool is_first_of_rule(const struct scenario *scenario, const struct check_report *report,
                             size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (report->findings[i].rule == report->findings[index].rule &&
            is_repair(scenario, &report->findings[i]))
            return false;
    return is_repair(scenario, &report->findings[index]);
}

void trial_remedies_find(struct trial_remedies *remedies, const struct scenario *scenario)
{
    check_scenario(scenario, &remedies->report);
    remedies->list = memory_zeroed(remedies->report.count + 1, sizeof *remedies->list);
    remedies->count = 0;
    for (size_t i = 0; i < remedies->report.count; i++)
        if (is_first_of_rule(scenario, &remedies->report, i))
            remedies->list[remedies->count++] = merged_remedy(scenario, &remedies->report, i);
}

void trial_remedies_free(struct trial_remedies *remedies)
{
    check_free(&remedies->report);
    free(remedies->list);
    *remedies = (struct trial_remedies){.count = 0};
}

bool trial_is_warned_of(const struct trial_remedies *remedies, const struct deviation *setting)
{
    for (uint32_t i = 0; i < remedies->count; i++)
        for (uint32_t k = 0; k < remedies->list[i].set_count; k++)
            for (size_t c = 0; c < setting->change_count; c++)
                if (sets_row(remedies->list[i].sets[k], setting->changes[c].row))
                    return true;
    return false;
}
