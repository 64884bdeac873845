/* SPDX-License-Identifier: Apache-2.0
 * claims_json - settled claims as JSON and CSV. */
#include "cli/claims/claims_output.h"
#include "reports/text/csv.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <math.h>

static void print_member(FILE *out, const char *before, const char *name, const char *value)
{
    fprintf(out, "%s\"%s\": ", before, name);
    json_string(out, value);
}

static void print_figure(const struct claim_figure *figure, const struct settle_value *value,
                         FILE *out)
{
    static const char *const units[] = {
#define X(name, word) word,
        CLAIM_UNITS(X)
#undef X
    };
    print_member(out, "{", "name", figure->name);
    print_member(out, ", ", "about", figure->about);
    print_member(out, ", ", "unit", units[figure->unit]);
    print_member(out, ", ", "text", value->text);
    fputs(", \"value\": ", out);
    json_real(out, value->known && figure->unit != CLAIM_WORD ? value->number : NAN);
    fputc('}', out);
}

static void print_case(const struct settled *settled, uint32_t index, FILE *out)
{
    static const char *const states[] = {[SETTLE_CASE_TRUE] = "true",
                                         [SETTLE_CASE_FALSE] = "false",
                                         [SETTLE_CASE_UNKNOWN] = "unknown",
                                         [SETTLE_CASE_NONE] = "not-modeled"};
    const struct claim *claim = settled->claim;
    const struct settle_case *made = &settled->cases[index];
    print_member(out, index == 0 ? "\n   {" : ",\n   {", "state", states[made->state]);
    print_member(out, ", ", "not_modeled", claim_not_modeled(claim, index));
    fprintf(out, ", \"steady\": %s", made->unsteady ? "false" : "true");
    fputs(", \"at\": [", out);
    for (uint32_t i = 0; i < claim->axis_count; i++) {
        print_member(out, i == 0 ? "{" : ", {", "axis", claim->axes[i].name);
        print_member(out, ", ", "value", claim_choice(claim, index, i)->name);
        fputc('}', out);
    }
    fputs("], \"figures\": [", out);
    for (uint32_t i = 0; made->state != SETTLE_CASE_NONE && i < claim->figure_count; i++) {
        fputs(i == 0 ? "" : ", ", out);
        print_figure(&claim->figures[i], &made->figures[i], out);
    }
    fputs("]}", out);
}

static void print_claim(const struct settled *settled, FILE *out)
{
    const struct claim *claim = settled->claim;
    print_member(out, "{", "name", claim->name);
    fputs(", \"rows\": [", out);
    for (uint32_t i = 0; i < claim->row_count; i++) {
        fputs(i == 0 ? "" : ", ", out);
        json_string(out, claim->rows[i]);
    }
    fputc(']', out);
    print_member(out, ", ", "claim", claim->statement);
    print_member(out, ", ", "source", claim->source);
    print_member(out, ",\n  ", "verdict", settle_key(settled->verdict));
    print_member(out, ", ", "condition",
                 settled->verdict == SETTLE_CONDITIONAL ? settled->condition : NULL);
    print_member(out, ", ", "stated", claim->stated);
    print_member(out, ", ", "cannot_run", claim->cannot_run);
    print_member(out, ", ", "error", settled->error[0] == '\0' ? NULL : settled->error);
    fputs(",\n  \"true_if\": [", out);
    for (uint32_t i = 0; i < claim->condition_count; i++) {
        fputs(i == 0 ? "" : ", ", out);
        json_string(out, claim->conditions[i].text);
    }
    fputc(']', out);
    fprintf(out, ", \"seeds\": %" PRIu32, claim->cannot_run != NULL ? 0 : claim->seeds);
    fprintf(out, ", \"runs\": %" PRIu32 ",\n  \"cases\": [", settled->runs);
    for (uint32_t i = 0; i < claim->case_count; i++)
        print_case(settled, i, out);
    fputs("]}", out);
}

void claims_json(const struct settled *settled, uint32_t count, FILE *out)
{
    json_open(out);
    fputs("\"claims\": [", out);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i == 0 ? "\n " : ",\n ", out);
        print_claim(&settled[i], out);
    }
    fputs("\n]}\n", out);
}

/* One line for each figure of each case; without cases, one line for the claim. */
static void print_line(struct csv *csv, const struct settled *settled, uint32_t index,
                       const struct claim_figure *figure, const struct settle_value *value)
{
    const struct claim *claim = settled->claim;
    char rows[CLAIMS_ROWS_BYTES], state[CLAIMS_CASE_BYTES];
    claims_rows(claim, rows);
    csv_text(csv, claim->name);
    csv_text(csv, rows);
    csv_text(csv, settle_key(settled->verdict));
    csv_text(csv, settled->verdict == SETTLE_CONDITIONAL ? settled->condition : NULL);
    for (uint32_t i = 0; i < CLAIM_AXES_MAX; i++)
        csv_text(csv, i < claim->axis_count ? claim_choice(claim, index, i)->name : NULL);
    if (figure == NULL) {
        for (int i = 0; i < 4; i++)
            csv_empty(csv);
    } else {
        claims_state(settled, index, state);
        csv_text(csv, state);
        csv_text(csv, figure->name);
        csv_text(csv, value->text);
        if (value->known && figure->unit != CLAIM_WORD)
            csv_real(csv, value->number);
        else
            csv_empty(csv);
    }
    csv_end_row(csv);
}

void claims_csv(const struct settled *settled, uint32_t count, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out, "claim,rows,verdict,condition,first,second,state,figure,text,value");
    for (uint32_t i = 0; i < count; i++) {
        const struct claim *claim = settled[i].claim;
        if (claim->cannot_run != NULL)
            print_line(&csv, &settled[i], 0, NULL, NULL);
        for (uint32_t c = 0; c < claim->case_count; c++)
            for (uint32_t f = 0; f < claim->figure_count; f++)
                print_line(&csv, &settled[i], c, &claim->figures[f],
                           &settled[i].cases[c].figures[f]);
    }
}
