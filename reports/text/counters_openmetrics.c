/* SPDX-License-Identifier: Apache-2.0
 * counters_openmetrics - counters of a run as OpenMetrics text.
 * Ports of hosts have the names of node_exporter's ethtool collector, which is collector/
 * ethtool_linux.go: "rx" and "tx" between underscores become "received" and "transmitted", and the
 * type is unknown. Ports of switches have the SAI names of SONiC's COUNTERS_DB.
 * Source of the syntax: OpenMetrics 1.0, https://prometheus.io/docs/specs/om/open_metrics_spec/ */
#include "reports/text/counters.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { PRIORITIES = 8, NAME_BYTES = 160 };

struct family {
    const struct port_counters *counters;
    const bool *chosen;
    bool of_switch;
    enum counter_id id;
    int priority;       /* -1: none in the name */
    const char *object; /* label of the priority that is not in the name; NULL: none */
    char name[NAME_BYTES];
    char help[NAME_BYTES];
    bool begun;
};

/* "rx_prio3_pause" as "node_ethtool_received_prio3_pause". */
static void ethtool_name(char name[NAME_BYTES], const char *counter)
{
    size_t at = (size_t)snprintf(name, NAME_BYTES, "node_ethtool");
    for (const char *word = counter; *word != '\0' && at + COUNTER_NAME_BYTES < NAME_BYTES;) {
        const size_t length = strcspn(word, "_");
        const bool received = length == 2 && strncmp(word, "rx", 2) == 0,
                   transmitted = length == 2 && strncmp(word, "tx", 2) == 0;
        at += (size_t)snprintf(name + at, NAME_BYTES - at, "_%.*s",
                               received      ? 8
                               : transmitted ? 11
                                             : (int)length,
                               received      ? "received"
                               : transmitted ? "transmitted"
                                             : word);
        word += length + (word[length] == '_');
    }
}

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

static void write_sample(const struct family *family, const struct port_counters_port *port,
                         int priority, FILE *out)
{
    fputs(family->name, out);
    write_label(family->of_switch ? "{switch" : "{instance", port->node, out);
    write_label(family->of_switch ? ",port" : ",device", port_name(port), out);
    if (family->object != NULL)
        fprintf(out, ",%s=\"%d\"", family->object, priority);
    fprintf(out, "} %" PRId64 "\n",
            port_counters_get(family->counters, port, family->id, priority));
}

static void write_samples(struct family *family, FILE *out)
{
    for (uint32_t i = 0; i < family->counters->port_count; i++) {
        const struct port_counters_port *port = &family->counters->ports[i];
        if (!family->chosen[i] || port->of_switch != family->of_switch ||
            !port_counters_has(port, family->id))
            continue;
        if (!family->begun)
            fprintf(out, "# TYPE %s unknown\n# HELP %s %s\n", family->name, family->name,
                    family->help);
        family->begun = true;
        if (family->object == NULL)
            write_sample(family, port, family->priority, out);
        else
            for (int priority = 0; priority < PRIORITIES; priority++)
                write_sample(family, port, priority, out);
    }
}

static void write_family(struct family family, FILE *out)
{
    char counter[COUNTER_NAME_BYTES];
    const struct counter_about *about = &counters_about[family.id];
    const char *name = family.of_switch ? about->sai : about->name;
    if (name == NULL || !isalpha((unsigned char)name[0]))
        return;
    counter_text(counter, name, family.priority);
    if (family.of_switch) {
        snprintf(family.name, sizeof family.name, "%s", counter);
        snprintf(family.help, sizeof family.help, "SONiC counter %s", counter);
    } else {
        ethtool_name(family.name, counter);
        snprintf(family.help, sizeof family.help, "Network interface %s", counter);
    }
    write_samples(&family, out);
}

/* The label of the priority of a SAI counter whose name has none; NULL: no such counter. */
static const char *object_of(enum counter_id id)
{
    const struct counter_about *about = &counters_about[id];
    const bool each = counter_has_priority(id) || about->scope == COUNTER_OF_SWITCH_PRIORITY;
    if (!each || about->sai == NULL || strstr(about->sai, "%d") != NULL)
        return NULL;
    return strncmp(about->sai, "SAI_INGRESS", 11) == 0 ? "priority_group" : "queue";
}

/* The counters that ethtool -S has of hosts, and those with a SAI name of switches. */
static void write_families(struct family family, FILE *out)
{
    for (int id = 0; id < COUNTER_COUNT; id++) {
        if (counters_about[id].scope == COUNTER_OF_SWITCH)
            continue;
        family.id = (enum counter_id)id;
        family.object = family.of_switch ? object_of(family.id) : NULL;
        const bool each = counter_has_priority(family.id) && family.object == NULL;
        for (int i = 0; i < (each ? PRIORITIES : 1); i++) {
            family.priority = each ? i : -1;
            write_family(family, out);
        }
    }
}

void counters_openmetrics(const struct port_counters *counters, const bool *chosen, FILE *out)
{
    struct family family = {.counters = counters, .chosen = chosen};
    write_families(family, out);
    family.of_switch = true;
    write_families(family, out);
    fputs("# EOF\n", out);
}
