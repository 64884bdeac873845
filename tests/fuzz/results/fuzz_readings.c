/* SPDX-License-Identifier: Apache-2.0
 * fuzz_readings - any bytes as what another tool printed: read or refused.
 * What is read has figures that can be.
 * Reads: replay/readings/reading.c replay/readings/perftest.c replay/readings/tool_*.c */
#include "base/check.h"
#include "replay/readings/reading.h"
#include "tests/fuzz/token_mutator.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_one(const struct reading *reading)
{
    CHECK(reading->tool != NULL && reading->where.line > 0 && reading->where.column > 0);
    if (reading->kind == READING_SETTING) {
        CHECK(reading->path != NULL && reading->value != NULL);
        return;
    }
    if (reading->kind == READING_NOTE) {
        CHECK(reading->value != NULL);
        return;
    }
    CHECK(reading->work.bytes > 0);
    CHECK(reading->rate.value > 0 || reading->latency.value > 0);
    CHECK(*reading_verb_word(reading->work.verb) != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct readings readings = {0};
    struct diag *diag = calloc(1, sizeof *diag);
    CHECK(diag != NULL);
    const char *text = size == 0 ? "" : (const char *)data;
    const bool fine = readings_read(&readings, "in", text, size, diag);
    CHECK(fine == !diag_failed(diag));
    CHECK(readings.count <= READINGS_MAX);
    for (size_t i = 0; fine && i < readings.count; i++)
        check_one(&readings.list[i]);
    readings_free(&readings);
    free(diag);
    return 0;
}
