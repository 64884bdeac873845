/* SPDX-License-Identifier: Apache-2.0
 * plan - reads a plan file. */
#include "scenarios/vary/plan.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "scenarios/fault/fault_kinds.h"
#include "scenarios/format/block.h"
#include "scenarios/load/library.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS_MAX = 1000000 };

#define FIELD(name) offsetof(struct plan_rules, name)

const struct opt plan_opts[] = {
    {"objective", OPT_CHOICE, FIELD(objective), "cheapest", NULL, NULL, OPT_WORDS(PLAN_OBJECTIVES),
     "Which passing candidate is chosen; front: all candidates are run.", "own", OPT_INERT},
    {"seeds", OPT_INT, FIELD(seeds), "5", "3", "100", NULL,
     "Minimum number of runs of a case before it can pass.",
     "own: fewer make the first estimate of the variance so uncertain that many more follow",
     OPT_INERT},
    {"most-seeds", OPT_INT, FIELD(most_seeds), "200", "3", "1000", NULL,
     "Maximum number of runs of a case.", "own", OPT_INERT},
    {"confidence", OPT_PERCENT, FIELD(confidence), "95%", "50%", "99.9%", NULL,
     "Probability that the answer is correct: the choice, and the candidates dropped before it.",
     "own: replay/plan/plan_verdict.h", OPT_INERT},
    {"tolerance", OPT_PERCENT, FIELD(tolerance), "5%", "0.1%", "50%", NULL,
     "Share of a limit within which the verdict about a mean may be pass or fail.",
     "Andradottir and Kim, Naval Research Logistics 57, 2010: the tolerance level", OPT_INERT},
    {"longest", OPT_TIME, FIELD(longest), "auto", "1us", "100000s", "auto",
     "Maximum duration of a run that is not yet steady; auto: 16 times the scenario's.", "own",
     OPT_INERT},
    {"most-runs", OPT_INT, FIELD(most_runs), "10000", "1", "1000000", NULL,
     "The budget: the maximum number of runs; then the plan stays undecided.", "own", OPT_INERT},
    {0}};

struct plan_reader {
    struct plan *plan;
    struct diag *diag;
};

static uint32_t read_slo(const struct plan_reader *reader, const struct tree_node *list,
                         struct plan_slo slo[PLAN_SLO_MAX])
{
    if (list->count == 0 || list->count > PLAN_SLO_MAX) {
        tree_error(reader->diag, list, "expected 1 to %d objectives", PLAN_SLO_MAX);
        return 0;
    }
    for (size_t i = 0; i < list->count; i++) {
        slo[i].written = list->items[i].value;
        if (slo[i].written->kind != TREE_SCALAR)
            tree_error(reader->diag, slo[i].written,
                       "expected a text such as \"oltp.latency.p99 < 1ms\"");
    }
    return (uint32_t)list->count;
}

/* ------------------------------------------------------------------ failures */

static bool is_one_of(const char *key, const char *const *keys)
{
    for (; *keys != NULL; keys++)
        if (strcmp(key, *keys) == 0)
            return true;
    return false;
}

/* Keys of the fault other than its places. The scenario's loader checks them. */
static const char *keys_of(const struct plan_reader *reader, const struct tree_node *map)
{
    static const char *const own[] = {"name",     "kind", "each", "sample",
                                      "together", "at",   "slo",  NULL};
    struct arena *arena = &reader->plan->grid.arena;
    const char *text = "";
    for (size_t i = 0; i < map->count; i++) {
        const struct tree_item *item = &map->items[i];
        if (is_one_of(item->key, own))
            continue;
        if (item->value->kind != TREE_SCALAR || strpbrk(item->value->text, "\"\\") != NULL)
            tree_error(reader->diag, item->value, "expected a value such as 10%%");
        else
            text = arena_format(arena, "%s, %s: \"%s\"", text, item->key, item->value->text);
    }
    return text;
}

static const char *text_or(const struct plan_reader *reader, const struct tree_node *map,
                           const char *key, const char *otherwise)
{
    const struct tree_node *node = tree_want(reader->diag, map, key, TREE_SCALAR);
    if (node != NULL && strpbrk(node->text, "\"\\") == NULL)
        return node->text;
    if (node != NULL)
        tree_error(reader->diag, node, "expected a text without quotes and backslashes");
    return otherwise;
}

