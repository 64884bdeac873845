/* SPDX-License-Identifier: Apache-2.0
 * plan_csv - the candidates as a table. */
#include "base/quantity.h"
#include "reports/plan/plan_report.h"
#include "reports/text/csv.h"

static double decimal(int64_t value)
{
    return (double)value / QUANTITY_DECIMAL_ONE;
}

static void write_bill(struct csv *csv, const struct plan_state *state,
                       const struct plan_candidate *of)
{
    if (!state->plan->has_prices) {
        for (int i = 0; i < 3; i++)
            csv_empty(csv);
        return;
    }
    csv_real(csv, decimal(of->bill.price));
    csv_real(csv, decimal(of->bill.power));
    csv_integer(csv, of->bill.rack_units);
}

static void write_candidate(struct csv *csv, const struct plan_state *state,
                            const struct plan_candidate *of)
{
    const struct grid *grid = &state->plan->grid;
    csv_text(csv, of->cell->name);
    for (uint32_t k = 0; k < grid->axis_count; k++)
        csv_text(csv, grid->axes[k].values[of->cell->at[k]]);
    csv_text(csv, plan_verdict_word(of->verdict));
    write_bill(csv, state, of);
    if (of->measured)
        csv_real(csv, of->headroom);
    else
        csv_empty(csv);
    csv_boolean(csv, of->front);
    csv_text(csv, of->why);
    csv_text(csv, of->limit);
    if (of->measured)
        csv_boolean(csv, plan_is_near(state, of->headroom));
    else
        csv_empty(csv);
    csv_text(csv, plan_result_word(plan_result_of(of->verdict)));
    csv_end_row(csv);
}

void plan_csv(const struct plan_state *state, FILE *out)
{
    const struct grid *grid = &state->plan->grid;
    struct csv csv;
    if (state->assumed != NULL) {
        plan_assumed_csv(state, out);
        return;
    }
    csv_begin(&csv, out);
    csv_names(&csv, "candidate");
    for (uint32_t i = 0; i < grid->axis_count; i++)
        csv_text(&csv, grid->axes[i].as);
    csv_names(&csv, "verdict,price,watts,rack_units,headroom,front,why,bottleneck,within_tolerance,"
                    "result");
    csv_end_row(&csv);
    for (uint32_t i = 0; i < state->count; i++)
        write_candidate(&csv, state, &state->candidates[i]);
}
