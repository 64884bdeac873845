/* SPDX-License-Identifier: Apache-2.0
 * fault_silent_corruption - drives of a namespace read or write wrong data and report success.
 * Only protection information or the run's data verification detects it. */
#include "nvme/target/target.h"
#include "scenarios/data/fault.h"
#include "scenarios/data/scenario.h"

struct silent_corruption_params {
    int64_t namespace, error, every;
};

static const struct opt silent_corruption_rows[] = {
    {"namespace", OPT_INT, offsetof(struct silent_corruption_params, namespace), "1", "1", "1024",
     NULL,
     "Namespace of the target, numbered from 1 in the order of the scenario file. An entry with "
     "`count` counts as that many namespaces.",
     "own", OPT_ACTS(FAULTS, ANY, TRACE)},
    {"error", OPT_CHOICE, offsetof(struct silent_corruption_params, error), "misdirected-read",
     NULL, NULL, OPT_WORDS(NVME_CORRUPTIONS),
     "Error of the drives. misdirected-read, misdirected-write: they read or write other blocks; "
     "lost-write: they acknowledge a write without executing it; flipped-bit: they write data "
     "with one bit changed.",
     "Bairavasundaram et al., FAST 2008: an analysis of data corruption in the storage stack",
     OPT_ACTS(FAULTS, ANY, TRACE)},
    {"every", OPT_INT, offsetof(struct silent_corruption_params, every), "1", "1", "1000000", NULL,
     "Interval of the errors, in reads or writes: one of this many has the error; 1: all of them.",
     "own", OPT_ACTS(FAULTS, ANY, TRACE)},
    {0}};

/* With protection information, I/O fails. */
static unsigned silent_corruption_breaks(const void *params)
{
    (void)params;
    return FAULT_KILLS_TARGET | FAULT_LOSES_DATA;
}

static bool overlap(const void *params, const void *others)
{
    const struct silent_corruption_params *a = params, *b = others;
    return a->namespace == b->namespace;
}

static const char *in_vain_at(const void *params, const struct scenario_node *node)
{
    const struct silent_corruption_params *p = params;
    int64_t count = 0;
    for (uint32_t i = 0; i < node->host->namespace_count; i++)
        count += node->host->namespaces[i].count;
    return p->namespace > count ? "finds no namespace of that number: the first is 1" : NULL;
}

static void at_target(struct nvme_target *target, const struct scenario_host *about,
                      const void *params, bool on)
{
    const struct silent_corruption_params *p = params;
    (void)about;
    nvme_target_corrupt(target, (uint32_t)p->namespace, (enum nvme_corruption)p->error,
                        on ? (uint32_t)p->every : 0);
}

const struct fault_ops fault_silent_corruption = {
    .name = "silent-corruption",
    .about = "A namespace's drives read or write other blocks, or other data, without an error.",
    .acts_on = OPT_PART_BIT(INTEGRITY),
    .opts = silent_corruption_rows,
    .params_bytes = sizeof(struct silent_corruption_params),
    .place = FAULT_AT_TARGETS,
    .breaks = silent_corruption_breaks,
    .in_vain_at = in_vain_at,
    .overlap = overlap,
    .at_target = at_target,
};