static void read_kind(const struct plan_reader *reader, const struct tree_node *node,
                      struct plan_failure *failure)
{
    if (fault_find(node->text) != NULL) {
        failure->kind = node->text;
        return;
    }
    struct nearest nearest = nearest_to(node->text);
    for (int i = 0; fault_kinds[i] != NULL; i++)
        nearest_offer(&nearest, fault_kinds[i]->name);
    tree_error(reader->diag, node, "there is no fault '%.64s'%s", node->text,
               nearest_hint(&nearest).text);
}

static void read_together(const struct plan_reader *reader, const struct tree_node *map,
                          struct plan_failure *failure)
{
    const struct tree_node *node = tree_want(reader->diag, map, "together", TREE_SCALAR);
    failure->together = 1;
    if (node == NULL)
        return;
    if (strcmp(node->text, "2") == 0)
        failure->together = 2;
    else if (strcmp(node->text, "all") != 0)
        tree_error(reader->diag, node, "expected 2 (every two of them at once) or all");
    else if (tree_get(map, "sample") != NULL)
        tree_error(reader->diag, node, "together: all is a single case: expected no sample");
    else
        failure->together = PLAN_TOGETHER_ALL;
}

static void read_failure(const struct plan_reader *reader, const struct tree_node *node,
                         struct plan_failure *failure)
{
    if (node->kind != TREE_MAP) {
        tree_error(reader->diag, node,
                   "expected a failure such as {kind: switch-down, each: \"spine*\"}");
        return;
    }
    const struct tree_node *kind =
        tree_need(reader->diag, node, "kind", TREE_SCALAR, "which fault");
    failure->written = node;
    failure->each = tree_get(node, "each");
    if (failure->each == NULL)
        tree_error(reader->diag, node, "expected each: the members that fail, one at a time");
    if (kind != NULL)
        read_kind(reader, kind, failure);
    failure->name = text_or(reader, node, "name", kind == NULL ? "" : kind->text);
    failure->at = text_or(reader, node, "at", NULL);
    failure->keys = keys_of(reader, node);
    if (failure->at == NULL && tree_get(node, "for") != NULL)
        tree_error(reader->diag, tree_get(node, "for"),
                   "expected at too: without at, the failure lasts for the whole run");
    const struct tree_node *sample = tree_want(reader->diag, node, "sample", TREE_SCALAR);
    char why[QUANTITY_WHY_BYTES];
    if (sample != NULL && (!quantity_parse(QUANTITY_INT, sample->text, &failure->sample, why) ||
                           failure->sample < 1 || failure->sample >= PLAN_CASES_MAX))
        tree_error(reader->diag, sample, "expected a number from 1 to %d", PLAN_CASES_MAX - 1);
    read_together(reader, node, failure);
    const struct tree_node *slo = tree_want(reader->diag, node, "slo", TREE_LIST);
    if (slo != NULL)
        failure->slo_count = read_slo(reader, slo, failure->slo);
}

static void read_failures(const struct plan_reader *reader, const struct tree_node *list)
{
    struct plan *plan = reader->plan;
    if (list == NULL)
        return;
    if (list->count > PLAN_FAILURES_MAX) {
        tree_error(reader->diag, list, "more than %d failures", PLAN_FAILURES_MAX);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        read_failure(reader, list->items[i].value, &plan->failures[plan->failure_count]);
        plan->failure_count++;
        for (uint32_t k = 0; !diag_failed(reader->diag) && k + 1 < plan->failure_count; k++)
            if (strcmp(plan->failures[k].name, plan->failures[i].name) == 0)
                tree_error(reader->diag, list->items[i].value,
                           "another failure has the name '%.64s'", plan->failures[k].name);
    }
}

/* ------------------------------------------------------------------ cliffs */

/* Reads each axis as a separate grid. Returns their number. */
static uint32_t read_alone(const struct plan_reader *reader, const struct tree_node *list,
                           struct grid grids[PLAN_CLIFFS_MAX])
{
    uint32_t count = 0;
    if (list != NULL && list->count > PLAN_CLIFFS_MAX)
        tree_error(reader->diag, list, "more than %d axes", PLAN_CLIFFS_MAX);
    for (size_t i = 0; list != NULL && i < list->count && !diag_failed(reader->diag); i++) {
        struct tree_node alone = *list;
        alone.items = &list->items[i];
        alone.count = 1;
        struct grid *grid = &grids[count++];
        if (!grid_read_space(grid, &alone, NULL, reader->diag))
            return count;
        for (uint32_t k = 0; k + 1 < count; k++)
            if (strcmp(grids[k].axes[0].as, grid->axes[0].as) == 0)
                tree_error(reader->diag, list->items[i].value, "duplicate axis");
    }
    return count;
}

