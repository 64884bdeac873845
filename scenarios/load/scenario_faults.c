/* SPDX-License-Identifier: Apache-2.0
 * scenario_faults - loads `faults:`. */
#include "scenarios/load/scenario_load.h"
#include "scenarios/load/select.h"

#include "base/nearest.h"
#include "scenarios/fault/fault_kinds.h"

#include <string.h>

struct span {
    int64_t at, length; /* length -1: until the end of the run */
};

#define FIELD(name) offsetof(struct span, name)

const struct opt scenario_fault_opts[] = {
    {"at", OPT_TIME, FIELD(at), "0s", NULL, "100000s", NULL, "Start of the fault.", "own",
     OPT_ACTS(FAULTS, ANY, TRACE)},
    {"for", OPT_TIME, FIELD(length), "end", NULL, "100000s", "end",
     "Duration of the fault; end: until the end of the run.", "own", OPT_ACTS(FAULTS, ANY, TRACE)},
    {0}};

static const struct fault_ops *find_kind(struct loader *loader, const struct tree_node *word)
{
    const struct fault_ops *found = fault_find(word->text);
    if (found != NULL)
        return found;
    struct nearest nearest = nearest_to(word->text);
    for (int i = 0; fault_kinds[i] != NULL; i++)
        nearest_offer(&nearest, fault_kinds[i]->name);
    tree_error(loader->diag, word, "there is no fault '%.64s'%s", word->text,
               nearest_hint(&nearest).text);
    return NULL;
}

/* For faults of ports, a node stands for all its ports. */
static void spread_to_ports(struct loader *loader, const struct selection *from,
                            struct selection *to)
{
    *to = (struct selection){0};
    for (size_t i = 0; i < from->count; i++) {
        const bool all = from->spots[i].port == SCENARIO_ALL_PORTS;
        const uint32_t node = from->spots[i].node;
        const uint16_t first = all ? 0 : from->spots[i].port;
        const uint16_t end =
            all ? loader->scenario->nodes[node].outer_ports : (uint16_t)(first + 1);
        for (uint16_t port = first; port < end; port++) {
            struct scenario_spot *spot =
                arena_push(loader->arena, (void **)(void *)&to->spots, &to->count, sizeof *spot);
            *spot = (struct scenario_spot){node, port};
        }
    }
}

static bool are_targets(struct loader *loader, const struct tree_node *where,
                        const struct selection *selection)
{
    for (size_t i = 0; i < selection->count; i++) {
        const struct scenario_node *node = &loader->scenario->nodes[selection->spots[i].node];
        if (node->host != NULL && node->host->namespace_count > 0)
            continue;
        tree_error(loader->diag, where, "expected a target, but %s has no namespaces", node->name);
        return false;
    }
    return true;
}

static bool read_where(struct loader *loader, const struct tree_node *written,
                       enum fault_place place, struct selection *selection)
{
    static const struct {
        const char *name;
        unsigned selects;
    } places[] = {
        [FAULT_AT_PORTS] = {"link or port",
                            SELECT_HOSTS | SELECT_SWITCHES | SELECT_PORTS | SELECT_LINKS},
        [FAULT_AT_HOSTS] = {"host", SELECT_HOSTS},
        [FAULT_AT_SWITCHES] = {"switch", SELECT_SWITCHES},
        [FAULT_AT_TARGETS] = {"target", SELECT_HOSTS},
    };
    const struct tree_node *where = tree_get(written, "where");
    if (where == NULL) {
        tree_error(loader->diag, written, "expected where: the %s of the fault",
                   places[place].name);
        return false;
    }
    struct selection found;
    if (!select_from(loader->scenario, where, places[place].selects, &found, loader->diag))
        return false;
    *selection = found;
    if (place == FAULT_AT_PORTS)
        spread_to_ports(loader, &found, selection);
    return place != FAULT_AT_TARGETS || are_targets(loader, where, &found);
}

static void check_places(struct loader *loader, const struct tree_node *written,
                         const struct fault_ops *ops, const void *params,
                         const struct selection *selection)
{
    for (size_t i = 0; ops->in_vain_at != NULL && i < selection->count; i++) {
        const struct scenario_node *node = &loader->scenario->nodes[selection->spots[i].node];
        const char *why = ops->in_vain_at(params, node);
        if (why == NULL)
            continue;
        tree_error(loader->diag, written, "the fault %s at %s %s", ops->name, node->name, why);
        return;
    }
}

static void load_entry(struct loader *loader, const struct tree_node *written, size_t index,
                       struct scenario_fault *made)
{
    static const char *const plain[] = {"kind", "where", NULL};
    static const char *const routed[] = {"kind", "where", "to", "via", NULL};
    const struct tree_node *word = scenario_word(loader, written, "kind");
    if (word == NULL) {
        tree_error(loader->diag, written, "expected kind: such as slow-receiver or link-down");
        return;
    }
    const struct fault_ops *ops = find_kind(loader, word);
    if (ops == NULL)
        return;
    const char *path = arena_format(loader->arena, "faults[%zu]", index);
    const char *const *also = ops->has_route ? routed : plain;
    struct block *times = block_new(loader->arena, path, scenario_fault_opts, sizeof(struct span));
    struct block *own = block_new(loader->arena, path, ops->opts, ops->params_bytes);
    const struct block *const known[] = {times, own, NULL};
    struct selection selection = {0};
    if (!block_only(written, also, known, loader->diag) ||
        !read_where(loader, written, ops->place, &selection))
        return;
    if (ops->has_route)
        made->route = scenario_load_route(loader, written, "where");
    scenario_take_part(loader, times, written, NULL);
    scenario_take_part(loader, own, written, also);
    scenario_show(loader, times, false);
    scenario_show(loader, own, false);
    check_places(loader, written, ops, own->params, &selection);
    const struct span *span = times->params;
    made->ops = ops;
    made->params = own->params;
    made->at = span->at;
    made->end = span->length < 0 ? TIME_NEVER : span->at + span->length;
    made->spots = selection.spots;
    made->spot_count = (uint32_t)selection.count;
    made->place = written->place;
}

void scenario_load_faults(struct loader *loader)
{
    const struct tree_node *written = scenario_list(loader, loader->root, "faults");
    if (written == NULL)
        return;
    struct scenario_fault *faults = arena_array(loader->arena, written->count, sizeof *faults);
    for (size_t i = 0; i < written->count; i++)
        load_entry(loader, written->items[i].value, i, &faults[i]);
    loader->scenario->faults = faults;
    loader->scenario->fault_count = (uint32_t)written->count;
}
