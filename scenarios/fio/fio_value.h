/* SPDX-License-Identifier: Apache-2.0
 * fio_value - numbers in fio's notation.
 * Sizes: decimal or 0x hexadecimal. The suffixes k m g t p (also kb, ki) are powers of kb_base; kib
 * mib ... are powers of the other one of 1000 and 1024. Case does not matter: with fio's default
 * kb_base=1024, 4k is 4096 and 4kib is 4000. Times: d h m s ms us and their longer spellings; a
 * bare number is in the option's own unit.
 * Source: fio 3.33, HOWTO "Parameter types"; suffixes verified with fio itself.
 * Stricter than fio: an unknown suffix is an error. Not supported: arithmetic in parentheses.
 * Errors: false. */
#ifndef STORMGLASS_SCENARIOS_FIO_FIO_VALUE_H
#define STORMGLASS_SCENARIOS_FIO_FIO_VALUE_H

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>

/* Parses `length` bytes at `text`; a negative number is accepted, too. */
bool fio_value_size(const char *text, size_t length, int64_t kb_base, int64_t *value);

/* In picoseconds; unit_ps is the unit of a bare number. */
bool fio_value_time(const char *text, size_t length, time_ps unit_ps, int64_t *value);

/* Percentage up to 100 with up to four decimals, as parts per million. */
bool fio_value_percent(const char *text, size_t length, int64_t *ppm);

#endif
