/* SPDX-License-Identifier: Apache-2.0
 * fuzz_plan_database - a plan's database that says anything, such as that of a share: its runs are
 * taken or left out, and what follows from them is told; its page is drawn, or it is refused.
 * The bytes are changes of the database of a small plan, as in fuzz_database.
 * Reads: replay/plan/plan_stored_runs.c replay/plan/plan_outcome.c replay/plan/plan_round.c
 * Reads: replay/plan/plan_search.c reports/page/page_plan*.c */
#include "base/check.h"
#include "replay/plan/plan_search.h"
#include "replay/plan/plan_store.h"
#include "reports/page/page_plan.h"
#include "reports/plan/plan_report.h"
#include "tests/fuzz/database_changes.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char scenario[] =
    "stormglass: 1\n"
    "name: pair\n"
    "duration: 500us\n"
    "fabric: {topology: {kind: single-switch, hosts: 3}, switch: {profile: shared-buffer-32mb}}\n"
    "hosts: {targets: {where: host0, namespaces: [{media: storage-class, count: 4}]}}\n"
    "workloads:\n"
    "  - {name: io, kind: nvme, from: \"host1..host2\", to: host0, read: 100%, block-size: "
    "16KiB}\n";

/* Of the scenario's file. */
static const char text[] =
    "stormglass-plan: 1\n"
    "name: n\n"
    "scenario: %s\n"
    "vary:\n"
    "  - {path: fabric.host-links.rate, as: rate, values: [25Gbps, 100Gbps], better: higher}\n"
    "slo: [\"io.latency.mean < 1s\", no-lossless-drop]\n"
    "seeds: 3\n"
    "cliff: [{path: fabric.host-links.length, as: far, values: [3m, 30m]}]\n"
    "prices: {currency: EUR, parts: [{part: switch, price: 10}]}\n";

static struct {
    struct plan *plan;
    struct changeable file;
    char *schema, *rows; /* SQL that makes it again */
    int64_t chosen;
} of;

/* ------------------------------------------------------------------ a search without playing */

struct gathering {
    struct plan_state state;
    struct plan_stored_runs *known;
};

static bool known(void *self, uint32_t candidate, uint32_t trial, uint32_t seed,
                  struct plan_outcome *outcome)
{
    const struct gathering *gathering = self;
    return gathering->known != NULL &&
           plan_stored_runs_find(gathering->known, gathering->state.candidates[candidate].key,
                                 trial, seed, outcome);
}

static bool late(void *self)
{
    (void)self;
    return true;
}

static void open_state(struct plan_state *state)
{
    struct diag *diag = memory_new(sizeof *diag);
    if (!plan_search_open(state, of.plan, diag))
        abort();
    free(diag);
}

static void tell(const struct plan_state *state)
{
    FILE *out = fopen("/dev/null", "we");
    if (out == NULL)
        abort();
    plan_text(state, true, out);
    plan_json(state, out);
    plan_csv(state, out);
    fclose(out);
}

/* Of the database as it was written all is taken, and the answer is the same. */
static void try_runs(bool whole)
{
    char error[STORE_ERROR_BYTES] = "";
    struct gathering gathering = {.known = plan_stored_runs_none()};
    open_state(&gathering.state);
    if (!plan_stored_runs_add(gathering.known, of.file.path, &gathering.state, error) &&
        error[0] == '\0')
        abort(); /* refused without a word */
    const struct plan_search search = {
        .state = &gathering.state, .at_once = 1, .self = &gathering, .known = known, .late = late};
    plan_search_play(&search);
    CHECK(gathering.state.played == 0 && gathering.state.events >= 0);
    CHECK(!whole || gathering.state.chosen == of.chosen);
    tell(&gathering.state);
    plan_stored_runs_free(gathering.known);
    plan_state_free(&gathering.state);
}

static void try_page(void)
{
    char error[STORE_ERROR_BYTES] = "";
    struct store *store = store_open(of.file.path, error);
    FILE *out = fopen("/dev/null", "we");
    if (out == NULL || (store == NULL) != (error[0] != '\0'))
        abort();
    if (store != NULL)
        page_plan_write(store, true, out);
    store_close(store);
    fclose(out);
}

/* ------------------------------------------------------------------ how it should be */

