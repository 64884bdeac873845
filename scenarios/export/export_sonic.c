/* SPDX-License-Identifier: Apache-2.0
 * export_sonic - writes a switch as tables of SONiC's config_db.json: its linked ports, cables and
 * neighbors, classes, buffers, marking, schedulers, watchdog.
 * Every value is a string, as SONiC writes them. A priority is traffic class, queue, priority group
 * and PFC priority at once, as in a scenario. Platform-specific settings are left to the device:
 * lanes, aliases, addresses.
 * Source: SONiC's schema (sonic-buildimage, src/sonic-yang-models). */
#include "base/units.h"
#include "net/switch/watchdog.h"
#include "scenarios/export/export_sonic_private.h"
#include "scenarios/fabric/pauses.h"

#include <string.h>

enum { LANES = 4 }; /* names of four-lane ports: Ethernet0, Ethernet4 .. */
static const int64_t ppm_per_percent = 10000;

/* ---- JSON whose values are strings ---- */

void sonic_table_begin(struct sonic_out *w, const char *name)
{
    fprintf(w->out, "%s    \"%s\": {", w->tables++ == 0 ? "" : ",\n", name);
    w->rows = 0;
}

void sonic_table_end(struct sonic_out *w)
{
    fputs(w->rows > 0 ? "\n    }" : "}", w->out);
}

/* Begins a row with key "KEY" or "KEY|SECOND"; the caller adds the members. */
void sonic_row_begin(struct sonic_out *w, const char *key, const char *second)
{
    fprintf(w->out, "%s        \"%s%s%s\": {", w->rows++ == 0 ? "\n" : ",\n", key,
            second == NULL ? "" : "|", second == NULL ? "" : second);
}

void sonic_put_text(struct sonic_out *w, bool first, const char *key, const char *value)
{
    fprintf(w->out, "%s\"%s\": \"%s\"", first ? "" : ", ", key, value);
}

void sonic_put_number(struct sonic_out *w, bool first, const char *key, int64_t value)
{
    fprintf(w->out, "%s\"%s\": \"%lld\"", first ? "" : ", ", key, (long long)value);
}

void sonic_row_end(struct sonic_out *w)
{
    fputc('}', w->out);
}

/* ---- ports ---- */

bool sonic_is_linked(const struct scenario_port *port)
{
    return port->link != SCENARIO_NO_LINK;
}

static bool is_sonic_name(const char *name)
{
    static const char word[] = "Ethernet";
    const size_t length = sizeof word - 1;
    if (name == NULL || strncmp(name, word, length) != 0 || name[length] == '\0')
        return false;
    return strspn(name + length, "0123456789") == strlen(name + length);
}

/* True if all linked ports have SONiC names. A generated name could be another port's, so names are
 * used for all linked ports or for none. */
static bool has_names(const struct scenario_node *node)
{
    bool named = true;
    for (unsigned p = 0; p < node->port_count; p++)
        named &= !sonic_is_linked(&node->ports[p]) || is_sonic_name(node->ports[p].name);
    return named;
}

static void name_port(const struct scenario_node *node, bool named, unsigned port,
                      char name[NAME_BYTES])
{
    if (named)
        snprintf(name, NAME_BYTES, "%s", node->ports[port].name);
    else
        snprintf(name, NAME_BYTES, "Ethernet%u", port * LANES);
}

int64_t sonic_lossless(const struct sonic_out *w, unsigned port)
{
    return w->params->pfc_priorities & pauses_enabled(w->scenario, w->node, (uint16_t)port);
}

/* Finds the next linked port from `from` on, and its name. */
unsigned sonic_next_port(const struct sonic_out *w, unsigned from, char name[NAME_BYTES])
{
    while (from < w->node->port_count && !sonic_is_linked(&w->node->ports[from]))
        from++;
    if (from < w->node->port_count)
        name_port(w->node, w->named, from, name);
    return from;
}

static void note_port(struct sonic_out *w, unsigned port, const char *text)
{
    notes_add(w->notes, w->node->place, "%s: %s", scenario_port_name(w->node, port).text, text);
}

static void put_ports(struct sonic_out *w)
{
    char name[NAME_BYTES];
    sonic_table_begin(w, "PORT");
    EACH_PORT(w, p, name)
    {
        const struct port_params *port = w->node->ports[p].params;
        sonic_row_begin(w, name, NULL);
        sonic_put_number(w, true, "speed", port->rate / BPS_PER_MBPS);
        sonic_put_number(w, false, "mtu", port->mtu);
        sonic_put_text(w, false, "fec", port->fec == PORT_FEC_NONE ? "none" : "rs");
        sonic_put_text(w, false, "admin_status", "up");
        sonic_row_end(w);
        if (port->rate % BPS_PER_MBPS != 0)
            note_port(w, p, "its speed is no whole number of Mb/s");
        if (port->flow_control != PORT_FLOW_PFC)
            note_port(w, p, "SONiC pauses by priority, not the whole port");
    }
    sonic_table_end(w);
}

