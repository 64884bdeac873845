/* SPDX-License-Identifier: Apache-2.0
 * plan_failure - validates a failure with the scenario's loader, before any run. */
#include "base/memory.h"
#include "scenarios/load/library.h"
#include "scenarios/vary/plan.h"

#include <stdlib.h>
#include <string.h>

/* The path of the load whose growth caused an error, according to the message's line; NULL: the
 * failure caused it. */
static const struct tree_node *grown_by(const struct plan *plan, const struct diag *diag)
{
    const char *line = "";
    for (int i = 0; i < diag->count; i++)
        if (diag->messages[i].level == DIAG_ERROR && *line == '\0')
            line = diag->messages[i].snippet;
    for (uint32_t i = 0; i < plan->grow.load_count; i++) {
        const struct tree_node *path = plan->grow.loads[i].path;
        const size_t length = strlen(path->text);
        if (strncmp(line, path->text, length) == 0 && line[length] == '=')
            return path;
    }
    return NULL;
}

/* Place of the key that a message names, in quotes or at its beginning; otherwise the whole
 * failure. */
static struct diag_place place_of(const struct tree_node *written, const char *text)
{
    const char *quoted = strchr(text, '\'');
    for (size_t i = 0; i < written->count; i++) {
        const struct tree_item *item = &written->items[i];
        const size_t length = strlen(item->key);
        if (strncmp(text, item->key, length) == 0 && text[length] == ':')
            return item->value->place;
        if (quoted != NULL && strncmp(quoted + 1, item->key, length) == 0 &&
            quoted[length + 1] == '\'')
            return item->key_place;
    }
    return written->place;
}

static void check(struct plan *plan, const struct grid_cell *cell, const struct plan_case *of,
                  struct diag *diag)
{
    const uint32_t count = cell->set_count + of->set_count;
    const char **sets = arena_array(&plan->grid.arena, count + 1, sizeof *sets);
    struct diag *own = memory_new(sizeof *own);
    memcpy(sets, cell->sets, cell->set_count * sizeof *sets);
    for (uint32_t i = 0; i < of->set_count; i++)
        sets[cell->set_count + i] = of->sets[i];
    struct scenario *scenario = library_load(plan->grid.scenario, sets, count, own);
    if (scenario == NULL && diag_failed(own)) {
        const char *text = diag_error(own, "");
        const struct tree_node *load = grown_by(plan, own);
        const struct tree_node *written =
            load != NULL || of->failure == NULL ? load : of->failure->written;
        if (written != NULL)
            tree_message(diag, DIAG_ERROR, written,
                         written == load ? load->place : place_of(written, text), text);
    }
    scenario_free(scenario);
    free(own);
}

/* Choices of one failure differ only in their place, which exists, so checking one is sufficient.
 * Years have their own loads. */
bool plan_check_failures(struct plan *plan, const struct grid_cell *cell,
                         const struct plan_cases *cases, struct diag *diag)
{
    const struct plan_failure *last = NULL;
    for (uint32_t i = 0; i < cases->count && !diag_failed(diag); i++) {
        const struct plan_failure *failure = cases->cases[i].failure;
        if (cases->cases[i].set_count > 0 && (failure == NULL || failure != last))
            check(plan, cell, &cases->cases[i], diag);
        last = failure;
    }
    return !diag_failed(diag);
}
