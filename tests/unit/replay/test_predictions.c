/* SPDX-License-Identifier: Apache-2.0
 * test_predictions - a grid is played and frozen, read again, and held against measurements. */
#include "base/check.h"
#include "replay/compare/matrix.h"
#include "replay/compare/predict.h"
#include "reports/text/predictions_json.h"
#include "rnic/cc/cc.h"
#include "scenarios/load/load.h"
#include "tests/unit/base/fuzz_input.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char grid_text[] = "stormglass-grid: 1\n"
                                "name: small\n"
                                "scenario: one.yaml\n"
                                "vary:\n"
                                "  - {path: workloads.io.queue-depth, as: qd, values: [1, 4]}\n"
                                "  - {path: workloads.io.read, as: read, values: [100%, 0%]}\n";

static const char scenario_text[] =
    "stormglass: 1\n"
    "name: one\n"
    "duration: 10ms\n"
    "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
    "hosts: {targets: {where: host1, namespaces: [{media: \"null\"}]}}\n"
    "workloads: [{name: io, kind: nvme, from: host0, to: host1, queue-depth: 1, count: 20}]\n";

static const char *const cells[] = {"qd1-read100", "qd1-read0", "qd4-read100", "qd4-read0"};
enum { CELLS = 4 };

static const struct compare_options usual = {.tolerance = 0.15, .judged = COMPARE_JUDGED_PRESET};

struct fixture {
    char folder[64];
    struct predictions *predictions;
    struct matrix matrix;
};

static struct scenario *load_cell(const struct grid_cell *cell, struct diag *diag)
{
    const struct scenario_input input = {.name = "one.yaml",
                                         .text = scenario_text,
                                         .length = sizeof scenario_text - 1,
                                         .sets = cell->sets,
                                         .set_count = cell->set_count};
    struct scenario *scenario = scenario_load(&input, diag);
    diag_print(diag, stderr);
    assert_non_null(scenario);
    return scenario;
}

