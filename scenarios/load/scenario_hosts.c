/* SPDX-License-Identifier: Apache-2.0
 * scenario_hosts - loads `hosts:`.
 * `defaults` applies to all hosts; then each section that selects some of them (`targets` and any
 * other name) is laid over the previous result. Hosts with the same sections share their blocks. */
#include "scenarios/load/profile.h"
#include "scenarios/load/select.h"

#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/load/load.h"
#include "scenarios/load/scenario_infiniband.h"
#include "scenarios/load/scenario_namespaces.h"
#include "scenarios/load/scenario_subsystems.h"

#include <string.h>

/* The default profile of an RNIC is the generic one for its link's rate. */
static const char profile_by_rate[] = "auto";

/* Content of a section; NULL or empty for missing parts. */
struct section {
    const char *path;
    bool is_base; /* hosts.defaults */
    const struct tree_node *written;
    struct block *rnic, *nvme, *target, *tcp;
    struct block *control;
    const struct cc_preset *preset; /* preset of the congestion control */
    const uint8_t *dscp;
    const struct scenario_namespaces *namespaces;
    const char *machine;
    struct scenario_names names;
    struct diag_place dscp_place, control_place;
};

/* ---- congestion control ---- */

static void show_word(struct loader *loader, const char *path, const char *name,
                      const struct tree_node *word, const char *preset)
{
    const struct scenario_choice choice = {
        .path = path,
        .name = name,
        .word = word == NULL ? preset : word->text,
        .preset = preset,
        .about = "Source of values that the scenario does not set.",
        .effect = scenario_choice_effect(name),
        .where = word == NULL ? (struct diag_place){0} : word->place,
    };
    scenario_show_choice(loader, &choice);
}

static struct block *control_block(struct loader *loader, const char *path,
                                   const struct cc_preset *preset, struct diag_place where)
{
    struct block *block =
        block_new(loader->arena, path, preset->ops->opts, preset->ops->params_bytes);
    cc_presets(preset, block->params);
    for (const struct cc_setting *set = preset->settings; set != NULL && set->opt != NULL; set++)
        block->origins[block_row(block, set->opt)] =
            (struct block_origin){.where = where, .profile = preset->name, .source = preset->about};
    return block;
}

/* `congestion-control: dcqcn`, or a mapping {kind: dcqcn, g: 1/256}. */
static void load_control(struct loader *loader, struct section *section,
                         const struct tree_node *written)
{
    static const char *const also[] = {"kind", NULL};
    const struct tree_node *word = written->kind == TREE_MAP ? tree_get(written, "kind") : written;
    if (word == NULL || word->kind != TREE_SCALAR) {
        tree_error(loader->diag, written,
                   "expected a congestion control such as dcqcn, or {kind: dcqcn, g: 1/256}");
        return;
    }
    const struct cc_preset *preset = scenario_control(loader, word);
    if (preset == NULL)
        return;
    show_word(loader, section->rnic->path, "congestion-control", word,
              scenario_default_control(loader->kind));
    section->preset = preset;
    section->control_place = word->place;
    section->control = control_block(
        loader, arena_format(loader->arena, "%s.rnic.congestion-control", section->path), preset,
        word->place);
    if (written->kind == TREE_MAP)
        scenario_take(loader, section->control, written, also);
}

/* ---- sections ---- */

static uint8_t *unsaid_dscp(struct loader *loader)
{
    return memset(arena_take(loader->arena, SCENARIO_DSCPS), RNIC_DSCP_UNSAID, SCENARIO_DSCPS);
}

static void load_dscp(struct loader *loader, struct section *section,
                      const struct tree_node *written)
{
    if (written == NULL)
        return;
    uint8_t *map = unsaid_dscp(loader);
    scenario_load_dscp(loader, written, map);
    section->dscp = map;
    section->dscp_place = written->place;
}

