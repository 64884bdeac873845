/* SPDX-License-Identifier: Apache-2.0
 * fio_value - numbers as fio writes them.
 * Sizes: decimal or 0x hexadecimal, with k m g t p (also kb, ki) as powers of kb_base and kib mib
 * ... as powers of the other of 1000 and 1024, in any case: with fio's default kb_base=1024, 4k is
 * 4096 and 4kib is 4000.  Times: d h m s ms us and their longer spellings; a bare number is in the
 * option's own unit.
 * Source: fio 3.33, HOWTO "Parameter types"; suffixes tried on fio itself.
 * Stricter than fio: an unknown suffix is an error.  Not supported: arithmetic in parentheses.
 * Errors: false. */
#ifndef STORMGLASS_SCENARIOS_FIO_FIO_VALUE_H
#define STORMGLASS_SCENARIOS_FIO_FIO_VALUE_H

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>

/* The length bytes at text; a negative number is taken as well. */
bool fio_value_size(const char *text, size_t length, int64_t kb_base, int64_t *value);

/* In picoseconds; unit_ps is that of a bare number. */
bool fio_value_time(const char *text, size_t length, time_ps unit_ps, int64_t *value);

/* Up to 100 with up to four decimals, in parts per million. */
bool fio_value_percent(const char *text, size_t length, int64_t *ppm);

#endif
