/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/check.h"

#include "base/plural.h"
#include "rnic/cc/cc.h"
#include "scenarios/check/check_rule.h"
#include "scenarios/check/remedy_trial.h"

#include <stdarg.h>
#include <string.h>

enum { REMEDY_VALUE_BYTES = 256 };
enum {
    FINDINGS_MAX = 500
}; /* limit of findings; a single mistake is behind most of such a long
                              * list */

#define RULE(stem) extern const struct check_rule check_##stem;
#include "scenarios/check/check.def"
#undef RULE

const struct check_rule *const check_rules[] = {
#define RULE(stem) &check_##stem,
#include "scenarios/check/check.def"
#undef RULE
    NULL,
};

/* Finds an earlier finding with the same level and text; NULL: none. */
static struct check_finding *find_alike(const struct check_report *report, enum diag_level level,
                                        const char *words)
{
    for (size_t i = report->count; i-- > 0;) {
        struct check_finding *finding = &report->findings[i];
        if (finding->rule == report->rule && finding->level == level &&
            strcmp(finding->words, words) == 0)
            return finding;
    }
    return NULL;
}

static struct check_finding *add_finding(struct check_report *report, enum diag_level level,
                                         struct diag_place place, const char *words)
{
    report->errors += level == DIAG_ERROR;
    report->warnings += level == DIAG_WARNING;
    report->notes += level == DIAG_NOTE;
    if (report->count == FINDINGS_MAX)
        return NULL;
    struct check_finding *finding = arena_push(&report->arena, (void **)(void *)&report->findings,
                                               &report->count, sizeof *finding);
    *finding = (struct check_finding){
        .level = level,
        .place = place,
        .words = arena_text(&report->arena, words, strlen(words)),
        .rule = report->rule,
    };
    finding->text = finding->words;
    return finding;
}

static void add_place(struct check_report *report, struct check_finding *finding,
                      struct check_place place)
{
    struct check_place *added = arena_push(&report->arena, (void **)(void *)&finding->places,
                                           &finding->count, sizeof *added);
    *added = place;
}

