/* SPDX-License-Identifier: Apache-2.0
 * confidence - finds the value that binds, and its error. */
#include "replay/explain/confidence.h"

#include "base/numbers.h"
#include "base/plural.h"
#include "base/text.h"
#include "replay/database/words.h"
#include "rnic/host/rnic.h"
#include "scenarios/effect/effect.h"
#include "scenarios/format/block.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

enum section { SECTION_RNIC, SECTION_NVME, SECTION_TARGET, SECTION_TCP, SECTION_MEDIA };

enum when { WHEN_ANY, WHEN_READS, WHEN_WRITES, WHEN_NOT_RDMA_READS, WHEN_INTERRUPTS };

static const struct limit_value {
    enum bottleneck_resource resource;
    const char *station;
    enum section section;
    const char *name;
    enum when when;
} limit_values[] = {
#define LIMIT_VALUE(resource, station, section, name, when)                                        \
    {BOTTLENECK_##resource, station, SECTION_##section, name, WHEN_##when},
#include "replay/explain/limit_value.def"
};

/* ------------------------------------------------------------------ errors */

static const struct limit_error {
    const char *evidence;
    uint32_t sources;
    int64_t error;
} limit_errors[] = {
#define LIMIT_ERROR(evidence, sources, ppm, figures, laboratories) {evidence, sources, ppm},
#include "replay/explain/limit_error.def"
};

static const char *const by_evidence[] = {"documented", "measured", "inferred", "assumed", NULL};

/* The row with the most sources that are no more than these; NULL: none of that evidence. */
static const struct limit_error *error_row(const char *evidence, uint32_t sources)
{
    const struct limit_error *found = NULL;
    for (size_t i = 0; i < sizeof limit_errors / sizeof limit_errors[0]; i++)
        if (strcmp(limit_errors[i].evidence, evidence) == 0 && limit_errors[i].sources <= sources &&
            (found == NULL || limit_errors[i].sources > found->sources))
            found = &limit_errors[i];
    return found;
}

/* Evidence that no test figure had takes the error of the next weaker one. */
int64_t confidence_error(const char *evidence, uint32_t sources)
{
    bool weaker = false;
    for (size_t i = 0; by_evidence[i] != NULL; i++) {
        weaker |= strcmp(by_evidence[i], evidence) == 0;
        const struct limit_error *row = weaker ? error_row(by_evidence[i], sources) : NULL;
        if (row != NULL)
            return row->error;
    }
    return 0;
}

const char *confidence_evidence(const struct opt *row, const struct block_origin *origin,
                                uint32_t *sources)
{
    *sources = origin->sources;
    if (origin->evidence != NULL)
        return origin->evidence;
    *sources = 0;
    if (origin->where.file != NULL)
        return "scenario";
    if (row->source == NULL || text_begins(row->source, "assumed") ||
        text_begins(row->source, "own"))
        return "assumed";
    *sources = 1;
    return "inferred"; /* a default for all devices, of one device's source */
}

/* ------------------------------------------------------------------ the value that binds */

static bool is_rdma_read(const struct scenario_workload *workload)
{
    return strcmp(workload->ops->name, "rdma-read") == 0;
}

/* Job files and traces may do both. */
static bool has_direction(const struct scenario_workload *workload, bool reads)
{
    if (!workload->ops->needs_nvme_target || workload->job != NULL ||
        strcmp(workload->ops->name, "nvme") != 0)
        return true;
    const struct wl_nvme_params *params = workload->params;
    return reads ? params->read > 0 : params->read < PPM;
}

static bool applies(enum when when, const struct scenario_workload *workload,
                    const struct scenario_host *host)
{
    switch (when) {
    case WHEN_ANY:
        return true;
    case WHEN_READS:
    case WHEN_WRITES:
        return has_direction(workload, when == WHEN_READS);
    case WHEN_NOT_RDMA_READS:
        return !is_rdma_read(workload);
    case WHEN_INTERRUPTS:
        return host->rnic->pipeline.completions != RNIC_COMPLETIONS_POLLING;
    }
    return false;
}

/* Entry `index` of the namespaces for the media; NULL beyond the last. */
static const struct block *block_of(const struct scenario_host *host, enum section section,
                                    uint32_t index)
{
    if (section == SECTION_MEDIA)
        return index < host->namespace_count ? host->namespaces[index].media_values : NULL;
    const struct block *const blocks[] = {
        [SECTION_RNIC] = host->rnic_values,
        [SECTION_NVME] = host->nvme_host_values,
        [SECTION_TARGET] = host->nvme_target_values,
        [SECTION_TCP] = host->tcp_values,
    };
    return index == 0 ? blocks[section] : NULL;
}

/* What binds so far. A cost is compared with other costs; any other value binds alone. */
struct binding {
    const struct block *block;
    size_t row;
    int64_t value;
    bool is_cost;
};

static void consider(struct binding *binding, const struct block *block, const char *name,
                     const struct scenario *scenario, uint32_t node)
{
    for (size_t i = 0; i < block->row_count; i++) {
        const struct opt *row = &block->rows[i];
        if (strcmp(row->name, name) != 0)
            continue;
        const int64_t value = *opt_field(row, block->params);
        const bool is_cost = row->type == OPT_TIME;
        if (value <= 0 || effect_is_void(scenario, node, row) ||
            effect_lacks_transport(scenario, row))
            return;
        if (binding->block == NULL || (is_cost && !binding->is_cost) ||
            (is_cost == binding->is_cost && value > binding->value))
            *binding = (struct binding){block, i, value, is_cost};
        return;
    }
}

static void describe(const struct binding *binding, struct confidence *found)
{
    const struct opt *row = &binding->block->rows[binding->row];
    const struct block_origin *origin = &binding->block->origins[binding->row];
    found->binds = true;
    snprintf(found->path, sizeof found->path, "%.80s.%.40s", binding->block->path, row->name);
    opt_format(row, binding->value, found->value, sizeof found->value);
    found->evidence = confidence_evidence(row, origin, &found->sources);
    found->source = origin->source != NULL ? origin->source
                    : row->source != NULL  ? row->source
                                           : "";
    found->error = confidence_error(found->evidence, found->sources);
}

void confidence_find(const struct scenario *scenario, const struct scenario_workload *workload,
                     const struct confidence_place *place, struct confidence *found)
{
    struct binding binding = {0};
    *found = (struct confidence){.source = ""};
    if (place->station == NULL || place->node >= scenario->node_count ||
        scenario->nodes[place->node].host == NULL)
        return;
    const struct scenario_host *host = scenario->nodes[place->node].host;
    for (size_t i = 0; i < sizeof limit_values / sizeof limit_values[0]; i++) {
        const struct limit_value *value = &limit_values[i];
        if (value->resource != place->resource || strcmp(value->station, place->station) != 0 ||
            !applies(value->when, workload, host))
            continue;
        const struct block *block;
        for (uint32_t k = 0; (block = block_of(host, value->section, k)) != NULL; k++)
            consider(&binding, block, value->name, scenario, place->node);
    }
    if (binding.block != NULL)
        describe(&binding, found);
}

/* ------------------------------------------------------------------ words */

void confidence_evidence_words(const char *evidence, uint32_t sources, double error, char *text,
                               size_t size)
{
    char counted[64] = "";
    if (sources > 0)
        snprintf(counted, sizeof counted, " (%u %s)", sources,
                 plural(sources, "source", "sources"));
    snprintf(text, size,
             "%s%s; 4 of 5 results that depend on %s %s value were within %s of a measurement",
             evidence, counted, strchr("aeiou", evidence[0]) == NULL ? "a" : "an", evidence,
             words_percent(error, 1).text);
}

void confidence_words(const struct confidence *confidence, double iops, char *text, size_t size)
{
    const double error = (double)confidence->error / (double)PPM;
    char evidence[160], run[64] = "";
    *text = '\0';
    if (!confidence->binds || confidence->error == 0 || iops <= 0)
        return;
    confidence_evidence_words(confidence->evidence, confidence->sources, error, evidence,
                              sizeof evidence);
    if (confidence->causes > 0)
        snprintf(run, sizeof run, " (with the confirmed %s)",
                 plural(confidence->causes, "cause", "causes"));
    snprintf(text, size, "%s IOPS%s, likely %s to %s on hardware: the limit, %s %s, is %s",
             words_short(iops).text, run, words_short(iops / (1 + error)).text,
             words_short(iops * (1 + error)).text, confidence->path, confidence->value, evidence);
}
