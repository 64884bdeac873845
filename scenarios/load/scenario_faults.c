/* SPDX-License-Identifier: Apache-2.0
 * `faults:`. */
#include "scenarios/load/scenario_load.h"
#include "scenarios/load/select.h"

#include "base/nearest.h"

#include <string.h>

/* All that any kind has; each kind's rows name its part. */
struct keys {
    int64_t at, length; /* length -1: until the end of the run */
    int64_t drain, priority, rate, n, kind, period, duty, how, data;
};

#define FIELD(name) offsetof(struct keys, name)

const struct opt scenario_fault_opts[] = {
    {"at", OPT_TIME, FIELD(at), "0s", NULL, "1000s", NULL, "When it begins.", "own"},
    {"for", OPT_TIME, FIELD(length), "end", NULL, "1000s", "end",
     "How long it lasts; end: it stays.", "own"},
    {0}};

static const struct opt drain_opts[] = {
    {"drain", OPT_PERCENT, FIELD(drain), "0%", "0%", "100%", NULL,
     "Share of line rate at which the host empties its receive buffer.", "own"},
    {0}};

static const struct opt storm_opts[] = {{"priority", OPT_INT, FIELD(priority), "3", "0", "7", NULL,
                                         "The priority that is paused.",
                                         "common use: RoCE in priority 3"},
                                        {0}};

static const struct opt error_opts[] = {{"rate", OPT_RATIO, FIELD(rate), "1e-12", "0", "1/100",
                                         NULL, "Errors per bit.",
                                         "IEEE 802.3: links are specified for 1e-12"},
                                        {0}};

/* `kind` is the fault's own key, so what is dropped has another name. */
static const struct opt drop_opts[] = {
    {"n", OPT_INT, FIELD(n), "256", "1", NULL, NULL, "Each n-th frame is dropped.",
     "SIGCOMM 2016, RDMA over Commodity Ethernet at Scale: 1 of 256"},
    {"frames", OPT_CHOICE, FIELD(kind), "data", NULL, NULL, "all|data|pause|resume",
     "Those that are counted and dropped: all, MAC control too; with a payload; PFC and PAUSE that "
     "stop something; that only resume.",
     "own"},
    {0}};

static const struct opt flap_opts[] = {
    {"period", OPT_TIME, FIELD(period), "100ms", "1us", "1000s", NULL,
     "From one loss of carrier to the next.", "own"},
    {"duty", OPT_PERCENT, FIELD(duty), "50%", "0%", "100%", NULL,
     "Share of each period, from its beginning, in which the link is down.", "own"},
    {0}};

static const struct opt crash_opts[] = {
    {"how", OPT_CHOICE, FIELD(how), "process", NULL, NULL, "process|power",
     "What dies: the target's process, whose connections the kernel then ends; or the machine, "
     "with "
     "its links and without a word.",
     "own"},
    {"data", OPT_CHOICE, FIELD(data), "kept", NULL, NULL, "kept|lost",
     "Whether the namespaces hold what was written when the target comes back.", "own"},
    {0}};

static const struct opt no_opts[] = {{0}};

static const char *const common_keys[] = {"kind", "where", NULL};
static const char *const route_keys[] = {"kind", "where", "to", "via", NULL};

