/* SPDX-License-Identifier: Apache-2.0
 * plan_store - writes tables keyed by candidate, case and seed. */
#include "replay/plan/plan_store.h"

#include "base/digest.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "replay/plan/plan_answer.h"
#include "replay/plan/plan_assumed.h"
#include "scenarios/embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] =
    "CREATE TABLE plan(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE axis(axis INTEGER PRIMARY KEY, path TEXT, short_name TEXT, better TEXT,"
    " monotone INTEGER);"
    "CREATE TABLE candidate(candidate INTEGER PRIMARY KEY, name TEXT, price REAL, watts REAL,"
    " rack_units INTEGER, verdict TEXT, why TEXT, bottleneck TEXT, headroom REAL, front INTEGER,"
    " oversubscription REAL, switches INTEGER, ports_used INTEGER, ports_most INTEGER,"
    " host_cables INTEGER, fabric_cables INTEGER, result TEXT, label TEXT);"
    "CREATE TABLE unmodelled(position INTEGER PRIMARY KEY, text TEXT);"
    "CREATE TABLE setting(candidate INTEGER, position INTEGER, text TEXT,"
    " PRIMARY KEY(candidate, position)) WITHOUT ROWID;"
    "CREATE TABLE trial(candidate INTEGER, trial INTEGER, failure TEXT, verdict TEXT, runs INTEGER,"
    " command TEXT, PRIMARY KEY(candidate, trial)) WITHOUT ROWID;"
    "CREATE TABLE run(candidate INTEGER, trial INTEGER, seed INTEGER, end INTEGER, outcome TEXT,"
    " why TEXT, bottleneck TEXT, duration_ps INTEGER, events INTEGER, packet_hops INTEGER,"
    " digest TEXT, figures INTEGER, cores INTEGER, PRIMARY KEY(candidate, trial, seed)) WITHOUT "
    "ROWID;"
    "CREATE TABLE figure(candidate INTEGER, trial INTEGER, seed INTEGER, slo INTEGER, value REAL,"
    " slack REAL, held INTEGER, PRIMARY KEY(candidate, trial, seed, slo)) WITHOUT ROWID;"
    "CREATE TABLE measure(candidate INTEGER, trial INTEGER, seed INTEGER, position INTEGER,"
    " name TEXT, value REAL, PRIMARY KEY(candidate, trial, seed, position)) WITHOUT ROWID;"
    "CREATE TABLE objective(candidate INTEGER, slo INTEGER, text TEXT, failure TEXT, found TEXT,"
    " mean REAL, headroom REAL, low REAL, high REAL, runs INTEGER, PRIMARY KEY(candidate, slo))"
    " WITHOUT ROWID;"
    "CREATE TABLE cliff(cliff INTEGER, path TEXT, short_name TEXT, position INTEGER, value TEXT,"
    " candidate INTEGER, verdict TEXT, why TEXT, bottleneck TEXT, headroom REAL,"
    " PRIMARY KEY(cliff, position)) WITHOUT ROWID;"
    "CREATE TABLE move(cliff INTEGER, lever INTEGER, path TEXT, value TEXT, played INTEGER,"
    " steps INTEGER, holds_to TEXT, breaks_at TEXT, why TEXT, bottleneck TEXT,"
    " PRIMARY KEY(cliff, lever)) WITHOUT ROWID;"
    "CREATE TABLE part(candidate INTEGER, part TEXT, count INTEGER, price REAL, watts REAL,"
    " PRIMARY KEY(candidate, part)) WITHOUT ROWID;"
    "CREATE TABLE assumed(candidate INTEGER, position INTEGER, path TEXT, evidence TEXT,"
    " source TEXT, value TEXT, changed TEXT, failure TEXT, slo TEXT, figure REAL, figure_changed"
    " REAL, moved REAL, matters INTEGER, verdict TEXT, why TEXT, flips INTEGER, runs_of INTEGER,"
    " PRIMARY KEY(candidate, path, changed)) WITHOUT ROWID;"
    "CREATE TABLE design(side TEXT PRIMARY KEY, plan TEXT, about TEXT, scenario TEXT, name TEXT,"
    " verdict TEXT, why TEXT, currency TEXT, price REAL, watts REAL, rack_units INTEGER,"
    " command TEXT) WITHOUT ROWID;"
    "CREATE TABLE design_part(side TEXT, part TEXT, count INTEGER, price REAL,"
    " PRIMARY KEY(side, part)) WITHOUT ROWID;"
    "CREATE TABLE difference(failure TEXT, position INTEGER, name TEXT, unit TEXT, better INTEGER,"
    " a REAL, b REAL, difference REAL, half REAL, differs INTEGER, runs INTEGER, a_text TEXT,"
    " b_text TEXT, difference_text TEXT, half_text TEXT, PRIMARY KEY(failure, position)) WITHOUT "
    "ROWID;";

