/* SPDX-License-Identifier: Apache-2.0
 * figure - a formatted value, or "-" if it is undefined. */
#include "replay/database/figure.h"

bool figure_is_undefined(const struct store_statement *row, const char *column)
{
    return store_is_null(row, column);
}

struct words figure_undefined(void)
{
    return (struct words){"-"};
}

struct words figure_time(const struct store_statement *row, const char *column)
{
    return figure_is_undefined(row, column) ? figure_undefined()
                                            : words_time(store_int(row, column));
}

struct words figure_rate(const struct store_statement *row, const char *column)
{
    return figure_is_undefined(row, column) ? figure_undefined()
                                            : words_rate(store_real(row, column));
}

struct words figure_short(const struct store_statement *row, const char *column)
{
    return figure_is_undefined(row, column) ? figure_undefined()
                                            : words_short(store_real(row, column));
}

struct words figure_count(const struct store_statement *row, const char *column)
{
    return figure_is_undefined(row, column) ? figure_undefined()
                                            : words_count(store_int(row, column));
}