static const uint8_t *overlaid_dscp(struct loader *loader, const uint8_t *from, const uint8_t *over)
{
    if (from == NULL || over == NULL)
        return over == NULL ? from : over;
    uint8_t *map = unsaid_dscp(loader);
    for (int i = 0; i < SCENARIO_DSCPS; i++)
        map[i] = over[i] == RNIC_DSCP_UNSAID ? from[i] : over[i];
    return map;
}

/* Loads the RNIC's values, and those of the software above it if the profile has any. */
static void take_profile(struct loader *loader, const struct profile *profile,
                         struct section *section)
{
    profile_take(loader, profile, section->rnic);
    profile_take_part(loader, profile, profile->nvme, section->nvme);
    profile_take_part(loader, profile, profile->target, section->target);
}

/* True for `profile: auto`, which is also the default. */
static bool is_by_rate(struct loader *loader, const struct section *section,
                       const struct tree_node *word)
{
    if (strcmp(word->text, profile_by_rate) != 0)
        return false;
    if (!section->is_base)
        tree_error(loader->diag, word,
                   "profile auto is allowed only in hosts.defaults: name a profile here");
    return true;
}

static void load_rnic(struct loader *loader, struct section *section)
{
    static const char *const also[] = {"profile", "congestion-control", "dscp-to-priority", NULL};
    const struct tree_node *map = scenario_map(loader, section->written, "rnic");
    if (map == NULL)
        return;
    struct profile profile;
    const struct tree_node *word = scenario_word(loader, map, "profile");
    if (word != NULL && !is_by_rate(loader, section, word) &&
        profile_find(loader, word, "rnic", &profile)) {
        take_profile(loader, &profile, section);
        show_word(loader, section->rnic->path, "profile", word, profile_by_rate);
    }
    scenario_take(loader, section->rnic, map, also);
    scenario_check_rnic(loader, map, section->rnic->params);
    const struct tree_node *control = tree_get(map, "congestion-control");
    if (control != NULL)
        load_control(loader, section, control);
    load_dscp(loader, section, scenario_map(loader, map, "dscp-to-priority"));
}

/* A mapping of software with an optional profile of the same kind. */
static void load_software(struct loader *loader, const struct section *section, const char *kind,
                          struct block *block)
{
    static const char *const also[] = {"profile", NULL};
    const struct tree_node *map = scenario_map(loader, section->written, kind);
    if (map == NULL)
        return;
    struct profile profile;
    const struct tree_node *word = scenario_word(loader, map, "profile");
    if (word != NULL && profile_find(loader, word, kind, &profile)) {
        profile_take(loader, &profile, block);
        profile_take_part(loader, &profile, profile.nvme, section->nvme);
        profile_take_part(loader, &profile, profile.target, section->target);
        show_word(loader, block->path, "profile", word, "none");
    }
    scenario_take(loader, block, map, also);
}

static struct block *rnic_block(struct loader *loader, const char *path)
{
    struct block *block = block_new(loader->arena, path, rnic_opts, sizeof(struct rnic_params));
    block->words = scenario_tos_words;
    return block;
}

static void load_section(struct loader *loader, struct section *section)
{
    struct arena *arena = loader->arena;
    section->rnic = rnic_block(loader, arena_format(arena, "%s.rnic", section->path));
    section->nvme = scenario_nvme_block(loader, arena_format(arena, "%s.nvme", section->path));
    section->target =
        scenario_target_block(loader, arena_format(arena, "%s.target", section->path));
    section->tcp = scenario_tcp_block(loader, arena_format(arena, "%s.tcp", section->path));
    load_rnic(loader, section);
    load_software(loader, section, "tcp", section->tcp);
    load_software(loader, section, "nvme", section->nvme);
    load_software(loader, section, "target", section->target);
    scenario_read_names(loader, section->path, section->written, &section->names);
    const struct tree_node *machine = scenario_word(loader, section->written, "machine");
    if (machine != NULL && machine->text[0] == '\0')
        tree_error(loader->diag, machine,
                   "machine: expected one word, the same for all hosts of the machine");
    else if (machine != NULL)
        section->machine = machine->text;
    const struct tree_node *namespaces = scenario_list(loader, section->written, "namespaces");
    if (namespaces != NULL)
        section->namespaces = scenario_load_namespaces(
            loader, arena_format(arena, "%s.namespaces", section->path), namespaces);
}

