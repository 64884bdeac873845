/* SPDX-License-Identifier: Apache-2.0
 * claims_markdown - settled claims as docs/claims.md. */
#include "cli/claims/claims_output.h"

static void print_head(const struct claim *claim, FILE *out)
{
    for (uint32_t i = 0; i < claim->axis_count; i++)
        fprintf(out, "| %s ", claim->axes[i].name);
    for (uint32_t i = 0; i < claim->figure_count; i++)
        fprintf(out, "| %s ", claim->figures[i].about);
    fputs("| claim |\n", out);
    for (uint32_t i = 0; i < claim->axis_count + claim->figure_count; i++)
        fputs("|---", out);
    fputs("|---|\n", out);
}

static void print_case(const struct settled *settled, uint32_t index, FILE *out)
{
    const struct claim *claim = settled->claim;
    char state[CLAIMS_CASE_BYTES];
    for (uint32_t i = 0; i < claim->axis_count; i++)
        fprintf(out, "| %s ", claims_choice(claim, index, i));
    for (uint32_t i = 0; i < claim->figure_count; i++)
        fprintf(out, "| %s ",
                settled->cases[index].state == SETTLE_CASE_NONE
                    ? "-"
                    : settled->cases[index].figures[i].text);
    claims_state(settled, index, state);
    fprintf(out, "| %s |\n", state);
}

static void print_claim(const struct settled *settled, FILE *out)
{
    const struct claim *claim = settled->claim;
    char rows[CLAIMS_ROWS_BYTES];
    claims_rows(claim, rows);
    fprintf(out, "## %s\n\n%s (%s; %s)\n\n", claim->name, claim->statement, rows, claim->source);
    if (claim->stated != NULL)
        fprintf(out, "The source adds: %s.\n\n", claim->stated);
    fprintf(out, "Verdict: **%s**", settle_words(settled->verdict));
    if (settled->verdict == SETTLE_CONDITIONAL)
        fprintf(out, ": %s.", settled->condition);
    else if (settled->verdict == SETTLE_CANNOT_RUN)
        fprintf(out, ": %s.", claim->cannot_run);
    else if (settled->verdict == SETTLE_UNDECIDED)
        fprintf(out, ": %s", settled->error);
    fputs("\n\n", out);
    if (claim->cannot_run != NULL)
        return;
    fputs("The claim holds in a case if: ", out);
    claims_test(claim, out);
    fputs(".\n\n", out);
    print_head(claim, out);
    for (uint32_t i = 0; i < claim->case_count; i++)
        if (!claim_repeats(claim, i))
            print_case(settled, i, out);
    fputc('\n', out);
    if (claim->why != NULL)
        fprintf(out, "%s\n\n", claim->why);
}

static void print_table(const struct settled *settled, uint32_t count, FILE *out)
{
    fputs("| rows | claim | verdict |\n|---|---|---|\n", out);
    for (uint32_t i = 0; i < count; i++) {
        const struct claim *claim = settled[i].claim;
        char rows[CLAIMS_ROWS_BYTES];
        claims_rows(claim, rows);
        fprintf(out, "| %s | [%s](#%s): %s | ", rows, claim->name, claim->name, claim->statement);
        claims_verdict(&settled[i], out);
        fputs(" |\n", out);
    }
    fputc('\n', out);
}

void claims_markdown(const struct settled *settled, uint32_t count, bool whole, FILE *out)
{
    if (whole) {
        fputs(
            "# Claims about NVMe over Fabrics, settled by runs\n\n"
            "`stormglass claims` tests statements of articles and glossaries about NVMe over\n"
            "Fabrics. Each claim is a file in scenarios/claims with a scenario, the cases to run\n"
            "and a condition. A claim is true in the cases that meet its condition. The figures "
            "apply\n"
            "to this scenario only. Other networks have other figures. `stormglass run` and\n"
            "`stormglass explain` accept a claim by its name. `make claims` writes this page, and "
            "`make\n"
            "claims-check` compares it with new runs.\n\n"
            "The column `rows` has the numbers of the statements: 1 to 42 are systems and\n"
            "behaviors, N1 to N10 are numbers, and C1 to C10 are disputed statements. \"not\n"
            "steady\" marks a case whose figures still change at the end of the run.\n\n"
            "All hosts have the same model of TCP, unless a case changes it: an idle core gets "
            "its\n"
            "interrupt after 8 us (rx-usecs of the Linux driver mlx5), and the interrupt takes 1\n"
            "us. At low depth, most of the gain of RDMA comes from these two times. With polling,\n"
            "TCP is faster in the model than in published measurements, so rows with polling "
            "favor\n"
            "TCP.\n\n",
            out);
        claims_total(settled, count, out);
        fputc('\n', out);
        print_table(settled, count, out);
    }
    for (uint32_t i = 0; i < count; i++)
        print_claim(&settled[i], out);
}
