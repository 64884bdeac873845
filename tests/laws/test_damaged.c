/* SPDX-License-Identifier: Apache-2.0
 * Whatever a run's database says, there is a page of it or a refusal: each column of each table in
 * its turn, with numbers out of range and with text that would like to be markup, and some of them
 * beside a whole one.  A process for each, which is a copy of one that has made a page already:
 * the database, its fonts and the libraries are there. */
#define _GNU_SOURCE /* memmem */
#include "base/check.h"
#include "base/memory.h"
#include "replay/compare/diff.h"
#include "replay/database/stored.h"
#include "replay/run/run.h"
#include "reports/page/page.h"
#include "reports/page/pair/page_pair.h"
#include "scenarios/load/load.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char path[] = "scenarios/cases/pause-storm.yaml";
static const char markup[] = "<img";

static const char *const odd[] = {"-1", "9223372036854775807",
                                  "'</script></style><img src=x onerror=alert(1)><!--'"};

enum { ODD = sizeof odd / sizeof odd[0], SECONDS = 20, PAIR_EVERY = 12, PATH_BYTES = 256 };

/* What came of a damaged database: the exit code of the process that had it. */
enum outcome { PAGE, REFUSED, WHOLE, SPEECHLESS, MARKUP, OUTCOME_COUNT };

static const char *const outcome_words[OUTCOME_COUNT] = {
    "a page", "refused", "nothing was changed", "refused without a word", "text became markup"};

struct subject {
    struct run run;
    struct scenario *scenario;
    char directory[PATH_BYTES]; /* of the files that pairs are read from */
};

/* UPDATE `table` SET `column`=`value`; and then a page, of it alone or beside a whole one. */
struct damage {
    const char *table, *column, *value;
    bool pair;
};

struct tally {
    unsigned tried, pages, whole, failures;
};

static struct store *store_of(const struct subject *subject)
{
    return record_store(subject->run.record);
}

/* ------------------------------------------------------------------ a run with few rows */

/* What a row can do to a page, one of a few does, and the page takes little. */
static const char few[] = "DELETE FROM series WHERE sample>40;"
                          "DELETE FROM series_port WHERE sample NOT BETWEEN 35 AND 40;"
                          "DELETE FROM series_rnic WHERE sample NOT BETWEEN 35 AND 40;"
                          "DELETE FROM series_switch WHERE sample NOT BETWEEN 35 AND 40;"
                          "DELETE FROM series_flow WHERE sample NOT BETWEEN 35 AND 40;"
                          "DELETE FROM series_workload WHERE sample NOT BETWEEN 35 AND 40;"
                          "DELETE FROM io WHERE io>20;"
                          "DELETE FROM setting WHERE rowid>20;"
                          "DELETE FROM state_change WHERE rowid>30;"
                          "DELETE FROM latency WHERE from_ps>30000000;"
                          "DELETE FROM counter WHERE name NOT LIKE '%blocked_ps';"
                          "DELETE FROM blocked WHERE rowid>15;"
                          "DELETE FROM pause_edge WHERE rowid>15;";

/* How many tables have rows. */
static int64_t filled(struct store *store)
{
    int64_t count = 0;
    char sql[256];
    struct store_statement *tables =
        store_prepare(store, "SELECT name FROM sqlite_schema WHERE type='table'");
    while (store_step(tables)) {
        snprintf(sql, sizeof sql, "SELECT EXISTS(SELECT 1 FROM %s)", store_column_text(tables, 0));
        count += store_ask_int(store, sql, 0);
    }
    store_finish(tables);
    return count;
}

/* A file of what the database says now. */
static void save(struct store *store, const char *file)
{
    char sql[PATH_BYTES + 32];
    store_exec(store, "COMMIT");
    snprintf(sql, sizeof sql, "VACUUM INTO '%s'", file);
    store_exec(store, sql);
    store_exec(store, "BEGIN");
}

static void name_file(const struct subject *subject, const char *name, char file[PATH_BYTES])
{
    CHECK(snprintf(file, PATH_BYTES, "%s/%s", subject->directory, name) < PATH_BYTES);
}

