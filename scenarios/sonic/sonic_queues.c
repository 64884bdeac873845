/* SPDX-License-Identifier: Apache-2.0
 * sonic_queues - reads QUEUE and its rows in WRED_PROFILE and SCHEDULER: ECN marking and weights.
 * ECN thresholds are those for green packets, the only color of RoCE packets. */
#include "scenarios/sonic/sonic_private.h"

#include <string.h>

static void take_row(struct sonic_import *import, struct sonic_port *port, int number,
                     const struct tree_item *row)
{
    if (port->queue_rows[number] != NULL) {
        tree_error(import->diag, row->value, "QUEUE: %s|%d has a row already, in line %d",
                   sonic_clean(import, port->name), number,
                   port->queue_rows[number]->key_place.line);
        return;
    }
    port->queue_rows[number] = row;
}

/* Lists the rows that the queues of the mask `queues` refer to, port by port. */
static size_t gather_references(struct sonic_import *import, struct sonic_switch *node,
                                const char *field, const struct sonic_table *table, int64_t queues,
                                const struct tree_item **list)
{
    size_t count = 0;
    for (uint32_t i = 0; i < node->used_count; i++)
        for (int q = 0; q < SONIC_PRIORITIES; q++) {
            const struct tree_item *row = node->used[i]->queue_rows[q];
            if (row != NULL && (queues >> q & 1))
                list[count++] = sonic_reference(import, row->value, field, table);
        }
    return count;
}

/* ---- ECN ---- */

static void take_wred(struct sonic_import *import, struct sonic_switch *node,
                      const struct tree_item *wred)
{
    const int64_t most = INT64_C(1) << 30;
    struct sonic_settings *settings = &node->settings;
    const char *ecn = sonic_field(import, wred->value, "ecn");
    const int64_t kmin = sonic_number(import, wred->value, "green_min_threshold", 0, most);
    const int64_t kmax = sonic_number(import, wred->value, "green_max_threshold", 0, most);
    const int64_t percent = sonic_number(import, wred->value, "green_drop_probability", 0, 100);
    if (ecn == NULL || strcmp(ecn, "ecn_none") == 0) {
        sonic_note(import, wred->key_place,
                   "WRED_PROFILE %s: ecn is off, so the switch does not mark frames",
                   sonic_clean(import, wred->key));
        settings->kmin = settings->kmax = 0;
        return;
    }
    if (kmin != SONIC_UNSET && kmax != SONIC_UNSET && kmin > kmax)
        tree_error(import->diag, tree_get(wred->value, "green_min_threshold"),
                   "expected green_min_threshold to be at most green_max_threshold");
    settings->kmin = kmin;
    settings->kmax = kmax;
    settings->pmax = percent == SONIC_UNSET ? SONIC_UNSET : percent * 10000;
}

static void read_wred(struct sonic_import *import, struct sonic_switch *node,
                      const struct tree_item **list)
{
    static const char *const known[] = {"ecn", "green_min_threshold", "green_max_threshold",
                                        "green_drop_probability", NULL};
    const int64_t lossless = node->settings.pfc;
    size_t count = gather_references(import, node, "wred_profile", &node->wred, lossless, list);
    const struct tree_item *usual = sonic_usual(import, list, count);
    if (usual == NULL) {
        count = gather_references(import, node, "wred_profile", &node->wred, ~lossless, list);
        usual = sonic_usual(import, list, count);
    }
    if (usual != NULL) {
        sonic_note_others(import, usual, list, count, "queue", "wred_profile");
        take_wred(import, node, usual);
        node->origins.wred = usual;
    } else {
        sonic_note(import, node->root->place,
                   "no queue has a wred_profile in QUEUE, so the switch does not mark frames");
        node->settings.kmin = node->settings.kmax = 0;
    }
    sonic_other_fields(import, node, "WRED_PROFILE", known);
}

/* ---- weights ---- */

static void read_schedulers(struct sonic_import *import, struct sonic_switch *node,
                            const struct tree_item **list)
{
    static const char *const known[] = {"type", "weight", NULL};
    for (int q = 0; q < SONIC_PRIORITIES; q++) {
        const size_t count =
            gather_references(import, node, "scheduler", &node->schedulers, INT64_C(1) << q, list);
        const struct tree_item *usual = sonic_usual(import, list, count);
        if (usual == NULL)
            continue;
        sonic_note_others(import, usual, list, count, "port",
                          arena_format(&import->arena, "scheduler for queue %d", q));
        const char *type = sonic_field(import, usual->value, "type");
        const int64_t weight = sonic_number(import, usual->value, "weight", 1, 100);
        const bool strict = type != NULL && strcmp(type, "STRICT") == 0;
        node->settings.weight[q] = strict ? 0 : weight == SONIC_UNSET ? 1 : weight;
    }
    sonic_other_fields(import, node, "SCHEDULER", known);
}

void sonic_queues(struct sonic_import *import, struct sonic_switch *node)
{
    static const char *const known[] = {"wred_profile", "scheduler", NULL};
    sonic_each(import, node, "QUEUE", true, take_row);
    const struct tree_item **list =
        arena_array(&import->arena, (size_t)node->port_count * SONIC_PRIORITIES, sizeof *list);
    read_wred(import, node, list);
    read_schedulers(import, node, list);
    sonic_other_fields(import, node, "QUEUE", known);
}