static void path_of(const struct fixture *fixture, uint32_t cell, char path[128])
{
    snprintf(path, 128, "%s/%s.db", fixture->folder, cells[cell]);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct diag *diag = calloc(1, sizeof *diag);
    CHECK(fixture != NULL && diag != NULL);
    strcpy(fixture->folder, "/tmp/stormglass-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    struct grid *grid = grid_load("grid.yaml", grid_text, sizeof grid_text - 1, diag);
    assert_non_null(grid);
    fixture->predictions = predict_begin(grid);
    for (uint32_t i = 0; i < grid->cell_count; i++) {
        char path[128], error[STORE_ERROR_BYTES];
        path_of(fixture, i, path);
        struct scenario *scenario = load_cell(&grid->cells[i], diag);
        const struct run_options options = {.path = path, .until = TIME_NEVER};
        assert_int_equal(predict_cell(fixture->predictions, i, scenario, &options, diag, error),
                         RUN_DONE);
        scenario_free(scenario);
    }
    grid_free(grid);
    free(diag);
    *state = fixture;
    return 0;
}

static void unlink_all(const struct fixture *fixture)
{
    for (uint32_t i = 0; i < CELLS; i++) {
        char path[128];
        path_of(fixture, i, path);
        unlink(path);
    }
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    unlink_all(fixture);
    assert_int_equal(rmdir(fixture->folder), 0);
    predictions_free(fixture->predictions);
    free(fixture);
    return 0;
}

/* The predictions as their file; free it. */
static char *frozen(struct predictions *predictions, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    assert_non_null(out);
    assert_true(predictions_json(predictions, out));
    assert_int_equal(fclose(out), 0);
    fuzz_input("predictions", text, (size_t)(strstr(text, PREDICTIONS_SEAL) - text));
    return text;
}

/* NULL: refused, with those words. */
static struct predictions *thaw(const char *text, size_t length, const char *words)
{
    struct diag diag = {0};
    struct predictions *predictions = predictions_load("p.json", text, length, &diag);
    if (words == NULL)
        diag_print(&diag, stderr);
    else if (predictions == NULL && strstr(diag.messages[0].text, words) == NULL)
        fail_msg("%s: %s", words, diag.messages[0].text);
    return predictions;
}

static void what_is_frozen_is_read_again(void **state)
{
    struct fixture *fixture = *state;
    const struct predictions *then = fixture->predictions;
    size_t length;
    char *text = frozen(fixture->predictions, &length);
    struct predictions *now = thaw(text, length, NULL);
    assert_non_null(now);
    assert_string_equal(now->digest, then->digest);
    assert_string_equal(now->sources, then->sources);
    struct digest all = {0}; /* of the one file that the scenario is */
    const struct digest one = digest_of(scenario_text, sizeof scenario_text - 1);
    char sources[DIGEST_TEXT_BYTES];
    digest_add(&all, one.high);
    digest_add(&all, one.low);
    digest_format(&all, sources);
    assert_string_equal(then->sources, sources);
    assert_int_equal(now->axis_count, 2);
    assert_int_equal(now->profile_count, then->profile_count);
    assert_true(now->profile_count >= 2); /* an RNIC and a switch */
    for (uint32_t i = 0; i < CELLS; i++) {
        const struct figures_workload *a = &then->cells[i].figures.workloads[0];
        const struct figures_workload *b = &now->cells[i].figures.workloads[0];
        assert_string_equal(now->cells[i].name, cells[i]);
        assert_string_equal(now->cells[i].work, then->cells[i].work);
        assert_string_equal(now->cells[i].sets[0], then->cells[i].sets[0]);
        assert_memory_equal(a->tallies, b->tallies, sizeof a->tallies);
        for (int k = 0; k < FIGURE_COUNT; k++)
            assert_true(fabs(compare_error(b->values[k], a->values[k])) < 1e-14);
    }
    assert_string_not_equal(now->cells[0].work, now->cells[1].work);
    char why[STORE_ERROR_BYTES];
    assert_true(predictions_are_of_this_model(now, why));
    predictions_free(now);
    free(text);
}

/* Each profile that a setting of any cell comes from, once, with the digest of its text. */
static void profiles_are_those_of_all_settings(void **state)
{
    const struct predictions *predictions = ((struct fixture *)*state)->predictions;
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    struct grid *grid = grid_load("grid.yaml", grid_text, sizeof grid_text - 1, diag);
    bool seen[16] = {false};
    assert_non_null(grid);
    assert_in_range(predictions->profile_count, 2, 16);
    for (uint32_t i = 0; i < CELLS; i++) {
        struct scenario *scenario = load_cell(&grid->cells[i], diag);
        for (uint32_t s = 0; s < scenario->setting_count; s++) {
            const char *name = scenario->settings[s].profile;
            unsigned found = name != NULL && cc_find(name) != NULL; /* a preset: it has no file */
            for (size_t k = 0; name != NULL && k < predictions->profile_count; k++)
                if (strcmp(predictions->profiles[k].name, name) == 0) {
                    found++;
                    seen[k] = true;
                }
            assert_int_equal(found, name != NULL);
        }
        scenario_free(scenario);
    }
    for (size_t k = 0; k < predictions->profile_count; k++) {
        char digest[DIGEST_TEXT_BYTES];
        predictions_profile_digest(predictions->profiles[k].name, digest);
        assert_true(seen[k] && digest[0] != '\0');
        assert_string_equal(predictions->profiles[k].digest, digest);
    }
    grid_free(grid);
    free(diag);
}

static void whatever_a_cell_says_is_read_again(void **state)
{
    struct fixture *fixture = *state;
    struct figures_workload played[CELLS];
    for (uint32_t i = 0; i < CELLS; i++) {
        struct figures_workload *of = &fixture->predictions->cells[i].figures.workloads[0];
        played[i] = *of;
        of->range = (enum figure_range)(i % FIGURE_RANGES);
        of->bounded = i % 2 == 0;
        of->point = cells[i];
        of->outside = i == 1 ? "queue-depth 4 (1 to 2)" : "";
        for (int k = 0; k < FIGURE_COUNT; k++)
            of->known[k] = (k + (int)i) % 3 != 0;
        for (int k = 0; k < FIGURE_TALLY_COUNT; k++)
            of->tallies[k] = (int64_t)1000 * i + k;
    }
    size_t length, length_again;
    char *text = frozen(fixture->predictions, &length);
    struct predictions *now = thaw(text, length, NULL);
    assert_non_null(now);
    for (uint32_t i = 0; i < CELLS; i++) {
        const struct figures_workload *is = &now->cells[i].figures.workloads[0];
        assert_int_equal(now->cells[i].figures.count, 1);
        assert_int_equal(is->range, i % FIGURE_RANGES);
        assert_int_equal(is->bounded, i % 2 == 0);
        assert_string_equal(is->name, "io");
        assert_string_equal(is->point, cells[i]);
        assert_int_equal(is->tallies[FIGURE_TALLY_COUNT - 1],
                         (int64_t)1000 * i + FIGURE_TALLY_COUNT - 1);
        for (int k = 0; k < FIGURE_COUNT; k++)
            assert_int_equal(is->known[k], (k + (int)i) % 3 != 0);
    }
    char *again = frozen(now, &length_again);
    assert_string_equal(again, text);
    for (uint32_t i = 0; i < CELLS; i++)
        fixture->predictions->cells[i].figures.workloads[0] = played[i];
    predictions_free(now);
    free(text);
    free(again);
}

/* The file with the first `was` changed, sealed again; free it. */
static char *resealed(const char *text, const char *was, const char *is, size_t *length)
{
    char *changed = NULL, seal[DIGEST_TEXT_BYTES];
    const char *at = strstr(text, was), *end = strstr(text, PREDICTIONS_SEAL);
    assert_true(at != NULL && end != NULL && at < end);
    FILE *out = open_memstream(&changed, length);
    assert_non_null(out);
    fwrite(text, 1, (size_t)(at - text), out);
    fputs(is, out);
    fwrite(at + strlen(was), 1, (size_t)(end - at) - strlen(was), out);
    fflush(out);
    const struct digest digest = digest_of(changed, *length);
    digest_format(&digest, seal);
    fprintf(out, "%s%s%s", PREDICTIONS_SEAL, seal, PREDICTIONS_SEAL_END);
    assert_int_equal(fclose(out), 0);
    return changed;
}

static void what_was_sealed_again_is_still_checked(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *was, *is, *words; /* NULL: it is fine */
    } rows[] = {
        {"\"about\": \"", "\"about\": \"x", NULL},
        {"\"bounded\": true", "\"bounded\": maybe", "expected true or false"},
        {"\"range\": \"", "\"range\": \"no", "expected a range: calibrated, extrapolated"},
        {"\"name\": \"qd1-read100\"", "\"name\": \"a/b\"", "a valid file name"},
        {"\"name\": \"qd1-read100\"", "\"nam\": \"a\"", "expected \"name\" here"},
        {"\"values\": [", "\"values\": [7, ", "number of cells does not match"},
        {"\"values\": [", "\"values\": [[7], ", "expected a word"},
        {"\"stormglass-predictions\": 1", "\"stormglass-predictions\": 2", "reads version 1"},
        {"\"stormglass-predictions\": 1", "\"stormglass-predictions\": 1x", "a whole number"},
        {"\"axes\": [", "\"axes\": 3, \"axis\": [", "expected a list, but this is a word"},
    };
    size_t length, length_changed;
    char *text = frozen(fixture->predictions, &length);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *changed = resealed(text, rows[i].was, rows[i].is, &length_changed);
        struct predictions *now = thaw(changed, length_changed, rows[i].words);
        if ((now == NULL) != (rows[i].words != NULL))
            fail_msg("row %zu: %s", i, rows[i].is);
        predictions_free(now);
        free(changed);
    }
    free(text);
}

