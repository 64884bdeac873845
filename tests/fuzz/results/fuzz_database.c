/* SPDX-License-Identifier: Apache-2.0
 * fuzz_database - a run database that says anything: read or refused.
 * The bytes are changes of a run's database, in which there are pauses and frames.  An even first
 * byte: of values, by SQL, within a savepoint of a database in memory.  An odd one: of the file's
 * bytes.  Whatever reads databases then reads it: query, explain, report, replay, pcap.
 * Reads: replay/database/store.c replay/database/store_kind.c replay/database/stored.c
 * Reads: replay/explain/account*.c reports/page/page*.c reports/page/pair/page*.c */
#include "replay/database/stored.h"
#include "replay/run/run.h"
#include "reports/explain/account.h"
#include "reports/page/page.h"
#include "reports/summary/text.h"
#include "reports/wire/pcap.h"
#include "scenarios/load/load.h"
#include "tests/fuzz/database_changes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] =
    "stormglass: 1\n"
    "name: pair\n"
    "duration: 60us\n"
    "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
    "hosts: {targets: {where: host0, namespaces: [{media: \"null\", count: 1}]}}\n"
    "workloads:\n"
    "  - {name: a, kind: rdma-write, from: host1, to: host0, message-size: 32KiB, outstanding: 2}\n"
    "  - {name: b, kind: nvme, from: host2, to: host0, read: 50%, block-size: 4KiB}\n"
    "faults: [{at: 10us, for: 20us, kind: slow-receiver, where: host0, drain: 10%}]\n";

static struct {
    struct diag diag;
    struct scenario *scenario;
    struct run run;
    struct changeable file;
} of;

static void play(const char *path)
{
    const struct run_options options = {
        .path = path, .level = RECORD_PACKETS, .until = TIME_NEVER, .interval = 5 * PS_PER_US};
    if (run_scenario(&of.run, of.scenario, &options, &of.diag) != RUN_DONE)
        abort();
    store_exec(record_store(of.run.record), "PRAGMA ignore_check_constraints=1");
}

static void set_up(void)
{
    const struct scenario_input input = {.name = "pair.yaml", .text = text, .length = strlen(text)};
    of.scenario = scenario_load(&input, &of.diag);
    if (of.scenario == NULL)
        abort();
    snprintf(of.file.path, sizeof of.file.path, "/tmp/stormglass-fuzz-%ld.db", (long)getpid());
    play(of.file.path);
    if (!run_close(&of.run))
        abort();
    read_image(&of.file);
    play(NULL);
    list_columns(&of.file, record_store(of.run.record));
}

/* ------------------------------------------------------------------ what reads it */

static void ask_all(struct store *store)
{
    static const char *const views[] = {"v_workload",       "v_stage",
                                        "v_recovery",       "v_counter",
                                        "v_pause",          "v_drop",
                                        "v_deadlock",       "v_state",
                                        "v_checkpoint",     "v_changed",
                                        "v_victim",         "v_pause_edge",
                                        "v_series",         "v_series_port",
                                        "v_series_switch",  "v_series_rnic",
                                        "v_series_flow",    "v_series_workload",
                                        "v_queue",          "v_event",
                                        "v_member",         "v_flow",
                                        "v_pause_interval", "v_blocked",
                                        "v_drop_event",     "v_io",
                                        "v_ethtool",        "v_sonic"};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        char sql[64];
        snprintf(sql, sizeof sql, "SELECT * FROM %s LIMIT 1000", views[i]);
        struct store_statement *rows = store_prepare(store, sql);
        while (store_step(rows))
            for (int k = 0; k < store_columns(rows); k++)
                if (store_column_text(rows, k) == NULL)
                    abort();
        store_finish(rows);
    }
}

static void explain(struct store *store, FILE *out)
{
    struct account account;
    char why[STORE_ERROR_BYTES] = "";
    if (account_read(&account, store, why)) {
        account_text(&account, (struct account_played){0}, out);
        account_json(&account, (struct account_played){0}, out);
    } else if (why[0] == '\0') {
        abort(); /* refused without a word */
    }
    account_free(&account);
}

static void load(struct store *store)
{
    struct diag *diag = calloc(1, sizeof *diag);
    struct stored stored;
    char why[STORE_ERROR_BYTES] = "";
    if (diag == NULL)
        abort();
    if (stored_is_readable(store, why) &&
        stored_load(&stored, store, diag) != (stored.scenario != NULL))
        abort();
    if (why[0] == '\0')
        stored_free(&stored);
    free(diag);
}

static void read_all(struct store *store, uint8_t which)
{
    FILE *out = fopen("/dev/null", "we");
    char why[PCAP_WHY_BYTES];
    if (out == NULL)
        abort();
    switch (which % 6) {
    case 0:
        ask_all(store);
        break;
    case 1:
        explain(store, out);
        break;
    case 2:
        page_write(store, (struct page_extra){0}, out);
        break;
    case 3:
        page_figures(store, out);
        pcap_write(store, &(struct pcap_options){0}, out, why);
        break;
    case 4:
        text_run(store, out);
        json_run(store, out);
        break;
    case 5:
        load(store);
        break;
    }
    fclose(out);
}

/* ------------------------------------------------------------------ changes */

static void try_values(struct bytes *bytes, uint8_t which)
{
    struct store *store = record_store(of.run.record);
    store_exec(store, "SAVEPOINT change");
    change_values(&of.file, store, bytes);
    read_all(store, which);
    store_exec(store, "ROLLBACK TO change; RELEASE change");
    if (store_error(store) == NULL)
        return;
    run_close(&of.run); /* errors stick: a new one */
    play(NULL);
}

/* A file is of one kind at most, and the whole one is a run's. */
static void check_kind(bool whole)
{
    const bool is_run = !store_is_foreign(of.file.path, STORE_RUN);
    const bool is_plan = !store_is_foreign(of.file.path, STORE_PLAN);
    if ((is_run && is_plan) || (whole && !is_run))
        abort();
}

static void try_bytes(struct bytes *bytes, uint8_t which)
{
    char error[STORE_ERROR_BYTES] = "";
    check_kind(change_bytes(&of.file, bytes));
    struct store *store = store_open(of.file.path, error);
    if ((store == NULL) != (error[0] != '\0'))
        abort();
    if (store != NULL)
        read_all(store, which);
    store_close(store);
    unlink(of.file.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (of.scenario == NULL)
        set_up();
    struct bytes bytes = {data, data + size};
    const uint8_t first = (uint8_t)take(&bytes, 1);
    if (first % 2 == 0)
        try_values(&bytes, first / 2);
    else
        try_bytes(&bytes, first / 2);
    return 0;
}
