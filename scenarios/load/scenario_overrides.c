/* SPDX-License-Identifier: Apache-2.0
 * scenario_overrides - loads `fabric.overrides`.
 * Each entry is read once into empty blocks. The values that it sets are then applied to the blocks
 * of the selected nodes and links. */
#include "scenarios/load/profile.h"
#include "scenarios/load/select.h"

#include "net/switch/switch.h"

#include <string.h>

enum { DSCP_KEPT = UINT8_MAX };

/* Blocks are shared, so an override makes one copy of each distinct block. */
struct copies {
    const struct block *over;
    struct copy {
        const struct block *from, *to;
    } * list;
    size_t count;
};

static const struct block *overlaid(struct loader *loader, struct copies *copies,
                                    const struct block *from)
{
    for (size_t i = 0; i < copies->count; i++)
        if (copies->list[i].from == from)
            return copies->list[i].to;
    struct block *to = block_copy(loader->arena, from, copies->over->path);
    block_overlay(to, copies->over);
    struct copy *copy =
        arena_push(loader->arena, (void **)(void *)&copies->list, &copies->count, sizeof *copy);
    *copy = (struct copy){from, to};
    return to;
}

struct override {
    const struct tree_node *entry;
    const char *path;
    struct selection selection;
    struct copies ports, switches;
    uint8_t dscp[SCENARIO_DSCPS]; /* DSCP_KEPT: not set in the entry */
    bool has_host, has_switch;    /* among the nodes selected as a whole */
};

static void look_at_nodes(const struct loader *loader, struct override *override)
{
    for (size_t i = 0; i < override->selection.count; i++) {
        const struct scenario_spot *spot = &override->selection.spots[i];
        if (spot->port != SCENARIO_ALL_PORTS)
            continue;
        const bool host = loader->scenario->nodes[spot->node].kind == SCENARIO_HOST;
        override->has_host |= host;
        override->has_switch |= !host;
    }
}

/* A key of a switch belongs to the switch even if it is also a key of a port ("pfc"). */
static const char *const *port_excludes(struct loader *loader, const struct override *override,
                                        const struct block *switch_block)
{
    const char **keys = arena_array(loader->arena, override->entry->count + 2, sizeof *keys);
    size_t count = 0;
    keys[count++] = "where";
    for (size_t i = 0; override->has_switch && i < override->entry->count; i++) {
        const char *key = override->entry->items[i].key;
        if (block_knows(switch_block, key))
            keys[count++] = key;
    }
    return keys;
}

static void take_profile(struct loader *loader, struct block *block, const struct tree_node *entry)
{
    struct profile profile;
    const struct tree_node *word = scenario_word(loader, entry, "profile");
    if (word != NULL && profile_find(loader, word, "switch", &profile))
        profile_take(loader, &profile, block);
}

/* Reads the entry's own parameters; reports keys that apply to none of the selected nodes and
 * links. */
static void read_entry(struct loader *loader, struct override *override)
{
    static const char *const of_host[] = {"where", "rnic", "nvme", "target", "tcp", NULL};
    static const char *const of_switch[] = {"where", "profile", "dscp", NULL};
    static const char *const of_both[] = {"where", "rnic",    "nvme", "target",
                                          "tcp",   "profile", "dscp", NULL};
    static const char *const of_port[] = {"where", NULL};
    const char *const *also = override->has_host ? (override->has_switch ? of_both : of_host)
                                                 : (override->has_switch ? of_switch : of_port);
    struct block *ports =
        block_new(loader->arena, override->path, port_opts, sizeof(struct port_params));
    struct block *switches = scenario_switch_block(loader, override->path);
    const struct block *const known[] = {ports, override->has_switch ? switches : NULL, NULL};
    block_only(override->entry, also, known, loader->diag);
    scenario_take_part(loader, ports, override->entry, port_excludes(loader, override, switches));
    scenario_show(loader, ports, true);
    if (override->has_switch) {
        take_profile(loader, switches, override->entry);
        memset(override->dscp, DSCP_KEPT, sizeof override->dscp);
        scenario_load_dscp(loader, scenario_map(loader, override->entry, "dscp"), override->dscp);
        scenario_take_part(loader, switches, override->entry, also);
        scenario_show(loader, switches, true);
    }
    override->ports.over = ports;
    override->switches.over = switches;
}

