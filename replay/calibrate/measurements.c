/* SPDX-License-Identifier: Apache-2.0
 * measurements - measured figures in memory, and the parser of their file. */
#include "replay/calibrate/measurements.h"

#include "base/memory.h"
#include "base/quantity.h"
#include "scenarios/format/block.h"
#include "scenarios/format/json_tree.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct measurements *figures;
    struct diag *diag;
};

struct measurements *measurements_new(void)
{
    struct measurements *figures = memory_new(sizeof *figures);
    figures->device = figures->firmware = figures->kernel = "";
    return figures;
}

void measurements_free(struct measurements *figures)
{
    if (figures == NULL)
        return;
    arena_free(&figures->arena);
    free(figures);
}

bool measurements_add(struct measurements *figures, struct measurements_texts *texts,
                      const char *text)
{
    if (texts->count == MEASUREMENTS_TEXTS_MAX)
        return false;
    texts->list[texts->count++] = arena_text(&figures->arena, text, strlen(text));
    return true;
}

bool measurements_take(struct measurements *figures, uint32_t benchmark,
                       const time_ps times[BENCHMARK_FIGURE_COUNT])
{
    struct measurements_benchmark *to = &figures->benchmarks[benchmark];
    if (to->repeats == MEASUREMENTS_REPEATS_MAX)
        return false;
    for (int i = 0; i < BENCHMARK_FIGURE_COUNT; i++)
        to->times[i][to->repeats] = times[i];
    to->repeats++;
    return true;
}

struct measurements_middle measurements_middle(const struct measurements *figures,
                                               uint32_t benchmark, enum benchmark_figure figure)
{
    const struct measurements_benchmark *of = &figures->benchmarks[benchmark];
    time_ps list[MEASUREMENTS_REPEATS_MAX];
    memcpy(list, of->times[figure], sizeof list);
    const time_ps middle = benchmark_median(list, of->repeats);
    for (uint32_t i = 0; i < of->repeats; i++)
        list[i] = list[i] < middle ? middle - list[i] : list[i] - middle;
    const time_ps apart = benchmark_median(list, of->repeats);
    return (struct measurements_middle){.time = middle, .spread = (double)apart / (double)middle};
}

/* ------------------------------------------------------------------ parsing */

/* These texts are copied into profiles and printed. */
static const char *read_text(struct reader *reader, const struct tree_node *text)
{
    if (text->escaped)
        tree_error(reader->diag, text, "expected printable text on one line");
    return text->text;
}

static const char *read_word(struct reader *reader, const struct tree_node *map, const char *key)
{
    const struct tree_node *word = tree_get(map, key);
    if (word == NULL)
        return "";
    if (word->kind == TREE_SCALAR)
        return read_text(reader, word);
    tree_error(reader->diag, word, "%s: expected a text, but this is %s", key,
               tree_kind_name(word));
    return "";
}

static void read_texts(struct reader *reader, const struct tree_node *map, const char *key,
                       struct measurements_texts *texts)
{
    const struct tree_node *list = tree_get(map, key);
    if (list == NULL)
        return;
    if (list->kind != TREE_LIST || list->count > MEASUREMENTS_TEXTS_MAX) {
        tree_error(reader->diag, list, "%s: expected a list of at most %d texts", key,
                   MEASUREMENTS_TEXTS_MAX);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *text = list->items[i].value;
        if (text->kind == TREE_SCALAR && strchr(text->text, '=') != NULL)
            texts->list[texts->count++] = read_text(reader, text);
        else
            tree_error(reader->diag, text, "%s: expected a text such as \"path=value\"", key);
    }
}

static void read_time(struct reader *reader, const struct tree_node *node, time_ps *time)
{
    char why[QUANTITY_WHY_BYTES];
    if (node->kind != TREE_SCALAR || !quantity_parse(QUANTITY_INT, node->text, time, why) ||
        *time < 1 || *time > MEASUREMENTS_PS_MAX)
        tree_error(reader->diag, node, "expected picoseconds, a whole number from 1 to 10^15");
}

