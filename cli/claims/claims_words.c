/* SPDX-License-Identifier: Apache-2.0
 * claims_words - sentences that all outputs of claims share. */
#include "base/plural.h"
#include "cli/claims/claims_output.h"

#include <string.h>

void claims_rows(const struct claim *claim, char text[CLAIMS_ROWS_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < claim->row_count; i++)
        used += (size_t)snprintf(text + used, CLAIMS_ROWS_BYTES - used, "%s%s", i == 0 ? "" : ", ",
                                 claim->rows[i]);
}

void claims_verdict(const struct settled *settled, FILE *out)
{
    fputs(settle_words(settled->verdict), out);
    if (settled->verdict == SETTLE_CONDITIONAL)
        fprintf(out, ": %s", settled->condition);
    else if (settled->verdict == SETTLE_CANNOT_RUN)
        fprintf(out, ": %s", settled->claim->cannot_run);
    else if (settled->verdict == SETTLE_UNDECIDED)
        fprintf(out, ": %s",
                settled->error[0] != '\0' ? settled->error : "a figure of some case is unknown");
}

void claims_test(const struct claim *claim, FILE *out)
{
    for (uint32_t i = 0; i < claim->condition_count; i++) {
        const struct claim_condition *condition = &claim->conditions[i];
        const struct claim_figure *figure = &claim->figures[condition->figure];
        const char *limit = condition->text + strlen(figure->name);
        fputs(i == 0 ? "" : " and ", out);
        if (i == 0 || claim->conditions[i - 1].figure != condition->figure)
            fprintf(out, "%s ", figure->about);
        fputs(limit + strspn(limit, " "), out);
    }
    if (claim->seeds > 1)
        fprintf(out, "; each figure is the median over seeds 1 to %u (least to most)",
                (unsigned)claim->seeds);
}

const char *claims_choice(const struct claim *claim, uint32_t index, uint32_t axis)
{
    return axis == 1 && claim_choice(claim, index, 0)->not_modeled != NULL
               ? "-"
               : claim_choice(claim, index, axis)->name;
}

void claims_state(const struct settled *settled, uint32_t index, char text[CLAIMS_CASE_BYTES])
{
    static const char *const words[] = {[SETTLE_CASE_TRUE] = "true",
                                        [SETTLE_CASE_FALSE] = "false",
                                        [SETTLE_CASE_UNKNOWN] = "unknown"};
    const enum settle_case_state state = settled->cases[index].state;
    if (state == SETTLE_CASE_NONE)
        snprintf(text, CLAIMS_CASE_BYTES, "not modeled: %s",
                 claim_not_modeled(settled->claim, index));
    else
        snprintf(text, CLAIMS_CASE_BYTES, "%s%s", words[state],
                 settled->cases[index].unsteady ? ", not steady" : "");
}

void claims_total(const struct settled *settled, uint32_t count, FILE *out)
{
    uint32_t counts[SETTLE_VERDICT_COUNT] = {0}, not_modeled = 0;
    const char *comma = ":";
    for (uint32_t i = 0; i < count; i++) {
        counts[settled[i].verdict]++;
        not_modeled += settled[i].not_modeled;
    }
    fprintf(out, "%u %s", (unsigned)count, plural(count, "claim", "claims"));
    for (int i = 0; i < SETTLE_VERDICT_COUNT; i++)
        if (counts[i] > 0) {
            fprintf(out, "%s %u %s", comma, (unsigned)counts[i],
                    settle_words((enum settle_verdict)i));
            comma = ",";
        }
    if (not_modeled > 0)
        fprintf(out, "; %u %s not modeled", (unsigned)not_modeled,
                plural(not_modeled, "case is", "cases are"));
    fputs(".\n", out);
}
