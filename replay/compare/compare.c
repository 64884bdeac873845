/* SPDX-License-Identifier: Apache-2.0
 * compare - opens two databases, identifies them, and checks that they are of the same work.
 * Same work means equal seed, duration, workloads with their hosts, and namespaces of the target.
 * Other settings describe devices and fabric. A measurement has its own, so their differences are
 * only listed. */
#include "replay/compare/compare_private.h"

#include "base/check.h"
#include "base/plural.h"
#include "replay/database/stored.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool compare_parse_figures(const char *text, uint32_t *set)
{
    *set = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        int kind = 0;
        while (kind < FIGURE_COUNT && (strlen(figure_rows[kind].word) != length ||
                                       strncmp(figure_rows[kind].word, text, length) != 0))
            kind++;
        if (kind == FIGURE_COUNT)
            return false;
        *set |= 1u << kind;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

double compare_error(double model, double measured)
{
    if (measured != 0)
        return (model - measured) / measured;
    return model == 0 ? 0 : HUGE_VAL;
}

static char *keep_text(struct compare *compare, const char *text)
{
    return arena_text(&compare->arena, text, strlen(text));
}

static const char *query_text(struct arena *arena, struct store *store, const char *sql)
{
    char text[1024] = "";
    store_ask_text(store, sql, text, sizeof text);
    return arena_text(arena, text, strlen(text));
}

void compare_add(struct compare *compare, const char *what, const char *model, const char *measured,
                 bool counts)
{
    struct compare_row *row = arena_push(&compare->arena, (void **)(void *)&compare->rows,
                                         &compare->row_count, sizeof *row);
    *row = (struct compare_row){
        .what = keep_text(compare, what),
        .model = keep_text(compare, model),
        .measured = keep_text(compare, measured),
        .equal = strcmp(model, measured) == 0,
        .counts = counts,
    };
    compare->rows_counting += counts;
    compare->rows_different += counts && !row->equal;
}

/* ------------------------------------------------------------------ the two sides */

__attribute__((format(printf, 2, 3))) static bool refuse(struct compare *compare,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(compare->why, sizeof compare->why, format, arguments);
    va_end(arguments);
    return false;
}

void compare_side_read(struct compare_side *side, struct arena *arena, struct store *store,
                       const char *path)
{
    *side = (struct compare_side){
        .path = arena_text(arena, path, strlen(path)),
        .scenario = query_text(arena, store, "SELECT scenario FROM meta"),
        .about = query_text(arena, store, "SELECT about FROM meta"),
        .version = query_text(arena, store, "SELECT version FROM meta"),
        .status = query_text(arena, store, "SELECT status FROM meta"),
        .record = query_text(arena, store, "SELECT record FROM meta"),
        .measured = store_ask_int(store, "SELECT count(*) FROM measured", 0) > 0,
        .device = query_text(arena, store, "SELECT value FROM measured WHERE name='device'"),
        .kernel = query_text(arena, store, "SELECT value FROM measured WHERE name='kernel'"),
        .firmware = query_text(arena, store, "SELECT value FROM measured WHERE name='firmware'"),
        .started_unix_s =
            store_ask_int(store, "SELECT value FROM wall WHERE name='started_unix_s'", 0),
    };
}

static bool open_side(struct compare_input *input, int which, const char *path)
{
    char error[STORE_ERROR_BYTES];
    struct compare *compare = input->compare;
    input->stores[which] = stored_open(path, error);
    if (input->stores[which] == NULL)
        return refuse(compare, "%.200s: %.250s", path, error);
    compare_side_read(&compare->sides[which], &compare->arena, input->stores[which], path);
    if (store_error(input->stores[which]) != NULL)
        return refuse(compare, "%.200s: %.250s", path, store_error(input->stores[which]));
    if (stored_is_cut(input->stores[which], error))
        return refuse(compare, "%.200s: %.250s", path, error);
    return true;
}

static bool are_of_both_kinds(struct compare *compare)
{
    const struct compare_side *model = &compare->sides[0], *measured = &compare->sides[1];
    if (compare->options.any_kind || (!model->measured && measured->measured))
        return true;
    if (model->measured && !measured->measured)
        return refuse(compare,
                      "%.200s is a measurement and %.200s a run of the model: give the model first",
                      model->path, measured->path);
    return refuse(compare, "%.200s and %.200s are both %s; --any compares them anyway", model->path,
                  measured->path, model->measured ? "measurements" : "runs of the model");
}

/* ------------------------------------------------------------------ the same work */

/* Settings that describe the work (parameter 1) or the setup (0). */
static const char settings_sql[] =
    "SELECT path, group_concat(value, ', ') AS listed FROM (SELECT path, value FROM setting ORDER "
    "BY path,"
    " value) WHERE (path IN ('seed', 'duration') OR path LIKE 'workloads.%'"
    " OR path LIKE 'hosts.%.namespaces[%')=? GROUP BY path ORDER BY path";

struct merge {
    struct store_statement *rows[2];
    bool more[2];
    int side; /* below 0: only the first database has the path; above: only the second */
};

static void merge_next(struct merge *merge, bool first, bool second)
{
    if (first)
        merge->more[0] = store_step(merge->rows[0]);
    if (second)
        merge->more[1] = store_step(merge->rows[1]);
    if (merge->more[0] && merge->more[1])
        merge->side =
            strcmp(store_text(merge->rows[0], "path"), store_text(merge->rows[1], "path"));
    else
        merge->side = merge->more[0] ? -1 : 1;
}

/* Lists the settings of one kind that differ. */
static void differing_settings(const struct compare_input *input, bool work)
{
    struct compare *compare = input->compare;
    struct merge merge;
    for (int i = 0; i < 2; i++) {
        merge.rows[i] = store_prepare(input->stores[i], settings_sql);
        store_bind(merge.rows[i], 1, STORE_I(work));
    }
    for (merge_next(&merge, true, true); merge.more[0] || merge.more[1];
         merge_next(&merge, merge.side <= 0, merge.side >= 0)) {
        const char *model = merge.side <= 0 ? store_text(merge.rows[0], "listed") : "(not set)";
        const char *measured = merge.side >= 0 ? store_text(merge.rows[1], "listed") : "(not set)";
        if (strcmp(model, measured) == 0)
            continue;
        struct compare_row *row = arena_push(&compare->arena, (void **)(void *)&compare->settings,
                                             &compare->setting_count, sizeof *row);
        *row = (struct compare_row){
            .what = keep_text(compare, store_text(merge.rows[merge.side <= 0 ? 0 : 1], "path")),
            .model = keep_text(compare, model),
            .measured = keep_text(compare, measured)};
    }
    store_finish(merge.rows[0]);
    store_finish(merge.rows[1]);
}

/* Workloads and their pairs of hosts. */
static const char workloads_sql[] =
    "SELECT group_concat(name||' ('||kind||' '||path||')', ', ') AS listed FROM (SELECT w.name, "
    "w.kind,"
    " group_concat(f.name||'-'||t.name, ' ') AS path FROM workload w JOIN workload_pair p"
    " USING(workload) JOIN node f ON f.node=p.from_node JOIN node t ON t.node=p.to_node"
    " GROUP BY workload ORDER BY workload)";

static void add_text(struct digest *digest, const char *text)
{
    digest_add(digest, hash_text(text, 0));
}

void compare_work(struct store *store, char text[DIGEST_TEXT_BYTES])
{
    struct digest digest = {0};
    struct store_statement *rows = store_prepare(store, settings_sql);
    store_bind(rows, 1, STORE_I(true));
    while (store_step(rows)) {
        add_text(&digest, store_text(rows, "path"));
        add_text(&digest, store_text(rows, "listed"));
    }
    store_finish(rows);
    rows = store_prepare(store, workloads_sql);
    if (store_step(rows))
        add_text(&digest, store_text(rows, "listed"));
    store_finish(rows);
    digest_format(&digest, text);
}

static bool is_same_work(const struct compare_input *input)
{
    struct compare *compare = input->compare;
    const struct compare_side *sides = compare->sides;
    if (strcmp(sides[0].scenario, sides[1].scenario) != 0)
        return refuse(compare, "the scenarios are different: %.100s and %.100s", sides[0].scenario,
                      sides[1].scenario);
    differing_settings(input, true);
    if (store_error(input->stores[0]) != NULL || store_error(input->stores[1]) != NULL)
        return true; /* reported by the caller */
    if (compare->setting_count > 0) {
        const struct compare_row *first = &compare->settings[0];
        return refuse(compare, "the workloads differ: %.100s is %.100s and %.100s%s", first->what,
                      first->model, first->measured,
                      compare->setting_count > 1 ? ", and more" : "");
    }
    const char *model = query_text(&compare->arena, input->stores[0], workloads_sql);
    const char *measured = query_text(&compare->arena, input->stores[1], workloads_sql);
    if (store_error(input->stores[0]) != NULL || store_error(input->stores[1]) != NULL)
        return true;
    if (strcmp(model, measured) != 0)
        return refuse(compare, "the workloads differ: %.200s and %.200s", model, measured);
    differing_settings(input, false);
    return true;
}

/* ------------------------------------------------------------------ entry point */

/* Returns false if a database cannot be read: a table is missing or a page is damaged. */
static bool are_sound(const struct compare_input *input)
{
    struct compare *compare = input->compare;
    for (int i = 0; i < 2; i++)
        if (store_error(input->stores[i]) != NULL)
            return refuse(compare, "%.200s: %.250s", compare->sides[i].path,
                          store_error(input->stores[i]));
    if (compare->figures[0].count == compare->figures[1].count)
        return true;
    return refuse(compare, "they have %zu and %zu %s", compare->figures[0].count,
                  compare->figures[1].count,
                  plural(compare->figures[1].count, "workload", "workloads"));
}

static bool compare_stores(struct compare_input *input, const char *model, const char *measured)
{
    struct compare *compare = input->compare;
    if (!open_side(input, 0, model) || !open_side(input, 1, measured) ||
        !are_of_both_kinds(compare) || !is_same_work(input))
        return false;
    for (int i = 0; i < 2; i++)
        figures_read(input->stores[i], &compare->arena, &compare->figures[i]);
    if (!are_sound(input))
        return false;
    compare_protocol(input);
    compare_states(input);
    compare_timing(input);
    return are_sound(input);
}

enum compare_end compare_runs(struct compare *compare, const char *model, const char *measured,
                              const struct compare_options *options)
{
    *compare = (struct compare){.options = *options};
    struct compare_input input = {.compare = compare};
    const bool done = compare_stores(&input, model, measured);
    store_close(input.stores[0]);
    store_close(input.stores[1]);
    return done ? COMPARE_DONE : COMPARE_REFUSED;
}

void compare_free(struct compare *compare)
{
    arena_free(&compare->arena);
}

bool compare_equal(const struct compare *compare)
{
    return compare->rows_different == 0 && compare->within == compare->judged;
}
