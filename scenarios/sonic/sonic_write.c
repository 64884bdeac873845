/* SPDX-License-Identifier: Apache-2.0
 * sonic_write - writes the import as a scenario that runs, with notes about omissions as
 * comments. */
#include "scenarios/sonic/sonic_private.h"

#include "base/plural.h"
#include "base/quantity.h"
#include "base/units.h"
#include "scenarios/fabric/topology.h"
#include "scenarios/import/import_write.h"

#include <string.h>

/* A flow mapping under a key: `  pfc: {priorities: [3], xon: 0B}`; nothing is written if it stays
 * empty. */
struct section {
    FILE *out;
    const char *head;
    int items;
};

enum { ITEMS_IN_LINE = 6, ENTRIES_IN_LINE = 14 };

static void begin_item(struct section *section, const char *key)
{
    if (section->items == 0)
        fputs(section->head, section->out);
    else
        fputs(section->items % ITEMS_IN_LINE == 0 ? ",\n        " : ", ", section->out);
    fprintf(section->out, "%s: ", key);
    section->items++;
}

static void end_section(const struct section *section)
{
    if (section->items > 0)
        fputs("}\n", section->out);
}

static void write_value(struct section *section, const char *key, enum quantity_kind kind,
                        int64_t value)
{
    char text[QUANTITY_TEXT_BYTES];
    if (value == SONIC_UNSET)
        return;
    quantity_format(kind, value, text, sizeof text);
    begin_item(section, key);
    fputs(text, section->out);
}

static void put_word(struct section *section, const char *key, const char *word)
{
    if (word == NULL)
        return;
    begin_item(section, key);
    fputs(word, section->out);
}

static void put_ms(struct section *section, const char *key, int64_t ms)
{
    write_value(section, key, QUANTITY_TIME, ms == SONIC_UNSET ? SONIC_UNSET : ms * PS_PER_MS);
}

static void put_mask(struct section *section, const char *key, int64_t mask)
{
    const char *between = "[";
    begin_item(section, key);
    for (int p = 0; p < SONIC_PRIORITIES; p++)
        if (mask >> p & 1) {
            fprintf(section->out, "%s%d", between, p);
            between = ", ";
        }
    fputs(mask == 0 ? "none" : "]", section->out);
}

/* ---- names in lists ---- */

static const char **host_names(struct sonic_import *import)
{
    const char **names = arena_array(&import->arena, import->host_count + 1, sizeof *names);
    for (size_t i = 0; i < import->host_count; i++)
        names[i] = import->hosts[i]->name;
    return names;
}

static const char **switch_names(struct sonic_import *import)
{
    const char **names = arena_array(&import->arena, import->switch_count + 1, sizeof *names);
    for (uint32_t i = 0; i < import->switch_count; i++)
        names[i] = import->switches[i].name;
    return names;
}

/* ---- links ---- */

/* Names of the two ports; a name that is not legal in a scenario becomes a comment. */
static void put_port_names(struct sonic_import *import, struct section *link,
                           const char *const names[2])
{
    bool fits[2];
    for (int end = 0; end < 2; end++)
        fits[end] = names[end] != NULL && topology_port_name(names[end]);
    if (!fits[0] && !fits[1])
        return;
    put_word(link, "names",
             arena_format(&import->arena, "[%s, %s]", fits[0] ? names[0] : "\"\"",
                          fits[1] ? names[1] : "\"\""));
}

