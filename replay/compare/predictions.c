/* SPDX-License-Identifier: Apache-2.0
 * predictions - the file format; JSON is parsed as YAML so that errors have a location. */
#include "replay/compare/predictions.h"

#include "base/memory.h"
#include "base/plural.h"
#include "scenarios/embedded.h"
#include "scenarios/format/tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct predictions *predictions;
    struct diag *diag;
};

/* ------------------------------------------------------------------ values */

static const struct tree_node *want(struct reader *reader, const struct tree_node *map,
                                    const char *key, enum tree_kind kind)
{
    const int errors = reader->diag->errors;
    const struct tree_node *node = tree_want(reader->diag, map, key, kind);
    if (node == NULL && reader->diag->errors == errors)
        tree_error(reader->diag, map, "expected \"%s\" here", key);
    return node;
}

/* Never NULL. */
static const char *text_of(struct reader *reader, const struct tree_node *map, const char *key)
{
    const struct tree_node *node = want(reader, map, key, TREE_SCALAR);
    return node == NULL ? "" : node->text;
}

static int64_t integer_of(struct reader *reader, const struct tree_node *map, const char *key)
{
    const struct tree_node *node = want(reader, map, key, TREE_SCALAR);
    if (node == NULL)
        return 0;
    char *end;
    errno = 0;
    const long long value = strtoll(node->text, &end, 10);
    if (errno == 0 && end != node->text && *end == '\0')
        return value;
    tree_error(reader->diag, node, "expected a whole number");
    return 0;
}

static bool boolean_of(struct reader *reader, const struct tree_node *map, const char *key)
{
    const struct tree_node *node = want(reader, map, key, TREE_SCALAR);
    if (node == NULL)
        return false;
    if (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0)
        tree_error(reader->diag, node, "expected true or false");
    return strcmp(node->text, "true") == 0;
}

/* Returns false for null, which is not an error. */
static bool real_of(struct reader *reader, const struct tree_node *map, const char *key,
                    double *value)
{
    const struct tree_node *node = want(reader, map, key, TREE_SCALAR);
    *value = 0;
    if (node == NULL || strcmp(node->text, "null") == 0)
        return false;
    char *end;
    *value = strtod(node->text, &end);
    if (end != node->text && *end == '\0' && isfinite(*value) && *value >= 0)
        return true;
    tree_error(reader->diag, node, "expected a number that is not negative, or null");
    return false;
}

/* The words of a list; NULL and a message if there are more than allowed. */
static const char **words_of(struct reader *reader, const struct tree_node *map, const char *key,
                             uint32_t most, uint32_t *count)
{
    const struct tree_node *list = want(reader, map, key, TREE_LIST);
    *count = 0;
    if (list == NULL)
        return NULL;
    if (list->count > most) {
        tree_error(reader->diag, list, "more than %u %s", (unsigned)most,
                   plural(most, "entry", "entries"));
        return NULL;
    }
    const char **words = arena_array(&reader->predictions->arena, list->count, sizeof *words);
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *node = list->items[i].value;
        if (node->kind == TREE_SCALAR)
            words[(*count)++] = node->text;
        else
            tree_error(reader->diag, node, "expected a word");
    }
    return words;
}

/* A list of limited length; otherwise NULL and a message. */
static const struct tree_node *list_of(struct reader *reader, const struct tree_node *map,
                                       const char *key, size_t most)
{
    const struct tree_node *list = want(reader, map, key, TREE_LIST);
    if (list == NULL || list->count <= most)
        return list;
    tree_error(reader->diag, list, "more than %zu %s", most, plural(most, "entry", "entries"));
    return NULL;
}

/* ------------------------------------------------------------------ parts */

static void read_profiles(struct reader *reader, const struct tree_node *root)
{
    struct predictions *predictions = reader->predictions;
    const struct tree_node *list = list_of(reader, root, "profiles", PREDICTIONS_PROFILES_MAX);
    if (list == NULL)
        return;
    predictions->profiles =
        arena_array(&predictions->arena, list->count, sizeof *predictions->profiles);
    for (size_t i = 0; i < list->count; i++)
        predictions->profiles[predictions->profile_count++] =
            (struct prediction_profile){.name = text_of(reader, list->items[i].value, "name"),
                                        .digest = text_of(reader, list->items[i].value, "digest")};
}

