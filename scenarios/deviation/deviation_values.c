/* SPDX-License-Identifier: Apache-2.0
 * deviation_values - compares each parameter with that of the peers. */
#include "scenarios/deviation/deviation_private.h"

#include "base/hash.h"
#include "base/memory.h"
#include "net/port/port.h"
#include "rnic/cc/cc.h"
#include "scenarios/load/scenario_credits.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS_MAX = 64, TIERS = 256 };

/* One of the compared things; peers have the same group. */
struct item {
    const struct block *block, *base;
    struct scenario_spot spot;
    uint32_t group;
    uint32_t class; /* class of the items with the same block, base and group, from 0 */
};

struct section {
    enum deviation_of of;
    enum scenario_kind kind; /* link layer of all items */
    struct item *items;
    size_t count;
};

/* Items that differ only in their place. There are few classes even if the items are all ports of a
 * fabric. */
struct class
{
    const struct item *first;
    uint32_t members;
    bool looked_at; /* examine it for the current row */
};

struct classes {
    struct class *list; /* in the order of their first items */
    uint32_t count;
};

static struct deviation_vote *vote_of(struct deviation_vote *votes, uint32_t group)
{
    for (int i = 0; i < GROUPS_MAX; i++)
        if (votes[i].members == 0 || votes[i].group == group) {
            votes[i].group = group;
            return &votes[i];
        }
    return NULL;
}

static int64_t value_of(const struct block *block, size_t row)
{
    return *opt_field(&block->rows[row], block->params);
}

static bool is_same_class(const struct item *a, const struct item *b)
{
    return a->block == b->block && a->base == b->base && a->group == b->group;
}

static void find_classes(struct section *section, struct classes *classes)
{
    uint32_t room = 4; /* at most half of the slots are used */
    while (room < 2 * section->count)
        room *= 2;
    uint32_t *places = memory_zeroed(room, sizeof *places); /* class + 1; 0: free */
    *classes = (struct classes){.list = memory_zeroed(section->count + 1, sizeof *classes->list)};
    for (size_t i = 0; i < section->count; i++) {
        struct item *item = &section->items[i];
        uint32_t at = (uint32_t)hash_mix((uintptr_t)item->block + item->group) & (room - 1);
        while (places[at] != 0 && !is_same_class(classes->list[places[at] - 1].first, item))
            at = (at + 1) & (room - 1);
        if (places[at] == 0) {
            classes->list[classes->count++].first = item;
            places[at] = classes->count;
        }
        item->class = places[at] - 1;
        classes->list[item->class].members++;
    }
    free(places);
}

static void count_votes(const struct classes *classes, size_t row, struct deviation_vote *votes)
{
    memset(votes, 0, GROUPS_MAX * sizeof *votes);
    for (uint32_t i = 0; i < classes->count; i++) {
        const struct class *class = &classes->list[i];
        struct deviation_vote *vote = vote_of(votes, class->first->group);
        if (vote != NULL)
            deviation_vote(vote, value_of(class->first->block, row), class->members);
    }
    for (uint32_t i = 0; i < classes->count; i++) {
        const struct class *class = &classes->list[i];
        struct deviation_vote *vote = vote_of(votes, class->first->group);
        if (vote != NULL && value_of(class->first->block, row) == vote->candidate)
            vote->holders += class->members;
    }
}

/* The mapping for some that sets the value; NULL: the section for all does, or the value is not
 * set. */
static const char *own_path(const struct section *section, const struct item *item, size_t row)
{
    const char *path =
        section->of == DEVIATION_CONTROL_VALUE ? item->block->path : item->block->origins[row].path;
    return path == NULL || strcmp(path, item->base->path) == 0 ? NULL : path;
}

static void add_value(struct deviation_search *search, const struct section *section,
                      const struct item *item, size_t row, int64_t common, bool planned)
{
    const struct opt *opt = &item->block->rows[row];
    const struct block_origin *origin = &item->block->origins[row];
    const struct block_origin *base = &item->base->origins[row];
    const bool profile = origin->profile != NULL && section->of != DEVIATION_CONTROL_VALUE;
    char value[DEVIATION_TEXT_BYTES], other[DEVIATION_TEXT_BYTES];
    opt_format(opt, value_of(item->block, row), value, sizeof value);
    opt_format(opt, common, other, sizeof other);
    const struct deviation_said said = {
        .path = own_path(section, item, row),
        .word = profile ? "profile" : opt->name,
        .where = origin->where,
        .value = profile ? origin->profile : value,
        .common = !profile                ? other
                  : base->profile != NULL ? base->profile
                                          : "none",
        .planned = planned,
    };
    const struct deviation_change change = {
        .of = section->of, .spot = item->spot, .row = opt, .common = common};
    deviation_add(search, &said, &change);
}

/* Rates and lengths of cables differ by design. Only a cable that is slower or longer than most is
 * a deviation, or, among few peers, one that an override makes so. */
static bool is_cable(const struct section *section, const struct opt *row)
{
    return section->of == DEVIATION_PORT && row->offset < offsetof(struct port_params, mtu);
}

