/* SPDX-License-Identifier: Apache-2.0
 * matrix_text - predictions against measurements: for people, as a page of Markdown, as JSON.
 * The page is made to be kept in docs/: it says by which command it was made, on what and when it
 * was measured, and shows what failed before what did not. */
#ifndef STORMGLASS_REPORTS_TEXT_MATRIX_TEXT_H
#define STORMGLASS_REPORTS_TEXT_MATRIX_TEXT_H

#include "replay/compare/matrix.h"

#include <stdio.h>

/* All return false when it could not be written. */
bool matrix_text(const struct matrix *matrix, FILE *out);
bool matrix_markdown(const struct matrix *matrix, FILE *out);
bool matrix_json(const struct matrix *matrix, FILE *out);

enum { MATRIX_WHEN_BYTES = 64 };

/* "2026-01-01", or from when to when. */
void matrix_when(const struct matrix *matrix, char text[MATRIX_WHEN_BYTES]);

/* The planes that shapes are drawn on: the first axis down, the second across, one plane for each
 * value of the others.  Moves to the next one; false: there is none.  Begin with zeros. */
bool matrix_next_plane(const struct matrix *matrix, uint32_t places[GRID_AXES_MAX]);
/* "read 100%": the values that the plane stands for. */
void matrix_plane_words(const struct matrix *matrix, const uint32_t places[GRID_AXES_MAX],
                        char *text, size_t size);

#endif
