/* SPDX-License-Identifier: Apache-2.0
 * incident_diff - compares counters of an incident with those of a run that reproduces it. */
#include "replay/compare/incident_diff.h"

#include "replay/compare/incident_score.h"
#include "scenarios/format/json_tree.h"
#include "scenarios/incident/incident.h"

#include <stdlib.h>
#include <string.h>

struct work {
    struct incident_diff *diff;
    const struct port_counters *counters;
    const struct incident_diff_ask *ask;
    struct diag *diag;
    const char *port; /* the port looked up last, and the result */
    const struct port_counters_port *found;
    bool *seen;   /* by port of the run */
    size_t index; /* counters taken */
};

/* ---- ports ---- */

/* "host3:mlx5_0/1" is the port of host3 if that has no other: cards and scenarios use different
 * names. */
static const struct port_counters_port *only_port_of(struct work *work, const char *name)
{
    const size_t length = strcspn(name, ":");
    if (name[length] == '\0')
        return NULL;
    return port_counters_find(work->counters, arena_text(&work->diff->arena, name, length));
}

static const struct port_counters_port *find_port(struct work *work, const char *name)
{
    const struct incident_diff_ask *ask = work->ask;
    const char *wanted = name;
    if (work->port != NULL && strcmp(work->port, name) == 0)
        return work->found;
    for (uint32_t i = 0; i < ask->map_count; i++)
        if (strcmp(ask->maps[i].from, name) == 0)
            wanted = ask->maps[i].to;
    work->port = name;
    work->found = port_counters_find(work->counters, wanted);
    if (work->found == NULL)
        work->found = only_port_of(work, wanted);
    return work->found;
}

static void leave_out(struct work *work, enum incident_apart why, const char *name,
                      struct diag_place place)
{
    struct incident_diff *diff = work->diff;
    struct incident_left *left =
        arena_push(&diff->arena, (void **)(void *)&diff->left, &diff->left_count, sizeof *left);
    *left = (struct incident_left){.why = why, .name = name, .count = 1, .place = place};
}

static int by_reason(const void *a, const void *b)
{
    const struct incident_left *x = a, *y = b;
    if (x->why != y->why)
        return x->why < y->why ? -1 : 1;
    const int name = strcmp(x->name, y->name);
    return name != 0 ? name : (x->place.line > y->place.line) - (x->place.line < y->place.line);
}

/* Each name is counted once. */
static void sum_left(struct incident_diff *diff)
{
    size_t count = 0;
    if (diff->left_count == 0)
        return;
    qsort(diff->left, diff->left_count, sizeof *diff->left, by_reason);
    for (size_t i = 1; i < diff->left_count; i++) {
        struct incident_left *last = &diff->left[count], *left = &diff->left[i];
        if (last->why == left->why && strcmp(last->name, left->name) == 0)
            last->count++;
        else
            diff->left[++count] = *left;
    }
    diff->left_count = count + 1;
}

/* ---- counters ---- */

/* Whole powers of ten between the two values. */
static int orders_between(double expected, double replay)
{
    int orders = 0;
    for (; replay >= 10 * expected; replay /= 10)
        orders++;
    for (; expected >= 10 * replay; expected /= 10)
        orders--;
    return orders;
}

/* Maxima do not grow with time. */
static bool is_peak(const struct incident_row *row)
{
    return strstr(row->name, "_peak") != NULL || strstr(row->name, "_longest") != NULL;
}

static void judge_row(struct work *work, struct incident_row *row)
{
    const struct incident_diff_ask *ask = work->ask;
    row->is_peak = is_peak(row);
    const bool scaled = ask->lasted > 0 && !row->is_peak;
    const double part = scaled ? (double)ask->run_lasted / (double)ask->lasted : 1;
    row->expected = (double)row->incident * part;
    const double replay = (double)row->replay,
                 least = row->expected < replay ? row->expected : replay;
    const bool noise = row->expected < INCIDENT_NOISE && replay < INCIDENT_NOISE;
    row->one_sided = !noise && least < 1;
    if (!noise && !row->one_sided)
        row->orders = orders_between(row->expected, replay);
    work->diff->agree += row->orders == 0 && !row->one_sided;
}

