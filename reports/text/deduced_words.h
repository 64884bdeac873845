/* SPDX-License-Identifier: Apache-2.0
 * deduced_words - texts about parameters and readings that text, JSON and profile have in
 * common. */
#ifndef STORMGLASS_REPORTS_TEXT_DEDUCED_WORDS_H
#define STORMGLASS_REPORTS_TEXT_DEDUCED_WORDS_H

#include "replay/readings/deduce.h"

enum { DEDUCED_WORDS_BYTES = 320 };

/* "write.txt:23, perftest: 8 B WRITE, 1 queue pair"; the file name is untrusted. */
void deduced_reading_words(const struct reading *reading, char text[DEDUCED_WORDS_BYTES]);

/* The name of a reading's file in printable form. */
void deduced_file_words(const struct reading *reading, char text[DEDUCED_WORDS_BYTES]);

/* Whether the reading is the first one of its file. */
bool deduced_is_first(const struct readings *readings, const struct reading *reading);

/* Whether the parameter was determined from the reading's file. */
bool deduced_is_by(const struct deduced_parameter *parameter, const struct reading *reading);

/* Where a value comes from and how, for `source` in a profile. */
void deduced_source_words(const struct deduced_parameter *parameter,
                          char text[DEDUCED_WORDS_BYTES]);

/* "0.013 %", "exact", or "" if unknown. */
void deduced_precision_words(const struct deduced_parameter *parameter,
                             char text[DEDUCED_WORDS_BYTES]);

/* Relative error of the model. */
double deduced_error(const struct deduced_figure *figure);

/* Figures with a larger error are reported as missed. */
static const double deduced_missed = 0.15;

#endif
