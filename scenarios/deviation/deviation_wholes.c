/* SPDX-License-Identifier: Apache-2.0
 * deviation_wholes - deviations of DSCP maps and congestion controls. */
#include "scenarios/deviation/deviation_private.h"

#include "rnic/cc/cc.h"

#include <stdio.h>

enum { WORD_BYTES = 64 };

/* ------------------------------------------------------------------ maps */

static void say_entry(const uint8_t *map, int dscp, char text[WORD_BYTES])
{
    if (map == NULL || map[dscp] == UINT8_MAX)
        snprintf(text, WORD_BYTES, "unset");
    else
        snprintf(text, WORD_BYTES, "%d", map[dscp]);
}

static int difference_from(const uint8_t *a, const uint8_t *b, int from)
{
    for (int i = from; i < SCENARIO_DSCPS; i++)
        if ((a == NULL ? UINT8_MAX : a[i]) != (b == NULL ? UINT8_MAX : b[i]))
            return i;
    return SCENARIO_DSCPS;
}

static int first_difference(const uint8_t *a, const uint8_t *b)
{
    return difference_from(a, b, 0);
}

/* "dscp.26" if only that entry differs, "dscp" if several do. */
static const char *map_word(struct deviation_search *search, const char *word, const uint8_t *map,
                            const uint8_t *base)
{
    const int first = first_difference(map, base);
    return difference_from(map, base, first + 1) < SCENARIO_DSCPS
               ? word
               : arena_format(&search->found->arena, "%s.%d", word, first);
}

/* True for peers: the same tier and role. */
static bool is_alike(const struct scenario_node *a, const struct scenario_node *b)
{
    return a->kind == b->kind && a->link == b->link && a->tier == b->tier &&
           (a->kind == SCENARIO_SWITCH ||
            (a->host->namespace_count > 0) == (b->host->namespace_count > 0));
}

static const uint8_t *map_of(const struct scenario *scenario, uint32_t node)
{
    return scenario->nodes[node].kind == SCENARIO_SWITCH
               ? scenario->nodes[node].priority_of_dscp
               : scenario->origins->nodes[node].host->dscp;
}

/* Result for the previous node, which the next one in the list usually shares. */
struct look {
    const struct scenario *scenario;
    uint32_t node; /* UINT32_MAX: none yet */
    bool common;
    uint32_t members;
};

typedef bool same_fn(const struct scenario *scenario, uint32_t a, uint32_t b);

static bool is_map_same(const struct scenario *scenario, uint32_t a, uint32_t b)
{
    return first_difference(map_of(scenario, a), map_of(scenario, b)) == SCENARIO_DSCPS;
}

static bool is_control_same(const struct scenario *scenario, uint32_t a, uint32_t b)
{
    return cc_is_same(scenario->origins->nodes[a].host->preset,
                      scenario->origins->nodes[b].host->preset);
}

/* True if more than half of the peers have the same, so that it is not an exception. */
static bool is_common(struct look *look, uint32_t node, same_fn *same)
{
    const struct scenario *scenario = look->scenario;
    struct deviation_vote vote = {.members = 0};
    if (look->node != UINT32_MAX &&
        is_alike(&scenario->nodes[look->node], &scenario->nodes[node]) &&
        same(scenario, look->node, node))
        return look->common;
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        if (!is_alike(&scenario->nodes[i], &scenario->nodes[node]))
            continue;
        vote.members++;
        vote.holders += same(scenario, i, node);
    }
    look->node = node;
    look->common = deviation_won(&vote);
    look->members = vote.members;
    return look->common;
}

static void look_at_map(struct deviation_search *search, struct look *look, uint32_t node)
{
    const struct scenario *scenario = search->scenario;
    const struct loader_node *from = &scenario->origins->nodes[node];
    const bool host = scenario->nodes[node].kind == SCENARIO_HOST;
    const char *path = host ? from->host->dscp_path : from->dscp_path;
    const uint8_t *base = host ? scenario->origins->bases.host->dscp
                               : scenario->origins->bases.layers[scenario->nodes[node].link].dscp;
    const int dscp = first_difference(map_of(scenario, node), base);
    char value[WORD_BYTES], common[WORD_BYTES];
    if (path == NULL || dscp == SCENARIO_DSCPS ||
        is_common(look, node, is_map_same) != search->broad)
        return;
    say_entry(map_of(scenario, node), dscp, value);
    say_entry(base, dscp, common);
    const struct deviation_said said = {
        .path = path,
        .word = map_word(search, host ? "dscp-to-priority" : "dscp", map_of(scenario, node), base),
        .where = host ? from->host->dscp_place : from->dscp_place,
        .value = value,
        .common = common,
        .planned = look->members >= DEVIATION_PLAN && search->broad};
    const struct deviation_change change = {.of = host ? DEVIATION_HOST_DSCP : DEVIATION_DSCP,
                                            .spot = {node, SCENARIO_ALL_PORTS},
                                            .like = base};
    deviation_add(search, &said, &change);
}

/* ------------------------------------------------------------------ congestion controls */

static void check_control(struct deviation_search *search, struct look *look, uint32_t node)
{
    const struct scenario *scenario = search->scenario;
    const struct loader_host *host = scenario->origins->nodes[node].host;
    const struct loader_host *base = scenario->origins->bases.host;
    if (host->control_place.file == NULL || cc_is_same(host->preset, base->preset) ||
        is_common(look, node, is_control_same) != search->broad)
        return;
    const struct deviation_said said = {.path = host->control->path,
                                        .where = host->control_place,
                                        .value = host->preset->name,
                                        .common = base->preset->name,
                                        .planned =
                                            look->members >= DEVIATION_PLAN && search->broad};
    const struct deviation_change change = {
        .of = DEVIATION_CONTROL, .spot = {node, SCENARIO_ALL_PORTS}, .like = base};
    deviation_add(search, &said, &change);
}

void deviation_find_wholes(struct deviation_search *search)
{
    struct look look = {.scenario = search->scenario, .node = UINT32_MAX};
    for (uint32_t i = 0; i < search->scenario->node_count; i++)
        look_at_map(search, &look, i);
    look.node = UINT32_MAX;
    for (uint32_t i = 0; i < search->scenario->host_count; i++)
        check_control(search, &look, i);
}
