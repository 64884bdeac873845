/* SPDX-License-Identifier: Apache-2.0
 * triage_config - settings of a switch, port or host that differ from those of its peers.
 * Peers are switches of one tier, ports between the same two tiers, and hosts with the output of
 * the same tool.  What more than half of them have is common; without such a value, what more than
 * half of all switches or ports have.
 * Only a value that may be worse than the common one (opt_is_worse) is a sign, and only where
 * traffic passes.  The sign is as strong as the symptoms match what the setting acts on
 * (triage_effect.h).  Switches without a config_db.json have no settings here. */
#include "net/port/port.h"
#include "net/switch/switch.h"
#include "replay/incident/triage_effect.h"
#include "scenarios/data/scenario.h"
#include "scenarios/fabric/pauses.h"

#include <string.h>

enum { OF_SWITCH, OF_PORT, DSCP_VALUES = 64, VALUE_BYTES = 64, TIERS = 256, NOWHERE = -1 };

/* Quantities that follow the links of a switch, or that no majority has, differ by less. */
enum { EXACTLY, ROUGHLY, FAR = 4 };

static const double without_effect = 0.1, unknown_effect = 0.55, without_majority = 0.7;

struct setting {
    int of, compared;
    const char *row, *table, *field;
};

static const struct setting settings[] = {
#define SETTING(of, compared, row, table, field) {OF_##of, compared, row, table, field},
#include "replay/incident/triage_config.def"
#undef SETTING
};

/* A switch or port, and its value of one setting. */
struct item {
    int node, port; /* TRIAGE_NO_PORT: the switch */
    uint32_t group;
    int64_t value;
};

struct items {
    struct item *list;
    size_t count;
};

/* The value that peers have.  `share`: less without a majority. */
struct common {
    int64_t value;
    double share;
    bool is_majority;
};

/* ---- peers ---- */

static const struct scenario_node *node_of(const struct triage_work *work, int node)
{
    return &work->incident->scenario->nodes[node];
}

static bool is_configured(const struct triage_work *work, int node)
{
    return work->nodes[node].is_switch &&
           incident_config(work->incident, work->nodes[node].name) != NULL;
}

/* Bytes that pass a port, or any port of a switch. */
static bool has_traffic(const struct triage_work *work, const struct item *item)
{
    const struct triage_node *at = &work->nodes[item->node];
    for (size_t i = 0; i < at->port_count; i++) {
        const int port = at->ports[i], peer = work->ports[port].peer;
        if ((item->port == TRIAGE_NO_PORT || item->port == port) &&
            (triage_sent_bytes(work, port).value > 0 ||
             (peer >= 0 && triage_sent_bytes(work, peer).value > 0)))
            return true;
    }
    return false;
}

static void add_item(struct items *items, int node, int port, uint32_t group)
{
    items->list[items->count++] = (struct item){.node = node, .port = port, .group = group};
}

static struct items list_items(const struct triage_work *work, int of)
{
    const struct scenario *scenario = work->incident->scenario;
    struct items items = {
        .list = arena_array(work->arena, work->node_count + work->port_count, sizeof *items.list)};
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        if (!is_configured(work, (int)i))
            continue;
        if (of == OF_SWITCH)
            add_item(&items, (int)i, TRIAGE_NO_PORT, node->tier);
        for (uint16_t p = 0; of == OF_PORT && p < node->port_count; p++)
            if (node->ports[p].link != SCENARIO_NO_LINK)
                add_item(&items, (int)i, work->nodes[i].ports[p],
                         (uint32_t)node->tier * TIERS +
                             scenario->nodes[node->ports[p].peer_node].tier);
    }
    return items;
}

/* The number of the port in its scenario node. */
static uint16_t number_of(const struct triage_work *work, const struct item *item)
{
    uint16_t number = 0;
    while (work->nodes[item->node].ports[number] != item->port)
        number++;
    return number;
}

/* The value of more than half of the items, of one group or of all (`group` NULL).  Majority vote
 * in two passes: the first finds the candidate, the second counts its holders. */
static bool find_majority(const struct items *items, const uint32_t *group, int64_t *value)
{
    size_t lead = 0, members = 0, holders = 0;
    for (size_t i = 0; i < items->count; i++) {
        if (group != NULL && items->list[i].group != *group)
            continue;
        if (lead == 0)
            *value = items->list[i].value;
        if (items->list[i].value == *value)
            lead++;
        else
            lead--;
        members++;
    }
    for (size_t i = 0; i < items->count; i++)
        holders +=
            (group == NULL || items->list[i].group == *group) && items->list[i].value == *value;
    return members > 1 && 2 * holders > members;
}