static void set_up_run(struct subject *subject)
{
    static struct diag diag;
    const struct run_options options = {
        .until = 4 * PS_PER_MS, .interval = SERIES_AUTO, .level = RECORD_IOS};
    subject->scenario = scenario_load_file(path, NULL, 0, &diag);
    assert_non_null(subject->scenario);
    assert_int_equal(run_scenario(&subject->run, subject->scenario, &options, &diag), RUN_DONE);
    struct store *store = store_of(subject);
    const int64_t before = filled(store);
    store_exec(store, few);
    assert_int_equal(filled(store), before);
}

static int set_up(void **state)
{
    static struct subject subject;
    char whole[PATH_BYTES];
    const char *root = getenv("TMPDIR");
    set_up_run(&subject);
    snprintf(subject.directory, sizeof subject.directory, "%s/damaged-XXXXXX",
             root == NULL ? "/tmp" : root);
    assert_non_null(mkdtemp(subject.directory));
    name_file(&subject, "whole.db", whole);
    save(store_of(&subject), whole);
    store_exec(store_of(&subject), "PRAGMA ignore_check_constraints=1");
    assert_null(store_error(store_of(&subject)));
    *state = &subject;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"whole.db", "damaged.db"};
    struct subject *subject = *state;
    char file[PATH_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        name_file(subject, names[i], file);
        unlink(file);
    }
    rmdir(subject->directory);
    run_close(&subject->run);
    scenario_free(subject->scenario);
    return 0;
}

/* ------------------------------------------------------------------ a page */

static enum outcome outcome_of(bool well, bool said, const char *text, size_t length)
{
    if (memmem(text, length, markup, strlen(markup)) != NULL)
        return MARKUP;
    return well ? PAGE : said ? REFUSED : SPEECHLESS;
}

static enum outcome make_page(struct store *store)
{
    char why[STORE_ERROR_BYTES] = "", *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    const bool well = stored_is_readable(store, why) && stored_is_of_today(store, why) &&
                      page_write(store, (struct page_extra){0}, out);
    memory_stream_end(out);
    const enum outcome outcome =
        outcome_of(well, why[0] != '\0' || store_error(store) != NULL, text, length);
    free(text);
    return outcome;
}

/* As `report` does it, from files. */
static bool write_pair(const char *const paths[2], FILE *out, bool *said)
{
    static struct diag diag;
    struct store *stores[2] = {0};
    struct diff diff;
    char why[STORE_ERROR_BYTES] = "";
    for (int i = 0; i < 2; i++) {
        stores[i] = stored_open(paths[i], why);
        if (stores[i] == NULL || !stored_is_of_today(stores[i], why)) {
            *said = why[0] != '\0';
            return false;
        }
    }
    if (diff_runs(&diff, paths[0], paths[1], true, &diag) != DIFF_DONE) {
        *said = diff.why[0] != '\0';
        return false;
    }
    const bool well = page_pair_write(stores, &diff, out);
    *said = store_error(stores[0]) != NULL || store_error(stores[1]) != NULL;
    return well;
}

static enum outcome make_pair(const struct subject *subject)
{
    char files[2][PATH_BYTES], *text = NULL;
    size_t length = 0;
    bool said = false;
    name_file(subject, "whole.db", files[0]);
    name_file(subject, "damaged.db", files[1]);
    unlink(files[1]);
    save(store_of(subject), files[1]);
    FILE *out = memory_stream(&text, &length);
    const bool well = write_pair((const char *const[]){files[0], files[1]}, out, &said);
    memory_stream_end(out);
    const enum outcome outcome = outcome_of(well, said, text, length);
    free(text);
    return outcome;
}

/* ------------------------------------------------------------------ a process for each */

static enum outcome suffer(const struct subject *subject, const struct damage *damage)
{
    struct store *store = store_of(subject);
    char sql[512];
    snprintf(sql, sizeof sql, "UPDATE OR IGNORE %s SET %s=%s", damage->table, damage->column,
             damage->value);
    store_exec(store, sql);
    if (store_error(store) != NULL || store_ask_int(store, "SELECT changes()", 0) == 0)
        return WHOLE; /* it has no rows, or may not be */
    return damage->pair ? make_pair(subject) : make_page(store);
}

