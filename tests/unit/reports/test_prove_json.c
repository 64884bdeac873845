/* SPDX-License-Identifier: Apache-2.0
 * test_prove_json - every member of explain --prove --json has the value of its own field, and no
 * other's: each field is set alone and read back by Jansson. */
#include "base/memory.h"
#include "reports/explain/account.h"

/* Jansson has functions of the same names as the writer, and none of the two is called here. */
#define json_string jansson_string
#define json_real   jansson_real
#include <jansson.h>
#undef json_string
#undef json_real

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct prove prove; /* too large for a stack with sanitizers */

static json_t *object_of(const struct prove *of)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    struct json json;
    json_begin(&json, out);
    prove_json(of, &json);
    json_end(&json);
    memory_stream_end(out);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fail_msg("%s in: %s", error.text, text);
    free(text);
    return root;
}

static json_t *item_of(json_t *root, const char *object, const char *list, size_t i)
{
    json_t *item = json_array_get(json_object_get(json_object_get(root, object), list), i);
    assert_non_null(item);
    return item;
}

static const char *text_of(json_t *item, const char *name)
{
    const char *text = json_string_value(json_object_get(item, name));
    assert_non_null(text);
    return text;
}

static int64_t whole_of(json_t *item, const char *name)
{
    json_t *value = json_object_get(item, name);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static bool flag_of(json_t *item, const char *name)
{
    json_t *value = json_object_get(item, name);
    assert_true(json_is_boolean(value));
    return json_is_true(value);
}

/* Three runs of which each figure is another number: begin, 2 * begin, 3 * begin ... */
static struct prove_impact impact_from(int64_t begin)
{
    return (struct prove_impact){
        .lost_ps = begin,
        .stopped_ps = 2 * begin,
        .done = 3 * begin,
        .p99_ps = 4 * begin,
        .failed = 5 * begin,
        .inactive = 6 * begin,
        .lossless_drops = 7 * begin,
        .drops = 8 * begin,
        .whole_ps = 100 * begin,
    };
}

static void assert_impact(json_t *at, const char *name, int64_t begin)
{
    static const char *const members[] = {"lost_ps", "stopped_ps",       "done",           "p99_ps",
                                          "failed",  "inactive_members", "lossless_drops", "drops"};
    enum { MEMBERS = sizeof members / sizeof members[0] };
    json_t *impact = json_object_get(at, name);
    assert_int_equal(json_object_size(impact), MEMBERS);
    for (int i = 0; i < MEMBERS; i++)
        assert_int_equal(whole_of(impact, members[i]), (i + 1) * begin);
}

enum { CULPRIT, CAUSE, UNPLAYED, WORSE, ONLY, NAMED, PLANNED, PLAIN, ROWS };

static void fill_rows(void)
{
    prove = (struct prove){
        .row_count = ROWS, .by = PROVE_BY_TIME, .late = true, .repaired = true, .culprits = 1};
    prove.before = impact_from(1000000000);
    prove.after = impact_from(250000000);
    for (int i = 0; i < ROWS; i++) {
        struct prove_row *row = &prove.rows[i];
        snprintf(row->name, sizeof row->name, "name %d", i);
        snprintf(row->text, sizeof row->text, "text %d", i);
        row->before = impact_from(1000000000);
        row->after = impact_from(100000000 * (i + 1));
        row->role = i % 2 == 0 ? PROVE_SUSPECT : PROVE_BYSTANDER;
        row->repair.kind = i % 2 == 0 ? TRIAL_RESTORE_SETTING : TRIAL_REMOVE_FAULT;
    }
    prove.rows[CULPRIT].culprit = true;
    prove.rows[CAUSE].cause = true;
    prove.rows[UNPLAYED].unplayed = true;
    prove.rows[WORSE].worse = true;
    prove.rows[ONLY].only_played = true;
    prove.rows[ONLY].only = impact_from(300000000);
    prove.rows[NAMED].tier = PROVE_NAMED;
    prove.rows[PLANNED].tier = PROVE_PLANNED;
}

static void flags_are_those_of_their_row(void **state)
{
    (void)state;
    fill_rows();
    json_t *root = object_of(&prove);
    for (int i = 0; i < ROWS; i++) {
        json_t *suspect = item_of(root, "prove", "suspects", (size_t)i);
        json_t *repair = item_of(root, "proof", "repairs", (size_t)i);
        char name[32], text[32];
        snprintf(name, sizeof name, "name %d", i);
        snprintf(text, sizeof text, "text %d", i);
        assert_string_equal(text_of(suspect, "name"), name);
        assert_string_equal(text_of(suspect, "text"), text);
        assert_string_equal(text_of(repair, "text"), text);
        assert_string_equal(text_of(suspect, "suspect"), i % 2 == 0 ? "setting" : "fault");
        assert_string_equal(text_of(suspect, "role"), i % 2 == 0 ? "suspect" : "bystander");
        assert_string_equal(text_of(repair, "role"), i % 2 == 0 ? "suspect" : "bystander");
        assert_int_equal(flag_of(suspect, "culprit"), i == CULPRIT);
        assert_int_equal(flag_of(repair, "culprit"), i == CULPRIT);
        assert_int_equal(flag_of(repair, "root_cause"), i == CAUSE);
        assert_int_equal(flag_of(suspect, "worse"), i == WORSE);
        assert_int_equal(flag_of(suspect, "played"), i != UNPLAYED && i != NAMED && i != PLANNED);
        assert_int_equal(json_is_null(json_object_get(suspect, "makes")), i != ONLY);
    }
    json_decref(root);
}

/* Of a second that was lost tenths remain: nine are gone in the first row, two in the last. */
static void parts_are_of_what_was_lost(void **state)
{
    (void)state;
    fill_rows();
    json_t *root = object_of(&prove);
    for (int i = 0; i < ROWS; i++) {
        json_t *repair = item_of(root, "proof", "repairs", (size_t)i);
        const double wanted = (9 - i) / 10.0;
        assert_true(fabs(json_number_value(json_object_get(repair, "gone")) - wanted) < 1e-6);
        json_t *suspect = item_of(root, "prove", "suspects", (size_t)i);
        assert_true(fabs(json_number_value(json_object_get(suspect, "gone")) - wanted) < 1e-6);
        assert_impact(repair, "before", 1000000000);
        assert_impact(repair, "after", 100000000 * (i + 1));
    }
    json_t *proof = json_object_get(root, "proof");
    assert_true(fabs(json_number_value(json_object_get(proof, "gone")) - 0.75) < 1e-6);
    assert_impact(proof, "before", 1000000000);
    assert_impact(proof, "after", 250000000);
    /* Broken alone it costs 300 of the 1000. */
    json_t *makes = json_object_get(item_of(root, "prove", "suspects", ONLY), "makes");
    assert_true(fabs(json_number_value(makes) - 0.3) < 1e-6);
    json_decref(root);
}

static void victims_and_counts_are_their_own(void **state)
{
    (void)state;
    prove = (struct prove){
        .victim_count = 3,
        .victims = {{"oltp", 11, 22, 33, 44}, {"backup", 55, 66, 77, 88}, {"log", 1, 2}},
        .hosts.count = 2,
        .hosts.distinct = 5,
        .hosts.list = {{.of = "oltp",
                        .name = "host3",
                        .loss = {.lost_ps = 30, .whole_ps = 120, .failed = 7}},
                       {.of = "backup", .name = "host9", .loss = {.lost_ps = 5, .failed = 9}}},
        .left_out = 13,
        .runs = 17,
        .transmitters = 19,
        .by = PROVE_BY_FAILED,
        .chance = true,
    };
    json_t *root = object_of(&prove);
    json_t *proof = json_object_get(root, "proof"), *asked = json_object_get(root, "prove");
    assert_int_equal(whole_of(proof, "transmitters"), 19);
    assert_int_equal(whole_of(asked, "runs"), 17);
    assert_int_equal(whole_of(asked, "suspects_left_out"), 13);
    assert_int_equal(whole_of(asked, "victim_hosts"), 5);
    assert_int_equal(flag_of(asked, "chance"), true);
    assert_int_equal(flag_of(asked, "vacuous"), false);
    assert_string_equal(text_of(asked, "measured_by"), "failed operations");
    assert_int_equal(json_array_size(json_object_get(asked, "suspects")), 0);
    json_t *victims = json_object_get(proof, "victims");
    assert_int_equal(whole_of(victims, "count"), 3);
    json_t *second = json_array_get(json_object_get(victims, "most"), 1);
    assert_string_equal(text_of(second, "workload"), "backup");
    assert_int_equal(whole_of(second, "lost_ps"), 55);
    assert_int_equal(whole_of(second, "under_way_ps"), 66);
    json_t *host = item_of(root, "prove", "victims", 0);
    assert_string_equal(text_of(host, "workload"), "oltp");
    assert_string_equal(text_of(host, "host"), "host3");
    assert_true(json_number_value(json_object_get(host, "lost_share")) == 0.25);
    assert_int_equal(whole_of(host, "failed"), 7);
    host = item_of(root, "prove", "victims", 1);
    assert_true(json_number_value(json_object_get(host, "lost_share")) == 0);
    json_decref(root);

    prove = (struct prove){.vacuous = true};
    root = object_of(&prove);
    assert_int_equal(flag_of(json_object_get(root, "prove"), "vacuous"), true);
    assert_int_equal(flag_of(json_object_get(root, "prove"), "chance"), false);
    assert_true(json_is_null(json_object_get(json_object_get(root, "prove"), "measured_by")));
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_those_of_their_row),
        cmocka_unit_test(parts_are_of_what_was_lost),
        cmocka_unit_test(victims_and_counts_are_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