static void show_section(struct loader *loader, const struct section *section, bool written_only)
{
    scenario_show(loader, section->rnic, written_only);
    if (section->control != NULL)
        scenario_show(loader, section->control, false);
    scenario_show(loader, section->nvme, written_only);
    scenario_show(loader, section->target, written_only);
}

static const struct block *overlaid(struct loader *loader, const struct block *from,
                                    const struct block *over)
{
    struct block *made = block_copy(loader->arena, from, over->path);
    block_overlay(made, over);
    return made;
}

static const struct loader_host *host_with(struct loader *loader, const struct loader_host *from,
                                           const struct section *section)
{
    struct loader_host *made = arena_take(loader->arena, sizeof *made);
    *made = *from;
    made->rnic = overlaid(loader, from->rnic, section->rnic);
    made->nvme = overlaid(loader, from->nvme, section->nvme);
    made->target = overlaid(loader, from->target, section->target);
    made->tcp = overlaid(loader, from->tcp, section->tcp);
    if (section->control != NULL) {
        made->control = section->control;
        made->cc = section->preset->ops;
        made->preset = section->preset;
        made->control_place = section->control_place;
    }
    if (section->namespaces != NULL)
        made->namespaces = section->namespaces;
    if (section->machine != NULL)
        made->machine = section->machine;
    made->names = scenario_names_over(&from->names, &section->names);
    made->dscp = overlaid_dscp(loader, from->dscp, section->dscp);
    if (section->dscp != NULL) {
        made->dscp_path = section->rnic->path;
        made->dscp_place = section->dscp_place;
    }
    return made;
}

/* Hosts that shared their blocks before still share them afterwards. */
static void apply(struct loader *loader, const struct section *section,
                  const struct scenario_spot *spots, size_t count)
{
    struct change {
        const struct loader_host *from, *to;
    } *changes = NULL;
    size_t change_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct loader_host **host = &loader->nodes[spots[i].node].host;
        size_t c = 0;
        while (c < change_count && changes[c].from != *host)
            c++;
        if (c == change_count) {
            struct change *change =
                arena_push(loader->arena, (void **)(void *)&changes, &change_count, sizeof *change);
            *change = (struct change){*host, host_with(loader, *host, section)};
        }
        *host = changes[c].to;
    }
}

void scenario_apply_host_section(struct loader *loader, const char *path,
                                 const struct tree_node *written, const struct scenario_spot *spots,
                                 size_t count)
{
    struct section section = {.path = path, .written = written};
    load_section(loader, &section);
    show_section(loader, &section, true);
    scenario_show(loader, section.tcp, true);
    apply(loader, &section, spots, count);
}

/* ---- defaults ---- */

static const char *const section_keys[] = {"where",      "rnic",       "nvme",    "target",
                                           "tcp",        "namespaces", "machine", "nqn",
                                           "subsystems", "ana",        NULL};

/* Hosts with the same link layer and the same generic profile. */
struct rate_class {
    const char *profile;
    enum scenario_kind kind;
    uint32_t hosts;
    struct loader_host *made;
};

struct rate_classes {
    struct rate_class *list;
    size_t count;
};

static struct rate_class *class_of(struct loader *loader, struct rate_classes *classes,
                                   uint32_t host)
{
    const char *profile = profile_for_host(loader, host);
    const enum scenario_kind kind = loader->scenario->nodes[host].link;
    for (size_t i = 0; i < classes->count; i++)
        if (classes->list[i].kind == kind && strcmp(classes->list[i].profile, profile) == 0)
            return &classes->list[i];
    struct rate_class *made =
        arena_push(loader->arena, (void **)(void *)&classes->list, &classes->count, sizeof *made);
    *made = (struct rate_class){.profile = profile, .kind = kind};
    return made;
}