void check_add(struct check_report *report, enum diag_level level, struct diag_place place,
               const char *format, ...)
{
    char text[DIAG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report->latest = add_finding(report, level, place, text);
    if (report->latest != NULL)
        add_place(report, report->latest, (struct check_place){.file = place});
}

/* Searches the latest places first, because findings about one node usually follow each other. */
static bool has_node(const struct check_finding *finding, const struct scenario_node *node)
{
    for (size_t i = finding->count; i-- > 0;)
        if (finding->places[i].node == node)
            return true;
    return false;
}

static void count_thing(struct check_finding *finding, const struct check_thing *thing)
{
    const bool host = thing->node->kind == SCENARIO_HOST;
    finding->ports += thing->port != SCENARIO_ALL_PORTS;
    if (!has_node(finding, thing->node)) {
        finding->switches += !host;
        finding->hosts += host;
    }
}

void check_alike(struct check_report *report, enum diag_level level,
                 const struct check_thing *thing, const char *format, ...)
{
    char words[DIAG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    const struct scenario_node *node = thing->node;
    report->latest = NULL;
    if (report->ethernet && node->link != SCENARIO_ETHERNET)
        return;
    const struct diag_place place = thing->written.file != NULL
                                        ? thing->written
                                        : block_place(thing->values, thing->row, node->place);
    const char *name = node->name;
    if (thing->port != SCENARIO_ALL_PORTS)
        name = arena_format(&report->arena, "%s", scenario_port_name(node, thing->port).text);
    report->latest = find_alike(report, level, words);
    if (report->latest == NULL)
        report->latest = add_finding(report, level, place, words);
    if (report->latest == NULL)
        return;
    count_thing(report->latest, thing);
    add_place(report, report->latest, (struct check_place){name, node, place});
}

/* The link layer at the first place of the latest finding. */
static enum scenario_kind kind_of(const struct check_report *report)
{
    const struct check_finding *finding = report->latest;
    const struct scenario_node *node = finding->count > 0 ? finding->places[0].node : NULL;
    return node == NULL ? report->kind : node->link;
}

void check_shows(struct check_report *report, const char *quantity)
{
    static const char *const waits[] = {
        [SCENARIO_INFINIBAND] = "PortXmitWait", [SCENARIO_FIBRE_CHANNEL] = "tim_txcrd_z"};
    if (report->latest == NULL)
        return;
    const enum scenario_kind kind = kind_of(report);
    const bool credits = kind != SCENARIO_ETHERNET && strncmp(quantity, "pfc.", 4) == 0;
    report->latest->shown = credits ? "pfc.paused" : quantity;
    report->latest->counter = credits ? waits[kind] : NULL;
}

void check_remedy(struct check_report *report, const char *format, ...)
{
    char text[DIAG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (report->latest != NULL && report->latest->remedy.text == NULL)
        report->latest->remedy.text = arena_text(&report->arena, text, strlen(text));
}

static const char *path_of(const struct block *values, const char *row)
{
    const char *path = values->origins[block_row(values, row)].path;
    return path == NULL ? values->path : path;
}

/* A list is written in brackets. */
static bool is_legal(const struct opt *row, const char *value)
{
    char bare[REMEDY_VALUE_BYTES], why[OPT_WHY_BYTES];
    const bool list = value[0] == '[';
    int64_t parsed;
    snprintf(bare, sizeof bare, "%.*s", (int)(strlen(value) - (list ? 2 : 0)), value + list);
    return opt_parse(row, bare, &parsed, why);
}

static void set_row(struct check_report *report, const struct block *values, const char *row,
                    const char *format, va_list args)
{
    char value[REMEDY_VALUE_BYTES];
    const struct opt *found = values == NULL ? NULL : opt_find(values->rows, row);
    if (report->latest == NULL)
        return;
    vsnprintf(value, sizeof value, format, args);
    if (found == NULL || !is_legal(found, value)) {
        report->latest->remedy.unknown = true;
        return;
    }
    remedy_set(&report->latest->remedy, &report->arena,
               arena_format(&report->arena, "%s.%s=%s", path_of(values, row), row, value));
}

/* A link of an imported drawing and a host's link to itself have no mapping in the scenario that
 * --set could reach. */
void check_set_port(struct check_report *report, const struct check_thing *thing, const char *value)
{
    static const char *const heads[] = {"fabric.host-links",  "fabric.fabric-links",
                                        "fabric.overrides[",  "fabric.ethernet.",
                                        "fabric.infiniband.", "fabric.fibre-channel."};
    const char *path = path_of(thing->values, thing->row);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strncmp(path, heads[i], strlen(heads[i])) == 0) {
            check_set(report, thing, "%s", value);
            return;
        }
    const bool inner =
        thing->node->kind == SCENARIO_HOST && thing->port >= thing->node->outer_ports;
    check_set_here(report, thing->node, inner ? SCENARIO_ALL_PORTS : thing->port, "%s: %s",
                   thing->row, value);
}

/* True for a mapping in the scenario; false for a bare name, whose values come from a profile at
 * most. */
static bool is_mapping(const struct block *values)
{
    for (size_t i = 0; values != NULL && values->rows[i].name != NULL; i++)
        if (values->origins[i].where.file != NULL && values->origins[i].profile == NULL)
            return true;
    return false;
}

void check_set_control(struct check_report *report, const struct check_thing *thing,
                       const char *value)
{
    if (is_mapping(thing->values))
        check_set(report, thing, "%s", value);
    else
        check_set_here(report, thing->node, SCENARIO_ALL_PORTS,
                       "rnic: {congestion-control: {kind: %s, %s: %s}}",
                       thing->node->host->cc_preset->name, thing->row, value);
}

void check_set_none(struct check_report *report)
{
    if (report->latest != NULL)
        report->latest->remedy.unknown = true;
}

void check_set(struct check_report *report, const struct check_thing *thing, const char *format,
               ...)
{
    va_list args;
    va_start(args, format);
    set_row(report, thing->values, thing->row, format, args);
    va_end(args);
}

void check_set_row(struct check_report *report, const struct block *values, const char *row,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_row(report, values, row, format, args);
    va_end(args);
}

void check_set_path(struct check_report *report, const char *format, ...)
{
    char text[REMEDY_VALUE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (report->latest != NULL)
        remedy_set(&report->latest->remedy, &report->arena, text);
}

void check_set_here(struct check_report *report, const struct scenario_node *node, uint16_t port,
                    const char *format, ...)
{
    char values[REMEDY_VALUE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(values, sizeof values, format, args);
    va_end(args);
    if (report->latest == NULL)
        return;
    const bool whole = port == SCENARIO_ALL_PORTS;
    const char *name =
        whole ? node->name
              : arena_format(&report->arena, "\"%s\"", scenario_port_name(node, port).text);
    remedy_here(&report->latest->remedy, &report->arena, name, values);
}

/* ------------------------------------------------------------------ text for several places */

/* "6 switches and 2 hosts" */
static void nodes_text(const struct check_finding *finding, char *text, size_t size)
{
    char switches[32] = "", hosts[32] = "";
    const uint32_t s = finding->switches, h = finding->hosts;
    if (s > 0)
        snprintf(switches, sizeof switches, "%u switch%s", s, plural(s, "", "es"));
    if (h > 0)
        snprintf(hosts, sizeof hosts, "%u host%s", h, plural(h, "", "s"));
    snprintf(text, size, "%s%s%s", switches, s > 0 && h > 0 ? " and " : "", hosts);
}

/* "leaf0:p0: ", "48 ports of 6 switches (leaf0:p0, ...): " */
static void write_text(struct check_report *report, struct check_finding *finding)
{
    char nodes[80];
    const char *first = finding->places[0].name;
    if (first == NULL)
        return;
    nodes_text(finding, nodes, sizeof nodes);
    if (finding->count == 1)
        finding->text = arena_format(&report->arena, "%s: %s", first, finding->words);
    else if (finding->ports == 0)
        finding->text =
            arena_format(&report->arena, "%s (%s, ...): %s", nodes, first, finding->words);
    else
        finding->text =
            arena_format(&report->arena, "%zu %s of %s (%s, ...): %s", finding->count,
                         plural(finding->count, "port", "ports"), nodes, first, finding->words);
}

bool check_first_time(struct check_seen *seen, const void *item)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->items[i] == item)
            return false;
    const void **added =
        arena_push(&seen->arena, (void **)(void *)&seen->items, &seen->count, sizeof *seen->items);
    *added = item;
    return true;
}

/* Errors first. Findings of one level stay in the order in which they were found. */
static void sort_by_level(struct check_report *report)
{
    struct check_finding *sorted = arena_array(&report->arena, report->count, sizeof *sorted);
    size_t used = 0;
    for (enum diag_level level = DIAG_ERROR; level <= DIAG_NOTE; level++)
        for (size_t i = 0; i < report->count; i++)
            if (report->findings[i].level == level)
                sorted[used++] = report->findings[i];
    report->findings = sorted;
    report->latest = NULL;
    for (size_t i = 0; i < used; i++) {
        write_text(report, &sorted[i]);
        remedy_end(&sorted[i].remedy, &report->arena);
    }
}

static enum scenario_kind kind_of_fabric(const struct scenario *scenario)
{
    enum scenario_kind kind = SCENARIO_ETHERNET;
    while (!scenario_has_kind(scenario, SCENARIO_ETHERNET) && !scenario_has_kind(scenario, kind))
        kind++;
    return kind;
}

static bool applies(const struct check_rule *rule, const struct scenario *scenario)
{
    return !rule->ethernet || scenario_has_kind(scenario, SCENARIO_ETHERNET);
}

void check_findings(const struct scenario *scenario, struct check_report *report)
{
    *report = (struct check_report){.kind = kind_of_fabric(scenario)};
    for (int i = 0; check_rules[i] != NULL; i++) {
        report->rule = check_rules[i]->name;
        report->ethernet = check_rules[i]->ethernet;
        if (check_rules[i]->run != NULL && applies(check_rules[i], scenario))
            check_rules[i]->run(scenario, report);
    }
    sort_by_level(report);
}

void check_scenario(const struct scenario *scenario, struct check_report *report)
{
    check_findings(scenario, report);
    remedy_trial(scenario, report, report);
}

static bool has_sets(const struct check_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->findings[i].remedy.set_count > 0)
            return true;
    return false;
}

/* Notes are advice. A run does not print them. */
static void drop_notes(struct check_report *report)
{
    while (report->count > 0 && report->findings[report->count - 1].level == DIAG_NOTE)
        report->count--;
    report->notes = 0;
}

void check_of_run(const struct scenario *scenario, const struct check_run *run,
                  struct check_report *report)
{
    *report = (struct check_report){.kind = kind_of_fabric(scenario)};
    for (int i = 0; check_rules[i] != NULL; i++) {
        const struct check_rule *rule = check_rules[i];
        report->rule = rule->name;
        report->ethernet = rule->ethernet;
        if (rule->by_run && rule->run != NULL && applies(rule, scenario))
            rule->run(scenario, report);
        if (rule->after != NULL && run != NULL && applies(rule, scenario))
            rule->after(run, report);
    }
    sort_by_level(report);
    drop_notes(report);
    if (!has_sets(report))
        return;
    struct check_report before;
    check_findings(scenario, &before);
    remedy_trial(scenario, &before, report);
    check_free(&before);
}

void check_free(struct check_report *report)
{
    arena_free(&report->arena);
    memset(report, 0, sizeof *report);
}

void check_print(const struct check_report *report, FILE *out)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct check_finding *finding = &report->findings[i];
        fprintf(out, "%s:%d:%d: %s: %s", finding->place.file, finding->place.line,
                finding->place.column, diag_level_name(finding->level), finding->text);
        if (finding->shown != NULL)
            fprintf(out, " (confirm in a run: %s%s%s)", finding->shown,
                    finding->counter == NULL ? "" : ", and at the ports ",
                    finding->counter == NULL ? "" : finding->counter);
        fputc('\n', out);
        if (finding->remedy.text == NULL)
            continue;
        fputs("    remedy: ", out);
        remedy_print(&finding->remedy, out);
        fputc('\n', out);
    }
    const uint32_t all = report->errors + report->warnings + report->notes;
    if (all > report->count)
        fprintf(out, "and %u more\n", (unsigned)(all - report->count));
}