static void put_cables(struct sonic_out *w)
{
    char name[NAME_BYTES];
    bool first = true;
    sonic_table_begin(w, "CABLE_LENGTH");
    sonic_row_begin(w, "AZURE", NULL);
    EACH_PORT(w, p, name)
    {
        const struct port_params *port = w->node->ports[p].params;
        fprintf(w->out, "%s\"%s\": \"%lldm\"", first ? "" : ", ", name,
                (long long)((port->length + MM_PER_M - 1) / MM_PER_M));
        first = false;
        if (port->length % MM_PER_M != 0)
            note_port(w, p, "SONiC's cables are whole meters long: rounded up");
        if (port->delay != 0)
            note_port(w, p, "its link has its own delay, which no cable length expresses");
    }
    sonic_row_end(w);
    sonic_table_end(w);
}

static void put_neighbors(struct sonic_out *w)
{
    char name[NAME_BYTES], far[NAME_BYTES];
    sonic_table_begin(w, "DEVICE_NEIGHBOR");
    EACH_PORT(w, p, name)
    {
        const struct scenario_port *port = &w->node->ports[p];
        const struct scenario_node *peer = &w->scenario->nodes[port->peer_node];
        sonic_row_begin(w, name, NULL);
        sonic_put_text(w, true, "name", peer->name);
        if (peer->kind == SCENARIO_SWITCH)
            name_port(peer, has_names(peer), port->peer_port, far);
        else
            snprintf(far, sizeof far, "%s",
                     peer->ports[port->peer_port].name == NULL ? ""
                                                               : peer->ports[port->peer_port].name);
        if (*far != '\0')
            sonic_put_text(w, false, "port", far);
        sonic_row_end(w);
    }
    sonic_table_end(w);
}

/* ---- classes ---- */

static void put_identity(struct sonic_out *w, const char *table)
{
    sonic_table_begin(w, table);
    sonic_row_begin(w, "AZURE", NULL);
    for (int p = 0; p < PRIORITIES; p++)
        fprintf(w->out, "%s\"%d\": \"%d\"", p == 0 ? "" : ", ", p, p);
    sonic_row_end(w);
    sonic_table_end(w);
}

static void put_maps(struct sonic_out *w)
{
    sonic_table_begin(w, "DSCP_TO_TC_MAP");
    sonic_row_begin(w, "AZURE", NULL);
    for (int dscp = 0; dscp < DSCPS; dscp++)
        fprintf(w->out, "%s\"%d\": \"%u\"", dscp == 0 ? "" : ", ", dscp,
                (unsigned)w->node->priority_of_dscp[dscp]);
    sonic_row_end(w);
    sonic_table_end(w);
    put_identity(w, "TC_TO_QUEUE_MAP");
    put_identity(w, "TC_TO_PRIORITY_GROUP_MAP");
    put_identity(w, "MAP_PFC_PRIORITY_TO_QUEUE");
}

static void put_mask(struct sonic_out *w, const char *key, int64_t mask)
{
    const char *between = "";
    fprintf(w->out, ", \"%s\": \"", key);
    for (int p = 0; p < PRIORITIES; p++)
        if (mask >> p & 1) {
            fprintf(w->out, "%s%d", between, p);
            between = ",";
        }
    fputc('"', w->out);
}

static void put_classes(struct sonic_out *w)
{
    char name[NAME_BYTES];
    put_maps(w);
    sonic_table_begin(w, "PORT_QOS_MAP");
    EACH_PORT(w, p, name)
    {
        const int64_t mask = sonic_lossless(w, p);
        sonic_row_begin(w, name, NULL);
        sonic_put_text(w, true, "dscp_to_tc_map", "AZURE");
        sonic_put_text(w, false, "tc_to_queue_map", "AZURE");
        sonic_put_text(w, false, "tc_to_pg_map", "AZURE");
        sonic_put_text(w, false, "pfc_to_queue_map", "AZURE");
        if (mask != 0)
            put_mask(w, "pfc_enable", mask);
        if (mask != 0 && w->params->watchdog != WATCHDOG_OFF)
            put_mask(w, "pfcwd_sw_enable", mask);
        sonic_row_end(w);
    }
    sonic_table_end(w);
}

/* ---- queues ---- */

static void name_scheduler(const struct sonic_out *w, int priority, char name[NAME_BYTES])
{
    const int64_t weight = w->params->weight[priority];
    if (weight == 0)
        snprintf(name, NAME_BYTES, "scheduler.strict");
    else
        snprintf(name, NAME_BYTES, "scheduler.%lld", (long long)weight);
}

static void put_schedulers(struct sonic_out *w)
{
    char name[NAME_BYTES];
    sonic_table_begin(w, "SCHEDULER");
    for (int p = 0; p < PRIORITIES; p++) {
        bool known = false;
        for (int q = 0; q < p; q++)
            known |= w->params->weight[q] == w->params->weight[p];
        if (known)
            continue;
        name_scheduler(w, p, name);
        sonic_row_begin(w, name, NULL);
        sonic_put_text(w, true, "type", w->params->weight[p] == 0 ? "STRICT" : "DWRR");
        if (w->params->weight[p] > 0)
            sonic_put_number(w, false, "weight", w->params->weight[p]);
        sonic_row_end(w);
    }
    sonic_table_end(w);
}