static void add_row(struct work *work, const struct port_counters_port *port,
                    const struct incident_row *given, enum counter_id id, int priority)
{
    struct incident_row row = *given;
    row.run_port = arena_text(&work->diff->arena, port->name, strlen(port->name));
    row.unit = counters_about[id].unit;
    row.replay = port_counters_get(work->counters, port, id, priority);
    const size_t index = (size_t)(port - work->counters->ports);
    work->diff->ports += !work->seen[index];
    work->seen[index] = true;
    if (row.incident == 0 && row.replay == 0)
        return;
    judge_row(work, &row);
    struct incident_row *slot = arena_push(&work->diff->arena, (void **)(void *)&work->diff->rows,
                                           &work->diff->row_count, sizeof *slot);
    *slot = row;
}

static const char *scalar(const struct tree_node *map, const char *key)
{
    const struct tree_node *node = tree_get(map, key);
    return node != NULL && node->kind == TREE_SCALAR ? node->text : NULL;
}

static bool read_difference(struct work *work, const struct tree_node *item, int64_t *value)
{
    const char *text = scalar(item, "difference");
    char *end = NULL;
    *value = text == NULL ? -1 : strtoll(text, &end, 10);
    if (text != NULL && *end == '\0' && *value >= 0 && *value < INT64_MAX)
        return true;
    tree_error(work->diag, item, "expected \"difference\": a count");
    return false;
}

/* -1: none */
static int given_priority(const struct tree_node *item)
{
    const char *text = scalar(item, "priority");
    return text == NULL || text[0] < '0' || text[0] > '7' || text[1] != '\0' ? -1 : text[0] - '0';
}

/* The watchdog's counters have the same name for all priorities; the priority comes with the
 * value. */
static int priority_of(int given, enum counter_id id, int in_name)
{
    const bool by_object =
        counters_about[id].scope == COUNTER_OF_SWITCH_PRIORITY && !counter_has_priority(id);
    return by_object && given >= 0 ? given : in_name;
}

static void compare_counter(struct work *work, struct incident_row *row, struct diag_place place,
                            int given_priority, bool moved)
{
    enum counter_id id;
    int in_name;
    const struct port_counters_port *port = find_port(work, row->port);
    const bool known = counter_find(row->name, &id, &in_name);
    row->index = work->index++;
    if (port != NULL && known && port_counters_has(port, id))
        add_row(work, port, row, id, priority_of(given_priority, id, in_name));
    else if (moved)
        leave_out(work, port == NULL ? INCIDENT_NO_PORT : INCIDENT_NO_COUNTER,
                  port == NULL ? row->port : row->name, place);
}

static void take_counter(struct work *work, const struct tree_node *item, bool moved)
{
    struct incident_row row = {.port = scalar(item, "port"), .name = scalar(item, "name")};
    if (item->kind != TREE_MAP || row.port == NULL || row.name == NULL) {
        tree_error(work->diag, item, "expected an object with \"port\" and \"name\"");
        return;
    }
    if (!moved || read_difference(work, item, &row.incident))
        compare_counter(work, &row, item->place, given_priority(item), moved);
}

/* Counts in memory. */
static void take_counts(struct work *work, const struct incident *incident)
{
    struct arena *arena = &work->diff->arena;
    for (size_t i = 0; i < incident->count_count; i++) {
        const struct incident_count *count = &incident->counts[i];
        struct incident_row row = {.name = count->name, .incident = count->difference};
        row.port = *count->port == '\0' ? count->host
                                        : arena_format(arena, "%s:%s", count->host, count->port);
        if (work->port != NULL && strcmp(row.port, work->port) == 0)
            row.port = work->port;
        work->index = i;
        if (count->known)
            compare_counter(work, &row, count->samples[0].place, count->priority,
                            count->difference != 0);
    }
}

/* Counters that the importer could not map have no counterpart; those that changed are reported. */
static void take_unknown(struct work *work, const struct tree_node *root)
{
    const struct tree_node *list = tree_get(root, "unknown");
    if (list == NULL || list->kind != TREE_LIST)
        return;
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *item = list->items[i].value;
        const char *name = scalar(item, "name"), *difference = scalar(item, "difference");
        if (name != NULL && difference != NULL && strcmp(difference, "0") != 0 &&
            strcmp(difference, "null") != 0)
            leave_out(work, INCIDENT_NO_COUNTER, name, item->place);
    }
}