/* The profile of most hosts; among equals, that of the earliest host. Without hosts, the result
 * does not matter. */
static const char *common_class(struct loader *loader, struct rate_classes *classes)
{
    const struct rate_class *most = NULL;
    for (uint32_t i = 0; i < loader->scenario->host_count; i++)
        class_of(loader, classes, i)->hosts++;
    for (size_t i = 0; i < classes->count; i++)
        if (most == NULL || classes->list[i].hosts > most->hosts)
            most = &classes->list[i];
    return most == NULL ? "ideal" : most->profile;
}

static void base_rnic(struct loader *loader, struct section *base, struct rate_classes *classes)
{
    struct profile profile;
    const struct tree_node *rnic = scenario_map(loader, base->written, "rnic");
    const struct tree_node *word = rnic == NULL ? NULL : scenario_word(loader, rnic, "profile");
    if ((word == NULL || strcmp(word->text, profile_by_rate) == 0) &&
        profile_find_own(loader, common_class(loader, classes), "rnic", &profile)) {
        take_profile(loader, &profile, base);
        show_word(loader, base->rnic->path, "profile", word, profile_by_rate);
    }
    load_rnic(loader, base);
    if (base->control != NULL)
        return;
    show_word(loader, base->rnic->path, "congestion-control", NULL,
              scenario_default_control(loader->kind));
    base->preset = cc_find(scenario_default_control(loader->kind));
    base->control = control_block(loader, "hosts.defaults.rnic.congestion-control", base->preset,
                                  (struct diag_place){0});
}

/* Applies the RNIC parameters of hosts.defaults to another profile than that of the common
 * class. */
static const struct block *rnic_of_class(struct loader *loader, const struct block *common,
                                         const char *name)
{
    struct profile profile;
    struct block *made =
        block_new(loader->arena, common->path, common->rows, sizeof(struct rnic_params));
    if (profile_find_own(loader, name, "rnic", &profile))
        profile_take(loader, &profile, made);
    block_overlay_own(made, common);
    return made;
}

/* The link layer decides about some values of an RNIC, and about the congestion control of hosts
 * that name none. */
static struct loader_host *base_with(struct loader *loader, const struct loader_host *base,
                                     enum scenario_kind kind, const char *profile)
{
    struct loader_host *made = arena_take(loader->arena, sizeof *made);
    *made = *base;
    made->rnic = profile == NULL ? block_copy(loader->arena, base->rnic, base->rnic->path)
                                 : rnic_of_class(loader, base->rnic, profile);
    if (kind == loader->kind || base->control_place.file != NULL)
        return made;
    made->preset = cc_find(scenario_default_control(kind));
    made->cc = made->preset->ops;
    made->control =
        control_block(loader, base->control->path, made->preset, (struct diag_place){0});
    return made;
}

static void share_base(struct loader *loader, struct loader_host *base,
                       struct rate_classes *classes)
{
    struct loader_host *of_kind[SCENARIO_KIND_COUNT] = {NULL};
    of_kind[loader->kind] = base;
    for (uint32_t i = 0; i < loader->scenario->host_count; i++) {
        const enum scenario_kind kind = loader->scenario->nodes[i].link;
        struct rate_class *class = classes->count < 2 ? NULL : class_of(loader, classes, i);
        struct loader_host **made = class == NULL ? &of_kind[kind] : &class->made;
        if (*made == NULL)
            *made = base_with(loader, base, kind, class == NULL ? NULL : class->profile);
        loader->nodes[i].host = *made;
    }
}

