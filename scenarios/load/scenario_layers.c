/* SPDX-License-Identifier: Apache-2.0
 * scenario_layers - the values of each link layer, and the nodes that have it. */
#include "scenarios/load/scenario_layers.h"

#include "net/switch/switch.h"
#include "scenarios/load/profile.h"
#include "scenarios/load/scenario_infiniband.h"
#include "scenarios/load/select.h"

/* `fabric:` itself, or a section of it for another link layer. */
struct section {
    enum scenario_kind kind;
    const struct tree_node *map;
    const char *path; /* "fabric", "fabric.infiniband" */
};

/* ---- values ---- */

static const struct block *load_links(struct loader *loader, const struct section *section,
                                      const char *key)
{
    const char *path = arena_format(loader->arena, "%s.%s", section->path, key);
    struct block *block = block_new(loader->arena, path, port_opts, sizeof(struct port_params));
    scenario_take(loader, block, scenario_map(loader, section->map, key), NULL);
    scenario_show(loader, block, false);
    return block;
}

/* Default map by class selector precedence: RFC 2474 4.2.2. */
static uint8_t *default_dscp(struct loader *loader)
{
    uint8_t *map = arena_take(loader->arena, SCENARIO_DSCPS);
    for (int i = 0; i < SCENARIO_DSCPS; i++)
        map[i] = (uint8_t)(i >> 3);
    return map;
}

/* Loads the profile that a section names, or the default profile of its kind. */
static void take_profile(struct loader *loader, struct block *block, enum scenario_kind kind,
                         const struct tree_node *written)
{
    static const char *const presets[] = {[SCENARIO_ETHERNET] = "shared-buffer-32mb",
                                          [SCENARIO_INFINIBAND] = "infiniband-switch",
                                          [SCENARIO_FIBRE_CHANNEL] = "fc-switch"};
    struct profile profile;
    const struct tree_node *word = scenario_word(loader, written, "profile");
    const char *preset = presets[kind];
    const bool found = word == NULL ? profile_find_own(loader, preset, "switch", &profile)
                                    : profile_find(loader, word, "switch", &profile);
    if (!found)
        return;
    profile_take(loader, &profile, block);
    const struct scenario_choice choice = {
        .path = block->path,
        .name = "profile",
        .word = profile.name,
        .preset = preset,
        .about = "Source of values that the scenario does not set.",
        OPT_INERT,
        .where = word == NULL ? (struct diag_place){0} : word->place,
    };
    scenario_show_choice(loader, &choice);
}

static const uint8_t *load_map(struct loader *loader, const struct section *section)
{
    const struct tree_node *of_switch = scenario_map(loader, section->map, "switch");
    const struct tree_node *written = tree_get(of_switch, "dscp");
    const uint8_t *lanes = scenario_load_service_levels(loader, section->map, section->kind);
    if (lanes == NULL) {
        uint8_t *map = default_dscp(loader);
        scenario_load_dscp(loader, scenario_map(loader, of_switch, "dscp"), map);
        return map;
    }
    if (written != NULL && section->kind == SCENARIO_FIBRE_CHANNEL)
        tree_error(loader->diag, written, "frames of Fibre Channel have no DSCP; remove dscp");
    else if (written != NULL)
        tree_error(loader->diag, written,
                   "InfiniBand has service levels, not DSCPs: expected %s.sl-to-vl", section->path);
    return lanes;
}

static const struct block *load_switch(struct loader *loader, const struct section *section)
{
    static const char *const keys[] = {"profile", "dscp", NULL};
    const struct tree_node *written = scenario_map(loader, section->map, "switch");
    struct block *block =
        scenario_switch_block(loader, arena_format(loader->arena, "%s.switch", section->path));
    take_profile(loader, block, section->kind, written);
    scenario_take(loader, block, written, keys);
    scenario_show(loader, block, false);
    return block;
}

