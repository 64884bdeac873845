/* SPDX-License-Identifier: Apache-2.0
 * fault_drive_failed - a drive of a namespace with several drives fails; at the fault's end it is
 * replaced and rebuilt. */
#include "nvme/target/target.h"
#include "scenarios/data/fault.h"
#include "scenarios/data/scenario.h"

struct drive_failed_params {
    int64_t namespace, drive;
};

static const struct opt drive_failed_rows[] = {
    {"namespace", OPT_INT, offsetof(struct drive_failed_params, namespace), "1", "1", "1024", NULL,
     "Namespace of the target, numbered from 1 in the order of the scenario file. An entry with "
     "`count` counts as that many namespaces.",
     "own", OPT_ACTS(FAULTS, ANY, TRACE)},
    {"drive", OPT_INT, offsetof(struct drive_failed_params, drive), "0", "0", "31", NULL,
     "Drive of the namespace, numbered from 0.", "own", OPT_ACTS(FAULTS, ANY, TRACE)},
    {0}};

/* With too many failed drives, I/O fails. */
static unsigned drive_failed_breaks(const void *params)
{
    (void)params;
    return FAULT_KILLS_TARGET;
}

static bool overlap(const void *params, const void *others)
{
    const struct drive_failed_params *a = params, *b = others;
    return a->namespace == b->namespace && a->drive == b->drive;
}

static const char *in_vain_at(const void *params, const struct scenario_node *node)
{
    const struct drive_failed_params *p = params;
    int64_t before = 0;
    for (uint32_t i = 0; i < node->host->namespace_count; i++) {
        const struct scenario_namespace *entry = &node->host->namespaces[i];
        const int64_t drives = entry->params->array.drives;
        before += entry->count;
        if (p->namespace > before)
            continue;
        return drives == 1          ? "finds a namespace of one drive: expected drives: 2 or more"
               : p->drive >= drives ? "finds no drive of that number: the first is 0"
                                    : NULL;
    }
    return "finds no namespace of that number: the first is 1";
}

static void at_target(struct nvme_target *target, const struct scenario_host *about,
                      const void *params, bool on)
{
    const struct drive_failed_params *p = params;
    const uint32_t ns = (uint32_t)p->namespace, drive = (uint32_t)p->drive;
    (void)about;
    if (on)
        nvme_target_fail_drive(target, ns, drive);
    else
        nvme_target_replace_drive(target, ns, drive);
}

const struct fault_ops fault_drive_failed = {
    .name = "drive-failed",
    .about = "A drive of an array fails; at the fault's end it is replaced and rebuilt.",
    .acts_on = OPT_PART_BIT(MEDIA),
    .opts = drive_failed_rows,
    .params_bytes = sizeof(struct drive_failed_params),
    .place = FAULT_AT_TARGETS,
    .breaks = drive_failed_breaks,
    .in_vain_at = in_vain_at,
    .overlap = overlap,
    .at_target = at_target,
};
