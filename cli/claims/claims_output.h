/* SPDX-License-Identifier: Apache-2.0
 * claims_output - settled claims as text, Markdown, JSON, CSV and bar charts. */
#ifndef STORMGLASS_CLI_CLAIMS_CLAIMS_OUTPUT_H
#define STORMGLASS_CLI_CLAIMS_CLAIMS_OUTPUT_H

#include "replay/claim/settle.h"

#include <stdio.h>

enum { CLAIMS_CASE_BYTES = 256, CLAIMS_ROWS_BYTES = 80 };

void claims_text(const struct settled *settled, uint32_t count, FILE *out);
/* Sections; with `whole`, the page docs/claims.md with its introduction and table. */
void claims_markdown(const struct settled *settled, uint32_t count, bool whole, FILE *out);
void claims_json(const struct settled *settled, uint32_t count, FILE *out);
void claims_csv(const struct settled *settled, uint32_t count, FILE *out);
/* The figures of one claim that was run. */
void claims_svg(const struct settled *settled, FILE *out);

/* "24, N6" */
void claims_rows(const struct claim *claim, char text[CLAIMS_ROWS_BYTES]);

/* "true under a condition: block size up to 16KiB (false at 32KiB)" */
void claims_verdict(const struct settled *settled, FILE *out);

/* The test of a case: "p99 < 100us and goodput > 1Gbps" */
void claims_test(const struct claim *claim, FILE *out);

/* The name of a case on an axis; "-" on the second axis if the first one is not modeled. */
const char *claims_choice(const struct claim *claim, uint32_t index, uint32_t axis);

/* "true", "false, not steady", "unknown", "not modeled: REASON" */
void claims_state(const struct settled *settled, uint32_t index, char text[CLAIMS_CASE_BYTES]);

/* "64 claims: 20 true, ..." */
void claims_total(const struct settled *settled, uint32_t count, FILE *out);

#endif
