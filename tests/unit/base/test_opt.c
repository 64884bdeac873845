/* SPDX-License-Identifier: Apache-2.0
 * Rows: presets, bounds, words, lists, and the nearest name. */
#include "base/opt.h"

#include "base/nearest.h"

#include "net/switch/switch.h"
#include "nvme/media/media.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/data/subsystems.h"
#include "scenarios/fabric/topology.h"
#include "scenarios/fault/fault_kinds.h"
#include "scenarios/load/load.h"
#include "scenarios/trace/admin_list.h"
#include "scenarios/vary/plan.h"
#include "scenarios/vary/prices.h"
#include "scenarios/workload/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct params {
    int64_t size, time, word, mask, flag, count, maybe, some, pages, power, either;
};

#define FIELD(name) offsetof(struct params, name)

static const struct opt rows[] = {
    {"size", OPT_SIZE, FIELD(size), "auto", "1KB", "1MB", "auto|none", "A size.", "own", OPT_INERT},
    {"time", OPT_TIME, FIELD(time), "10us", "1us", NULL, NULL, "A time.", "own", OPT_INERT},
    {"word", OPT_CHOICE, FIELD(word), "blue", NULL, NULL, "red|blue|green", "A word.", "own",
     OPT_INERT},
    {"mask", OPT_MASK, FIELD(mask), "3", NULL, "0,1,2,3,4,5,6,7", NULL, "Some bits.", "own",
     OPT_INERT},
    {"flag", OPT_BOOL, FIELD(flag), "true", NULL, NULL, NULL, "A flag.", "own", OPT_INERT},
    {"count", OPT_INT, FIELD(count), "1", "1", "9", NULL, "A number.", "own", OPT_INERT},
    {"maybe", OPT_INT, FIELD(maybe), "auto", "0", "9", "auto", "A number or a word.", "own",
     OPT_INERT},
    {"some", OPT_MASK, FIELD(some), "auto", NULL, "0,1,2,3,4,5,6,7", "auto", "Bits or a word.",
     "own", OPT_INERT},
    {"pages", OPT_SIZE, FIELD(pages), "8KiB", "0B", "63KiB", "auto", "A size.", "own",
     .step = "4KiB", OPT_INERT},
    {"power", OPT_INT, FIELD(power), "3", "3", "20", NULL, "A number.", "own", .factor = 2,
     OPT_INERT},
    {"either", OPT_SIZE, FIELD(either), "512B", "512B", "4KiB", NULL, "A size.", "own", .factor = 8,
     OPT_INERT},
    {0}};

static void presets_are_set(void **state)
{
    (void)state;
    struct params params = {0};
    opt_presets(rows, &params);
    assert_int_equal(params.size, -1);
    assert_int_equal(params.time, 10000000);
    assert_int_equal(params.word, 1);
    assert_int_equal(params.mask, 8);
    assert_int_equal(params.flag, 1);
    assert_int_equal(params.count, 1);
    assert_int_equal(params.maybe, -1);
    assert_int_equal(params.some, -1);
}

static void texts_are_taken_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *row, *text;
        bool fine;
        int64_t value;
        const char *says;
    } cases[] = {
        {"size", "4KB", true, 4000, NULL},
        {"size", "none", true, -2, NULL},
        {"maybe", "auto", true, -1, NULL},
        {"maybe", "-1", false, 0, "-1 is less than the minimum, 0"},
        {"maybe", "-5", false, 0, "-5 is less than the minimum, 0"},
        {"some", "auto", true, -1, NULL},
        {"some", "1,2", true, 6, NULL},
        {"some", "8", false, 0, "numbers from 0 to 7"},
        {"some", "audo", false, 0, "numbers such as [3, 4], or auto, but found"},
        {"size", "999B", false, 0, "less than the minimum, 1KB"},
        {"size", "2MB", false, 0, "more than the maximum, 1MB"},
        {"size", "big", false, 0, "auto or none"},
        {"time", "999ns", false, 0, "less than"},
        {"word", "green", true, 2, NULL},
        {"word", "gree", false, 0, "red, blue or green"},
        {"word", "", false, 0, "red, blue or green"},
        {"mask", "none", true, 0, NULL},
        {"mask", "3,4", true, 24, NULL},
        {"mask", "0, 7", true, 129, NULL},
        {"mask", "8", false, 0, "numbers from 0 to 7"},
        {"mask", "3,9", false, 0, "numbers from 0 to 7"},
        {"mask", "99", false, 0, "a list of numbers"},
        {"mask", "3,", false, 0, "a list of numbers"},
        {"mask", "", false, 0, "a list of numbers"},
        {"flag", "false", true, 0, NULL},
        {"flag", "yes", false, 0, "true or false"},
        {"count", "10", false, 0, "more than"},
        {"count", "auto", false, 0, "a whole number"},
        {"pages", "0B", true, 0, NULL},
        {"pages", "auto", true, -1, NULL},
        {"pages", "60KiB", true, 61440, NULL},
        {"pages", "1B", false, 0, "expected a whole multiple of 4KiB, but found 1B; nearest: 0"},
        {"pages", "5000B", false, 0, "nearest: 4096B and 8192B"},
        {"pages", "62KiB", false, 0, "nearest: 60KiB"},
        {"pages", "64KiB", false, 0, "more than the maximum"},
        {"power", "3", true, 3, NULL},
        {"power", "12", true, 12, NULL},
        {"power", "7", false, 0, "3 times a power of 2, but found 7; nearest: 6 and 12"},
        {"power", "20", false, 0, "nearest: 12"},
        {"either", "512B", true, 512, NULL},
        {"either", "4096B", true, 4096, NULL},
        {"either", "1875B", false, 0, "512B or 4KiB, but found 1875B; nearest: 512B and 4096B"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[OPT_WHY_BYTES] = "";
        int64_t value = 77;
        const bool fine = opt_parse(opt_find(rows, cases[i].row), cases[i].text, &value, why);
        if (fine != cases[i].fine || (fine && value != cases[i].value))
            fail_msg("%s: %s gives %lld (%s)", cases[i].row, cases[i].text, (long long)value, why);
        if (!fine && strstr(why, cases[i].says) == NULL)
            fail_msg("%s: %s is refused with: %s", cases[i].row, cases[i].text, why);
    }
}