static void put_link(struct sonic_import *import, FILE *out, const struct sonic_link *link)
{
    const struct sonic_port *near = link->near.port, *far = link->far.port;
    const char *const names[2] = {near->name, far != NULL ? far->name : link->far_port};
    struct section rest = {.out = out, .items = 1}; /* after the ends */
    const int64_t length = near->length != SONIC_UNSET || far == NULL ? near->length : far->length;
    for (int end = 0; end < 2; end++)
        if (names[end] != NULL && !topology_port_name(names[end]))
            fprintf(out, "      # %s is called '%s'\n",
                    end == 0 || far != NULL ? "a port" : "the host's port",
                    sonic_clean(import, names[end]));
    fprintf(out, "      - {ends: [\"%s:p%u\", ", link->near.node->name, near->index);
    if (far != NULL)
        fprintf(out, "\"%s:p%u\"]", link->far.node->name, far->index);
    else
        fprintf(out, "\"%s:p%u\"]", import->hosts[link->host - 1]->name, link->nic);
    put_port_names(import, &rest, names);
    write_value(&rest, "rate", QUANTITY_RATE, near->speed);
    write_value(&rest, "length", QUANTITY_LENGTH, length);
    write_value(&rest, "mtu", QUANTITY_SIZE, near->mtu);
    put_word(&rest, "fec", near->fec);
    fputs("}\n", out);
}

static void put_topology(struct sonic_import *import, FILE *out)
{
    fputs("fabric:\n  topology:\n    kind: explicit\n    hosts: ", out);
    import_names(out, host_names(import), import->host_count);
    fputs("\n    switches: ", out);
    import_names(out, switch_names(import), import->switch_count);
    if (import->nics > 1)
        fprintf(out,
                "\n    nics: %u # each cable of a host is a NIC with an address; none are bonded",
                import->nics);
    fputs("\n    links:\n", out);
    for (size_t i = 0; i < import->link_count; i++)
        put_link(import, out, &import->links[i]);
}

/* ---- a switch's settings ---- */

/* The first switch with the same map: the map is written there, and the other switches refer to
 * it. */
static uint32_t dscp_owner(const struct sonic_import *import, uint32_t index)
{
    const struct sonic_settings *own = &import->switches[index].settings;
    for (uint32_t i = 0; i < index; i++) {
        const struct sonic_settings *other = &import->switches[i].settings;
        if (other->has_dscp && memcmp(other->dscp, own->dscp, sizeof own->dscp) == 0)
            return i;
    }
    return index;
}

static void put_dscp(const struct sonic_import *import, FILE *out, uint32_t index)
{
    const struct sonic_settings *settings = &import->switches[index].settings;
    const uint32_t owner = dscp_owner(import, index);
    if (!settings->has_dscp)
        return;
    if (owner != index) {
        fprintf(out, "      dscp: *dscp%u\n", owner);
        return;
    }
    fprintf(out, "      dscp: &dscp%u {", index);
    for (int i = 0; i < SONIC_DSCPS; i++)
        fprintf(out, "%s%d: %lld",
                i == 0                     ? ""
                : i % ENTRIES_IN_LINE == 0 ? ",\n        "
                                           : ", ",
                i, (long long)settings->dscp[i]);
    fputs("}\n", out);
}

static void put_weights(FILE *out, const struct sonic_settings *settings)
{
    struct section section = {.out = out, .head = "      scheduler: {weights: {"};
    for (int q = 0; q < SONIC_PRIORITIES; q++) {
        const char key[2] = {(char)('0' + q), '\0'};
        write_value(&section, key, QUANTITY_INT, settings->weight[q]);
    }
    if (section.items > 0)
        fputc('}', out);
    end_section(&section);
}

static void put_buffer(FILE *out, const struct sonic_switch *node)
{
    const struct sonic_settings *s = &node->settings;
    struct section section = {.out = out, .head = "      buffer: {"};
    write_value(&section, "ports", QUANTITY_INT, node->port_count);
    write_value(&section, "size", QUANTITY_SIZE, s->buffer);
    put_word(&section, "policy", s->static_policy ? "static" : NULL);
    write_value(&section, "alpha", QUANTITY_PERCENT, s->alpha);
    write_value(&section, "reserved", QUANTITY_SIZE, s->reserved);
    write_value(&section, "alpha-lossy", QUANTITY_PERCENT, s->alpha_lossy);
    write_value(&section, "reserved-lossy", QUANTITY_SIZE, s->reserved_lossy);
    write_value(&section, "lossy-pool", QUANTITY_PERCENT, s->lossy_pool);
    write_value(&section, "reserved-queue", QUANTITY_SIZE, s->reserved_queue);
    write_value(&section, "egress-lossy-pool", QUANTITY_PERCENT, s->egress_lossy_pool);
    write_value(&section, "alpha-egress", QUANTITY_PERCENT, s->alpha_egress);
    write_value(&section, "egress-limit", QUANTITY_SIZE, s->egress_limit);
    end_section(&section);
}