static const struct kind {
    const char *word;
    const struct opt *rows;
    enum { OF_PORTS, OF_HOSTS, OF_SWITCHES, OF_TARGETS } of;
    const char *const *also; /* keys beside the rows */
} kinds[] = {
    [SCENARIO_FAULT_SLOW_RECEIVER] = {"slow-receiver", drain_opts, OF_HOSTS, common_keys},
    [SCENARIO_FAULT_PAUSE_STORM] = {"pause-storm", storm_opts, OF_HOSTS, common_keys},
    [SCENARIO_FAULT_LINK_DOWN] = {"link-down", no_opts, OF_PORTS, common_keys},
    [SCENARIO_FAULT_BIT_ERRORS] = {"bit-errors", error_opts, OF_PORTS, common_keys},
    [SCENARIO_FAULT_DROP_EVERY] = {"drop-every", drop_opts, OF_PORTS, common_keys},
    [SCENARIO_FAULT_PFC_OFF] = {"pfc-off", no_opts, OF_PORTS, common_keys},
    [SCENARIO_FAULT_LINK_FLAP] = {"link-flap", flap_opts, OF_PORTS, common_keys},
    [SCENARIO_FAULT_SWITCH_DOWN] = {"switch-down", no_opts, OF_SWITCHES, common_keys},
    [SCENARIO_FAULT_MISROUTE] = {"misroute", no_opts, OF_SWITCHES, route_keys},
    [SCENARIO_FAULT_TARGET_STALL] = {"target-stall", no_opts, OF_TARGETS, common_keys},
    [SCENARIO_FAULT_TARGET_CRASH] = {"target-crash", crash_opts, OF_TARGETS, common_keys},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const char *scenario_fault_name(enum scenario_fault_kind kind)
{
    return kinds[kind].word;
}

const struct opt *scenario_fault_rows(enum scenario_fault_kind kind)
{
    return kinds[kind].rows;
}

static bool find_kind(struct loader *loader, const struct tree_node *word,
                      enum scenario_fault_kind *kind)
{
    struct nearest nearest = nearest_to(word->text);
    for (int i = 0; i < KINDS; i++) {
        *kind = (enum scenario_fault_kind)i;
        if (strcmp(kinds[i].word, word->text) == 0)
            return true;
        nearest_offer(&nearest, kinds[i].word);
    }
    tree_error(loader->diag, word, "there is no fault '%.64s'%s", word->text,
               nearest_hint(&nearest).text);
    return false;
}

/* Faults of ports take a node for all of its ports. */
static void spread(struct loader *loader, const struct selection *from, struct selection *to)
{
    *to = (struct selection){0};
    for (size_t i = 0; i < from->count; i++) {
        const bool all = from->spots[i].port == SCENARIO_ALL_PORTS;
        const uint32_t node = from->spots[i].node;
        const uint16_t first = all ? 0 : from->spots[i].port;
        const uint16_t end = all ? loader->scenario->nodes[node].port_count : (uint16_t)(first + 1);
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
                       const struct kind *kind, struct selection *selection)
{
    static const char *const names[] = {"link or port", "host", "switch", "target"};
    static const unsigned meant[] = {SELECT_HOSTS | SELECT_SWITCHES | SELECT_PORTS | SELECT_LINKS,
                                     SELECT_HOSTS, SELECT_SWITCHES, SELECT_HOSTS};
    const struct tree_node *where = tree_get(written, "where");
    if (where == NULL) {
        tree_error(loader->diag, written, "expected where: the %s that is meant", names[kind->of]);
        return false;
    }
    struct selection found;
    if (!select_from(loader->scenario, where, meant[kind->of], &found, loader->diag))
        return false;
    *selection = found;
    if (kind->of == OF_PORTS)
        spread(loader, &found, selection);
    return kind->of != OF_TARGETS || are_targets(loader, where, &found);
}

static void fill(struct scenario_fault *made, const struct keys *when, const struct keys *what)
{
    made->at = when->at;
    made->end = when->length < 0 ? TIME_NEVER : when->at + when->length;
    made->drain = what->drain;
    made->priority = what->priority;
    made->rate = what->rate;
    made->n = what->n;
    made->frames = what->kind;
    made->period = what->period;
    made->duty = what->duty;
    made->how = what->how;
    made->data = what->data;
}

static void load_entry(struct loader *loader, const struct tree_node *written, size_t index,
                       struct scenario_fault *made)
{
    const struct tree_node *word = scenario_word(loader, written, "kind");
    struct selection selection = {0};
    if (word == NULL) {
        tree_error(loader->diag, written, "expected kind: such as slow-receiver or link-down");
        return;
    }
    if (!find_kind(loader, word, &made->kind))
        return;
    const struct kind *kind = &kinds[made->kind];
    const char *path = arena_format(loader->arena, "faults[%zu]", index);
    struct block *times = block_new(loader->arena, path, scenario_fault_opts, sizeof(struct keys));
    struct block *own = block_new(loader->arena, path, kind->rows, sizeof(struct keys));
    const struct block *const known[] = {times, own, NULL};
    if (!block_only(written, kind->also, known, loader->diag) ||
        !read_where(loader, written, kind, &selection))
        return;
    if (made->kind == SCENARIO_FAULT_MISROUTE)
        made->route = scenario_load_route(loader, written, "where");
    scenario_take_part(loader, times, written, NULL);
    scenario_take_part(loader, own, written, kind->also);
    scenario_show(loader, times, false);
    scenario_show(loader, own, false);
    fill(made, times->params, own->params);
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