static void values_are_written_as_read(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"size", "auto"},  {"size", "none"}, {"size", "64KiB"},
                                           {"time", "1.5us"}, {"word", "red"},  {"mask", "none"},
                                           {"mask", "3,4"},   {"flag", "true"}, {"count", "7"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char why[OPT_WHY_BYTES], text[64];
        int64_t value;
        const struct opt *row = opt_find(rows, texts[i][0]);
        assert_true(opt_parse(row, texts[i][1], &value, why));
        opt_format(row, value, text, sizeof text);
        assert_string_equal(text, texts[i][1]);
    }
}

static void the_nearest_row_is_found(void **state)
{
    (void)state;
    assert_string_equal(opt_nearest(rows, "cuont")->name, "count");
    assert_string_equal(opt_nearest(rows, "sizes")->name, "size");
    assert_null(opt_nearest(rows, "headroom"));
    assert_null(opt_find(rows, "cuont"));
    assert_int_equal(nearest_distance("", "abc"), 3);
    assert_int_equal(nearest_distance("kmin", "kmax"), 2);
    assert_int_equal(nearest_distance("abcd", "abdc"), 1);
}

/* A part that is not said is an error; what acts on nothing has nothing to say, what is scaled has
 * a direction, or is switched off. */
static void check_effect(const struct opt *row)
{
    const struct opt_effect *effect = &row->effect;
    const bool is_nothing = effect->part == OPT_PART_NOTHING;
    if (effect->part <= OPT_PART_UNSAID || effect->part >= OPT_PARTS)
        fail_msg("%s does not say what it acts on: OPT_ACTS, OPT_SCALES or OPT_INERT", row->name);
    if (is_nothing != (effect->by == OPT_BY_NOTHING) || (is_nothing && effect->needs != 0))
        fail_msg("%s acts on nothing and says how, or the other way around", row->name);
    if (effect->scales && effect->worse == OPT_WORSE_ANY && row->type != OPT_BOOL)
        fail_msg("%s scales, but which way is not said", row->name);
    if (effect->scales && row->type == OPT_CHOICE)
        fail_msg("%s is a word, and scales", row->name);
    assert_true(effect->needs < UINT64_C(1) << OPT_NEED_COUNT);
    if (row->agrees.at == OPT_AGREE_NEVER && row->agrees.of != OPT_AGREE_ALWAYS)
        fail_msg("%s must agree for some traffic, and nowhere", row->name);
}

