/* SPDX-License-Identifier: Apache-2.0
 * oversubscription - measures the leaves, computes the number of spines, and verifies the
 * result. */
#include "scenarios/vary/oversubscription.h"

#include "base/memory.h"
#include "base/quantity.h"
#include "scenarios/load/library.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "oversubscription=";

enum { RATIO_BYTES = 24, RATIO_MAX = 1000 };

/* Place of the setting, and its ratio. */
struct asked {
    const struct plan *plan;
    const char *value;
    const struct tree_node *written;
    int64_t ratio; /* thousandths */
    struct diag *diag;
};

/* Total rates of a leaf to hosts and to spines. */
struct leaf {
    int64_t down, up; /* bits per second */
    uint32_t uplinks;
};

/* Writes a ratio as "1.5" or "1.333". */
static void write_ratio(char text[RATIO_BYTES], __int128 numerator, __int128 denominator)
{
    const int64_t thousandths = (int64_t)((numerator * 1000 + denominator / 2) / denominator);
    snprintf(text, RATIO_BYTES, "%" PRId64 ".%03" PRId64, thousandths / 1000, thousandths % 1000);
    while (text[strlen(text) - 1] == '0')
        text[strlen(text) - 1] = '\0';
    if (text[strlen(text) - 1] == '.')
        text[strlen(text) - 1] = '\0';
}

/* ------------------------------------------------------------------ leaves */

static struct leaf leaf_at(const struct scenario *scenario, const struct scenario_node *node)
{
    struct leaf leaf = {0};
    for (uint16_t p = 0; p < node->port_count; p++) {
        const struct scenario_port *port = &node->ports[p];
        if (port->link == SCENARIO_NO_LINK)
            continue;
        const bool host = port->peer_node < scenario->host_count;
        const bool up = !host && scenario->nodes[port->peer_node].tier > node->tier;
        leaf.down += host ? port->params->rate : 0;
        leaf.up += up ? port->params->rate : 0;
        leaf.uplinks += up;
    }
    return leaf;
}

static bool find_leaf(const struct asked *asked, const struct scenario *scenario,
                      struct leaf *found)
{
    const struct scenario_node *first = NULL;
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct leaf leaf = leaf_at(scenario, &scenario->nodes[i]);
        if (leaf.down == 0)
            continue;
        if (first == NULL) {
            first = &scenario->nodes[i];
            *found = leaf;
        } else if (leaf.down != found->down || leaf.up != found->up ||
                   leaf.uplinks != found->uplinks) {
            tree_error(asked->diag, asked->written,
                       "%.64s and %.64s have different links: expected leaves with the same links",
                       first->name, scenario->nodes[i].name);
            return false;
        }
    }
    if (first != NULL && found->uplinks > 0 && found->up % found->uplinks == 0)
        return true;
    tree_error(asked->diag, asked->written,
               "expected a template of topology leaf-spine with uplinks of one rate");
    return false;
}

/* ------------------------------------------------------------------ spines */

static void report_ratio(const struct asked *asked, const struct leaf *leaf)
{
    char down[QUANTITY_TEXT_BYTES], up[QUANTITY_TEXT_BYTES], spines[RATIO_BYTES];
    char fewer[RATIO_BYTES], more[RATIO_BYTES], before[64] = "";
    const int64_t each = leaf->up / leaf->uplinks;
    const __int128 all = (__int128)leaf->down * 1000, one = (__int128)asked->ratio * each;
    const int64_t count = (int64_t)(all / one);
    quantity_format(QUANTITY_RATE, leaf->down, down, sizeof down);
    quantity_format(QUANTITY_RATE, each, up, sizeof up);
    write_ratio(spines, all, one);
    write_ratio(more, leaf->down, (__int128)each * (count + 1));
    if (count > 0) {
        write_ratio(fewer, leaf->down, (__int128)each * count);
        snprintf(before, sizeof before, "%" PRId64 " would be %s to 1, ", count, fewer);
    }
    tree_error(asked->diag, asked->written,
               "leaves have %s to hosts and %s to each spine, so %.32s to 1 takes %s spines: %s"
               "%" PRId64 " would be %s to 1",
               down, up, asked->value, spines, before, count + 1, more);
}