static void load_layer(struct loader *loader, const struct section *section)
{
    struct loader_layer *layer = &loader->bases.layers[section->kind];
    layer->host_links = load_links(loader, section, "host-links");
    layer->fabric_links = load_links(loader, section, "fabric-links");
    layer->switches = load_switch(loader, section);
    layer->dscp = load_map(loader, section);
    loader->scenario->kinds |= (uint8_t)(1u << section->kind);
}

void scenario_load_layer(struct loader *loader, const struct tree_node *fabric)
{
    load_layer(loader, &(struct section){loader->kind, fabric, "fabric"});
}

/* ---- other link layers ---- */

static void select_switches(struct loader *loader, const struct section *section)
{
    const struct tree_node *where = tree_get(section->map, "where");
    struct selection selection;
    if (where == NULL) {
        tree_error(loader->diag, section->map,
                   "expected the switches of %s, such as where: switch1; fabric.kind is %s",
                   scenario_kind_word(section->kind), scenario_kind_word(loader->kind));
        return;
    }
    if (!select_from(loader->scenario, where, SELECT_SWITCHES, &selection, loader->diag))
        return;
    for (size_t i = 0; i < selection.count; i++) {
        struct scenario_node *node = &loader->scenario->nodes[selection.spots[i].node];
        if (node->link != loader->kind)
            tree_error(loader->diag, where,
                       "where: %s is in %s.%s, too; expected it in one of both", node->name,
                       "fabric", scenario_kind_word(node->link));
        node->link = section->kind;
    }
}

static void load_other(struct loader *loader, const struct tree_node *fabric,
                       enum scenario_kind kind)
{
    static const char *const keys[] = {"where",  "host-links", "fabric-links",
                                       "switch", "sl-to-vl",   NULL};
    const char *word = scenario_kind_word(kind);
    const struct section section = {kind, scenario_map(loader, fabric, word),
                                    arena_format(loader->arena, "fabric.%s", word)};
    if (section.map == NULL || !block_only(section.map, keys, NULL, loader->diag))
        return;
    if (kind == loader->kind) {
        tree_error(loader->diag, section.map,
                   "%s is fabric.kind, whose values are in fabric itself; expected a section of "
                   "another link layer",
                   word);
        return;
    }
    load_layer(loader, &section);
    select_switches(loader, &section);
}

/* No device of the model translates between link layers. */
static void check_cable(struct loader *loader, const struct topology_link *link,
                        const struct scenario_node *a, const struct scenario_node *b)
{
    char text[DIAG_TEXT_BYTES];
    if (a->link == b->link)
        return;
    snprintf(text, sizeof text,
             "a link joins %s (%s) and %s (%s); expected one link layer at both ends, and at all "
             "ports of a host",
             a->name, scenario_kind_word(a->link), b->name, scenario_kind_word(b->link));
    tree_message(loader->diag, DIAG_ERROR, loader->root, link->place, text);
}

/* A host takes the link layer of the switch at its first link. */
static void join_hosts(struct loader *loader)
{
    struct scenario_node *nodes = loader->scenario->nodes;
    for (uint32_t i = 2 * loader->topology.link_count; i-- > 0;) {
        const struct topology_link *link = &loader->topology.links[i / 2];
        struct scenario_node *host = &nodes[link->node[i % 2]];
        const struct scenario_node *other = &nodes[link->node[1 - i % 2]];
        if (host->kind == SCENARIO_HOST && other->kind == SCENARIO_SWITCH)
            host->link = other->link;
    }
}

void scenario_load_layers(struct loader *loader, const struct tree_node *fabric)
{
    struct scenario *scenario = loader->scenario;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        scenario->nodes[i].link = loader->kind;
    for (int kind = 0; kind < SCENARIO_KIND_COUNT; kind++)
        load_other(loader, fabric, (enum scenario_kind)kind);
    join_hosts(loader);
    scenario->kinds = 0;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        scenario->kinds |= (uint8_t)(1u << scenario->nodes[i].link);
    for (uint32_t i = 0; i < loader->topology.link_count; i++) {
        const struct topology_link *link = &loader->topology.links[i];
        check_cable(loader, link, &scenario->nodes[link->node[0]], &scenario->nodes[link->node[1]]);
    }
}
