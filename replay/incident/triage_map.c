/* SPDX-License-Identifier: Apache-2.0
 * triage_map - devices and ports of the fabric and of the counts as one. */
#include "replay/incident/triage_private.h"
#include "scenarios/data/scenario.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- devices ---- */

int triage_find_node(const struct triage_work *work, const char *name)
{
    for (size_t i = 0; i < work->node_count; i++)
        if (strcmp(work->nodes[i].name, name) == 0)
            return (int)i;
    const size_t length = strcspn(name, ".");
    for (size_t i = 0; i < work->node_count && name[length] == '.'; i++)
        if (strlen(work->nodes[i].name) == length &&
            strncmp(work->nodes[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

static int add_node(struct triage_work *work, const char *name, bool is_switch)
{
    struct triage_node *node =
        arena_push(work->arena, (void **)(void *)&work->nodes, &work->node_count, sizeof *node);
    *node = (struct triage_node){.name = name, .is_switch = is_switch};
    return (int)work->node_count - 1;
}

static int add_port(struct triage_work *work, int node, const char *name)
{
    struct triage_port *port =
        arena_push(work->arena, (void **)(void *)&work->ports, &work->port_count, sizeof *port);
    *port = (struct triage_port){.node = node, .name = name, .peer = TRIAGE_NO_PORT};
    struct triage_node *owner = &work->nodes[node];
    int *slot =
        arena_push(work->arena, (void **)(void *)&owner->ports, &owner->port_count, sizeof *slot);
    *slot = (int)work->port_count - 1;
    return *slot;
}

/* Every port of the scenario, also unused ones, so that a node's ports have the scenario's
 * numbers. */
static void add_fabric(struct triage_work *work, const struct scenario *scenario)
{
    int *first = arena_array(work->arena, scenario->node_count + 1, sizeof *first);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        const int at = add_node(work, arena_text(work->arena, node->name, strlen(node->name)),
                                node->kind == SCENARIO_SWITCH);
        first[i] = (int)work->port_count;
        for (uint16_t p = 0; p < node->port_count; p++) {
            const char *name = node->ports[p].name;
            const int port =
                add_port(work, at, name != NULL ? name : arena_format(work->arena, "p%d", p));
            if (node->ports[p].params != NULL && node->ports[p].link != SCENARIO_NO_LINK &&
                !work->incident->rates_assumed)
                work->ports[port].rate = node->ports[p].params->rate;
        }
    }
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        const int a = first[link->node[0]] + link->port[0],
                  b = first[link->node[1]] + link->port[1];
        work->ports[a].peer = b;
        work->ports[b].peer = a;
        work->triage->cables++;
    }
}

/* ---- counts ---- */

static bool looks_like_switch(const char *port)
{
    return strncmp(port, "Ethernet", 8) == 0 || strncmp(port, "swp", 3) == 0 ||
           strncmp(port, "et-", 3) == 0 || strncmp(port, "Et", 2) == 0;
}

static bool is_numbered(const char *name, int *number)
{
    char *end;
    *number = name[0] == 'p' ? (int)strtol(name + 1, &end, 10) : -1;
    return name[0] == 'p' && name[1] != '\0' && *end == '\0' && *number >= 0;
}

/* The port of the node that the counts call so, or the only one of a host; else a new one. */
static int port_of(struct triage_work *work, int node, const char *name)
{
    const struct triage_node *owner = &work->nodes[node];
    int number, wired = TRIAGE_NO_PORT, wires = 0;
    for (size_t i = 0; i < owner->port_count; i++) {
        const struct triage_port *port = &work->ports[owner->ports[i]];
        if (strcmp(port->name, name) == 0)
            return owner->ports[i];
        for (int k = 0; k < port->name_count; k++)
            if (strcmp(port->names[k], name) == 0)
                return owner->ports[i];
        wires += port->peer != TRIAGE_NO_PORT;
        wired = port->peer != TRIAGE_NO_PORT ? owner->ports[i] : wired;
    }
    if (is_numbered(name, &number) && (size_t)number < owner->port_count)
        return owner->ports[number];
    if (!owner->is_switch && wires == 1)
        return wired;
    return add_port(work, node, name);
}

static void add_name(struct triage_port *port, const char *name)
{
    for (int i = 0; i < port->name_count; i++)
        if (strcmp(port->names[i], name) == 0)
            return;
    if (port->name_count < TRIAGE_NAMES_MAX)
        port->names[port->name_count++] = name;
}

/* One sample is no difference: what it counted may be years old. */
static bool is_difference(const struct triage_work *work, const struct incident_count *count)
{
    return work->triage->single || count->sample_count > 1 || count->peak;
}

static void map_counts(struct triage_work *work)
{
    const struct incident *incident = work->incident;
    for (size_t i = 0; i < incident->count_count; i++) {
        const struct incident_count *count = &incident->counts[i];
        work->triage->unpaired += count->known && !is_difference(work, count);
        if (i > 0 && strcmp(count->host, count[-1].host) == 0 &&
            strcmp(count->port, count[-1].port) == 0)
            continue;
        int node = triage_find_node(work, count->host);
        if (node < 0)
            node = add_node(work, count->host, looks_like_switch(count->port));
        work->nodes[node].has_counts = true;
        const int port = port_of(work, node, count->port);
        add_name(&work->ports[port], count->port);
    }
}

static void count_known(struct triage_work *work)
{
    struct triage *triage = work->triage;
    for (size_t i = 0; i < work->port_count; i++) {
        const int peer = work->ports[i].peer;
        triage->cables_known +=
            peer > (int)i && work->ports[i].name_count > 0 && work->ports[peer].name_count > 0;
    }
    for (size_t i = 0; i < work->node_count; i++) {
        if (work->nodes[i].has_counts)
            continue;
        const char **slot = arena_push(work->arena, (void **)(void *)&triage->unknown,
                                       &triage->unknown_count, sizeof *slot);
        *slot = work->nodes[i].name;
    }
}

void triage_map(struct triage_work *work)
{
    if (work->incident->scenario != NULL)
        add_fabric(work, work->incident->scenario);
    map_counts(work);
    count_known(work);
    triage_find_change(work);
}

/* ---- values ---- */

static void add_value(const struct triage_work *work, struct triage_value *sum,
                      const struct incident_count *count)
{
    if (count == NULL || !is_difference(work, count))
        return;
    sum->known = true;
    sum->value =
        count->difference > INT64_MAX - sum->value ? INT64_MAX : sum->value + count->difference;
    const int64_t more = triage_more(work, count);
    sum->more = more > INT64_MAX - sum->more ? INT64_MAX : sum->more + more;
    if (sum->count == NULL || count->difference > sum->count->difference)
        sum->count = count;
}

struct triage_value triage_get(const struct triage_work *work, int port, const char *name,
                               int priority)
{
    const struct triage_port *at = &work->ports[port];
    for (int i = 0; i < at->name_count; i++) {
        struct triage_value value = {0};
        add_value(work, &value,
                  incident_find(work->incident, work->nodes[at->node].name, at->names[i], name,
                                priority));
        if (value.known)
            return value;
    }
    return (struct triage_value){0};
}

struct triage_value triage_sum(const struct triage_work *work, int port, const char *pattern)
{
    struct triage_value sum = {0};
    for (int priority = 0; priority < TRIAGE_PRIORITIES; priority++) {
        char name[64];
        const char *at = strstr(pattern, "%d");
        snprintf(name, sizeof name, "%.*s%d%s", at == NULL ? 0 : (int)(at - pattern), pattern,
                 priority, at == NULL ? "" : at + 2);
        add_value(work, &sum, triage_get(work, port, at == NULL ? pattern : name, priority).count);
    }
    return sum;
}

struct triage_value triage_own_pauses(const struct triage_work *work, int port, bool sent,
                                      int priority)
{
    char name[64];
    const char *side = sent ? "tx" : "rx";
    if (priority != TRIAGE_ALL) {
        snprintf(name, sizeof name, "%s_prio%d_pause", side, priority);
        return triage_get(work, port, name, priority);
    }
    const struct triage_value by_priority =
        triage_sum(work, port, sent ? "tx_prio%d_pause" : "rx_prio%d_pause");
    snprintf(name, sizeof name, "%s_global_pause", side);
    const struct triage_value global = triage_get(work, port, name, TRIAGE_ALL);
    if (by_priority.known && (by_priority.value > 0 || !global.known))
        return by_priority;
    if (global.known)
        return global;
    snprintf(name, sizeof name, "%s_pause_ctrl_phy", side);
    return triage_get(work, port, name, TRIAGE_ALL);
}

struct triage_value triage_pauses(const struct triage_work *work, int port, bool sent, int priority)
{
    const struct triage_value own = triage_own_pauses(work, port, sent, priority);
    const int peer = work->ports[port].peer;
    if (own.known || peer == TRIAGE_NO_PORT)
        return own;
    return triage_own_pauses(work, peer, !sent, priority);
}

/* ---- words ---- */

const char *triage_port_words(const struct triage_work *work, int port)
{
    const struct triage_port *at = &work->ports[port];
    const char *node = work->nodes[at->node].name;
    if (!work->nodes[at->node].is_switch && work->nodes[at->node].port_count == 1)
        return node;
    return *at->name == '\0' ? node : arena_format(work->arena, "%s %s", node, at->name);
}

const char *triage_frames(struct arena *arena, int64_t count)
{
    char digits[32];
    const int length = snprintf(digits, sizeof digits, "%" PRId64, count);
    char *text = arena_take(arena, (size_t)length * 2);
    int at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            text[at++] = ',';
        text[at++] = digits[i];
    }
    return text;
}