static void read_cliffs(const struct plan_reader *reader, const struct tree_node *cliffs,
                        const struct tree_node *what_ifs)
{
    struct plan *plan = reader->plan;
    uint32_t values = 0;
    plan->cliff_count = read_alone(reader, cliffs, plan->cliffs);
    if (!diag_failed(reader->diag))
        plan->what_if_count = read_alone(reader, what_ifs, plan->what_ifs);
    for (uint32_t i = 0; i < plan->what_if_count; i++)
        values += plan->what_ifs[i].cell_count;
    if (values > PLAN_WHAT_IFS_MAX)
        tree_error(reader->diag, what_ifs, "more than %d values", PLAN_WHAT_IFS_MAX);
    else if (what_ifs != NULL && plan->cliff_count == 0)
        tree_error(reader->diag, what_ifs,
                   "expected cliff too: what-if changes the limit of a cliff");
}

/* ------------------------------------------------------------------ file */

static void read_prices(const struct plan_reader *reader, const struct tree_node *node)
{
    struct plan *plan = reader->plan;
    if (node == NULL)
        return;
    if (node->kind == TREE_SCALAR) {
        const struct tree_file *file =
            tree_read(&plan->grid.arena,
                      tree_beside(&plan->grid.arena, node->file->name, node->text), reader->diag);
        if (file == NULL)
            return;
        plan->text = arena_format(&plan->grid.arena, "%s%s", plan->text, file->text);
        plan->length = strlen(plan->text);
        node = tree_parse(&plan->grid.arena, file, 0, reader->diag);
    }
    plan->has_prices =
        node != NULL && prices_read(&plan->grid.arena, node, &plan->prices, reader->diag);
}

/* The capacity of drives is known only from their prices. */
static void read_grow(const struct plan_reader *reader, const struct tree_node *node)
{
    struct plan *plan = reader->plan;
    if (node == NULL || diag_failed(reader->diag) ||
        !grow_read(&plan->grid.arena, node, &plan->grow, reader->diag) ||
        plan->grow.capacity_written == NULL)
        return;
    for (size_t i = 0; i < plan->prices.count; i++)
        if (plan->prices.parts[i].part == PRICES_DRIVE && plan->prices.parts[i].capacity > 0)
            return;
    tree_error(reader->diag, plan->grow.capacity_written,
               "expected prices in which a part: drive has a capacity");
}