/* Returns the number of cells that the axes span. */
static uint64_t read_axes(struct reader *reader, const struct tree_node *root)
{
    struct predictions *predictions = reader->predictions;
    const struct tree_node *list = list_of(reader, root, "axes", GRID_AXES_MAX);
    uint64_t cells = 1;
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct tree_node *node = list->items[i].value;
        struct grid_axis *axis = &predictions->axes[predictions->axis_count++];
        axis->path = text_of(reader, node, "path");
        axis->as = text_of(reader, node, "as");
        axis->values = words_of(reader, node, "values", GRID_VALUES_MAX, &axis->value_count);
        cells *= axis->value_count;
        cells = cells > GRID_CELLS_MAX ? GRID_CELLS_MAX + 1 : cells;
    }
    return cells;
}

static void read_workload(struct reader *reader, const struct tree_node *node,
                          struct figures_workload *workload)
{
    const struct tree_node *tallies = want(reader, node, "counts", TREE_MAP);
    const struct tree_node *figures = want(reader, node, "figures", TREE_MAP);
    const char *range = text_of(reader, node, "range");
    int found = 0;
    while (found < FIGURE_RANGES && strcmp(range, figure_range_name((enum figure_range)found)) != 0)
        found++;
    *workload = (struct figures_workload){
        .name = text_of(reader, node, "name"),
        .bounded = boolean_of(reader, node, "bounded"),
        .point = text_of(reader, node, "point"),
        .outside = text_of(reader, node, "outside"),
        .range = found < FIGURE_RANGES ? (enum figure_range)found : FIGURE_UNCALIBRATED,
    };
    if (found == FIGURE_RANGES)
        tree_error(reader->diag, node,
                   "expected a range: calibrated, extrapolated, uncalibrated, "
                   "ring-full");
    for (int i = 0; tallies != NULL && i < FIGURE_TALLY_COUNT; i++)
        workload->tallies[i] = integer_of(reader, tallies, figure_tallies[i].word);
    for (int i = 0; figures != NULL && i < FIGURE_COUNT; i++)
        workload->known[i] = real_of(reader, figures, figure_rows[i].word, &workload->values[i]);
}

static void read_cell(struct reader *reader, const struct tree_node *node, struct prediction *cell)
{
    const struct tree_node *list = list_of(reader, node, "workloads", PREDICTIONS_WORKLOADS_MAX);
    cell->name = text_of(reader, node, "name");
    cell->run = text_of(reader, node, "run");
    cell->work = text_of(reader, node, "work");
    cell->sets = words_of(reader, node, "sets", GRID_SETS_MAX, &cell->set_count);
    if (!grid_is_name(cell->name))
        tree_error(reader->diag, node, "expected a valid file name");
    if (list == NULL)
        return;
    cell->figures.workloads =
        arena_array(&reader->predictions->arena, list->count, sizeof *cell->figures.workloads);
    for (size_t i = 0; i < list->count; i++)
        read_workload(reader, list->items[i].value,
                      &cell->figures.workloads[cell->figures.count++]);
}

static void read_cells(struct reader *reader, const struct tree_node *root, uint64_t expected)
{
    struct predictions *predictions = reader->predictions;
    const struct tree_node *list = list_of(reader, root, "cells", GRID_CELLS_MAX);
    if (list == NULL)
        return;
    if (list->count != expected)
        tree_error(reader->diag, list, "the number of cells does not match the axes");
    predictions->cells = arena_array(&predictions->arena, list->count, sizeof *predictions->cells);
    for (size_t i = 0; i < list->count && !diag_failed(reader->diag); i++)
        read_cell(reader, list->items[i].value, &predictions->cells[predictions->cell_count++]);
}

static void read_root(struct reader *reader, const struct tree_node *root)
{
    struct predictions *predictions = reader->predictions;
    if (root->kind != TREE_MAP || tree_get(root, "stormglass-predictions") == NULL) {
        tree_error(reader->diag, root, "expected predictions, as stormglass predict writes them");
        return;
    }
    if (integer_of(reader, root, "stormglass-predictions") != PREDICTIONS_FORMAT)
        tree_error(reader->diag, root, "this program reads version %d of the format",
                   PREDICTIONS_FORMAT);
    predictions->grid = text_of(reader, root, "grid");
    predictions->about = text_of(reader, root, "about");
    predictions->scenario = text_of(reader, root, "scenario");
    predictions->version = text_of(reader, root, "version");
    predictions->build = text_of(reader, root, "build");
    predictions->sources = text_of(reader, root, "sources");
    read_profiles(reader, root);
    read_cells(reader, root, read_axes(reader, root));
}