/* Every table that a scenario can reach: presets inside their bounds, a sentence and a source. */
static void check_table(const struct opt *table, size_t bytes)
{
    void *params = calloc(1, bytes);
    assert_non_null(params);
    opt_presets(table, params);
    for (const struct opt *row = table; row->name != NULL; row++) {
        assert_true(row->offset + sizeof(int64_t) <= bytes);
        assert_non_null(row->about);
        assert_non_null(row->source);
        assert_ptr_equal(opt_find(table, row->name), row);
        assert_null(strpbrk(row->name, "_. ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
        check_effect(row);
        char why[OPT_WHY_BYTES], text[128];
        int64_t value = *opt_field(row, params), back;
        opt_format(row, value, text, sizeof text);
        if (!opt_parse(row, text, &back, why) || back != value)
            fail_msg("%s: %s reads back as %lld (%s)", row->name, text, (long long)back, why);
        for (int bound = 0; bound < 2; bound++) {
            const char *limit = bound == 0 ? row->min : row->max;
            if (limit != NULL && !opt_parse(row, limit, &back, why))
                fail_msg("%s: its bound %s is refused: %s", row->name, limit, why);
        }
    }
    free(params);
}

static void every_table_is_sound(void **state)
{
    (void)state;
    check_table(port_opts, sizeof(struct port_params));
    struct opt of_switch[256];
    assert_in_range(switch_rows(NULL), 2, 256);
    assert_int_equal(switch_rows(of_switch), switch_rows(NULL));
    check_table(of_switch, sizeof(struct switch_params));
    check_table(rnic_opts, sizeof(struct rnic_params));
    struct opt of_nvme[256];
    assert_in_range(nvme_carrier_host_rows(NULL), 2, 256);
    assert_int_equal(nvme_carrier_host_rows(of_nvme), nvme_carrier_host_rows(NULL));
    check_table(of_nvme, sizeof(struct nvme_carrier_host));
    assert_in_range(nvme_carrier_target_rows(NULL), 2, 256);
    assert_int_equal(nvme_carrier_target_rows(of_nvme), nvme_carrier_target_rows(NULL));
    check_table(of_nvme, sizeof(struct nvme_carrier_target));
    check_table(nvme_namespace_opts, sizeof(struct nvme_namespace_params));
    check_table(nvme_subsystem_opts, sizeof(struct nvme_limits));
    for (const struct cc_preset *preset = cc_list; preset->name != NULL; preset++)
        check_table(preset->ops->opts, preset->ops->params_bytes);
    for (int i = 0; media_kinds[i] != NULL; i++)
        check_table(media_kinds[i]->opts, media_kinds[i]->params_bytes);
    for (int i = 0; workload_kinds[i] != NULL; i++)
        check_table(workload_kinds[i]->opts, workload_kinds[i]->params_bytes);
    for (int i = 0; fault_kinds[i] != NULL; i++)
        check_table(fault_kinds[i]->opts, fault_kinds[i]->params_bytes);
    for (int i = 0; topology_kinds[i] != NULL; i++)
        if (topology_kinds[i]->opts != NULL)
            check_table(topology_kinds[i]->opts, topology_kinds[i]->params_bytes);
}

/* Those whose structs are a reader's own. */
static void every_other_row_says_what_it_acts_on(void **state)
{
    (void)state;
    const struct opt *const tables[] = {scenario_top_opts,      scenario_routing_opts,
                                        scenario_ana_opts,      scenario_namespace_opts,
                                        admin_list_opts,        scenario_workload_opts,
                                        scenario_fault_opts,    plan_opts,
                                        scenario_defaults_opts, prices_opts};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct opt *row = tables[i]; row->name != NULL; row++)
            check_effect(row);
    for (int i = 0; fault_kinds[i] != NULL; i++)
        if (fault_kinds[i]->acts_on <= 1)
            fail_msg("the fault %s does not say what it acts on", fault_kinds[i]->name);
}

static void what_is_worse_follows_from_the_direction(void **state)
{
    (void)state;
    static const struct {
        enum opt_worse worse;
        int64_t value, common;
        bool is_worse;
    } cases[] = {
        {OPT_WORSE_LESS, 1, 2, true},     {OPT_WORSE_LESS, 2, 1, false},
        {OPT_WORSE_MORE, 1, 2, false},    {OPT_WORSE_MORE, 2, 1, true},
        {OPT_WORSE_ANY, 1, 2, true},      {OPT_WORSE_ANY, 2, 2, false},
        {OPT_WORSE_LIMIT, 0, 2, false},   {OPT_WORSE_LIMIT, 2, 0, true},
        {OPT_WORSE_LIMIT, 3, 2, false},   {OPT_WORSE_CEILING, 2, 0, true},
        {OPT_WORSE_CEILING, 0, 2, false}, {OPT_WORSE_LESS, -1, 2, true},
        {OPT_WORSE_MORE, 2, -1, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct opt row = {.name = "x", .effect.worse = cases[i].worse};
        assert_int_equal(opt_is_worse(&row, cases[i].value, cases[i].common), cases[i].is_worse);
    }
}

static void a_smaller_device_is_told_from_a_mistake(void **state)
{
    (void)state;
    static const struct {
        enum opt_type type;
        struct opt_effect effect;
        int64_t value, common;
        bool is_smaller;
    } cases[] = {
#define EFFECT(part, worse, by, scales) {OPT_PART_##part, OPT_WORSE_##worse, OPT_BY_##by, 0, scales}
        {OPT_INT, EFFECT(TARGET_CPU, LESS, SERVICE, false), 1, 4, true}, /* cores */
        {OPT_INT, EFFECT(TARGET_CPU, LESS, SERVICE, false), 1, 5, false},
        {OPT_TIME, EFFECT(TARGET_CPU, MORE, COST, true), 4000, 1000, true}, /* cost of a command */
        {OPT_TIME, EFFECT(TARGET_CPU, MORE, COST, true), 5000, 1000, false},
        {OPT_TIME, EFFECT(TARGET_CPU, MORE, COST, true), 5000, 0, false},
        {OPT_SIZE, EFFECT(DROPS, LESS, TRACE, true), 16384, 32 << 20, true},     /* packet memory */
        {OPT_SIZE, EFFECT(DROPS, LESS, TRACE, false), 4096, 4200, false},        /* MTU */
        {OPT_SIZE, EFFECT(CONGESTION, LESS, TRACE, false), 10000, 400000, true}, /* ecn-kmin */
        {OPT_SIZE, EFFECT(CONGESTION, LESS, TRACE, false), 9756, 400000, false},
        {OPT_SIZE, EFFECT(CONGESTION, LESS, TRACE, false), 0, 400000, false},
#undef EFFECT
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct opt row = {.name = "x", .type = cases[i].type, .effect = cases[i].effect};
        assert_int_equal(opt_is_smaller_device(&row, cases[i].value, cases[i].common),
                         cases[i].is_smaller);
    }
}

static void a_hint_names_the_nearest_and_all_where_they_are_few(void **state)
{
    (void)state;
    static const struct {
        const char *wanted, *offered[4], *hint;
    } cases[] = {
        {"tow", {"one", "two", "three"}, "; did you mean 'two'? There are one, two and three"},
        {"nine", {"two", "three"}, "; there are two and three"},
        {"nine", {"two"}, "; there is two"},
        {"tow", {"two"}, "; did you mean 'two'?"},
        {"tow", {"two", "one", "two"}, "; did you mean 'two'? There are two and one"},
        {"x", {NULL}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct nearest nearest = nearest_to(cases[i].wanted);
        for (int k = 0; k < 4 && cases[i].offered[k] != NULL; k++)
            nearest_offer(&nearest, cases[i].offered[k]);
        assert_string_equal(nearest_hint(&nearest).text, cases[i].hint);
    }
}

static void a_long_list_is_left_out(void **state)
{
    (void)state;
    struct nearest nearest = nearest_to("word7");
    char word[64];
    for (int i = 10; i < 40; i++) {
        snprintf(word, sizeof word, "word%d", i);
        nearest_offer(&nearest, word);
    }
    assert_string_equal(nearest_hint(&nearest).text, "; did you mean 'word17'?");
    nearest = nearest_to("x");
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    for (int i = 0; i < 5; i++) {
        word[0] = (char)('a' + i);
        nearest_offer(&nearest, word);
    }
    assert_string_equal(nearest_hint(&nearest).text, "");
}

/* "A change in either direction" is said of numbers only. */
static void effects_suit_the_type(void **state)
{
    (void)state;
    static const struct {
        enum opt_type type;
        const char *words;
    } cases[] = {{OPT_INT, "a change in either direction can make I/O slower"},
                 {OPT_CHOICE, "another choice can make I/O slower"},
                 {OPT_BOOL, "the other value can make I/O slower"},
                 {OPT_MASK, "another value can make I/O slower"}};
    char text[128];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct opt row = {.type = cases[i].type, OPT_ACTS(DROPS, ANY, TRACE)};
        assert_true(opt_effect_words(&row, text, sizeof text));
        assert_string_equal(text, cases[i].words);
    }
    const struct opt load = {.type = OPT_TIME, OPT_ACTS(ASKED, ANY, TRACE)};
    assert_true(opt_effect_words(&load, text, sizeof text));
    assert_string_equal(text, "another value changes the offered load");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_are_set),
        cmocka_unit_test(effects_suit_the_type),
        cmocka_unit_test(texts_are_taken_or_refused),
        cmocka_unit_test(values_are_written_as_read),
        cmocka_unit_test(the_nearest_row_is_found),
        cmocka_unit_test(a_smaller_device_is_told_from_a_mistake),
        cmocka_unit_test(a_hint_names_the_nearest_and_all_where_they_are_few),
        cmocka_unit_test(a_long_list_is_left_out),
        cmocka_unit_test(every_table_is_sound),
        cmocka_unit_test(every_other_row_says_what_it_acts_on),
        cmocka_unit_test(what_is_worse_follows_from_the_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