/* Text of all rows of a query of one column, one after the other. */
static char *all_of(struct store *store, const char *sql)
{
    char *all = NULL;
    size_t length;
    FILE *into = open_memstream(&all, &length);
    struct store_statement *row = store_prepare(store, sql);
    while (into != NULL && store_step(row))
        fprintf(into, "%s;", store_column_raw_text(row, 0));
    store_finish(row);
    if (into == NULL || fclose(into) != 0)
        abort();
    return all;
}

/* "SELECT 'INSERT INTO t VALUES(' || quote(a) || ',' || quote(b) || ')' FROM t UNION ALL ..." */
static char *dump(struct store *store)
{
    char *query = all_of(
        store,
        "SELECT group_concat(q, ' UNION ALL ') FROM (SELECT 'SELECT ''INSERT INTO ' || m.name"
        " || ' VALUES('' || ' || group_concat('quote(' || c.name || ')', ' || '','' || ') ||"
        " ' || '')'' FROM ' || m.name AS q FROM sqlite_schema m, pragma_table_info(m.name) c"
        " WHERE m.type='table' GROUP BY m.name)");
    char *rows = all_of(store, query);
    free(query);
    return rows;
}

static void load(void)
{
    struct diag *diag = memory_new(sizeof *diag);
    char path[64], whole[2048];
    snprintf(path, sizeof path, "/tmp/stormglass-fuzz-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "we");
    if (file == NULL || fputs(scenario, file) < 0 || fclose(file) != 0)
        abort();
    const int length = snprintf(whole, sizeof whole, text, path);
    of.plan = plan_load("fuzz.yaml", whole, (size_t)length, diag);
    if (of.plan == NULL)
        abort();
    free(diag);
}

static void set_up(void)
{
    char error[STORE_ERROR_BYTES];
    struct gathering gathering = {.known = NULL};
    load();
    /* Where nobody waits for a disk. */
    snprintf(of.file.path, sizeof of.file.path, "%s/stormglass-fuzz-%ld.db",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    open_state(&gathering.state);
    const struct plan_search search = {.state = &gathering.state, .at_once = 1, .self = &gathering};
    plan_search_play(&search);
    of.chosen = gathering.state.chosen;
    if (of.chosen < 0)
        abort();
    struct plan_store *store =
        plan_store_create(of.file.path, &(struct plan_side){&gathering.state, NULL}, 1, error);
    for (uint32_t i = 0; store != NULL && i < gathering.state.all; i++)
        for (uint32_t k = 0; gathering.state.candidates[i].cases != NULL &&
                             k < gathering.state.candidates[i].cases->count;
             k++)
            for (uint32_t n = 0; n < gathering.state.candidates[i].states[k].count; n++)
                plan_store_run(store, &gathering.state, i, k, n);
    if (store == NULL || !plan_store_close(store, &gathering.state, NULL, error))
        abort();
    plan_state_free(&gathering.state);
    read_image(&of.file);
    struct store *whole = store_open(of.file.path, error);
    list_columns(&of.file, whole);
    of.schema = all_of(whole, "SELECT sql FROM sqlite_schema WHERE type='table'");
    of.rows = dump(whole);
    if (store_error(whole) != NULL || strlen(of.rows) < 1000)
        abort();
    store_close(whole);
    unlink(of.file.path);
}

static void fill(void *self, struct store *store)
{
    store_exec(store, of.rows);
    store_exec(store, "PRAGMA ignore_check_constraints=1");
    change_values(&of.file, store, self);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (of.plan == NULL)
        set_up();
    struct bytes bytes = {data, data + size};
    const uint8_t first = (uint8_t)take(&bytes, 1);
    char error[STORE_ERROR_BYTES];
    if (first % 2 == 0) {
        const struct store_beginning beginning = {
            .kind = STORE_PLAN, .schema = of.schema, .fill = fill, .self = &bytes};
        struct store *store = store_create(of.file.path, &beginning, error);
        if (store == NULL || !store_close(store))
            return unlink(of.file.path) * 0;
    } else {
        change_bytes(&of.file, &bytes);
    }
    if (first / 2 % 2 == 0)
        try_runs(size <= 1);
    else
        try_page();
    unlink(of.file.path);
    return 0;
}