/* ------------------------------------------------------------------ the seal */

/* Where the seal begins; NULL if the file does not end with one. */
static const char *find_seal(const struct tree_file *file)
{
    const size_t tail =
        strlen(PREDICTIONS_SEAL) + DIGEST_TEXT_BYTES - 1 + strlen(PREDICTIONS_SEAL_END);
    if (file->length < tail)
        return NULL;
    const char *seal = file->text + file->length - tail;
    return strncmp(seal, PREDICTIONS_SEAL, strlen(PREDICTIONS_SEAL)) == 0 ? seal : NULL;
}

static void check_seal(struct reader *reader, const struct tree_file *file)
{
    struct predictions *predictions = reader->predictions;
    const struct diag_place place = {.file = file->name};
    const char *seal = find_seal(file);
    if (seal == NULL) {
        diag_add(reader->diag, DIAG_ERROR, place, NULL,
                 "expected a digest as the last value, as stormglass predict writes it");
        return;
    }
    const struct digest digest = digest_of(file->text, (size_t)(seal - file->text));
    digest_format(&digest, predictions->digest);
    if (strncmp(seal + strlen(PREDICTIONS_SEAL), predictions->digest, DIGEST_TEXT_BYTES - 1) != 0)
        diag_add(reader->diag, DIAG_ERROR, place, NULL,
                 "the file was changed after it was frozen: its digest is %.32s and should be %s",
                 seal + strlen(PREDICTIONS_SEAL), predictions->digest);
}

/* ------------------------------------------------------------------ loading */

static struct predictions *load(struct predictions *predictions, const struct tree_file *file,
                                struct diag *diag)
{
    struct reader reader = {.predictions = predictions, .diag = diag};
    const struct tree_node *root =
        file == NULL ? NULL : tree_parse(&predictions->arena, file, 0, diag);
    if (root != NULL)
        read_root(&reader, root);
    if (!diag_failed(diag) && file != NULL)
        check_seal(&reader, file);
    if (root != NULL && !diag_failed(diag))
        return predictions;
    predictions_free(predictions);
    return NULL;
}

static struct predictions *predictions_new(void)
{
    struct predictions *predictions = memory_new(sizeof *predictions);
    return predictions;
}

struct predictions *predictions_load_file(const char *path, struct diag *diag)
{
    struct predictions *predictions = predictions_new();
    return load(predictions, tree_read(&predictions->arena, path, diag), diag);
}

struct predictions *predictions_load(const char *name, const char *text, size_t length,
                                     struct diag *diag)
{
    struct predictions *predictions = predictions_new();
    struct arena *arena = &predictions->arena;
    return load(predictions, tree_hold(arena, name, arena_text(arena, text, length), length), diag);
}

void predictions_free(struct predictions *predictions)
{
    if (predictions == NULL)
        return;
    arena_free(&predictions->arena);
    free(predictions);
}

/* ------------------------------------------------------------------ the model */

void predictions_profile_digest(const char *name, char text[DIGEST_TEXT_BYTES])
{
    char path[256];
    snprintf(path, sizeof path, "profiles/%.200s.yaml", name);
    text[0] = '\0';
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++)
        if (strcmp(file->name, path) == 0) {
            const struct digest digest = digest_of(file->bytes, file->length);
            digest_format(&digest, text);
        }
}

bool predictions_are_of_this_model(const struct predictions *predictions,
                                   char why[STORE_ERROR_BYTES])
{
    if (strcmp(predictions->version, stormglass_version) != 0 ||
        strcmp(predictions->build, stormglass_build) != 0) {
        snprintf(why, STORE_ERROR_BYTES,
                 "the predictions are of stormglass %.60s build %.20s, this is %.60s build %.20s",
                 predictions->version, predictions->build, stormglass_version, stormglass_build);
        return false;
    }
    for (size_t i = 0; i < predictions->profile_count; i++) {
        const struct prediction_profile *profile = &predictions->profiles[i];
        char digest[DIGEST_TEXT_BYTES];
        predictions_profile_digest(profile->name, digest);
        if (strcmp(digest, profile->digest) == 0)
            continue;
        snprintf(why, STORE_ERROR_BYTES,
                 digest[0] == '\0' ? "this program has no profile %.100s"
                                   : "the profile %.100s was changed after the predictions were "
                                     "frozen",
                 profile->name);
        return false;
    }
    return true;
}