struct plan_store {
    struct store *store;
    struct store_statement *run, *figure, *measure;
};

bool plan_store_is(const char *path)
{
    char error[STORE_ERROR_BYTES];
    struct store *store = store_open(path, error);
    const bool is = store != NULL && store_kind(store) == STORE_PLAN;
    if (store != NULL)
        store_close(store);
    return is;
}

bool plan_store_is_readable(struct store *store, char why[STORE_ERROR_BYTES])
{
    char version[40];
    const int64_t format = store_ask_int(store, "SELECT value FROM plan WHERE key='format'", 0);
    if (format <= PLAN_FORMAT)
        return true;
    store_ask_text(store, "SELECT value FROM plan WHERE key='version'", version, sizeof version);
    snprintf(
        why, STORE_ERROR_BYTES,
        "written by a later stormglass, %s, in format %lld; this is %s, which reads formats up "
        "to %d",
        version, (long long)format, stormglass_version, PLAN_FORMAT);
    return false;
}

/* ------------------------------------------------------------------ writing */

/* With two plans in one database, each has its own fingerprint. */
static const char *fingerprint_key(const struct plan_state *state)
{
    return state->base == 0 ? "fingerprint" : "fingerprint_vs";
}

static void prepare(struct plan_store *store)
{
    store->run =
        store_prepare(store->store, "INSERT OR REPLACE INTO run VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
    store->figure =
        store_prepare(store->store, "INSERT OR REPLACE INTO figure VALUES(?,?,?,?,?,?,?)");
    store->measure =
        store_prepare(store->store, "INSERT OR REPLACE INTO measure VALUES(?,?,?,?,?,?)");
}

static void unprepare(struct plan_store *store)
{
    store_finish(store->run);
    store_finish(store->figure);
    store_finish(store->measure);
    store->run = store->figure = store->measure = NULL;
}

/* The key of a run; `candidate` is the candidate's key within its plan. */
struct place {
    uint32_t candidate, of, seed;
};

static void insert_measures(struct plan_store *store, const struct plan_state *state,
                            const struct place *place, const struct plan_outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->measure_count; i++) {
        char name[PLAN_MEASURE_BYTES];
        plan_measure_name(i, state->workloads, name);
        STORE_INSERT(store->measure, STORE_I(state->base + place->candidate), STORE_I(place->of),
                     STORE_I(place->seed), STORE_I(i), STORE_T(name),
                     outcome->measures[i].known ? STORE_F(outcome->measures[i].value) : STORE_N);
    }
}

static void insert_run(struct plan_store *store, const struct plan_state *state,
                       const struct place *place, const struct plan_outcome *outcome)
{
    char digest[DIGEST_TEXT_BYTES];
    const struct digest value = {outcome->digest[0], outcome->digest[1]};
    const uint32_t candidate = state->base + place->candidate;
    digest_format(&value, digest);
    STORE_INSERT(store->run, STORE_I(candidate), STORE_I(place->of), STORE_I(place->seed),
                 STORE_I(outcome->end), STORE_T(plan_run_end_word((enum plan_run_end)outcome->end)),
                 STORE_T(outcome->why), STORE_T(outcome->limit), STORE_I(outcome->duration),
                 STORE_I(outcome->events), STORE_I(outcome->packet_hops), STORE_T(digest),
                 STORE_I(outcome->figure_count), STORE_I(outcome->cores));
    for (uint32_t i = 0; i < outcome->figure_count; i++)
        STORE_INSERT(store->figure, STORE_I(candidate), STORE_I(place->of), STORE_I(place->seed),
                     STORE_I(i), STORE_F(outcome->figures[i].value),
                     STORE_F(outcome->figures[i].slack), STORE_I(outcome->figures[i].held));
    insert_measures(store, state, place, outcome);
}

static void write_entry(struct store *store, const char *key, struct store_value value)
{
    struct store_statement *row = store_prepare(store, "INSERT OR REPLACE INTO plan VALUES(?,?)");
    STORE_INSERT(row, STORE_T(key), value);
    store_finish(row);
}

static void fill_axes(struct store *store, const struct plan_state *state)
{
    static const char *const words[] = {NULL, "higher", "lower"};
    struct store_statement *row =
        store_prepare(store, "INSERT OR REPLACE INTO axis VALUES(?,?,?,?,?)");
    for (uint32_t i = 0; i < state->plan->grid.axis_count; i++) {
        const struct grid_axis *axis = &state->plan->grid.axes[i];
        STORE_INSERT(row, STORE_I(i), STORE_T(axis->path), STORE_T(axis->as),
                     STORE_T(words[axis->better]),
                     axis->better == GRID_BETTER_UNKNOWN ? STORE_N : STORE_I(!state->odd[i]));
    }
    store_finish(row);
}