static void take_list(struct work *work, const struct tree_node *root, const char *key, bool moved)
{
    const struct tree_node *list = tree_get(root, key);
    if (list == NULL && !moved)
        return;
    if (list == NULL || list->kind != TREE_LIST) {
        tree_error(work->diag, list == NULL ? root : list, "expected \"%s\": a list", key);
        return;
    }
    for (size_t i = 0; i < list->count && work->diag->errors < DIAG_MAX; i++)
        take_counter(work, list->items[i].value, moved);
}

/* ---- all together ---- */

/* Without the duration of the incident only the proportions of the counters can be compared. */
static void score_rows(struct incident_diff *diff, const struct incident_diff_ask *ask)
{
    diff->scale = diff->scaled ? (double)ask->run_lasted / (double)ask->lasted
                               : incident_score_fit(diff->rows, diff->row_count);
    diff->score = incident_score(diff->rows, diff->row_count, diff->scale);
}

static int weight(const struct incident_row *row)
{
    return row->one_sided ? 1000 : abs(row->orders);
}

/* Largest disagreement first, then largest value, then name. */
static int by_disagreement(const void *a, const void *b)
{
    const struct incident_row *x = a, *y = b;
    if (weight(x) != weight(y))
        return weight(y) - weight(x);
    const int64_t great_x = x->incident > x->replay ? x->incident : x->replay;
    const int64_t great_y = y->incident > y->replay ? y->incident : y->replay;
    if (great_x != great_y)
        return great_x < great_y ? 1 : -1;
    const int port = strcmp(x->port, y->port);
    return port != 0 ? port : strcmp(x->name, y->name);
}

/* Both ports of each map must exist. */
static void check_maps(struct work *work)
{
    for (uint32_t i = 0; i < work->ask->map_count; i++)
        if (port_counters_find(work->counters, work->ask->maps[i].to) == NULL)
            diag_add(work->diag, DIAG_ERROR, (struct diag_place){0}, NULL,
                     "--map: the run has no port '%.64s'", work->ask->maps[i].to);
}

static const struct tree_node *read_root(struct work *work)
{
    const struct incident_diff_ask *ask = work->ask;
    struct arena *arena = &work->diff->arena;
    const struct tree_file *file = ask->text == NULL
                                       ? tree_read(arena, ask->file, work->diag)
                                       : tree_hold(arena, ask->file, ask->text, ask->length);
    if (file != NULL && file->length > INCIDENT_DIFF_BYTES_MAX) {
        diag_add(work->diag, DIAG_ERROR, (struct diag_place){.file = ask->file}, NULL,
                 "the file is larger than %d MiB", INCIDENT_DIFF_BYTES_MAX / 1024 / 1024);
        return NULL;
    }
    const struct tree_node *root = file == NULL ? NULL : json_tree(arena, file, NULL, work->diag);
    const char *version = root == NULL ? NULL : scalar(root, "stormglass-counters");
    if (root != NULL && (version == NULL || strcmp(version, "1") != 0)) {
        tree_error(work->diag, root,
                   "expected \"stormglass-counters\": 1, as stormglass import counters writes it");
        return NULL;
    }
    return root;
}

bool incident_diff(struct incident_diff *diff, const struct port_counters *counters,
                   const struct incident_diff_ask *ask, struct diag *diag)
{
    *diff = (struct incident_diff){.scaled = ask->lasted > 0};
    struct work work = {.diff = diff, .counters = counters, .ask = ask, .diag = diag};
    work.seen = arena_array(&diff->arena, counters->port_count + 1, sizeof *work.seen);
    check_maps(&work);
    const struct tree_node *root = ask->incident == NULL ? read_root(&work) : NULL;
    if (ask->incident != NULL)
        take_counts(&work, ask->incident);
    if (root != NULL) {
        take_list(&work, root, "counters", true);
        take_list(&work, root, "unmoved", false);
        take_unknown(&work, root);
    }
    sum_left(diff);
    if (diff->row_count > 1)
        qsort(diff->rows, diff->row_count, sizeof *diff->rows, by_disagreement);
    score_rows(diff, ask);
    return !diag_failed(diag);
}

void incident_diff_free(struct incident_diff *diff)
{
    arena_free(&diff->arena);
    *diff = (struct incident_diff){0};
}