/* The default of a parameter, or of the class of a DSCP. */
struct preset {
    bool known;
    int64_t value;
};

/* "auto" names no value. */
static struct preset preset_of(const struct opt *row)
{
    struct preset preset = {.known = false};
    char why[OPT_WHY_BYTES];
    preset.known =
        strcmp(row->preset, "auto") != 0 && opt_parse(row, row->preset, &preset.value, why);
    return preset;
}

static struct preset preset_of_dscp(int dscp)
{
    return (struct preset){true, dscp >> 3};
}

/* Among peers, then among all, then against any peer.  Of two that differ, the one that does not
 * have the default was changed. */
static bool find_common(const struct items *items, const struct item *own, struct preset preset,
                        struct common *common)
{
    *common = (struct common){.share = 1, .is_majority = true};
    if (find_majority(items, &own->group, &common->value))
        return true;
    common->is_majority = false;
    if (find_majority(items, NULL, &common->value))
        return true;
    for (size_t i = 0; i < items->count; i++)
        if (items->list[i].group == own->group && items->list[i].value != own->value) {
            const bool is_preset = preset.known && items->list[i].value == preset.value;
            *common =
                (struct common){items->list[i].value, is_preset ? 1 : without_majority, false};
            return !preset.known || own->value != preset.value;
        }
    return false;
}

/* Most settings are the same everywhere. */
static bool has_one_value(const struct items *items)
{
    for (size_t i = 1; i < items->count; i++)
        if (items->list[i].value != items->list[0].value)
            return false;
    return true;
}

static bool is_quantity(const struct opt *row)
{
    return row->type != OPT_CHOICE && row->type != OPT_MASK && row->type != OPT_BOOL;
}

static bool is_odd(const struct opt *row, int compared, int64_t value, const struct common *common)
{
    const int64_t other = common->value;
    if (value == other || !opt_is_worse(row, value, other))
        return false;
    return (common->is_majority && compared == EXACTLY) || !is_quantity(row) || value < 0 ||
           other < 0 || value <= other / FAR || other <= value / FAR;
}

/* ---- suspects ---- */

/* A value that differs, as its device has it. */
struct odd {
    const struct item *item;
    const struct common *common;
    struct triage_effect effect;
    struct diag_place place;
};

static void suspect_odd(struct triage_work *work, const struct odd *odd, const char *words)
{
    const double match = !odd->effect.known
                             ? unknown_effect
                             : without_effect + (1 - without_effect) * odd->effect.strength;
    struct triage_suspect *suspect = triage_suspect(work, SUSPECT_CONFIGURATION, odd->item->node,
                                                    odd->item->port, odd->common->share * match);
    if (triage_sign(work, suspect, (struct triage_value){0}, "%s", words))
        suspect->signs[suspect->sign_count - 1].place = odd->place;
}

static struct triage_spot spot_of(const struct item *item)
{
    return (struct triage_spot){item->node, item->port};
}

static const char *words_of(const struct triage_work *work, const struct item *item)
{
    return item->port == TRIAGE_NO_PORT ? work->nodes[item->node].name
                                        : triage_port_words(work, item->port);
}

static const char *value_words(const struct triage_work *work, const struct item *item,
                               const struct opt *row, const struct common *common,
                               const char *spelled)
{
    char value[VALUE_BYTES], other[VALUE_BYTES];
    opt_format(row, item->value, value, sizeof value);
    opt_format(row, common->value, other, sizeof other);
    return arena_format(work->arena, "%s: %s is %s, at its peers %s (%s)", words_of(work, item),
                        row->name, value, other, spelled);
}

/* Of an MTU: at any port of either end, since switches count frames that are too large where they
 * received them. */
static struct triage_effect effect_of(const struct triage_work *work, const struct item *item,
                                      const struct opt *row)
{
    const struct triage_spot own = spot_of(item);
    if (item->port == TRIAGE_NO_PORT || strcmp(row->name, "mtu") != 0)
        return triage_effect(work, &own, row->effect.part);
    const int peer = work->ports[item->port].peer;
    const struct triage_spot near = {item->node, TRIAGE_NO_PORT},
                             far = {peer < 0 ? item->node : work->ports[peer].node, TRIAGE_NO_PORT};
    const struct triage_effect one = triage_effect(work, &near, row->effect.part),
                               two = triage_effect(work, &far, row->effect.part);
    return two.strength > one.strength || !one.known ? two : one;
}