static void fill_settings(struct store *store, const struct plan_state *state)
{
    struct store_statement *row = store_prepare(store, "INSERT INTO setting VALUES(?,?,?)");
    for (uint32_t i = 0; i < state->count; i++)
        for (uint32_t k = 0; k < state->candidates[i].cell->set_count; k++)
            STORE_INSERT(row, STORE_I(i), STORE_I(k), STORE_T(state->candidates[i].cell->sets[k]));
    store_finish(row);
}

struct filling {
    const struct plan_side *sides;
    uint32_t count;
};

static void fill_known(struct plan_store *rows, const struct plan_side *side)
{
    const uint32_t count = side->known == NULL ? 0 : plan_stored_runs_count(side->known);
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_stored_run *run = plan_stored_runs_at(side->known, i);
        insert_run(rows, side->state, &(struct place){run->candidate, run->of, run->seed},
                   &run->outcome);
    }
}

static void fill(void *self, struct store *store)
{
    const struct filling *filling = self;
    const struct plan_state *state = filling->sides[0].state;
    struct plan_store rows = {.store = store};
    char text[DIGEST_TEXT_BYTES];
    write_entry(store, "format", STORE_I(PLAN_FORMAT));
    write_entry(store, "version", STORE_T(stormglass_version));
    write_entry(store, "name", STORE_T(state->plan->grid.name));
    write_entry(store, "about", STORE_T(state->plan->grid.about));
    write_entry(store, "currency",
                STORE_T(state->plan->has_prices ? state->plan->prices.currency : NULL));
    write_entry(store, "scenario", STORE_T(state->plan->grid.scenario));
    write_entry(store, "text", STORE_T(state->plan->text));
    fill_axes(store, state);
    fill_settings(store, state);
    prepare(&rows);
    for (uint32_t i = 0; i < filling->count; i++) {
        plan_fingerprint(filling->sides[i].state->plan, text);
        write_entry(store, fingerprint_key(filling->sides[i].state), STORE_T(text));
        fill_known(&rows, &filling->sides[i]);
    }
    unprepare(&rows);
}

struct plan_store *plan_store_create(const char *path, const struct plan_side *sides,
                                     uint32_t count, char error[STORE_ERROR_BYTES])
{
    struct filling filling = {sides, count};
    const struct store_beginning beginning = {
        .kind = STORE_PLAN, .schema = schema, .fill = fill, .self = &filling};
    struct store *created = store_create(path, &beginning, error);
    if (created == NULL)
        return NULL;
    struct plan_store *store = memory_new(sizeof *store);
    store->store = created;
    prepare(store);
    return store;
}

bool plan_store_run(struct plan_store *store, const struct plan_state *state, uint32_t candidate,
                    uint32_t of, uint32_t seed)
{
    const struct plan_candidate *mine = &state->candidates[candidate];
    insert_run(store, state, &(struct place){mine->key, of, seed},
               &mine->states[of].outcomes[seed]);
    store_commit(store->store);
    return store_error(store->store) == NULL;
}

void plan_store_picture(struct plan_store *store, const char *svg)
{
    write_entry(store->store, "picture", STORE_T(svg));
}

bool plan_store_close(struct plan_store *store, const struct plan_state *state,
                      const struct plan_versus *versus, char error[STORE_ERROR_BYTES])
{
    unprepare(store);
    if (versus != NULL)
        plan_answer_versus(store->store, versus);
    plan_answer_write(store->store, state);
    fill_axes(store->store, state);
    write_entry(store->store, "chosen", state->chosen < 0 ? STORE_N : STORE_I(state->chosen));
    write_entry(store->store, "proven", STORE_I(state->proven));
    write_entry(store->store, "result", STORE_T(plan_result_word(plan_result(state))));
    write_entry(store->store, "error_probability", STORE_F(plan_error(state)));
    write_entry(store->store, "tolerance", STORE_F(plan_tolerance(state)));
    write_entry(store->store, "left", STORE_I(plan_open(state)));
    write_entry(store->store, "budget_spent", STORE_I(state->spent));
    write_entry(store->store, "runs", STORE_I(state->runs));
    write_entry(store->store, "packet_hops", STORE_I(state->packet_hops));
    store_commit(store->store);
    const char *why = store_error(store->store);
    snprintf(error, STORE_ERROR_BYTES, "%s", why != NULL ? why : "the last writes failed");
    const bool well = store_close(store->store) && why == NULL;
    free(store);
    return well;
}