/* Lines that begin like this are not part of the question. */
static bool is_of_budget(const char *line)
{
    static const char *const keys[] = {"budget:", "most-runs:"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(line, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

static void keep_question(struct plan *plan)
{
    char *kept = arena_text(&plan->grid.arena, plan->text, plan->length), *to = kept;
    for (const char *line = plan->text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        const size_t length = end == NULL ? strlen(line) : (size_t)(end + 1 - line);
        if (!is_of_budget(line)) {
            memcpy(to, line, length);
            to += length;
        }
        line += length;
    }
    *to = '\0';
    plan->question = kept;
}

static void read_budget(const struct plan_reader *reader, const struct tree_node *root)
{
    struct plan *plan = reader->plan;
    const struct tree_node *node = tree_want(reader->diag, root, "budget", TREE_SCALAR);
    char why[QUANTITY_WHY_BYTES];
    int64_t runs;
    if (node == NULL)
        return;
    if (!quantity_parse(QUANTITY_INT, node->text, &runs, why)) {
        if (!quantity_parse(QUANTITY_TIME, node->text, &plan->most_time, why) ||
            plan->most_time <= 0)
            tree_error(reader->diag, node, "expected runs such as 500, or a time such as 600s");
    } else if (tree_get(root, "most-runs") != NULL)
        tree_error(reader->diag, node,
                   "most-runs sets the budget too: expected only one of the two");
    else if (runs < 1 || runs > RUNS_MAX)
        tree_error(reader->diag, node, "expected 1 to %d runs", RUNS_MAX);
    else
        plan->rules.most_runs = runs;
}

static bool has_power(const struct prices *prices)
{
    for (size_t i = 0; i < prices->count; i++)
        if (prices->parts[i].power > 0)
            return true;
    return false;
}

static void read_rules(const struct plan_reader *reader, const struct tree_node *root,
                       const char *const *also)
{
    struct plan *plan = reader->plan;
    struct block *block = block_new(&plan->grid.arena, "", plan_opts, sizeof plan->rules);
    const struct block_load load = {
        .arena = &plan->grid.arena, .diag = reader->diag, .map = root, .also = also};
    if (!block_load(block, &load))
        return;
    plan->rules = *(const struct plan_rules *)block->params;
    const bool said = tree_get(root, "objective") != NULL;
    if (!plan->has_prices && !said)
        plan->rules.objective = PLAN_HEADROOM;
    if (!plan->has_prices && said && plan->rules.objective != PLAN_HEADROOM)
        tree_error(reader->diag, tree_get(root, "objective"),
                   "expected prices, or objective: most-headroom");
    if (said && plan->has_prices && plan->rules.objective == PLAN_POWER &&
        !has_power(&plan->prices))
        tree_error(reader->diag, tree_get(root, "objective"),
                   "no part of the prices has a power: expected at least one, in watts");
    if (plan->rules.most_seeds < plan->rules.seeds)
        plan->rules.most_seeds = plan->rules.seeds;
    read_budget(reader, root);
}

static void read_root(const struct plan_reader *reader, const struct tree_node *root)
{
    static const char *const keys[] = {"stormglass-plan", "name", "about",   "scenario", "vary",
                                       "adjust",          "slo",  "survive", "prices",   "cliff",
                                       "budget",          "grow", "what-if", NULL};
    struct plan *plan = reader->plan;
    const struct tree_node *slo = tree_need(reader->diag, root, "slo", TREE_LIST,
                                            "what must hold, such as \"oltp.latency.p99 < 1ms\"");
    const struct tree_node *survive = tree_want(reader->diag, root, "survive", TREE_LIST);
    const struct tree_node *cliff = tree_want(reader->diag, root, "cliff", TREE_LIST);
    read_prices(reader, tree_get(root, "prices"));
    read_grow(reader, tree_want(reader->diag, root, "grow", TREE_MAP));
    if (!diag_failed(reader->diag))
        read_rules(reader, root, keys);
    if (diag_failed(reader->diag) || !grid_read_members(&plan->grid, root, true, reader->diag))
        return;
    plan->slo_count = read_slo(reader, slo, plan->slo);
    read_failures(reader, survive);
    if (!diag_failed(reader->diag))
        read_cliffs(reader, cliff, tree_want(reader->diag, root, "what-if", TREE_LIST));
    keep_question(plan);
}

/* `file` NULL: it could not be read, and diag has the reason. */
static struct plan *load(struct plan *plan, const struct tree_file *file, struct diag *diag)
{
    const struct tree_node *root = file != NULL && tree_is_kind(file, FILEKIND_PLAN, "a plan", diag)
                                       ? tree_parse(&plan->grid.arena, file, 0, diag)
                                       : NULL;
    if (root != NULL && tree_version(diag, root, "stormglass-plan")) {
        plan->text = file->text;
        plan->length = file->length;
        read_root(&(struct plan_reader){plan, diag}, root);
    }
    if (root != NULL && !diag_failed(diag))
        return plan;
    plan_free(plan);
    return NULL;
}

struct plan *plan_load_file(const char *path, struct diag *diag)
{
    struct plan *plan = memory_new(sizeof *plan);
    const bool is_case = access(path, F_OK) != 0 && library_has(path);
    if (is_case)
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = path}, NULL,
                 "this is a built-in case, not a file: expected the file of a plan, which may use "
                 "the case as its scenario");
    return load(plan, is_case ? NULL : tree_read(&plan->grid.arena, path, diag), diag);
}

struct plan *plan_load(const char *name, const char *text, size_t length, struct diag *diag)
{
    struct plan *plan = memory_new(sizeof *plan);
    struct arena *arena = &plan->grid.arena;
    return load(plan, tree_hold(arena, name, arena_text(arena, text, length), length), diag);
}

void plan_free(struct plan *plan)
{
    if (plan == NULL)
        return;
    for (uint32_t i = 0; i < plan->cliff_count; i++)
        arena_free(&plan->cliffs[i].arena);
    for (uint32_t i = 0; i < plan->what_if_count; i++)
        arena_free(&plan->what_ifs[i].arena);
    arena_free(&plan->grid.arena);
    free(plan);
}
