/* SPDX-License-Identifier: Apache-2.0
 * figure - formats a column that may be undefined.
 * A mean over nothing and a rate over no time are undefined: NULL in a database, null in JSON, and
 * "-" in text. Every table with such a column uses these functions. */
#ifndef STORMGLASS_REPLAY_DATABASE_FIGURE_H
#define STORMGLASS_REPLAY_DATABASE_FIGURE_H

#include "replay/database/store.h"
#include "replay/database/words.h"

#include <stdbool.h>

/* True if the column is NULL. */
bool figure_is_undefined(const struct store_statement *row, const char *column);

struct words figure_undefined(void); /* "-" */

struct words figure_time(const struct store_statement *row, const char *column); /* a time in ps */
struct words figure_rate(const struct store_statement *row,
                         const char *column); /* a rate in bits per second */
struct words figure_short(const struct store_statement *row, const char *column);
struct words figure_count(const struct store_statement *row, const char *column);

#endif
