/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/check/findings.h"

#include "scenarios/load/load.h"
#include "tests/unit/check/remedies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct scenario *load(const char *text)
{
    static struct diag diag;
    diag = (struct diag){0};
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s: %s", text, diag.messages[0].text);
    return scenario;
}

void assert_remedies(const struct scenario *scenario, const char *text)
{
    char why[2048];
    struct check_report report;
    check_findings(scenario, &report);
    remedies_apply(scenario, &report, why, sizeof why);
    check_free(&report);
    if (why[0] != '\0')
        fail_msg("%s\n%s", text, why);
}

static void assert_case(const struct findings_case *one)
{
    struct scenario *scenario = load(one->text);
    struct check_report report;
    check_scenario(scenario, &report);
    size_t things = 0;
    for (size_t i = 0; i < report.count; i++) {
        const struct check_finding *finding = &report.findings[i];
        if (strcmp(finding->rule, one->rule) != 0)
            continue;
        if (one->things == 0)
            fail_msg("%s\n%s says: %s", one->text, one->rule, finding->text);
        if (finding->level == one->level && strstr(finding->text, one->says) != NULL)
            things += finding->count;
    }
    if (things != one->things)
        fail_msg("%s\n%s finds '%s' of %zu, not of %zu", one->text, one->rule, one->says, things,
                 one->things);
    assert_remedies(scenario, one->text);
    check_free(&report);
    scenario_free(scenario);
}

void assert_findings(const struct findings_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_case(&cases[i]);
}

/* Leaves those of one rule. */
static void keep_rule(struct check_report *report, const char *rule)
{
    size_t kept = 0;
    report->errors = report->warnings = report->notes = 0;
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->findings[i].rule, rule) == 0)
            report->findings[kept++] = report->findings[i];
    report->count = kept;
}

static void assert_print(const struct findings_print *one)
{
    struct scenario *scenario = load(one->text);
    struct check_report report;
    char *printed = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&printed, &length);
    assert_non_null(out);
    check_scenario(scenario, &report);
    keep_rule(&report, one->rule);
    check_print(&report, out);
    fclose(out);
    if (strcmp(printed, one->prints) != 0)
        fail_msg("%s\n%s prints:\n%s\nnot:\n%s", one->text, one->rule, printed, one->prints);
    free(printed);
    assert_remedies(scenario, one->text);
    check_free(&report);
    scenario_free(scenario);
}

void assert_prints(const struct findings_print *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_print(&cases[i]);
}