static void read_times(struct reader *reader, const struct tree_node *map, const char *key,
                       struct measurements_benchmark *to, enum benchmark_figure figure)
{
    const struct tree_node *list = tree_get(map, key);
    if (list == NULL || list->kind != TREE_LIST || list->count < 1 ||
        list->count > MEASUREMENTS_REPEATS_MAX || (figure > 0 && list->count != to->repeats)) {
        tree_error(reader->diag, list == NULL ? map : list,
                   "%s: expected a list of 1 to %d picoseconds, as many as in the other figures",
                   key, MEASUREMENTS_REPEATS_MAX);
        return;
    }
    to->repeats = (uint32_t)list->count;
    for (size_t i = 0; i < list->count; i++)
        read_time(reader, list->items[i].value, &to->times[figure][i]);
}

static void read_benchmark(struct reader *reader, const struct tree_node *map,
                           struct measurements_benchmark *to)
{
#define X(member, word, about) word "_ps",
    static const char *const keys[] = {BENCHMARK_FIGURES(X) NULL};
#undef X
    if (!block_only(map, keys, NULL, reader->diag))
        return;
    for (int i = 0; i < BENCHMARK_FIGURE_COUNT; i++)
        read_times(reader, map, keys[i], to, (enum benchmark_figure)i);
}

static void read_benchmarks(struct reader *reader, const struct tree_node *root)
{
    const char *names[BENCHMARK_COUNT + 1] = {0};
    const struct tree_node *map = tree_get(root, "figures");
    memcpy(names, benchmark_names, sizeof benchmark_names);
    if (map == NULL || map->kind != TREE_MAP || map->count == 0) {
        tree_error(reader->diag, map == NULL ? root : map,
                   "figures: expected a mapping of benchmarks");
        return;
    }
    if (!block_only(map, names, NULL, reader->diag))
        return;
    for (uint32_t i = 0; i < BENCHMARK_COUNT; i++) {
        const struct tree_node *of = tree_get(map, names[i]);
        if (of != NULL)
            read_benchmark(reader, of, &reader->figures->benchmarks[i]);
    }
}

static void read_root(struct reader *reader, const struct tree_node *root)
{
    static const char *const keys[] = {"schema", "stormglass-figures",
                                       "device", "firmware",
                                       "kernel", "facts",
                                       "sets",   "figures",
                                       "fit",    NULL};
    struct measurements *figures = reader->figures;
    if (!block_only(root, keys, NULL, reader->diag))
        return;
    if (strcmp(read_word(reader, root, "stormglass-figures"), "1") != 0)
        tree_error(reader->diag, root, "expected stormglass-figures: 1");
    figures->device = read_word(reader, root, "device");
    figures->firmware = read_word(reader, root, "firmware");
    figures->kernel = read_word(reader, root, "kernel");
    read_texts(reader, root, "facts", &figures->facts);
    read_texts(reader, root, "sets", &figures->sets);
    read_benchmarks(reader, root);
}

/* `file` is in the arena of the figures. Returns NULL after adding messages if the file is
 * invalid. */
static struct measurements *read_file(struct measurements *figures, const struct tree_file *file,
                                      struct diag *diag)
{
    struct reader reader = {figures, diag};
    const struct tree_node *root =
        file == NULL ? NULL : json_tree(&figures->arena, file, NULL, diag);
    if (root != NULL)
        read_root(&reader, root);
    if (root != NULL && !diag_failed(diag))
        return figures;
    measurements_free(figures);
    return NULL;
}

struct measurements *measurements_read(const char *path, struct diag *diag)
{
    struct measurements *figures = measurements_new();
    return read_file(figures, tree_read(&figures->arena, path, diag), diag);
}

struct measurements *measurements_parse(const char *name, const char *text, size_t length,
                                        struct diag *diag)
{
    struct measurements *figures = measurements_new();
    const char *copy = arena_text(&figures->arena, text, length);
    return read_file(figures, tree_hold(&figures->arena, name, copy, length), diag);
}
