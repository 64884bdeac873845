/* SPDX-License-Identifier: Apache-2.0
 * fio_value - parses numbers in fio's notation. */
#include "scenarios/fio/fio_value.h"

#include <string.h>

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int digit_of(char c)
{
    const int l = lower(c);
    if (l >= '0' && l <= '9')
        return l - '0';
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : 99;
}

/* Reads the digits of a number up to the end; returns 0 if there are none or on overflow. */
static size_t read_digits(const char *text, size_t length, int base, int64_t *value)
{
    size_t at = 0;
    for (*value = 0; at < length && digit_of(text[at]) < base; at++)
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit_of(text[at]), value))
            return 0;
    return at;
}

/* Number of bytes of a number without its suffix; 0: not a number. */
static size_t read_number(const char *text, size_t length, int64_t *value)
{
    if (length > 2 && text[0] == '0' && lower(text[1]) == 'x') {
        const size_t digits = read_digits(text + 2, length - 2, 16, value);
        return digits > 0 ? digits + 2 : 0;
    }
    return read_digits(text, length, 10, value);
}

static bool same_word(const char *text, size_t length, const char *word)
{
    if (strlen(word) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (lower(text[i]) != word[i])
            return false;
    return true;
}

/* The factor of a size's suffix, or 0. */
static int64_t size_factor(const char *suffix, size_t length, int64_t kb_base)
{
    static const char prefixes[] = "kmgtp";
    if (length == 0 || same_word(suffix, length, "b"))
        return 1;
    const char *prefix = memchr(prefixes, lower(suffix[0]), sizeof prefixes - 1);
    if (prefix == NULL)
        return 0;
    const char *rest = suffix + 1;
    const bool other = same_word(rest, length - 1, "ib");
    if (!other && length > 1 && !same_word(rest, 1, "b") && !same_word(rest, 1, "i"))
        return 0;
    if (!other && length > 2)
        return 0;
    const int64_t base = other ? 2024 - kb_base : kb_base; /* swaps 1000 and 1024 */
    int64_t factor = 1;
    for (const char *at = prefixes; at <= prefix; at++)
        factor *= base;
    return factor;
}

bool fio_value_size(const char *text, size_t length, int64_t kb_base, int64_t *value)
{
    CHECK(kb_base == 1000 || kb_base == 1024);
    const bool negative = length > 0 && text[0] == '-';
    const size_t sign = negative ? 1 : 0;
    const size_t used = read_number(text + sign, length - sign, value);
    if (used == 0)
        return false;
    const size_t at = sign + used;
    const int64_t factor = size_factor(text + at, length - at, kb_base);
    if (factor == 0 || __builtin_mul_overflow(*value, factor, value))
        return false;
    if (negative)
        *value = -*value;
    return true;
}

static time_ps time_factor(const char *suffix, size_t length, time_ps unit_ps)
{
    static const struct {
        const char *word;
        time_ps ps;
    } units[] = {
        {"us", PS_PER_US},
        {"usec", PS_PER_US},
        {"ms", PS_PER_MS},
        {"msec", PS_PER_MS},
        {"s", PS_PER_S},
        {"sec", PS_PER_S},
        {"m", 60 * PS_PER_S},
        {"min", 60 * PS_PER_S},
        {"h", 3600 * PS_PER_S},
        {"hour", 3600 * PS_PER_S},
        {"hours", 3600 * PS_PER_S},
        {"d", 86400 * PS_PER_S},
        {"day", 86400 * PS_PER_S},
        {"days", 86400 * PS_PER_S},
    };
    if (length == 0)
        return unit_ps;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (same_word(suffix, length, units[i].word))
            return units[i].ps;
    return 0;
}

bool fio_value_time(const char *text, size_t length, time_ps unit_ps, int64_t *value)
{
    const size_t used = read_number(text, length, value);
    if (used == 0)
        return false;
    const time_ps factor = time_factor(text + used, length - used, unit_ps);
    return factor > 0 && !__builtin_mul_overflow(*value, factor, value);
}

bool fio_value_percent(const char *text, size_t length, int64_t *ppm)
{
    int64_t whole = 0, decimals = 0;
    size_t at = read_digits(text, length, 10, &whole);
    if (at == 0 || whole > 100)
        return false;
    int64_t weight = PPM / 100;
    if (at < length && text[at] == '.') {
        const size_t digits = read_digits(text + at + 1, length - at - 1, 10, &decimals);
        if (digits == 0 || digits > 4)
            return false;
        at += 1 + digits;
        for (size_t i = 0; i < digits; i++)
            weight /= 10;
    }
    *ppm = whole * (PPM / 100) + decimals * weight;
    return at == length && *ppm <= PPM;
}