/* 0, with a message: no such number of spines. */
static int64_t spines_of(const struct asked *asked, const struct leaf *leaf)
{
    const __int128 all = (__int128)leaf->down * 1000;
    const __int128 one = (__int128)asked->ratio * (leaf->up / leaf->uplinks);
    if (all % one == 0)
        return (int64_t)(all / one);
    report_ratio(asked, leaf);
    return 0;
}

static struct scenario *load(const struct plan *plan, const struct grid_cell *cell,
                             struct diag *diag)
{
    const char **sets = memory_zeroed(cell->set_count, sizeof *sets);
    uint32_t count = 0;
    for (uint32_t i = 0; i < cell->set_count; i++)
        if (strncmp(cell->sets[i], prefix, sizeof prefix - 1) != 0)
            sets[count++] = cell->sets[i];
    struct scenario *scenario = library_load(plan->grid.scenario, sets, count, diag);
    free(sets);
    return scenario;
}

/* Verifies the number of spines. Errors of the resulting scenario are reported at the ratio that
 * caused them. */
static bool is_as_asked(const struct asked *asked, const struct grid_cell *cell)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario = load(asked->plan, cell, diag);
    struct leaf leaf;
    bool well = scenario != NULL && find_leaf(asked, scenario, &leaf);
    if (scenario == NULL)
        tree_error(asked->diag, asked->written, "%.300s", diag->messages[0].text);
    else if (well && (__int128)leaf.down * 1000 != (__int128)asked->ratio * leaf.up) {
        char ratio[RATIO_BYTES];
        write_ratio(ratio, leaf.down, leaf.up);
        tree_error(asked->diag, asked->written,
                   "the result is %s to 1: expected no other setting of the spines", ratio);
        well = false;
    }
    scenario_free(scenario);
    free(diag);
    return well;
}

/* ------------------------------------------------------------------ settings */

static const struct tree_node *written_at(const struct plan *plan, const char *set)
{
    const struct tree_node *value = plan_origin_of(plan, set).value;
    return value != NULL ? value : plan->grid.vary;
}

static bool read_ratio(struct asked *asked)
{
    char why[QUANTITY_WHY_BYTES];
    if (quantity_parse(QUANTITY_DECIMAL, asked->value, &asked->ratio, why) && asked->ratio > 0 &&
        asked->ratio <= RATIO_MAX * QUANTITY_DECIMAL_ONE)
        return true;
    tree_error(asked->diag, asked->written, "expected a ratio such as 3 or 1.5, up to %d",
               RATIO_MAX);
    return false;
}

static bool resolve_setting(const struct plan *plan, struct grid_cell *cell, uint32_t index,
                            struct arena *arena, struct diag *diag)
{
    const char *set = cell->sets[index];
    struct asked asked = {plan, set + sizeof prefix - 1, written_at(plan, set), 0, diag};
    struct leaf leaf;
    if (!read_ratio(&asked))
        return false;
    struct scenario *scenario = load(plan, cell, diag);
    const int64_t spines =
        scenario != NULL && find_leaf(&asked, scenario, &leaf) ? spines_of(&asked, &leaf) : 0;
    scenario_free(scenario);
    if (spines == 0)
        return false;
    cell->sets[index] = arena_format(arena, "fabric.topology.spines=%" PRId64, spines);
    return is_as_asked(&asked, cell);
}

bool oversubscription_resolve(const struct plan *plan, struct grid_cell *cell, struct arena *arena,
                              struct diag *diag)
{
    for (uint32_t i = 0; i < cell->set_count; i++)
        if (strncmp(cell->sets[i], prefix, sizeof prefix - 1) == 0 &&
            !resolve_setting(plan, cell, i, arena, diag))
            return false;
    return true;
}