static void apply_to_port(struct loader *loader, struct override *override, uint32_t node,
                          uint16_t port)
{
    const struct block **block = &loader->nodes[node].port_blocks[port];
    *block = overlaid(loader, &override->ports, *block);
}

static void apply_to_switch(struct loader *loader, struct override *override, uint32_t index)
{
    struct loader_node *making = &loader->nodes[index];
    struct scenario_node *node = &loader->scenario->nodes[index];
    making->switch_block = overlaid(loader, &override->switches, making->switch_block);
    if (tree_get(override->entry, "dscp") == NULL)
        return;
    uint8_t *map = arena_take(loader->arena, SCENARIO_DSCPS);
    for (int i = 0; i < SCENARIO_DSCPS; i++)
        map[i] = override->dscp[i] == DSCP_KEPT ? node->priority_of_dscp[i] : override->dscp[i];
    node->priority_of_dscp = map;
    making->dscp_path = override->path;
    making->dscp_place = tree_get(override->entry, "dscp")->place;
}

static void apply(struct loader *loader, struct override *override)
{
    for (size_t i = 0; i < override->selection.count; i++) {
        const struct scenario_spot *spot = &override->selection.spots[i];
        if (spot->port != SCENARIO_ALL_PORTS) {
            apply_to_port(loader, override, spot->node, spot->port);
            continue;
        }
        for (uint16_t p = 0; p < loader->scenario->nodes[spot->node].port_count; p++)
            apply_to_port(loader, override, spot->node, p);
        if (loader->nodes[spot->node].switch_block != NULL)
            apply_to_switch(loader, override, spot->node);
    }
}

/* Applies the entry's rnic, nvme and target to the hosts among the nodes. */
static void apply_to_hosts(struct loader *loader, struct override *override)
{
    struct selection hosts = {0};
    for (size_t i = 0; i < override->selection.count; i++) {
        const struct scenario_spot *spot = &override->selection.spots[i];
        if (spot->port != SCENARIO_ALL_PORTS ||
            loader->scenario->nodes[spot->node].kind != SCENARIO_HOST)
            continue;
        struct scenario_spot *added =
            arena_push(loader->arena, (void **)(void *)&hosts.spots, &hosts.count, sizeof *added);
        *added = *spot;
    }
    scenario_apply_host_section(loader, override->path, override->entry, hosts.spots, hosts.count);
}

static void load_entry(struct loader *loader, const struct tree_node *entry, size_t index)
{
    const struct tree_node *where = tree_get(entry, "where");
    if (where == NULL) {
        tree_error(loader->diag, entry,
                   "expected an override such as {where: \"leaf2-spine1\", mtu: 1500B}");
        return;
    }
    struct override override = {
        .entry = entry,
        .path = arena_format(loader->arena, "fabric.overrides[%zu]", index),
    };
    const unsigned any = SELECT_HOSTS | SELECT_SWITCHES | SELECT_PORTS | SELECT_LINKS;
    if (!select_from(loader->scenario, where, any, &override.selection, loader->diag))
        return;
    look_at_nodes(loader, &override);
    read_entry(loader, &override);
    apply(loader, &override);
    if (override.has_host)
        apply_to_hosts(loader, &override);
}

void scenario_load_overrides(struct loader *loader)
{
    const struct tree_node *fabric = scenario_map(loader, loader->root, "fabric");
    const struct tree_node *list = scenario_list(loader, fabric, "overrides");
    for (size_t i = 0; list != NULL && i < list->count; i++)
        load_entry(loader, list->items[i].value, i);
}
