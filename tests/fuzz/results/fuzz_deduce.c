/* SPDX-License-Identifier: Apache-2.0
 * fuzz_deduce - what any readings say of parameters: values inside their bounds, and a model that
 * can be played with them.
 * Reads: replay/readings/deduce*.c */
#include "base/check.h"
#include "replay/readings/deduce.h"
#include "tests/fuzz/token_mutator.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { READINGS = 6 /* more are as slow as there are more */ };

static void check_one(const struct deduced_parameter *parameter)
{
    char text[64], why[OPT_WHY_BYTES];
    int64_t value;
    if (parameter->absent) /* of another transport: without a row */
        return;
    opt_format(parameter->row, parameter->value, text, sizeof text);
    CHECK(opt_parse(parameter->row, text, &value, why));
    CHECK(value == parameter->value);
    CHECK((parameter->state == DEDUCE_OPEN) == (parameter->from == NULL));
}

static void deduce_of(const struct readings *readings, bool no_drive)
{
    static const struct diag none;
    struct deduced deduced;
    struct diag diag = none;
    const struct deduce_ask ask = {
        .base = "connectx-5-100g", .no_drive = no_drive, .together = !no_drive};
    CHECK(deduce(&deduced, readings, &ask, &diag));
    for (int i = 0; i < DEDUCE_COUNT; i++)
        check_one(&deduced.parameters[i]);
    for (size_t i = 0; i < deduced.figure_count; i++)
        CHECK(deduced.figures[i].measured > 0 && deduced.figures[i].modelled > 0);
    deduced_free(&deduced);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct readings readings = {0};
    struct diag *diag = calloc(1, sizeof *diag);
    CHECK(diag != NULL);
    const char *text = size == 0 ? "" : (const char *)data;
    if (readings_read(&readings, "in", text, size, diag) && readings.count <= READINGS)
        deduce_of(&readings, size % 2 == 0);
    readings_free(&readings);
    free(diag);
    return 0;
}