static void suspect_setting(struct triage_work *work, const struct item *item,
                            const struct opt *row, const struct setting *setting,
                            const struct common *common)
{
    const char *port = item->port == TRIAGE_NO_PORT ? NULL : work->ports[item->port].name;
    if (!has_traffic(work, item))
        return;
    const struct odd odd = {
        item, common, effect_of(work, item, row),
        incident_config_place(incident_config(work->incident, work->nodes[item->node].name),
                              setting->table, port, setting->field)};
    suspect_odd(work, &odd,
                value_words(work, item, row, common,
                            arena_format(work->arena, "%s, %s", setting->table, setting->field)));
}

/* A DSCP in another class than at the peers. */
static void suspect_dscp(struct triage_work *work, const struct item *item, int dscp,
                         const struct common *common, struct diag_place place)
{
    const struct triage_spot spot = spot_of(item);
    if (!has_traffic(work, item))
        return;
    const struct odd odd = {item, common, triage_class_effect(work, &spot, (int)item->value),
                            place};
    suspect_odd(
        work, &odd,
        arena_format(work->arena, "%s maps DSCP %d to class %d, its peers map it to class %d",
                     work->nodes[item->node].name, dscp, (int)item->value, (int)common->value));
}

static int64_t *field_of(const struct opt *row, const void *params)
{
    return (int64_t *)(uintptr_t)((const char *)params + row->offset);
}

static void compare_rows(struct triage_work *work, struct items *items,
                         const struct setting *setting)
{
    const bool is_port = setting->of == OF_PORT;
    const struct opt *row = opt_find(is_port ? port_opts : switch_opts, setting->row);
    for (size_t i = 0; i < items->count; i++) {
        struct item *item = &items->list[i];
        const struct scenario_node *node = node_of(work, item->node);
        item->value =
            *field_of(row, is_port ? (const void *)node->ports[number_of(work, item)].params
                                   : node->switch_params);
    }
    for (size_t i = 0; i < items->count && !has_one_value(items); i++) {
        struct common common;
        if (find_common(items, &items->list[i], preset_of(row), &common) &&
            is_odd(row, setting->compared, items->list[i].value, &common))
            suspect_setting(work, &items->list[i], row, setting, &common);
    }
}

/* A cable between switches has to pass what hosts send: its MTU is compared with that of most ports
 * to hosts. */
static void compare_paths(struct triage_work *work, struct items *items)
{
    static const struct setting mtu = {OF_PORT, EXACTLY, "mtu", "PORT", "mtu"};
    const struct opt *row = opt_find(port_opts, mtu.row);
    for (size_t i = 0; i < items->count; i++) {
        struct item *item = &items->list[i];
        const int peer = work->ports[item->port].peer;
        const uint16_t number = number_of(work, item);
        item->value = *field_of(row, node_of(work, item->node)->ports[number].params);
        item->group = work->nodes[work->ports[peer].node].is_switch;
    }
    for (size_t i = 0; i < items->count; i++) {
        struct common common;
        struct item host = {.group = false};
        if (items->list[i].group && find_common(items, &host, preset_of(row), &common) &&
            common.is_majority && is_odd(row, EXACTLY, items->list[i].value, &common))
            suspect_setting(work, &items->list[i], row, &mtu, &common);
    }
}

/* Lossless priorities: of a switch where all of its ports have the same, else of a port. */
static void compare_classes(struct triage_work *work, struct items *items, int of)
{
    static const struct setting enabled = {OF_PORT, EXACTLY, "pfc-priorities", "PORT_QOS_MAP",
                                           "pfc_enable"};
    const struct opt *row = opt_find(switch_opts, enabled.row);
    for (size_t i = 0; i < items->count; i++) {
        struct item *item = &items->list[i];
        const struct scenario_node *node = node_of(work, item->node);
        item->value = node->switch_params->pfc_priorities;
        if (of == OF_PORT)
            item->value &= pauses_enabled(work->incident->scenario, node, number_of(work, item));
    }
    for (size_t i = 0; i < items->count && !has_one_value(items); i++) {
        const struct item *item = &items->list[i];
        struct common common;
        const int64_t whole = node_of(work, item->node)->switch_params->pfc_priorities;
        if (find_common(items, item, preset_of(row), &common) &&
            is_odd(row, EXACTLY, item->value, &common) &&
            (of == OF_SWITCH || item->value != whole || whole == common.value))
            suspect_setting(work, item, row, &enabled, &common);
    }
}

