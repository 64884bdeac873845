/* SPDX-License-Identifier: Apache-2.0
 * deduced_words - what text, JSON and profile say alike of a parameter and a reading. */
#ifndef STORMGLASS_REPORTS_TEXT_DEDUCED_WORDS_H
#define STORMGLASS_REPORTS_TEXT_DEDUCED_WORDS_H

#include "replay/readings/deduce.h"

enum { DEDUCED_WORDS_BYTES = 320 };

/* "write.txt:23, perftest: 8 B WRITE, 1 queue pair"; the name of a file may be anything. */
void deduced_reading_words(const struct reading *reading, char text[DEDUCED_WORDS_BYTES]);

/* The name of a reading's file, as it can be printed. */
void deduced_file_words(const struct reading *reading, char text[DEDUCED_WORDS_BYTES]);

/* The first reading of its file that is there. */
bool deduced_is_first(const struct readings *readings, const struct reading *reading);

/* What is known of the parameter is from the file of the reading. */
bool deduced_is_by(const struct deduced_parameter *parameter, const struct reading *reading);

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