static bool is_worse_cable(const struct opt *row, int64_t value, int64_t than)
{
    return row->type == OPT_RATE ? value < than : value > than;
}

static bool is_override(const char *path)
{
    static const char head[] = "fabric.overrides[";
    return strncmp(path, head, sizeof head - 1) == 0;
}

/* `vote` is that of the item's group. */
static void check_item(struct deviation_search *search, const struct section *section,
                       const struct item *item, size_t row, const struct deviation_vote *vote)
{
    const struct opt *opt = &item->block->rows[row];
    const int64_t value = value_of(item->block, row), base = value_of(item->base, row);
    const int64_t common = deviation_won(vote) ? vote->candidate : base;
    const bool cable = is_cable(section, opt), plan = vote->members >= DEVIATION_PLAN;
    bool narrow = value != common, broad = value == common && value != base;
    if (cable) {
        const bool few = vote->members < 2 * DEVIATION_PLAN; /* members are ends of links, two
                                                              * per link */
        narrow = deviation_won(vote) && is_worse_cable(opt, value, common);
        broad = !narrow && few && is_override(own_path(section, item, row)) &&
                is_worse_cable(opt, value, base);
    }
    if (!search->broad && narrow)
        add_value(search, section, item, row, common, false);
    else if (search->broad && broad)
        add_value(search, section, item, row, base, plan && !cable);
}

/* Marks the classes whose value is set by a mapping of their own; false: none. */
static bool find_own(const struct section *section, const struct classes *classes, size_t row)
{
    bool any = false;
    for (uint32_t i = 0; i < classes->count; i++) {
        struct class *class = &classes->list[i];
        class->looked_at = own_path(section, class->first, row) != NULL;
        any |= class->looked_at;
    }
    return any;
}

static void check_row(struct deviation_search *search, const struct section *section,
                      const struct classes *classes, size_t row)
{
    struct deviation_vote votes[GROUPS_MAX];
    if (!find_own(section, classes, row))
        return;
    count_votes(classes, row, votes);
    for (size_t i = 0; i < section->count; i++) {
        const struct item *item = &section->items[i];
        if (!classes->list[item->class].looked_at)
            continue;
        const struct deviation_vote *vote = vote_of(votes, item->group);
        if (vote != NULL)
            check_item(search, section, item, row, vote);
    }
}

/* What users may have: a quota, not a property of the devices. */
static bool is_quota(const struct opt *row)
{
    const enum opt_part part = row->effect.part;
    return part == OPT_PART_LIMIT || part == OPT_PART_WORKLOAD_LIMIT || part == OPT_PART_ASKED;
}

/* Worse than the default, and not only because the device is smaller, or has a quota or a mode that
 * the default does not have. A limit of the hardware counts at any size: whether it matters depends
 * on the load. What an operation costs all devices is how fast they are: the bottleneck names it,
 * and nobody has lost what no device can do. The part of its memory at which every switch pauses is
 * a policy: it moves waiting from one place to another. */
static bool is_odd_for_all(const struct opt *row, int64_t value, int64_t preset)
{
    const bool policy = row->effect.part == OPT_PART_PAUSES && row->effect.scales;
    const bool mode = row->type == OPT_CHOICE && row->effect.worse == OPT_WORSE_ANY;
    const bool smaller = !opt_is_purchase(row) && opt_is_smaller_device(row, value, preset);
    const bool speed = row->effect.worse == OPT_WORSE_CEILING;
    return !mode && !policy && !speed && !is_quota(row) && opt_is_worse(row, value, preset) &&
           !smaller;
}

/* Marks the classes whose value is set by the section for all, and not by its profile; false:
 * none. */
static bool find_written(const struct section *section, const struct classes *classes, size_t row,
                         int64_t preset)
{
    const struct opt *opt = &section->items[0].block->rows[row];
    bool any = false;
    for (uint32_t i = 0; i < classes->count; i++) {
        struct class *class = &classes->list[i];
        const struct block_origin *base = &class->first->base->origins[row];
        class->looked_at = base->where.file != NULL && base->profile == NULL &&
                           is_odd_for_all(opt, value_of(class->first->block, row), preset) &&
                           own_path(section, class->first, row) == NULL;
        any |= class->looked_at;
    }
    return any;
}

static void look_at_written(struct deviation_search *search, const struct section *section,
                            const struct classes *classes, size_t row)
{
    const struct opt *opt = &section->items[0].block->rows[row];
    char why[OPT_WHY_BYTES], value[DEVIATION_TEXT_BYTES], other[DEVIATION_TEXT_BYTES];
    int64_t preset = 0;
    if (is_cable(section, opt) || !opt_parse(opt, opt->preset, &preset, why))
        return;
    if (section->of == DEVIATION_PORT)
        preset = credits_default(section->kind, opt->name, preset);
    if (!find_written(section, classes, row, preset))
        return;
    opt_format(opt, preset, other, sizeof other);
    for (size_t i = 0; i < section->count; i++) {
        const struct item *item = &section->items[i];
        if (!classes->list[item->class].looked_at)
            continue;
        opt_format(opt, value_of(item->block, row), value, sizeof value);
        const struct deviation_said said = {.path = item->base->path,
                                            .word = opt->name,
                                            .where = item->base->origins[row].where,
                                            .value = value,
                                            .common = other,
                                            .planned = true};
        const struct deviation_change change = {
            .of = section->of, .spot = item->spot, .row = opt, .common = preset};
        deviation_add(search, &said, &change);
    }
}