static void put_marking(struct sonic_out *w)
{
    const struct switch_params *params = w->params;
    if (params->ecn_kmax == 0)
        return;
    sonic_table_begin(w, "WRED_PROFILE");
    sonic_row_begin(w, "AZURE_LOSSLESS", NULL);
    sonic_put_text(w, true, "ecn", "ecn_all");
    sonic_put_text(w, false, "wred_green_enable", "true");
    sonic_put_number(w, false, "green_min_threshold", params->ecn_kmin);
    sonic_put_number(w, false, "green_max_threshold", params->ecn_kmax);
    sonic_put_number(w, false, "green_drop_probability", params->ecn_pmax / ppm_per_percent);
    sonic_row_end(w);
    sonic_table_end(w);
    if (params->ecn_pmax % ppm_per_percent != 0)
        notes_add(w->notes, w->node->place,
                  "%s: ecn.pmax is not a whole percentage, as SONiC needs: rounded down",
                  w->node->name);
}

static void put_queues(struct sonic_out *w)
{
    char name[NAME_BYTES], scheduler[NAME_BYTES];
    put_schedulers(w);
    put_marking(w);
    sonic_table_begin(w, "QUEUE");
    EACH_PORT(w, p, name)
    for (int q = 0; q < PRIORITIES; q++) {
        const char number[2] = {(char)('0' + q), '\0'};
        name_scheduler(w, q, scheduler);
        sonic_row_begin(w, name, number);
        sonic_put_text(w, true, "scheduler", scheduler);
        if (w->params->ecn_kmax > 0)
            sonic_put_text(w, false, "wred_profile", "AZURE_LOSSLESS");
        sonic_row_end(w);
    }
    sonic_table_end(w);
}

/* ---- the watchdog ---- */

static void put_watchdog(struct sonic_out *w)
{
    char name[NAME_BYTES], word[NAME_BYTES];
    const struct switch_params *params = w->params;
    if (params->watchdog == WATCHDOG_OFF)
        return;
    const struct watchdog_times times = watchdog_times(params, w->node->port_count);
    const struct opt *action = opt_find(switch_opts, "watchdog");
    sonic_table_begin(w, "PFC_WD");
    sonic_row_begin(w, "GLOBAL", NULL);
    sonic_put_number(w, true, "POLL_INTERVAL", times.poll / PS_PER_MS);
    sonic_row_end(w);
    EACH_PORT(w, p, name)
    {
        if (sonic_lossless(w, p) == 0)
            continue;
        sonic_row_begin(w, name, NULL);
        opt_format(action, params->watchdog, word, sizeof word);
        sonic_put_text(w, true, "action", word);
        sonic_put_number(w, false, "detection_time", times.detection / PS_PER_MS);
        sonic_put_number(w, false, "restoration_time", times.restoration / PS_PER_MS);
        sonic_row_end(w);
    }
    sonic_table_end(w);
}

/* ---- main function ---- */

/* Reports parameters without a table that differ from their defaults. */
static void note_unexported(struct sonic_out *w)
{
    static const char *const unsaid[] = {"cell",      "latency",  "forwarding",   "ecmp-seed",
                                         "ecmp-hash", "ecn-mark", "watchdog-rule"};
    struct switch_params presets;
    char list[DIAG_TEXT_BYTES] = "", value[64];
    switch_presets(&presets);
    for (size_t i = 0; i < sizeof unsaid / sizeof *unsaid; i++) {
        const struct opt *row = opt_find(switch_opts, unsaid[i]);
        int64_t here, usual;
        memcpy(&here, (const char *)w->params + row->offset, sizeof here);
        memcpy(&usual, (const char *)&presets + row->offset, sizeof usual);
        if (here == usual)
            continue;
        opt_format(row, here, value, sizeof value);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s %s",
                 *list == '\0' ? "" : ", ", row->name, value);
    }
    if (*list != '\0')
        notes_add(w->notes, w->node->place,
                  "%s: the device itself decides this, not its configuration: %s", w->node->name,
                  list);
}

static void write_switch(const struct scenario *scenario, const struct scenario_node *node,
                         FILE *out, struct notes *notes)
{
    struct sonic_out w = {.scenario = scenario,
                          .node = node,
                          .params = node->switch_params,
                          .named = has_names(node),
                          .out = out,
                          .notes = notes};
    fputs("{\n", out);
    sonic_table_begin(&w, "DEVICE_METADATA");
    sonic_row_begin(&w, "localhost", NULL);
    sonic_put_text(&w, true, "hostname", node->name);
    sonic_row_end(&w);
    sonic_table_end(&w);
    put_ports(&w);
    put_cables(&w);
    put_neighbors(&w);
    put_classes(&w);
    sonic_put_buffers(&w);
    put_queues(&w);
    put_watchdog(&w);
    fputs("\n}\n", out);
    note_unexported(&w);
}

const struct export_kind export_sonic = {.name = "sonic",
                                         .about = "a switch as tables of SONiC's config_db.json",
                                         .of = SCENARIO_SWITCH,
                                         .write = write_switch};