static void a_changed_byte_is_seen(void **state)
{
    struct fixture *fixture = *state;
    size_t length;
    char *text = frozen(fixture->predictions, &length);
    for (size_t i = 0; i < length; i += 41) {
        const char was = text[i];
        text[i] = was == '7' ? '8' : '7';
        assert_null(thaw(text, length, ""));
        text[i] = was;
    }
    assert_null(thaw(text, length - 1, "digest as the last value"));
    free(text);
}

/* One who seals again what was changed is not found out; but what it says may be impossible. */
static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } wrongs[] = {
        {"", "empty"},
        {"[]", "expected predictions"},
        {"{\"stormglass-predictions\": 2}", "reads version 1"},
        {"{\"stormglass-predictions\": 1}", "expected \"grid\""},
        {"{\"stormglass-predictions\": one}", "whole number"},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++)
        assert_null(thaw(wrongs[i].text, strlen(wrongs[i].text), i == 0 ? "" : wrongs[i].words));
}

static void another_model_is_named(void **state)
{
    struct fixture *fixture = *state;
    struct predictions other = *fixture->predictions;
    char why[STORE_ERROR_BYTES];
    other.version = "9.9.9";
    assert_false(predictions_are_of_this_model(&other, why));
    assert_non_null(strstr(why, "are of stormglass 9.9.9"));
    other.version = fixture->predictions->version;
    other.build = "0123456789ab";
    assert_false(predictions_are_of_this_model(&other, why));
    assert_non_null(strstr(why, "build 0123456789ab"));
    struct prediction_profile profile = {"rnic-100g", "00"};
    other = *fixture->predictions;
    other.profiles = &profile;
    other.profile_count = 1;
    assert_false(predictions_are_of_this_model(&other, why));
    assert_non_null(strstr(why, "rnic-100g was changed after"));
    profile.name = "rnic-1g";
    assert_false(predictions_are_of_this_model(&other, why));
    assert_non_null(strstr(why, "no profile rnic-1g"));
}

