/* SPDX-License-Identifier: Apache-2.0
 * offers - lists the parameters of a scenario with bounds and a few values for a slider.
 * All come from the settings table and its rows. Offered are the values that the scenario's file
 * sets, and unset ones that act on the parts of a run in `offered_parts`. */
#include "cli/playground/offers.h"

#include "base/memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "reports/text/json_members.h"
#include "rnic/cc/cc.h"
#include "scenarios/load/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STOPS_MAX = 32, STOP_BYTES = 48, LIST_BYTES = 64, WORD_BYTES = 64 };

static const uint64_t offered_parts =
    OPT_PART_BIT(LINK) | OPT_PART_BIT(DEPTH) | OPT_PART_BIT(CONGESTION) | OPT_PART_BIT(PAUSES);

struct offers {
    const struct scenario *scenario;
    struct json json;
    size_t count;
};

/* ---- values for a slider ---- */

struct stops {
    char texts[STOPS_MAX][STOP_BYTES];
    int64_t values[STOPS_MAX];
    uint32_t count;
};

/* Keeps the value in ascending order if the row accepts it. */
static void add_stop(struct stops *stops, const struct opt *row, int64_t value)
{
    char text[STOP_BYTES], why[OPT_WHY_BYTES];
    int64_t again;
    opt_format(row, value, text, sizeof text);
    if (stops->count == STOPS_MAX || !opt_parse(row, text, &again, why))
        return;
    uint32_t at = stops->count;
    while (at > 0 && stops->values[at - 1] > again)
        at--;
    if (at > 0 && stops->values[at - 1] == again)
        return;
    memmove(&stops->texts[at + 1], &stops->texts[at], (stops->count - at) * sizeof stops->texts[0]);
    memmove(&stops->values[at + 1], &stops->values[at],
            (stops->count - at) * sizeof stops->values[0]);
    memcpy(stops->texts[at], text, sizeof text);
    stops->values[at] = again;
    stops->count++;
}

/* Powers of two around a value, as for sizes and counts. */
static void add_doublings(struct stops *stops, const struct opt *row, int64_t value)
{
    enum { DOUBLINGS = 6 };
    for (int i = 1; i <= DOUBLINGS && value > 0; i++) {
        if (value % ((int64_t)1 << i) == 0)
            add_stop(stops, row, value >> i);
        if (value <= INT64_MAX >> i)
            add_stop(stops, row, value << i);
    }
}

/* Round decimal numbers up to a factor of 100 from a value: 1, 2, 5; of rates those that links
 * have. */
static void add_decimals(struct stops *stops, const struct opt *row, int64_t value)
{
    enum { FACTOR = 100, TEN = 10 };
    static const int64_t plain[] = {10, 20, 50, 0}, rates[] = {10, 20, 25, 40, 50, 80, 0};
    const int64_t *digits = row->type == OPT_RATE ? rates : plain;
    for (int64_t power = 1; value > 0 && power <= INT64_MAX / FACTOR / TEN; power *= TEN)
        for (const int64_t *digit = digits; *digit != 0; digit++) {
            const int64_t stop = *digit * power / TEN;
            if (stop >= value / FACTOR && stop / FACTOR <= value)
                add_stop(stops, row, stop);
        }
}

static void add_around(struct stops *stops, const struct opt *row, int64_t value)
{
    enum { SECTOR = 512 };
    if (row->type == OPT_INT || (row->type == OPT_SIZE && value % SECTOR == 0))
        add_doublings(stops, row, value);
    else
        add_decimals(stops, row, value);
}

static void make_stops(struct stops *stops, const struct opt *row, int64_t value)
{
    enum { TENTH = 100000, TENTHS = 10 }; /* parts per million */
    int64_t preset = 0;
    char why[OPT_WHY_BYTES];
    *stops = (struct stops){0};
    if (row->type == OPT_CHOICE || row->type == OPT_BOOL || row->type == OPT_MASK ||
        row->type == OPT_DSCP)
        return;
    opt_parse(row, row->preset, &preset, why);
    add_stop(stops, row, value);
    add_stop(stops, row, preset);
    if (opt_is_limit(row))
        add_stop(stops, row, 0);
    for (int i = 0; row->type == OPT_PERCENT && i <= TENTHS; i++)
        add_stop(stops, row, (int64_t)TENTH * i);
    if (row->type != OPT_PERCENT)
        add_around(stops, row, value > 0 ? value : preset);
}

/* ---- one parameter ---- */

static bool is_offered(const struct scenario_setting *setting)
{
    const bool written = setting->where.file != NULL && setting->profile == NULL;
    if (written)
        return true;
    struct stops stops;
    make_stops(&stops, setting->row, setting->value);
    return stops.count > 1 && (offered_parts >> setting->row->effect.part & 1) != 0 &&
           setting->row->effect.by != OPT_BY_NOTHING &&
           (setting->row->effect.needs & ~(uint32_t)OPT_NEED_ETHERNET) == 0;
}

/* A word that the file writes in another notation, such as `media: storage-class`, has no path for
 * --set. A workload's value that is in another file, such as a fio job file, has none either. */
