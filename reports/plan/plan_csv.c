/* SPDX-License-Identifier: Apache-2.0
 * plan_csv - candidates as lines (RFC 4180). */
#include "base/quantity.h"
#include "reports/plan/plan_report.h"
#include "reports/text/chart.h"

#include <inttypes.h>

void plan_csv(const struct plan_state *state, FILE *out)
{
    const struct grid *grid = &state->plan->grid;
    if (state->assumed != NULL) {
        plan_assumed_csv(state, out);
        return;
    }
    fputs("candidate", out);
    for (uint32_t i = 0; i < grid->axis_count; i++)
        fprintf(out, ",%s", grid->axes[i].as);
    fputs(",verdict,price,watts,rack_units,headroom,front,why,bottleneck,within_tolerance,result\n",
          out);
    for (uint32_t i = 0; i < state->count; i++) {
        const struct plan_candidate *of = &state->candidates[i];
        fputs(of->cell->name, out);
        for (uint32_t k = 0; k < grid->axis_count; k++)
            fprintf(out, ",%s", grid->axes[k].values[of->cell->at[k]]);
        fprintf(out, ",%s", plan_verdict_word(of->verdict));
        if (state->plan->has_prices)
            fprintf(out, ",%.3f,%.3f,%" PRId64, (double)of->bill.price / QUANTITY_DECIMAL_ONE,
                    (double)of->bill.power / QUANTITY_DECIMAL_ONE, of->bill.rack_units);
        else
            fputs(",,,", out);
        if (of->measured)
            fprintf(out, ",%.6f", of->headroom);
        else
            fputc(',', out);
        fprintf(out, ",%d", of->front);
        fputc(',', out);
        chart_csv_text(out, of->why);
        fputc(',', out);
        chart_csv_text(out, of->limit);
        fputc(',', out);
        if (of->measured)
            fprintf(out, "%d", plan_is_near(state, of->headroom));
        fprintf(out, ",%s\n", plan_result_word(plan_result_of(of->verdict)));
    }
}
