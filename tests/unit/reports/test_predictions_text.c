/* SPDX-License-Identifier: Apache-2.0
 * test_predictions_text - the columns of a table begin and end at the same place in each line,
 * whichever cell and workload has the longest name, and hold the figures of their own workload. */
#include "reports/text/predictions_text.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CELLS = 3, WORKLOADS = 2 };

static char *printed(const char *const cells[CELLS], const char *const workloads[WORKLOADS])
{
    struct figures_workload rows[CELLS][WORKLOADS] = {{{0}}};
    struct prediction made[CELLS] = {{0}};
    for (int64_t i = 0; i < CELLS; i++) {
        for (int64_t k = 0; k < WORKLOADS; k++) {
            rows[i][k].name = workloads[k];
            rows[i][k].tallies[FIGURE_TALLY_completed] = 10 * (i + 1) + k;
            rows[i][k].known[0] = k == 1;
        }
        made[i] = (struct prediction){.name = cells[i], .figures = {rows[i], WORKLOADS}};
    }
    const struct predictions predictions = {.cells = made, .cell_count = CELLS};
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    predictions_text(&predictions, out);
    memory_stream_end(out);
    return text;
}

static void columns_are_in_line(void **state)
{
    (void)state;
    static const char *const names[] = {"c", "cell4", "a-long-cell-name"};
    static const char *const works[] = {"w", "workload", "a-long-workload-name"};
    for (int longest = 0; longest < 3; longest++) {
        const char *const cells[] = {names[longest], names[(longest + 1) % 3],
                                     names[(longest + 2) % 3]};
        for (int first = 0; first < 3; first++) {
            const char *const workloads[] = {works[first], works[(first + 1) % 3]};
            char *text = printed(cells, workloads), *line = text;
            const size_t length = strcspn(text, "\n");
            const size_t second = strlen(names[2]) + 2; /* behind the longest name of a cell */
            for (int row = -1; row < CELLS * WORKLOADS; row++) {
                const char *cell = row < 0 ? "cell" : cells[row / WORKLOADS];
                const char *workload = row < 0 ? "workload" : workloads[row % WORKLOADS];
                assert_int_equal(strcspn(line, "\n"), length);
                assert_memory_equal(line, cell, strlen(cell));
                assert_memory_equal(line + second, workload, strlen(workload));
                if (row >= 0)
                    assert_int_equal(strtol(line + second + strlen(workload), NULL, 10),
                                     10 * (row / WORKLOADS + 1) + row % WORKLOADS);
                line += length + 1;
            }
            assert_int_equal(*line, '\0');
            free(text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_in_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