static void load_defaults(struct loader *loader, const struct tree_node *hosts)
{
    struct rate_classes classes = {0};
    struct section base = {.path = "hosts.defaults",
                           .is_base = true,
                           .written = scenario_map(loader, hosts, "defaults")};
    loader->bases.defaults = scenario_load_defaults(loader, base.written);
    base.rnic = rnic_block(loader, "hosts.defaults.rnic");
    base.nvme = scenario_nvme_block(loader, "hosts.defaults.nvme");
    base.target = scenario_target_block(loader, "hosts.defaults.target");
    base.tcp = scenario_tcp_block(loader, "hosts.defaults.tcp");
    base_rnic(loader, &base, &classes);
    load_software(loader, &base, "nvme", base.nvme);
    load_software(loader, &base, "tcp", base.tcp);
    load_software(loader, &base, "target", base.target);
    show_section(loader, &base, false);
    struct loader_host *host = arena_take(loader->arena, sizeof *host);
    *host = (struct loader_host){.rnic = base.rnic,
                                 .nvme = base.nvme,
                                 .target = base.target,
                                 .tcp = base.tcp,
                                 .control = base.control,
                                 .control_place = base.control_place,
                                 .cc = base.preset->ops,
                                 .preset = base.preset,
                                 .dscp = base.dscp};
    loader->bases.host = host;
    share_base(loader, host, &classes);
}

/* Loads one section with its `where`. */
static void load_selected(struct loader *loader, const char *name, const char *path,
                          const struct tree_node *written)
{
    struct selection selection;
    if (!block_only(written, section_keys, NULL, loader->diag))
        return;
    const struct tree_node *where = tree_get(written, "where");
    if (where == NULL)
        tree_error(loader->diag, written, "expected where: the hosts to select");
    else if (select_from(loader->scenario, where, SELECT_HOSTS, &selection, loader->diag)) {
        scenario_apply_host_section(loader, path, written, selection.spots, selection.count);
        struct scenario *scenario = loader->scenario;
        struct scenario_group *group = arena_push(loader->arena, (void **)(void *)&scenario->groups,
                                                  &scenario->group_count, sizeof *group);
        *group = (struct scenario_group){name, selection.spots, selection.count,
                                         tree_get(written, "namespaces") != NULL};
    }
}

void scenario_load_hosts(struct loader *loader)
{
    const struct tree_node *hosts = scenario_map(loader, loader->root, "hosts");
    load_defaults(loader, hosts);
    for (size_t i = 0; hosts != NULL && i < hosts->count; i++) {
        const struct tree_item *item = &hosts->items[i];
        if (strcmp(item->key, "defaults") == 0)
            continue;
        const char *path = arena_format(loader->arena, "hosts.%.64s", item->key);
        if (item->value->kind != TREE_LIST)
            load_selected(loader, item->key, path, item->value);
        for (size_t j = 0; item->value->kind == TREE_LIST && j < item->value->count; j++)
            load_selected(loader, item->key, arena_format(loader->arena, "%s[%zu]", path, j),
                          item->value->items[j].value);
    }
}

void scenario_finish_host(struct loader *loader, uint32_t node)
{
    const struct loader_host *from = loader->nodes[node].host;
    struct scenario_host *host = arena_take(loader->arena, sizeof *host);
    *host = (struct scenario_host){
        .rnic = from->rnic->params,
        .cc = from->cc,
        .cc_preset = from->preset,
        .cc_place = from->control_place,
        .cc_params = from->control->params,
        .nvme_host = from->nvme->params,
        .nvme_target = from->target->params,
        .tcp = from->tcp->params,
        .namespaces = from->namespaces == NULL ? NULL : from->namespaces->list,
        .namespace_count = from->namespaces == NULL ? 0 : (uint32_t)from->namespaces->count,
        .machine = from->machine,
        .rnic_values = from->rnic,
        .cc_values = from->control,
        .nvme_host_values = from->nvme,
        .nvme_target_values = from->target,
        .tcp_values = from->tcp,
    };
    scenario_finish_names(loader, node, &from->names, host);
    loader->scenario->nodes[node].host = host;
    scenario_check_control(loader, node);
    uint8_t *map = arena_take(loader->arena, SCENARIO_DSCPS);
    const struct scenario_node *of = &loader->scenario->nodes[node];
    rnic_map_dscp(host->rnic,
                  scenario_has_credits(of) ? loader->bases.layers[of->link].dscp : from->dscp, map);
    loader->scenario->nodes[node].priority_of_dscp = map;
}
