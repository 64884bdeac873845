/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/load/load.h"

#include "base/memory.h"
#include "base/rng.h"
#include "rnic/host/rnic.h"
#include "scenarios/load/expect.h"
#include "scenarios/load/scenario_load.h"
#include "tcp/tcp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXPECTATIONS_MAX = 10000 };

/* ---- reading keys ---- */

const struct tree_node *scenario_map(struct loader *loader, const struct tree_node *map,
                                     const char *key)
{
    return tree_want(loader->diag, map, key, TREE_MAP);
}

const struct tree_node *scenario_word(struct loader *loader, const struct tree_node *map,
                                      const char *key)
{
    return tree_want(loader->diag, map, key, TREE_SCALAR);
}

const struct tree_node *scenario_list(struct loader *loader, const struct tree_node *map,
                                      const char *key)
{
    return tree_want(loader->diag, map, key, TREE_LIST);
}

void scenario_take(struct loader *loader, struct block *block, const struct tree_node *map,
                   const char *const *also)
{
    const struct block_load load = {
        .arena = loader->arena, .diag = loader->diag, .map = map, .also = also};
    if (map != NULL)
        block_load(block, &load);
}

void scenario_take_part(struct loader *loader, struct block *block, const struct tree_node *map,
                        const char *const *except)
{
    const struct block_load load = {
        .arena = loader->arena, .diag = loader->diag, .map = map, .also = except, .partial = true};
    block_load(block, &load);
}

/* ---- files ---- */

static void remember_source(struct loader *loader, const struct tree_file *file)
{
    for (size_t i = 0; i < loader->source_count; i++)
        if (strcmp(loader->sources[i].name, file->name) == 0)
            return;
    struct scenario_source *source = arena_push(loader->arena, (void **)(void *)&loader->sources,
                                                &loader->source_count, sizeof *source);
    *source = (struct scenario_source){file->name, file->text, file->length};
}

static void remember_path(struct loader *loader, const char *path)
{
    *(const char **)arena_push(loader->arena, (void **)(void *)&loader->paths, &loader->path_count,
                               sizeof path) = path;
}

static const struct tree_file *hold_copy(struct loader *loader, const char *name, const char *text,
                                         size_t length)
{
    return tree_hold(loader->arena, arena_text(loader->arena, name, strlen(name)),
                     arena_text(loader->arena, text, length), length);
}

static const struct tree_file *open_given(struct loader *loader, const char *name)
{
    for (uint32_t i = 0; i < loader->input->file_count; i++) {
        const struct scenario_source *file = &loader->input->files[i];
        if (strcmp(file->name, name) == 0)
            return hold_copy(loader, name, file->text, file->length);
    }
    return NULL;
}

/* The file keeps the name that the scenario gives it, because a replay finds the file by that
 * name. */
static const struct tree_file *open_beside(struct loader *loader, const struct tree_node *name)
{
    const char *path = tree_beside(loader->arena, loader->home, name->text);
    struct diag own = {0};
    struct tree_file *file = tree_read(loader->arena, path, &own);
    if (file == NULL)
        tree_error(loader->diag, name, "%s: %s", path, own.messages[0].text);
    else
        file->name = name->text;
    if (file != NULL)
        remember_path(loader, path);
    return file;
}

const struct tree_file *scenario_open(struct loader *loader, const struct tree_node *name)
{
    const struct tree_file *file =
        loader->input->text == NULL ? open_beside(loader, name) : open_given(loader, name->text);
    if (file != NULL)
        remember_source(loader, file);
    else if (loader->input->text != NULL)
        tree_error(loader->diag, name, "there is no file '%.64s' with this scenario", name->text);
    return file;
}

const struct tree_file *scenario_open_template(struct loader *loader, const struct tree_node *name)
{
    const char *path = tree_beside(loader->arena, loader->home, name->text);
    const bool apart = loader->input->text == NULL;
    const bool there = apart && access(path, F_OK) == 0;
    const struct tree_file *file = there ? NULL : open_given(loader, name->text);
    if (file == NULL && !there)
        file = open_given(loader, arena_format(loader->arena, "%s.yaml", name->text));
    if (file == NULL)
        file = scenario_open(loader, name);
    else
        remember_source(loader, file);
    if (file != NULL && apart)
        loader->home = path;
    return file;
}

/* ---- the top of the file ---- */

struct top {
    int64_t seed, duration, drain;
};

#define FIELD(name) offsetof(struct top, name)