static bool can_be_set(const struct offers *offers, const struct scenario_setting *setting)
{
    char set[256], value[128];
    if (setting->row->type != OPT_CHOICE && !text_begins(setting->path, "workloads."))
        return true;
    opt_format(setting->row, setting->value, value, sizeof value);
    snprintf(set, sizeof set, "%s=%s", setting->path, value);
    struct diag *diag = memory_new(sizeof *diag);
    const char *sets[] = {set};
    struct scenario *again = library_load_again(offers->scenario, sets, 1, diag);
    const bool well = again != NULL;
    scenario_free(again);
    free(diag);
    return well;
}

static void write_word(struct offers *offers, const char *list, uint32_t *count, const char *word)
{
    char path[JSON_PATH_BYTES];
    snprintf(path, sizeof path, "parameters[%zu].%s[%u]", offers->count, list, (*count)++);
    json_text(&offers->json, path, word);
}

static void end_words(struct offers *offers, const char *list, uint32_t count)
{
    char path[JSON_PATH_BYTES];
    snprintf(path, sizeof path, "parameters[%zu].%s", offers->count, list);
    if (count == 0)
        json_empty(&offers->json, path);
}

static void write_choices(struct offers *offers, const struct scenario_setting *setting)
{
    const struct opt *row = setting->row;
    uint32_t count = 0;
    char word[WORD_BYTES];
    /* The rows of words that name a plug-in contain only the word in use. */
    if (strcmp(row->name, "congestion-control") == 0)
        for (const struct cc_preset *preset = cc_list; preset->name != NULL; preset++)
            write_word(offers, "choices", &count, preset->name);
    else if (row->type == OPT_BOOL) {
        write_word(offers, "choices", &count, "true");
        write_word(offers, "choices", &count, "false");
    } else if (row->type == OPT_CHOICE && strcmp(row->name, "profile") != 0 &&
               strcmp(row->name, "kind") != 0)
        for (const char *at = row->choices; at != NULL && *at != '\0';) {
            const size_t length = strcspn(at, "|");
            snprintf(word, sizeof word, "%.*s", (int)length, at);
            write_word(offers, "choices", &count, word);
            at += length + (at[length] == '|');
        }
    end_words(offers, "choices", count);
}

static void write_stops(struct offers *offers, const struct scenario_setting *setting)
{
    struct stops stops;
    uint32_t count = 0;
    make_stops(&stops, setting->row, setting->value);
    while (stops.count > 1 && count < stops.count) {
        const uint32_t next = count;
        write_word(offers, "stops", &count, stops.texts[next]);
    }
    end_words(offers, "stops", count);
}

static void write_field(struct offers *offers, const char *name, const char *text)
{
    char path[JSON_PATH_BYTES];
    snprintf(path, sizeof path, "parameters[%zu].%s", offers->count, name);
    json_text_or_null(&offers->json, path, text);
}

static void offer(struct offers *offers, const struct scenario_setting *setting)
{
    const struct opt *row = setting->row;
    char value[128], path[JSON_PATH_BYTES];
    if (!is_offered(setting) || !can_be_set(offers, setting))
        return;
    opt_format(row, setting->value, value, sizeof value);
    write_field(offers, "path", setting->path);
    write_field(offers, "about", row->about);
    write_field(offers, "value", value);
    write_field(offers, "default", row->preset);
    write_field(offers, "min", row->min);
    write_field(offers, "max", row->max);
    snprintf(path, sizeof path, "parameters[%zu].written", offers->count);
    json_boolean(&offers->json, path, setting->where.file != NULL && setting->profile == NULL);
    write_choices(offers, setting);
    write_stops(offers, setting);
    offers->count++;
}

/* ---- the command ---- */

static uint64_t count_pairs(const struct scenario *scenario)
{
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        pairs += scenario->workloads[i].pair_count;
    return pairs;
}

static int run(const struct cli_args *args)
{
    struct scenario *scenario = cli_load_changed(args);
    if (scenario == NULL)
        return CLI_USAGE;
    struct offers offers = {.scenario = scenario};
    json_begin(&offers.json, stdout);
    json_text(&offers.json, "scenario", scenario->name);
    json_text_or_null(&offers.json, "about", scenario->about);
    json_integer(&offers.json, "hosts", scenario->host_count);
    json_integer(&offers.json, "switches", scenario->switch_count);
    json_integer(&offers.json, "pairs", (int64_t)count_pairs(scenario));
    for (uint32_t i = 0; i < scenario->setting_count; i++)
        offer(&offers, &scenario->settings[i]);
    if (offers.count == 0)
        json_empty(&offers.json, "parameters");
    json_end(&offers.json);
    scenario_free(scenario);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    {"seed", 0, "N", "seed (default: the scenario's)"},
    {"set", 0, "PATH=VALUE", "change one value of the scenario; repeatable"},
    {0},
};

const struct cli_command cmd_offers = {
    .name = "offers",
    .operands = "SCENARIO.yaml",
    .about = "lists the parameters that a playground offers for a scenario, as JSON",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
