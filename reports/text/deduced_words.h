/* SPDX-License-Identifier: Apache-2.0
 * deduced_words - what text, JSON and profile say alike of a parameter and a reading. */
#ifndef STORMGLASS_REPORTS_TEXT_DEDUCED_WORDS_H
#define STORMGLASS_REPORTS_TEXT_DEDUCED_WORDS_H

#include "replay/readings/deduce.h"

enum { DEDUCED_WORDS_BYTES = 320 };

/* "write.txt:23, perftest: 8 B WRITE, 1 queue pair"; the name of a file may be anything. */
void deduced_reading_words(const struct reading *reading, char text[DEDUCED_WORDS_BYTES]);

/* Where a value is from and how, for the source of a profile. */
void deduced_source_words(const struct deduced_parameter *parameter,
                          char text[DEDUCED_WORDS_BYTES]);

/* "0.013 %", "exact", or "" where nothing is known. */
void deduced_precision_words(const struct deduced_parameter *parameter,
                             char text[DEDUCED_WORDS_BYTES]);

/* What the model shows more or less than was measured, as a share. */
double deduced_error(const struct deduced_figure *figure);

/* Figures that are farther off are named as missed. */
static const double deduced_missed = 0.15;

#endif