static void compare_dscp(struct triage_work *work, struct items *items)
{
    static const char table[] = "DSCP_TO_TC_MAP";
    for (int dscp = 0; dscp < DSCP_VALUES; dscp++) {
        for (size_t i = 0; i < items->count; i++)
            items->list[i].value = node_of(work, items->list[i].node)->priority_of_dscp[dscp];
        for (size_t i = 0; i < items->count && !has_one_value(items); i++) {
            const struct item *item = &items->list[i];
            struct common common;
            if (find_common(items, item, preset_of_dscp(dscp), &common) &&
                item->value != common.value)
                suspect_dscp(work, item, dscp, &common,
                             incident_config_place(
                                 incident_config(work->incident, work->nodes[item->node].name),
                                 table, NULL, arena_format(work->arena, "%d", dscp)));
        }
    }
}

/* ---- hosts ---- */

/* Hosts with the output of that tool; what an output does not set has its default.  The default is
 * one more peer: of two hosts that differ, the one that does not have it was changed.  "auto" names
 * no value, so that it is compared with none. */
static struct items list_hosts(const struct triage_work *work, const struct incident_setting *like)
{
    const struct incident *incident = work->incident;
    struct items items = {
        .list = arena_array(work->arena, incident->output_count + 1, sizeof *items.list)};
    const struct preset preset =
        like->row == NULL ? preset_of_dscp(like->dscp) : preset_of(like->row);
    for (size_t i = 0; i < incident->output_count; i++) {
        const struct incident_host *output = &incident->outputs[i];
        const struct incident_setting *own = incident_setting(incident, output->host, like);
        if (output->tool != like->tool || (own == NULL && !preset.known))
            continue;
        add_item(&items, triage_find_node(work, output->host), TRIAGE_NO_PORT, 0);
        items.list[items.count - 1].value = own == NULL ? preset.value : own->value;
    }
    if (preset.known) {
        add_item(&items, NOWHERE, TRIAGE_NO_PORT, 0);
        items.list[items.count - 1].value = preset.value;
    }
    return items;
}

static struct diag_place place_of(const struct triage_work *work, const char *host,
                                  const struct incident_setting *like)
{
    const struct incident *incident = work->incident;
    const struct incident_setting *own = incident_setting(incident, host, like);
    for (size_t i = 0; own == NULL && i < incident->output_count; i++)
        if (incident->outputs[i].tool == like->tool && strcmp(incident->outputs[i].host, host) == 0)
            return incident->outputs[i].place;
    return own == NULL ? (struct diag_place){0} : own->place;
}

static void compare_hosts(struct triage_work *work, const struct incident_setting *like)
{
    const struct items items = list_hosts(work, like);
    for (size_t i = 0; i < items.count && !has_one_value(&items); i++) {
        const struct item *item = &items.list[i];
        struct common common;
        if (item->node < 0 || !find_common(&items, item, (struct preset){0}, &common) ||
            item->value == common.value)
            continue;
        const struct diag_place place = place_of(work, work->nodes[item->node].name, like);
        if (like->row == NULL) {
            suspect_dscp(work, item, like->dscp, &common, place);
        } else if (is_odd(like->row, EXACTLY, item->value, &common) && has_traffic(work, item)) {
            const struct odd odd = {item, &common, effect_of(work, item, like->row), place};
            suspect_odd(work, &odd, value_words(work, item, like->row, &common, like->spelled));
        }
    }
}

/* Each setting that any host has; they are sorted. */
static void compare_settings(struct triage_work *work)
{
    const struct incident *incident = work->incident;
    for (size_t i = 0; i < incident->setting_count; i++) {
        const struct incident_setting *like = &incident->settings[i];
        if (i == 0 || like[-1].tool != like->tool || like[-1].dscp != like->dscp ||
            strcmp(like[-1].name, like->name) != 0)
            compare_hosts(work, like);
    }
}

void triage_config_signs(struct triage_work *work)
{
    compare_settings(work);
    if (work->incident->scenario == NULL || work->incident->config_count == 0)
        return;
    struct items switches = list_items(work, OF_SWITCH), ports = list_items(work, OF_PORT);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        compare_rows(work, settings[i].of == OF_PORT ? &ports : &switches, &settings[i]);
    compare_classes(work, &switches, OF_SWITCH);
    compare_classes(work, &ports, OF_PORT);
    compare_dscp(work, &switches);
    compare_paths(work, &ports);
}
