/* SPDX-License-Identifier: Apache-2.0
 * counters_families - the metrics of a run, under the names of Prometheus' exporters.
 * Ports of hosts have the names of node_exporter's ethtool collector, which is collector/
 * ethtool_linux.go: "rx" and "tx" between underscores become "received" and "transmitted". Ports of
 * switches have the SAI names of SONiC's COUNTERS_DB. */
#include "reports/tools/counters_families.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = COUNTERS_FAMILY_BYTES };

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

/* Whether a chosen port has the counter. */
static bool is_present(const struct port_counters *counters, const bool *chosen, bool of_switch,
                       enum counter_id id)
{
    for (uint32_t i = 0; i < counters->port_count; i++)
        if (counters_family_has(&counters->ports[i], chosen[i], of_switch, id))
            return true;
    return false;
}

static void name_family(struct counters_family *family)
{
    char counter[COUNTER_NAME_BYTES];
    const struct counter_about *about = &counters_about[family->id];
    counter_text(counter, family->of_switch ? about->sai : about->name, family->priority);
    if (family->of_switch) {
        snprintf(family->name, sizeof family->name, "%s", counter);
        snprintf(family->help, sizeof family->help, "SONiC counter %s", counter);
    } else {
        ethtool_name(family->name, counter);
        snprintf(family->help, sizeof family->help, "Network interface %s", counter);
    }
}

static bool has_name(bool of_switch, enum counter_id id)
{
    const char *name = of_switch ? counters_about[id].sai : counters_about[id].name;
    return name != NULL && isalpha((unsigned char)name[0]);
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

void counters_families(const struct port_counters *counters, const bool *chosen, bool of_switch,
                       counters_family_fn *call, void *self)
{
    struct counters_family family = {.of_switch = of_switch};
    for (int id = 0; id < COUNTER_COUNT; id++) {
        family.id = (enum counter_id)id;
        if (counters_about[id].scope == COUNTER_OF_SWITCH || !has_name(of_switch, family.id) ||
            !is_present(counters, chosen, of_switch, family.id))
            continue;
        family.object = of_switch ? object_of(family.id) : NULL;
        const bool each = counter_has_priority(family.id) && family.object == NULL;
        for (int i = 0; i < (each ? COUNTERS_PRIORITIES : 1); i++) {
            family.priority = each ? i : -1;
            name_family(&family);
            call(self, &family);
        }
    }
}
