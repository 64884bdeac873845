/* SPDX-License-Identifier: Apache-2.0
 * quantity - exact numbers with units: `100Gbps 3m 64KiB 4096B 55us 20%`.
 * A value is an integer in the base unit of its kind: TIME ps, SIZE bytes, RATE bits per second,
 * LENGTH millimeters, PERCENT parts per million, RATIO parts per 10^15, DECIMAL thousandths, INT
 * itself. Decimals are allowed when the value is a whole number of base units (1.5us, 2.5Gbps). KB,
 * MB, GB are powers of 1000, KiB, MiB, GiB of 1024. A bare 0 needs no unit. A RATE may be a name of
 * InfiniBand or Fibre Channel: EDR is 100Gbps, 32GFC 27.2Gbps. The ratios, PERCENT and
 * RATIO, may also be written as a fraction (1/16), as a power of two (2^-4), or as SONiC and
 * Broadcom write alpha: dynamic_th -4 is 2^-4 (SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH). RATIO
 * also accepts 1e-12, 0.001 or 5%. The only rounding is of a fraction given as PERCENT, to the
 * nearest part per million: 1/128 is 7813 ppm. */
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

/* "32GFC" for a rate of Fibre Channel; NULL for any other rate. */
const char *quantity_fc_rate(int64_t bps);

/* The network that has a rate of this name: "InfiniBand" for EDR; NULL for any other text. */
const char *quantity_rate_network(const char *text);

/* On failure returns false with a sentence in `why` ("expected a time such as 55us"). Only INT may
 * be negative. */
bool quantity_parse(enum quantity_kind kind, const char *text, int64_t *value,
                    char why[QUANTITY_WHY_BYTES]);

/* Formats as a person would: in the largest unit that the value reaches (9.488454515ms, 2.5Gbps,
 * 300m), a size in the unit that gives the smallest number (32MB, 64KiB). Exact: quantity_parse
 * returns the same value. */
void quantity_format(enum quantity_kind kind, int64_t value, char *text, size_t size);

/* "a time such as 55us" */
const char *quantity_expected(enum quantity_kind kind);

#endif
