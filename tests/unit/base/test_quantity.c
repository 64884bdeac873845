/* SPDX-License-Identifier: Apache-2.0
 * Quantities: what is read, what is refused, and that writing and reading agree. */
#include "base/quantity.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void values_are_exact(void **state)
{
    (void)state;
    static const struct {
        enum quantity_kind kind;
        const char *text;
        int64_t value;
    } rows[] = {
        {QUANTITY_INT, "0", 0},
        {QUANTITY_INT, "-7", -7},
        {QUANTITY_INT, "9223372036854775807", INT64_MAX},
        {QUANTITY_INT, "1e6", 1000000},
        {QUANTITY_TIME, "55us", 55000000},
        {QUANTITY_TIME, "1.5us", 1500000},
        {QUANTITY_TIME, "0.001ns", 1},
        {QUANTITY_TIME, "3600s", 3600000000000000},
        {QUANTITY_TIME, "1h", 3600000000000000},
        {QUANTITY_TIME, "0", 0},
        {QUANTITY_SIZE, "64KiB", 65536},
        {QUANTITY_SIZE, "400KB", 400000},
        {QUANTITY_SIZE, "4096B", 4096},
        {QUANTITY_SIZE, "0.5KiB", 512},
        {QUANTITY_SIZE, "1PiB", INT64_C(1) << 50},
        {QUANTITY_RATE, "100Gbps", 100000000000},
        {QUANTITY_RATE, "2.5Gbps", 2500000000},
        {QUANTITY_RATE, "1.6Tbps", 1600000000000},
        {QUANTITY_LENGTH, "3m", 3000},
        {QUANTITY_LENGTH, "0.5m", 500},
        {QUANTITY_LENGTH, "80km", 80000000},
        {QUANTITY_PERCENT, "20%", 200000},
        {QUANTITY_PERCENT, "0.0001%", 1},
        {QUANTITY_PERCENT, "12800%", 128000000},
        {QUANTITY_PERCENT, "1/16", 62500},
        {QUANTITY_PERCENT, "3/4", 750000},
        {QUANTITY_PERCENT, "1/128", 7813},
        {QUANTITY_PERCENT, "2^-4", 62500},
        {QUANTITY_PERCENT, "2^3", 8000000},
        {QUANTITY_PERCENT, "dynamic_th -4", 62500},
        {QUANTITY_PERCENT, "dynamic_th 0", 1000000},
        {QUANTITY_RATIO, "2^-8", 3906250000000},
        {QUANTITY_RATIO, "1/256", 3906250000000},
        {QUANTITY_RATIO, "1e-12", 1000},
        {QUANTITY_RATIO, "0.5", 500000000000000},
        {QUANTITY_RATIO, "5%", 50000000000000},
        {QUANTITY_RATIO, "1", 1000000000000000},
        {QUANTITY_DECIMAL, "1250.5", 1250500},
        {QUANTITY_DECIMAL, "0.001", 1},
        {QUANTITY_DECIMAL, "1000", 1000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[QUANTITY_WHY_BYTES] = "";
        int64_t value = -1;
        if (!quantity_parse(rows[i].kind, rows[i].text, &value, why))
            fail_msg("\"%s\" was refused: %s", rows[i].text, why);
        if (value != rows[i].value)
            fail_msg("\"%s\" is %lld", rows[i].text, (long long)value);
    }
}

static void wrong_texts_are_refused(void **state)
{
    (void)state;
    static const struct {
        enum quantity_kind kind;
        const char *text;
        const char *says;
    } rows[] = {
        {QUANTITY_TIME, "55", "no unit"},
        {QUANTITY_TIME, "55m", "another unit"},
        {QUANTITY_TIME, "55 us", "another unit"},
        {QUANTITY_TIME, "us", "begin with a number"},
        {QUANTITY_TIME, "", "empty"},
        {QUANTITY_TIME, ".", "begin with a number"},
        {QUANTITY_TIME, "-3us", "negative"},
        {QUANTITY_TIME, "0.5ps", "not a whole number"},
        {QUANTITY_TIME, "1e-13s", "not a whole number"},
        {QUANTITY_TIME, "9999999999s", "too large"},
        {QUANTITY_TIME, "1e99s", "too large"},
        {QUANTITY_SIZE, "1.0001KB", "not a whole number"},
        {QUANTITY_SIZE, "64kib", "another unit"},
        {QUANTITY_SIZE, "100Gbps", "another unit"},
        {QUANTITY_RATE, "100G", "another unit"},
        {QUANTITY_PERCENT, "20", "no unit"},
        {QUANTITY_PERCENT, "0.00001%", "not a whole number"},
        {QUANTITY_PERCENT, "1/0", "not a fraction"},
        {QUANTITY_PERCENT, "1/9999999", "less than one part"},
        {QUANTITY_PERCENT, "-1/16", "negative"},
        {QUANTITY_PERCENT, "2^", "no exponent"},
        {QUANTITY_PERCENT, "2^-4x", "no exponent"},
        {QUANTITY_PERCENT, "2^-41", "no exponent"},
        {QUANTITY_PERCENT, "dynamic_th -0.5", "no exponent"},
        {QUANTITY_TIME, "2^3", "another unit"},
        {QUANTITY_RATIO, "1/3", "not a whole number"},
        {QUANTITY_RATIO, "1/0", "not a fraction"},
        {QUANTITY_RATIO, "1/x", "no denominator"},
        {QUANTITY_RATIO, "-1/2", "negative"},
        {QUANTITY_DECIMAL, "0.0005", "not a whole number"},
        {QUANTITY_DECIMAL, "-0.5", "negative"},
        {QUANTITY_DECIMAL, "5/s", "another unit"},
        {QUANTITY_INT, "1_000", "another unit"},
        {QUANTITY_INT, "0x10", "another unit"},
        {QUANTITY_INT, "1.5", "not a whole number"},
        {QUANTITY_INT, "99999999999999999999999", "too many digits"},
        {QUANTITY_INT, "9223372036854775808", "too large"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[QUANTITY_WHY_BYTES] = "";
        int64_t value;
        if (quantity_parse(rows[i].kind, rows[i].text, &value, why))
            fail_msg("\"%s\" was taken", rows[i].text);
        if (strstr(why, rows[i].says) == NULL)
            fail_msg("\"%s\" is refused with: %s", rows[i].text, why);
    }
}

static void the_usual_spelling_is_written(void **state)
{
    (void)state;
    static const struct {
        enum quantity_kind kind;
        int64_t value;
        const char *text;
    } rows[] = {
        {QUANTITY_TIME, 0, "0s"},
        {QUANTITY_TIME, 55000000, "55us"},
        {QUANTITY_TIME, 1500000, "1.5us"},
        {QUANTITY_TIME, 1500001, "1.500001us"},
        {QUANTITY_TIME, 9488454515, "9.488454515ms"},
        {QUANTITY_TIME, 9037505085, "9.037505085ms"},
        {QUANTITY_TIME, 60000000000001, "60.000000000001s"},
        {QUANTITY_RATE, 12345678901, "12.345678901Gbps"},
        {QUANTITY_LENGTH, 1234567, "1.234567km"},
        {QUANTITY_SIZE, 4200, "4200B"},
        {QUANTITY_SIZE, 65536, "64KiB"},
        {QUANTITY_SIZE, 32000000, "32MB"},
        {QUANTITY_SIZE, 33554432, "32MiB"},
        {QUANTITY_SIZE, 262016, "262016B"},
        {QUANTITY_RATE, 100000000000, "100Gbps"},
        {QUANTITY_RATE, 2500000000, "2.5Gbps"},
        {QUANTITY_LENGTH, 300000, "300m"},
        {QUANTITY_PERCENT, 125000, "12.5%"},
        {QUANTITY_PERCENT, 1, "0.0001%"},
        {QUANTITY_RATIO, 3906250000000, "1/256"},
        {QUANTITY_RATIO, 3000, "3e-12"},
        {QUANTITY_DECIMAL, 0, "0"},
        {QUANTITY_DECIMAL, 500, "0.5"},
        {QUANTITY_DECIMAL, 20000000, "20000"},
        {QUANTITY_DECIMAL, 1250500, "1250.5"},
        {QUANTITY_INT, -7, "-7"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[QUANTITY_TEXT_BYTES];
        quantity_format(rows[i].kind, rows[i].value, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    struct rng rng = rng_stream(1, "test", "quantity");
    for (int i = 0; i < 70000; i++) {
        const enum quantity_kind kind = (enum quantity_kind)(i % (QUANTITY_DECIMAL + 1));
        int64_t value = (int64_t)(rng_next(&rng) >> (1 + rng_below(&rng, 62)));
        for (uint64_t zeros = rng_below(&rng, 12); zeros > 0 && value < INT64_MAX / 10; zeros--)
            value *= 10;
        char text[QUANTITY_TEXT_BYTES], why[QUANTITY_WHY_BYTES];
        int64_t back = -1;
        quantity_format(kind, value, text, sizeof text);
        if (!quantity_parse(kind, text, &back, why) || back != value)
            fail_msg("%lld was written as %s and read as %lld", (long long)value, text,
                     (long long)back);
    }
}

/* Nobody types 9488454.515ns: a number with four digits before the point has a larger unit. */
static void the_largest_unit_is_taken(void **state)
{
    (void)state;
    static const struct {
        enum quantity_kind kind;
        const char *largest;
    } rows[] = {{QUANTITY_TIME, "s"}, {QUANTITY_RATE, "Tbps"}, {QUANTITY_LENGTH, "km"}};
    struct rng rng = rng_stream(2, "test", "quantity");
    for (size_t i = 0; i < 30000; i++) {
        const enum quantity_kind kind = rows[i % 3].kind;
        const int64_t value = (int64_t)(rng_next(&rng) >> (1 + rng_below(&rng, 62)));
        char text[QUANTITY_TEXT_BYTES];
        quantity_format(kind, value, text, sizeof text);
        const char *unit = text + strspn(text, "0123456789.");
        if (strspn(text, "0123456789") > 3 && strcmp(unit, rows[i % 3].largest) != 0)
            fail_msg("%lld was written as %s", (long long)value, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_exact),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(the_usual_spelling_is_written),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(the_largest_unit_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
