/* SPDX-License-Identifier: Apache-2.0
 * compare_timing - the figures of each workload and their errors. */
#include "replay/compare/compare_private.h"

#include <math.h>

static void judge_figure(struct compare_figure *figure, const struct compare_options *options)
{
    figure->error = compare_error(figure->model, figure->measured);
    figure->within = fabs(figure->error) <= options->tolerance;
}

void compare_figures(struct compare_workload *workload, const struct compare_options *options,
                     uint32_t *judged, uint32_t *within)
{
    for (int i = 0; i < FIGURE_COUNT; i++) {
        struct compare_figure *figure = &workload->figures[i];
        const bool here = workload->model->known[i], there = workload->measured->known[i];
        *figure = (struct compare_figure){.model = workload->model->values[i],
                                          .measured = workload->measured->values[i],
                                          .known = here && there};
        if (figure->known)
            judge_figure(figure, options);
        /* a figure that only one side has (the other completed nothing) is never within the
         * tolerance */
        figure->judged = (options->judged & 1u << i) != 0 && (here || there);
        *judged += figure->judged;
        *within += figure->judged && figure->within;
    }
}

void compare_timing(const struct compare_input *input)
{
    struct compare *compare = input->compare;
    const struct figures *figures = compare->figures;
    const size_t count = figures[0].count < figures[1].count ? figures[0].count : figures[1].count;
    compare->workloads = arena_array(&compare->arena, count, sizeof *compare->workloads);
    compare->workload_count = count;
    for (size_t i = 0; i < count; i++) {
        struct compare_workload *workload = &compare->workloads[i];
        workload->model = &figures[0].workloads[i];
        workload->measured = &figures[1].workloads[i];
        compare_figures(workload, &compare->options, &compare->judged, &compare->within);
    }
}
