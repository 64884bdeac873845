/* SPDX-License-Identifier: Apache-2.0
 * matrix_text - predictions and measurements as text, as a Markdown page, and as JSON.
 * The page is meant for docs/: it states the command that wrote it, what was measured and when, and
 * lists failures first. */
#ifndef STORMGLASS_REPORTS_TEXT_MATRIX_TEXT_H
#define STORMGLASS_REPORTS_TEXT_MATRIX_TEXT_H

#include "replay/compare/matrix.h"

#include <stdio.h>

/* All functions return false if the output could not be written. */
bool matrix_text(const struct matrix *matrix, FILE *out);
bool matrix_markdown(const struct matrix *matrix, FILE *out);
bool matrix_json(const struct matrix *matrix, FILE *out);

enum { MATRIX_WHEN_BYTES = 64 };

/* "2026-01-01", or a period. */
void matrix_when(const struct matrix *matrix, char text[MATRIX_WHEN_BYTES]);

/* Iterates over the planes of an error map: the first axis runs down, the second across, and there
 * is one plane for each combination of the others. Returns false after the last one. Start with
 * zeros. */
bool matrix_next_plane(const struct matrix *matrix, uint32_t places[GRID_AXES_MAX]);
/* "read 100%": the values of the plane. */
void matrix_plane_words(const struct matrix *matrix, const uint32_t places[GRID_AXES_MAX],
                        char *text, size_t size);

#endif