/* ------------------------------------------------------------------ the matrix */

/* Plays the cell once more, as a measurement, with a change. */
static void measure(const struct fixture *fixture, uint32_t cell, const char *set, const char *sql)
{
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    const struct prediction *about = &fixture->predictions->cells[cell];
    const char *sets[8];
    memcpy(sets, about->sets, about->set_count * sizeof *sets);
    sets[about->set_count] = set;
    const struct grid_cell as = {.sets = sets,
                                 .set_count = about->set_count + (set == NULL ? 0 : 1)};
    struct scenario *scenario = load_cell(&as, diag);
    char path[128];
    path_of(fixture, cell, path);
    const struct run_options options = {.path = path, .until = TIME_NEVER};
    struct run run;
    assert_int_equal(run_scenario(&run, scenario, &options, diag), RUN_DONE);
    struct store *store = record_store(run.record);
    store_exec(store, "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1')");
    store_exec(store, sql);
    assert_null(store_error(store));
    assert_true(run_close(&run));
    scenario_free(scenario);
    free(diag);
}

static void measure_all(const struct fixture *fixture)
{
    for (uint32_t i = 0; i < CELLS; i++)
        measure(fixture, i, NULL, "");
}

static enum compare_end compared(struct fixture *fixture)
{
    return matrix_compare(&fixture->matrix, fixture->predictions, fixture->folder, &usual);
}

static void as_predicted_is_within(void **state)
{
    struct fixture *fixture = *state;
    struct matrix *matrix = &fixture->matrix;
    measure_all(fixture);
    assert_int_equal(compared(fixture), COMPARE_DONE);
    assert_int_equal(matrix->row_count, CELLS);
    assert_int_equal(matrix->measured, CELLS);
    assert_int_equal(matrix->holding, CELLS);
    assert_string_equal(matrix->on.device, "rxe0");
    assert_false(matrix->several_devices);
    const uint32_t places[GRID_AXES_MAX] = {1, 0};
    assert_string_equal(matrix_at(matrix, places, 0)->name, "qd4-read100");
    matrix_free(matrix);
}

#define STARTED(at) "UPDATE wall SET value=" at " WHERE name='started_unix_s'"