const struct opt scenario_top_opts[] = {
    {"seed", OPT_INT, FIELD(seed), "1", "0", NULL, NULL, "Seed of all random streams.", "own",
     OPT_INERT},
    {"duration", OPT_TIME, FIELD(duration), "10ms", "1ns", "100000s", NULL,
     "Workloads issue I/O from time 0 until this time.", "own", OPT_ACTS(ASKED, ANY, TRACE)},
    {"drain", OPT_TIME, FIELD(drain), "10ms", "0s", "100000s", NULL,
     "Time after `duration` in which outstanding operations may still complete.", "own", OPT_INERT},
    {0}};

static const char *const top_keys[] = {"stormglass", "name",   "about",  "fabric", "hosts",
                                       "workloads",  "faults", "expect", NULL};

static void load_version(struct loader *loader)
{
    const struct tree_node *version = scenario_word(loader, loader->root, "stormglass");
    if (version == NULL)
        tree_error(loader->diag, loader->root, "expected stormglass: 1, the version of the format");
    else if (strcmp(version->text, "1") != 0)
        tree_error(loader->diag, version, "this program reads version 1 of the format, not '%.32s'",
                   version->text);
}

static void load_top(struct loader *loader)
{
    struct scenario *scenario = loader->scenario;
    struct block *block = block_new(loader->arena, "", scenario_top_opts, sizeof(struct top));
    scenario_take(loader, block, loader->root, top_keys);
    scenario_show(loader, block, false);
    load_version(loader);
    const struct tree_node *name = scenario_word(loader, loader->root, "name");
    const struct tree_node *about = scenario_word(loader, loader->root, "about");
    if (name == NULL || name->text[0] == '\0')
        tree_error(loader->diag, name == NULL ? loader->root : name,
                   "expected name: a word for this scenario");
    scenario->name = name == NULL ? "" : name->text;
    scenario->about = about == NULL ? "" : about->text;
    const struct top *top = block->params;
    scenario->seed = (uint64_t)top->seed;
    scenario->duration = top->duration;
    scenario->drain = top->drain;
}

static bool is_loaded(const struct scenario *scenario, const char *name)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (strcmp(scenario->workloads[i].name, name) == 0)
            return true;
    return false;
}

/* True if the expectation refers to a rejected workload, for which an error was already
 * reported. */
static bool is_of_refused(const struct loader *loader, const struct tree_node *expectation)
{
    const struct tree_node *workloads = tree_get(loader->root, "workloads");
    if (expectation->text == NULL || workloads == NULL || workloads->kind != TREE_LIST)
        return false;
    for (size_t i = 0; i < workloads->count; i++) {
        const struct tree_node *name = tree_get(workloads->items[i].value, "name");
        if (name == NULL || name->text == NULL || is_loaded(loader->scenario, name->text))
            continue;
        const size_t length = strlen(name->text);
        if (strncmp(expectation->text, name->text, length) == 0 && expectation->text[length] == '.')
            return true;
    }
    return false;
}

void scenario_load_expectations(struct loader *loader)
{
    const struct tree_node *written = scenario_list(loader, loader->root, "expect");
    if (written == NULL)
        return;
    if (written->count > EXPECTATIONS_MAX) {
        tree_error(loader->diag, written, "more than %d expectations", EXPECTATIONS_MAX);
        return;
    }
    struct expectation *list = arena_array(loader->arena, written->count, sizeof *list);
    for (size_t i = 0; i < written->count; i++)
        if (!is_of_refused(loader, written->items[i].value))
            expect_parse(loader->scenario, written->items[i].value, &list[i], loader->diag);
    loader->scenario->expectations = list;
    loader->scenario->expectation_count = (uint32_t)written->count;
}

/* In generated topologies every host has a link; in an explicit one a host may have none. */
static void check_hosts_linked(struct loader *loader)
{
    for (uint32_t i = 0; i < loader->scenario->host_count; i++) {
        const struct scenario_node *host = &loader->scenario->nodes[i];
        char text[DIAG_TEXT_BYTES];
        if (host->port_count > 0)
            continue;
        snprintf(text, sizeof text, "host '%s' has no link", host->name);
        tree_message(loader->diag, DIAG_ERROR, loader->root, host->place, text);
    }
}

/* ---- loading ---- */

static const struct tree_file *read_input(struct loader *loader)
{
    const struct scenario_input *input = loader->input;
    const struct tree_file *file = input->text == NULL
                                       ? tree_read(loader->arena, input->name, loader->diag)
                                       : hold_copy(loader, input->name, input->text, input->length);
    if (file == NULL)
        return NULL;
    if (file->length > TREE_BYTES_MAX)
        diag_add(loader->diag, DIAG_ERROR, (struct diag_place){.file = file->name}, NULL,
                 "the file is larger than 64 MiB");
    else if (filekind_of(file->text, file->length) == FILEKIND_CLAIM ||
             tree_is_kind(file, FILEKIND_SCENARIO, "a scenario", loader->diag))
        return file;
    return NULL;
}

