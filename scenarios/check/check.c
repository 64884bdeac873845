/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/check.h"

#include "scenarios/check/check_private.h"

#include <stdarg.h>
#include <string.h>

enum { FINDINGS_MAX = 500 }; /* beyond that nobody reads, and one mistake is behind them all */

const struct check_rule *const check_rules[] = {
#define RULE(stem) &check_##stem,
#include "scenarios/check/check.def"
#undef RULE
    NULL,
};

void check_add(struct check_report *report, enum diag_level level, struct diag_place place,
               const char *format, ...)
{
    char text[DIAG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report->errors += level == DIAG_ERROR;
    report->warnings += level == DIAG_WARNING;
    report->notes += level == DIAG_NOTE;
    if (report->count == FINDINGS_MAX)
        return;
    struct check_finding *finding = arena_push(&report->arena, (void **)(void *)&report->findings,
                                               &report->count, sizeof *finding);
    *finding = (struct check_finding){
        .level = level,
        .place = place,
        .text = arena_text(&report->arena, text, strlen(text)),
        .rule = report->rule,
    };
}

void check_shows(struct check_report *report, const char *quantity)
{
    if (report->count > 0 && report->errors + report->warnings + report->notes <= FINDINGS_MAX)
        report->findings[report->count - 1].shown = quantity;
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

/* Errors first; those of one level in the order in which they were found. */
static void sort_by_level(struct check_report *report)
{
    struct check_finding *sorted = arena_array(&report->arena, report->count, sizeof *sorted);
    size_t used = 0;
    for (enum diag_level level = DIAG_ERROR; level <= DIAG_NOTE; level++)
        for (size_t i = 0; i < report->count; i++)
            if (report->findings[i].level == level)
                sorted[used++] = report->findings[i];
    report->findings = sorted;
}

void check_scenario(const struct scenario *scenario, struct check_report *report)
{
    memset(report, 0, sizeof *report);
    for (int i = 0; check_rules[i] != NULL; i++) {
        report->rule = check_rules[i]->name;
        if (check_rules[i]->run != NULL)
            check_rules[i]->run(scenario, report);
    }
    sort_by_level(report);
}

/* Notes are advice, and whoever plays a scenario has not asked for it. */
static void drop_notes(struct check_report *report)
{
    while (report->count > 0 && report->findings[report->count - 1].level == DIAG_NOTE)
        report->count--;
    report->notes = 0;
}

void check_of_run(const struct scenario *scenario, const struct check_run *run,
                  struct check_report *report)
{
    memset(report, 0, sizeof *report);
    for (int i = 0; check_rules[i] != NULL; i++) {
        const struct check_rule *rule = check_rules[i];
        report->rule = rule->name;
        if (rule->by_run && rule->run != NULL)
            rule->run(scenario, report);
        if (rule->after != NULL && run != NULL)
            rule->after(run, report);
    }
    sort_by_level(report);
    drop_notes(report);
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
        fprintf(out, "%s:%d:%d: %s: %s%s%s%s\n", finding->place.file, finding->place.line,
                finding->place.column, diag_level_name(finding->level), finding->text,
                finding->shown == NULL ? "" : " (a run shows ",
                finding->shown == NULL ? "" : finding->shown, finding->shown == NULL ? "" : ")");
    }
    const uint32_t all = report->errors + report->warnings + report->notes;
    if (all > report->count)
        fprintf(out, "and %u more\n", (unsigned)(all - report->count));
}