static void check_section(struct deviation_search *search, struct section *section)
{
    struct classes classes;
    find_classes(section, &classes);
    for (size_t row = 0; section->count > 0 && row < section->items[0].block->row_count; row++)
        (search->written ? look_at_written : check_row)(search, section, &classes, row);
    free(classes.list);
    free(section->items);
}

/* ------------------------------------------------------------------ peer groups */

/* Both ends of a link are in one group. */
static uint32_t link_group(const struct scenario *scenario, const struct scenario_link *link)
{
    const uint32_t a = scenario->nodes[link->node[0]].tier, b = scenario->nodes[link->node[1]].tier;
    return a < b ? a * TIERS + b : b * TIERS + a;
}

static bool is_host_link(const struct scenario *scenario, const struct scenario_link *link)
{
    return scenario->nodes[link->node[0]].kind == SCENARIO_HOST ||
           scenario->nodes[link->node[1]].kind == SCENARIO_HOST;
}

static void look_at_ports(struct deviation_search *search, enum scenario_kind kind)
{
    const struct scenario *scenario = search->scenario;
    const struct scenario_origins *origins = scenario->origins;
    struct section section = {
        .of = DEVIATION_PORT,
        .kind = kind,
        .items = memory_zeroed(2 * (size_t)scenario->link_count + 1, sizeof *section.items)};
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        for (int end = 0; end < 2 && scenario->nodes[link->node[0]].link == kind; end++)
            section.items[section.count++] = (struct item){
                .block = origins->nodes[link->node[end]].port_blocks[link->port[end]],
                .base = is_host_link(scenario, link) ? origins->bases.layers[kind].host_links
                                                     : origins->bases.layers[kind].fabric_links,
                .spot = {link->node[end], link->port[end]},
                .group = link_group(scenario, link),
            };
    }
    check_section(search, &section);
}

static void look_at_switches(struct deviation_search *search, enum scenario_kind kind)
{
    const struct scenario *scenario = search->scenario;
    struct section section = {
        .of = DEVIATION_SWITCH,
        .kind = kind,
        .items = memory_zeroed((size_t)scenario->switch_count + 1, sizeof *section.items)};
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        if (scenario->nodes[i].link == kind)
            section.items[section.count++] = (struct item){
                .block = scenario->origins->nodes[i].switch_block,
                .base = scenario->origins->bases.layers[kind].switches,
                .spot = {i, SCENARIO_ALL_PORTS},
                .group = scenario->nodes[i].tier,
            };
    check_section(search, &section);
}

static const struct block *block_of(const struct loader_host *host, enum deviation_of of)
{
    return of == DEVIATION_RNIC     ? host->rnic
           : of == DEVIATION_NVME   ? host->nvme
           : of == DEVIATION_TARGET ? host->target
           : of == DEVIATION_TCP    ? host->tcp
                                    : host->control;
}

/* With another congestion control, or another preset of the same one, parameters cannot be
 * compared; the whole congestion control is then the deviation. */
static void check_hosts(struct deviation_search *search, enum deviation_of of,
                        enum scenario_kind kind)
{
    const struct scenario *scenario = search->scenario;
    const struct loader_host *common = scenario->origins->bases.host;
    const struct block *base = block_of(common, of);
    struct section section = {
        .of = of,
        .kind = kind,
        .items = memory_zeroed((size_t)scenario->host_count + 1, sizeof *section.items)};
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct loader_host *host = scenario->origins->nodes[i].host;
        const struct block *block = block_of(host, of);
        if (scenario->nodes[i].link == kind &&
            (of != DEVIATION_CONTROL_VALUE || cc_is_same(host->preset, common->preset)))
            section.items[section.count++] = (struct item){
                .block = block,
                .base = base,
                .spot = {i, SCENARIO_ALL_PORTS},
                .group = scenario->nodes[i].host->namespace_count > 0,
            };
    }
    check_section(search, &section);
}

/* `last`: of the parameters of hosts. Devices with another link layer are no peers. */
static void look_at_all(struct deviation_search *search, enum deviation_of last)
{
    for (int i = 0; i < SCENARIO_KIND_COUNT; i++) {
        const enum scenario_kind kind = (enum scenario_kind)i;
        if (!scenario_has_kind(search->scenario, kind))
            continue;
        look_at_ports(search, kind);
        look_at_switches(search, kind);
        for (enum deviation_of of = DEVIATION_RNIC; of <= last; of++)
            check_hosts(search, of, kind);
    }
}

void deviation_find_values(struct deviation_search *search)
{
    look_at_all(search, DEVIATION_CONTROL_VALUE);
}

void deviation_find_written(struct deviation_search *search)
{
    search->written = true;
    look_at_all(search, DEVIATION_TCP);
}