static void keep_sets(struct loader *loader)
{
    const struct scenario_input *input = loader->input;
    const char **sets = arena_array(loader->arena, input->set_count, sizeof *sets);
    for (uint32_t i = 0; i < input->set_count; i++)
        sets[i] = arena_text(loader->arena, input->sets[i], strlen(input->sets[i]));
    loader->scenario->sets = sets;
    loader->scenario->set_count = input->set_count;
}

/* A claim (scenarios/claim/claim.h) contains a scenario. */
static struct tree_node *scenario_of_claim(struct loader *loader, struct tree_node *root)
{
    struct tree_node *inner = tree_get(root, "scenario");
    if (inner == NULL)
        tree_error(loader->diag, root, "this claim has no scenario: it cannot be run");
    return inner;
}

static bool read_tree(struct loader *loader)
{
    const struct tree_file *file = read_input(loader);
    if (file == NULL)
        return false;
    remember_source(loader, file);
    if (loader->input->text == NULL && strcmp(loader->input->name, "-") != 0)
        remember_path(loader, file->name);
    struct tree_node *root = tree_parse(loader->arena, file, 0, loader->diag);
    if (root != NULL && filekind_of(file->text, file->length) == FILEKIND_CLAIM)
        root = scenario_of_claim(loader, root);
    root = scenario_change(loader, root);
    for (uint32_t i = 0; root != NULL && i < loader->input->set_count; i++)
        root = tree_set(loader->arena, root, loader->input->sets[i], loader->diag);
    loader->root = root;
    if (root != NULL && root->kind != TREE_MAP)
        tree_error(loader->diag, root, "expected a mapping that begins with stormglass: 1");
    return root != NULL && root->kind == TREE_MAP;
}

/* Parts depend on earlier ones, so loading stops if there are no nodes after the fabric. */
static void load_parts(struct loader *loader)
{
    static void (*const parts[])(struct loader *) = {load_top,
                                                     scenario_load_fabric,
                                                     check_hosts_linked,
                                                     scenario_load_hosts,
                                                     scenario_load_overrides,
                                                     scenario_finish_nodes,
                                                     scenario_load_routes,
                                                     scenario_load_workloads,
                                                     scenario_load_faults,
                                                     scenario_load_expectations};
    const size_t count = sizeof parts / sizeof parts[0];
    for (size_t i = 0; i < count; i++) {
        parts[i](loader);
        if (loader->scenario->node_count == 0 && i > 0)
            return;
    }
    scenario_make_settings(loader);
}

struct scenario *scenario_load(const struct scenario_input *input, struct diag *diag)
{
    struct scenario *scenario = memory_new(sizeof *scenario);
    struct loader loader = {.scenario = scenario,
                            .arena = &scenario->arena,
                            .diag = diag,
                            .input = input,
                            .home = input->name};
    const int errors = diag->errors;
    keep_sets(&loader);
    if (read_tree(&loader))
        load_parts(&loader);
    scenario->paths = loader.paths;
    scenario->path_count = (uint32_t)loader.path_count;
    scenario->sources = loader.sources;
    scenario->source_count = (uint32_t)loader.source_count;
    if (diag->errors == errors)
        return scenario;
    scenario_free(scenario);
    return NULL;
}

struct scenario *scenario_load_file(const char *path, const char *const *sets, uint32_t set_count,
                                    struct diag *diag)
{
    const struct scenario_input input = {.name = path, .sets = sets, .set_count = set_count};
    return scenario_load(&input, diag);
}

struct scenario *scenario_load_again(const struct scenario *scenario, const char *const *sets,
                                     uint32_t set_count, struct diag *diag)
{
    const uint32_t own = scenario->set_count;
    const struct scenario_source empty = {.name = "", .text = ""};
    const struct scenario_source *first = scenario->source_count > 0 ? scenario->sources : &empty;
    const char **all = memory_zeroed(own + set_count + 1, sizeof *all);
    for (uint32_t i = 0; i < own; i++)
        all[i] = scenario->sets[i];
    for (uint32_t i = 0; i < set_count; i++)
        all[own + i] = sets[i];
    const struct scenario_input input = {
        .name = first->name,
        .text = first->text,
        .length = first->length,
        .files = scenario->sources,
        .file_count = scenario->source_count,
        .sets = all,
        .set_count = own + set_count,
    };
    struct scenario *made = scenario_load(&input, diag);
    free(all);
    return made;
}
