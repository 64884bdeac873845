/* quantity - numbers with units as text, exact.                 SPDX-License-Identifier: Apache-2.0
 * `100Gbps 3m 64KiB 4096B 55us 20%`.  A value is an integer in the base unit of its kind: TIME ps,
 * SIZE bytes, RATE bits per second, LENGTH millimetres, PERCENT parts per million, RATIO parts
 * per 10^15, DECIMAL thousandths, INT itself.  Decimals are fine where the value comes out whole
 * (1.5us, 2.5Gbps).  KB, MB, GB are powers of 1000, KiB, MiB, GiB of 1024.  A bare 0 needs no unit.
 * Ratios, which are PERCENT and RATIO, are also written as a fraction (1/16), as a power of two
 * (2^-4), and as SONiC and Broadcom write alpha: dynamic_th -4 is 2^-4
 * (SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH).  RATIO also takes 1e-12, 0.001 or 5%.  Nothing is
 * rounded but a fraction that is a PERCENT, to the nearest part per million: 1/128 is 7813 ppm.  */
#ifndef STORMGLASS_BASE_QUANTITY_H
#define STORMGLASS_BASE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum quantity_kind {
    QUANTITY_INT,
    QUANTITY_TIME,
    QUANTITY_SIZE,
    QUANTITY_RATE,
    QUANTITY_LENGTH,
    QUANTITY_PERCENT,
    QUANTITY_RATIO,
    QUANTITY_DECIMAL
};

enum { QUANTITY_WHY_BYTES = 160, QUANTITY_TEXT_BYTES = 48, QUANTITY_DECIMAL_ONE = 1000 };

/* False with a sentence in why ("expected a time such as 55us"). Only INT may be negative. */
bool quantity_parse(enum quantity_kind kind, const char *text, int64_t *value,
                    char why[QUANTITY_WHY_BYTES]);

/* As a person writes it: in the largest unit that the value reaches (9.488454515ms, 2.5Gbps, 300m),
 * of a size in the one with the smallest number (32MB, 64KiB).  Exact: quantity_parse reads it back
 * to the same value. */
void quantity_format(enum quantity_kind kind, int64_t value, char *text, size_t size);

/* "a time such as 55us" */
const char *quantity_expected(enum quantity_kind kind);

#endif