/* When the first began and when the last did; on which device, and whether on several. */
static void when_and_on_what_it_was_measured(void **state)
{
    static const struct {
        const char *sql;
        bool several;
    } others[] = {
        {"UPDATE measured SET value='rxe1' WHERE name='device'", true},
        {"UPDATE measured SET value='6.2' WHERE name='kernel'", true},
        {"", false},
    };
    static const char *const started[CELLS] = {STARTED("500"), STARTED("300"), STARTED("900"),
                                               STARTED("400")};
    struct fixture *fixture = *state;
    struct matrix *matrix = &fixture->matrix;
    for (uint32_t i = 0; i < CELLS; i++)
        measure(fixture, i, NULL, started[i]);
    assert_int_equal(compared(fixture), COMPARE_DONE);
    assert_int_equal(matrix->first_unix_s, 300);
    assert_int_equal(matrix->last_unix_s, 900);
    assert_false(matrix->several_devices);
    matrix_free(matrix);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        measure(fixture, 2, NULL, others[i].sql);
        assert_int_equal(compared(fixture), COMPARE_DONE);
        assert_int_equal(matrix->several_devices, others[i].several);
        assert_string_equal(matrix->on.device, "rxe0");
        assert_string_equal(matrix->on.kernel, "6.1");
        matrix_free(matrix);
    }
}

static void the_worst_come_first(void **state)
{
    struct fixture *fixture = *state;
    struct matrix *matrix = &fixture->matrix;
    char path[128];
    measure(fixture, 0, NULL, "UPDATE workload SET latency_p50_ps=latency_p50_ps*0.8");
    measure(fixture, 1, NULL, "UPDATE workload SET iops=iops*0.5");
    measure(fixture, 2, NULL, "UPDATE workload SET failed=1, completed=19");
    path_of(fixture, 3, path);
    unlink(path);
    assert_int_equal(compared(fixture), COMPARE_DONE);
    assert_int_equal(matrix->measured, 3);
    assert_int_equal(matrix->holding, 0);
    static const uint32_t order[] = {3, 2, 1, 0}; /* missing, protocol, 100 %, 25 % */
    assert_memory_equal(matrix->worst_first, order, sizeof order);
    assert_string_equal(matrix->rows[2].protocol, "completed: 20 and 19, failed: 0 and 1");
    assert_true(fabs(matrix->rows[1].worst - 1) < 1e-9);
    assert_true(fabs(matrix->rows[0].figures.figures[FIGURE_P50].error - 0.25) < 1e-3);
    matrix_free(matrix);
}

static void refused(struct fixture *fixture, const char *words)
{
    if (compared(fixture) != COMPARE_REFUSED || strstr(fixture->matrix.why, words) == NULL)
        fail_msg("%s: %s", words, fixture->matrix.why);
    matrix_free(&fixture->matrix);
}

static void what_was_not_predicted_is_refused(void **state)
{
    struct fixture *fixture = *state;
    measure_all(fixture);
    measure(fixture, 2, "workloads.io.count=21", "");
    refused(fixture, "did not do the work predicted for qd4-read100");
    measure(fixture, 2, "seed=2", "");
    refused(fixture, "did not do the work");
    measure(fixture, 2, NULL, "UPDATE meta SET version='9.9.9'");
    refused(fixture, "was made by stormglass 9.9.9");
    measure(fixture, 2, NULL, "DELETE FROM measured");
    refused(fixture, "is a model run");
    measure(fixture, 2, NULL, "DROP TABLE workload");
    refused(fixture, "no such table");
    unlink_all(fixture);
    refused(fixture, "no measurement of any of the 4 cells");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_frozen_is_read_again),
        cmocka_unit_test(profiles_are_those_of_all_settings),
        cmocka_unit_test(whatever_a_cell_says_is_read_again),
        cmocka_unit_test(what_was_sealed_again_is_still_checked),
        cmocka_unit_test(a_changed_byte_is_seen),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(another_model_is_named),
        cmocka_unit_test(as_predicted_is_within),
        cmocka_unit_test(when_and_on_what_it_was_measured),
        cmocka_unit_test(the_worst_come_first),
        cmocka_unit_test(what_was_not_predicted_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
