/* SPDX-License-Identifier: Apache-2.0
 * counters_openmetrics - counters of a run as OpenMetrics text.
 * The type of every metric is unknown, as that of node_exporter's ethtool collector.
 * Source of the syntax: OpenMetrics 1.0, https://prometheus.io/docs/specs/om/open_metrics_spec/ */
#include "reports/tools/counters.h"
#include "reports/tools/counters_families.h"

#include <inttypes.h>
#include <string.h>

struct metrics {
    const struct port_counters *counters;
    const bool *chosen;
    FILE *out;
};

/* Label values escape backslash, quote and line feed. */
static void write_label(const char *label, const char *value, FILE *out)
{
    fprintf(out, "%s=\"", label);
    for (; *value != '\0'; value++)
        if (*value == '\n')
            fputs("\\n", out);
        else {
            if (*value == '"' || *value == '\\')
                fputc('\\', out);
            fputc(*value, out);
        }
    fputc('"', out);
}

/* Below its node, "p3" is sufficient. */
static const char *port_name(const struct port_counters_port *port)
{
    return port->equipment != NULL ? port->equipment : port->name + strlen(port->node) + 1;
}

static void write_sample(const struct metrics *metrics, const struct counters_family *family,
                         const struct port_counters_port *port, int priority)
{
    FILE *out = metrics->out;
    fprintf(out, "%s{", family->name);
    write_label(counters_family_node_label(family->of_switch), port->node, out);
    fputc(',', out);
    write_label(counters_family_port_label(family->of_switch), port_name(port), out);
    if (family->object != NULL)
        fprintf(out, ",%s=\"%d\"", family->object, priority);
    fprintf(out, "} %" PRId64 "\n",
            port_counters_get(metrics->counters, port, family->id, priority));
}

static void write_family(void *self, const struct counters_family *family)
{
    const struct metrics *metrics = self;
    fprintf(metrics->out, "# TYPE %s unknown\n# HELP %s %s\n", family->name, family->name,
            family->help);
    for (uint32_t i = 0; i < metrics->counters->port_count; i++) {
        const struct port_counters_port *port = &metrics->counters->ports[i];
        if (!counters_family_has(port, metrics->chosen[i], family->of_switch, family->id))
            continue;
        if (family->object == NULL)
            write_sample(metrics, family, port, family->priority);
        else
            for (int priority = 0; priority < COUNTERS_PRIORITIES; priority++)
                write_sample(metrics, family, port, priority);
    }
}

void counters_openmetrics(const struct port_counters *counters, const bool *chosen, FILE *out)
{
    struct metrics metrics = {counters, chosen, out};
    counters_families(counters, chosen, false, write_family, &metrics);
    counters_families(counters, chosen, true, write_family, &metrics);
    fputs("# EOF\n", out);
}