static void put_pfc(FILE *out, const struct sonic_settings *s)
{
    const bool shared = s->headroom_ratio != SONIC_UNSET && s->headroom_pool == SONIC_UNSET;
    struct section pfc = {.out = out, .head = "      pfc: {"};
    put_mask(&pfc, "priorities", s->pfc);
    put_word(&pfc, "headroom", s->headroom_auto ? "auto" : NULL);
    write_value(&pfc, "headroom", QUANTITY_SIZE, s->headroom_auto ? SONIC_UNSET : s->headroom);
    write_value(&pfc, "headroom-pool", QUANTITY_SIZE, s->headroom_pool);
    put_word(&pfc, "headroom-pool", shared ? "auto" : NULL);
    write_value(&pfc, "headroom-ratio", QUANTITY_INT, shared ? s->headroom_ratio : SONIC_UNSET);
    write_value(&pfc, "xoff", QUANTITY_SIZE, s->xoff);
    write_value(&pfc, "xon", QUANTITY_SIZE, s->xon);
    write_value(&pfc, "xon-offset", QUANTITY_SIZE, s->xon_offset);
    end_section(&pfc);
}

static void put_switch(struct sonic_import *import, FILE *out, uint32_t index)
{
    const struct sonic_switch *node = &import->switches[index];
    const struct sonic_settings *s = &node->settings;
    const struct sonic_origins *from = &node->origins;
    fprintf(out, "    - where: %s # %s\n", node->name, sonic_clean(import, node->file->name));
    sonic_pfc_origins(import, out, from);
    put_pfc(out, s);
    sonic_buffer_origins(import, out, from);
    put_buffer(out, node);
    sonic_origin(import, out, "WRED_PROFILE", from->wred);
    struct section ecn = {.out = out, .head = "      ecn: {"};
    write_value(&ecn, "kmin", QUANTITY_SIZE, s->kmin);
    write_value(&ecn, "kmax", QUANTITY_SIZE, s->kmax);
    write_value(&ecn, "pmax", QUANTITY_PERCENT, s->pmax);
    end_section(&ecn);
    sonic_origin(import, out, "PFC_WD", from->watchdog);
    struct section watchdog = {.out = out, .head = "      watchdog: {"};
    put_word(&watchdog, "action", s->watchdog);
    put_ms(&watchdog, "detection", s->detection);
    put_ms(&watchdog, "restoration", s->restoration);
    put_ms(&watchdog, "poll", s->poll);
    end_section(&watchdog);
    put_weights(out, s);
    sonic_dscp_origins(import, out, from);
    put_dscp(import, out, index);
}

/* ---- ports that differ from their switch or link ---- */

static void put_pfc_ports(FILE *out, const struct sonic_switch *node)
{
    bool done[1 << SONIC_PRIORITIES] = {false};
    for (uint32_t i = 0; i < node->port_count; i++) {
        const int64_t mask = node->ports[i].pfc;
        if (!node->ports[i].linked || mask == node->settings.pfc || done[mask])
            continue;
        done[mask] = true;
        fprintf(out, "    - where: [");
        const char *between = "";
        for (uint32_t k = i; k < node->port_count; k++)
            if (node->ports[k].linked && node->ports[k].pfc == mask) {
                fprintf(out, "%s\"%s:p%u\"", between, node->name, k);
                between = ", ";
            }
        struct section section = {.out = out, .head = "]\n      "};
        put_mask(&section, "pfc-enabled", mask);
        fputc('\n', out);
    }
}