static enum outcome outcome_in_child(const struct subject *subject, const struct damage *damage)
{
    const struct rlimit seconds = {SECONDS, SECONDS};
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &seconds);
        _exit((int)suffer(subject, damage));
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) < OUTCOME_COUNT)
        return (enum outcome)WEXITSTATUS(status);
    print_error("%s %d: ", WIFEXITED(status) ? "exit code" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return OUTCOME_COUNT;
}

static enum outcome judge(const struct subject *subject, const struct damage *damage,
                          struct tally *tally)
{
    const enum outcome outcome = outcome_in_child(subject, damage);
    if (outcome <= WHOLE)
        return outcome;
    print_error("%s.%s=%s%s: %s\n", damage->table, damage->column, damage->value,
                damage->pair ? ", of two" : "",
                outcome == OUTCOME_COUNT ? "it did not end well" : outcome_words[outcome]);
    tally->failures++;
    return outcome;
}

static void damage_column(const struct subject *subject, struct damage damage, struct tally *tally)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT EXISTS(SELECT 1 FROM %s)", damage.table);
    if (store_ask_int(store_of(subject), sql, 0) == 0) { /* no value changes it */
        tally->whole += ODD;
        return;
    }
    for (int i = 0; i < ODD; i++) {
        damage.value = odd[i];
        damage.pair = false;
        const enum outcome outcome = judge(subject, &damage, tally);
        tally->pages += outcome == PAGE;
        tally->whole += outcome == WHOLE;
        damage.pair = true;
        if (outcome != WHOLE && ++tally->tried % PAIR_EVERY == 0)
            judge(subject, &damage, tally);
    }
}

/* For a fuzz target, which knows columns in the same order: 16 of them are changed at once, for one
 * of six readers (see fuzz_database.c). */
static void keep_damages(unsigned columns)
{
    static const unsigned char values[ODD] = {0, 5, 11}; /* of its odd ones */
    enum { CHANGES = 16, BYTES = 4 };
    for (unsigned first = 0; first < columns; first += CHANGES) {
        const unsigned turn = first / CHANGES;
        unsigned char input[1 + CHANGES * BYTES] = {(unsigned char)(turn % 6 * 2)};
        for (unsigned i = 0; i < CHANGES; i++) {
            const unsigned column = (first + i) % columns;
            unsigned char *at = input + 1 + i * BYTES;
            at[0] = (unsigned char)(column >> 8);
            at[1] = (unsigned char)column;
            at[2] = UINT8_MAX;
            at[3] = values[(turn + i) % ODD];
        }
        fuzz_input("database", input, sizeof input);
        fuzz_input("plan_database", input, sizeof input); /* one of a plan has other columns */
    }
}

static void each_column_gives_a_page_or_a_refusal(void **state)
{
    const struct subject *subject = *state;
    struct tally tally = {0};
    unsigned columns = 0;
    assert_int_equal(make_page(store_of(subject)), PAGE);
    struct store_statement *rows =
        store_prepare(store_of(subject), "SELECT m.name, c.name FROM sqlite_schema m JOIN"
                                         " pragma_table_info(m.name) c WHERE m.type='table'"
                                         " ORDER BY 1, c.cid");
    for (; store_step(rows); columns++) {
        char names[2][64];
        for (int i = 0; i < 2; i++)
            snprintf(names[i], sizeof names[i], "%s", store_column_text(rows, i));
        if (!fuzz_inputs_wanted())
            damage_column(subject, (struct damage){names[0], names[1]}, &tally);
    }
    store_finish(rows);
    keep_damages(columns);
    print_message("%u damaged databases, %u pages; %u that nothing changed\n", tally.tried,
                  tally.pages, tally.whole);
    assert_int_equal(tally.failures, 0);
    assert_true(columns > 150);
    assert_true(tally.pages > 300 || fuzz_inputs_wanted());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_column_gives_a_page_or_a_refusal)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
