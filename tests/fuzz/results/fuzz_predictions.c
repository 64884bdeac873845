/* SPDX-License-Identifier: Apache-2.0
 * fuzz_predictions - any bytes as frozen predictions: loaded or refused.
 * Everything is read before the seal is looked at, so a wrong digest hides nothing; to reach what
 * comes behind it, the input is sealed here.
 * Reads: replay/compare/predictions.c */
#include "replay/compare/predictions.h"
#include "tests/fuzz/token_mutator.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input with a digest that fits. */
static char *sealed(const uint8_t *data, size_t size, size_t *length)
{
    char digest_text[DIGEST_TEXT_BYTES];
    const struct digest digest = digest_of(data, size);
    digest_format(&digest, digest_text);
    char *text = malloc(size + 128);
    if (text == NULL)
        abort();
    memcpy(text, data, size);
    *length = size + (size_t)sprintf(text + size, "%s%s%s", PREDICTIONS_SEAL, digest_text,
                                     PREDICTIONS_SEAL_END);
    return text;
}

static void use(const struct predictions *predictions)
{
    char why[STORE_ERROR_BYTES];
    predictions_are_of_this_model(predictions, why);
    for (uint32_t i = 0; i < predictions->cell_count; i++)
        if (strchr(predictions->cells[i].name, '/') != NULL)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = calloc(1, sizeof *diag);
    size_t length;
    if (diag == NULL)
        abort();
    char *text = sealed(data, size, &length);
    struct predictions *predictions = predictions_load("fuzz.json", text, length, diag);
    if ((predictions == NULL) != diag_failed(diag))
        abort();
    if (predictions != NULL)
        use(predictions);
    predictions_free(predictions);
    free(text);
    free(diag);
    return 0;
}