static void put_far_mtus(const struct sonic_import *import, FILE *out)
{
    for (size_t i = 0; i < import->link_count; i++) {
        const struct sonic_link *link = &import->links[i];
        const struct sonic_port *far = link->far.port;
        if (far == NULL || far->mtu == SONIC_UNSET || far->mtu == link->near.port->mtu)
            continue;
        fprintf(out, "    - {where: \"%s:p%u\", mtu: %lldB}\n", link->far.node->name, far->index,
                (long long)far->mtu);
    }
}

/* ---- hosts and workloads ---- */

enum { RNIC_DSCP = 26, RNIC_PRIORITY = 3 };

/* The largest path MTU that fits all links. */
static int64_t path_mtu(const struct sonic_import *import)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < import->link_count; i++) {
        const struct sonic_port *ends[2] = {import->links[i].near.port, import->links[i].far.port};
        for (int end = 0; end < 2; end++)
            if (ends[end] != NULL && ends[end]->mtu != SONIC_UNSET && ends[end]->mtu < least)
                least = ends[end]->mtu;
    }
    return import_path_mtu(least);
}

/* A DSCP that the first switch with lossless priorities maps to one of them, preferably the
 * conventional DSCP; and that switch's map for the hosts. */
static void put_class(struct section *section, const struct sonic_import *import)
{
    uint32_t index = 0;
    while (index + 1 < import->switch_count && import->switches[index].settings.pfc == 0)
        index++;
    const struct sonic_settings *s = &import->switches[index].settings;
    int dscp = RNIC_DSCP;
    for (int i = 0; s->has_dscp && i < SONIC_DSCPS && !(s->pfc >> s->dscp[dscp] & 1); i++)
        if (s->pfc >> s->dscp[i] & 1)
            dscp = i;
    write_value(section, "dscp", QUANTITY_INT, dscp);
    write_value(section, "priority", QUANTITY_INT, s->has_dscp ? s->dscp[dscp] : RNIC_PRIORITY);
    if (!s->has_dscp)
        return;
    begin_item(section, "dscp-to-priority");
    fprintf(section->out, "*dscp%u", dscp_owner(import, index));
}

static void put_hosts(struct sonic_import *import, FILE *out)
{
    struct section rnic = {.out = out, .head = "  defaults: {rnic: {"};
    fputs("hosts:\n", out);
    write_value(&rnic, "path-mtu", QUANTITY_SIZE, path_mtu(import));
    put_class(&rnic, import);
    fputs("}}\n", out);
    import_workload(out, host_names(import), NULL, import->host_count, NULL);
}

/* ---- main function ---- */

static void put_head(struct sonic_import *import, FILE *out)
{
    fputs("# Made by stormglass import sonic from", out);
    for (size_t i = 0; i < import->file_count; i++)
        fprintf(out, " %s", sonic_clean(import, import->files[i]->name));
    fputs(
        "\n# A priority is queue, priority group and PFC priority at once; buffer.size is that of "
        "the "
        "largest pools.\n"
        "# A switch has the values of the profile that most lossless groups use, and the greatest "
        "headroom of all.\n",
        out);
    if (import->notes.count > 0)
        fputs("# Not imported, or imported differently:\n", out);
    notes_print(&import->notes, "#   ", out);
    fprintf(out,
            "stormglass: 1\nname: sonic\nabout: %u %s and %zu %s, from SONiC "
            "configuration.\nseed: 1\nduration: 10ms\n",
            import->switch_count, plural(import->switch_count, "switch", "switches"),
            import->host_count, plural(import->host_count, "host", "hosts"));
}

void sonic_write(struct sonic_import *import, FILE *out)
{
    put_head(import, out);
    put_topology(import, out);
    fputs("  overrides:\n", out);
    for (uint32_t i = 0; i < import->switch_count; i++) {
        put_switch(import, out, i);
        put_pfc_ports(out, &import->switches[i]);
    }
    put_far_mtus(import, out);
    put_hosts(import, out);
}
