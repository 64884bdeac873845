/* SPDX-License-Identifier: Apache-2.0
 * figure - a value of a row in words, where it may be undefined.
 * A mean of nothing and a rate over no time are undefined: NULL in a database, null in JSON and "-"
 * wherever people read.  Every table that prints such a column reads it through these. */
#ifndef STORMGLASS_REPLAY_DATABASE_FIGURE_H
#define STORMGLASS_REPLAY_DATABASE_FIGURE_H

#include "replay/database/store.h"
#include "replay/database/words.h"

#include <stdbool.h>

/* The column has no value. */
bool figure_is_undefined(const struct store_statement *row, const char *column);

struct words figure_undefined(void); /* "-" */

struct words figure_time(const struct store_statement *row, const char *column); /* of ps */
struct words figure_rate(const struct store_statement *row,
                         const char *column); /* of bits per second */
struct words figure_short(const struct store_statement *row, const char *column);
struct words figure_count(const struct store_statement *row, const char *column);

#endif
